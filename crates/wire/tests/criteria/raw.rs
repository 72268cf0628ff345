//! Strategies for raw criteria, and the sites they refer to.

use std::sync::LazyLock;

use domain::criteria::{Entry, Presence, RawCriterion};
use domain::filter::{Kind, PlaceKind};
use domain::{
    GeoPoint, Insee, Phrase, Polygon, PropertyId, Site, SiteCategory, SiteCategoryId, SiteCategoryName,
    SiteDirectory, SiteId, SiteKey, SortMode, Strictness, Timestamp, Zipcode,
};
use jiff::tz::TimeZone;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

pub static SITES: LazyLock<SiteDirectory> = LazyLock::new(|| {
    let site = |(id, key)| Site {
        id: SiteId::new(id).unwrap(),
        key: SiteKey::parse(key).unwrap(),
        name: None,
        category: None,
    };
    let sites = [(1, "portail.fr"), (2, "agence.example"), (3, "Office du Lac")].map(site);
    let category = |(id, name)| SiteCategory {
        id: SiteCategoryId::new(id).unwrap(),
        name: SiteCategoryName::parse(name).unwrap(),
    };
    SiteDirectory::new(1, sites.to_vec(), [(1, "Portails"), (7, "Notaires")].map(category).to_vec())
});

pub fn paris() -> TimeZone {
    TimeZone::get("Europe/Paris").unwrap()
}

/// Draws a value for a kind of filter.
pub fn criterion(kind: Kind) -> BoxedStrategy<RawCriterion> {
    let number = || prop_oneof![-1e6..1e6, any::<i32>().prop_map(f64::from), any::<f64>()];
    match kind {
        Kind::Min(_) | Kind::Max(_) | Kind::Latitude | Kind::Longitude | Kind::Radius => {
            number().prop_filter("finite", |it: &f64| it.is_finite()).prop_map(RawCriterion::Number).boxed()
        }
        Kind::From(_) | Kind::To(_) => (-2_000_000_000..8_000_000_000_i64)
            .prop_map(|second| RawCriterion::Timestamp(Timestamp::from_second(second).unwrap()))
            .boxed(),
        Kind::Choice(_, codes) => vec(select(codes.all()), 1..4).prop_map(RawCriterion::Codes).boxed(),
        Kind::Is(_) | Kind::Only(_) => any::<bool>().prop_map(RawCriterion::Flag).boxed(),
        Kind::Place(_, PlaceKind::Zipcode) => vec("[0-9]{5}", 1..4)
            .prop_map(|codes| {
                RawCriterion::Zipcodes(codes.iter().map(|code| Zipcode::parse(code).unwrap()).collect())
            })
            .boxed(),
        Kind::Place(_, PlaceKind::City) => {
            vec(0..1_000_000_000_u64, 1..4).prop_map(RawCriterion::Cities).boxed()
        }
        Kind::Place(_, PlaceKind::Department) => {
            vec(0..1_000_000_000_u64, 1..4).prop_map(RawCriterion::Departments).boxed()
        }
        Kind::Place(_, PlaceKind::Insee) => vec("2[AB][0-9]{3}|[0-9]{1,10}", 1..4)
            .prop_map(|codes| {
                RawCriterion::Communes(codes.iter().map(|code| Insee::parse(code).unwrap()).collect())
            })
            .boxed(),
        Kind::Site(_) => vec(select(SITES.sites()), 1..4)
            .prop_map(|sites| RawCriterion::Sites(sites.into_iter().map(|site| site.key).collect()))
            .boxed(),
        Kind::SiteCategory(_) => vec(select(SITES.categories()), 1..4)
            .prop_map(|found| {
                RawCriterion::SiteCategories(found.into_iter().map(|category| category.id).collect())
            })
            .boxed(),
        Kind::ExcludedProperty => vec(any::<[u8; 16]>(), 1..4)
            .prop_map(|ids| RawCriterion::Properties(ids.into_iter().map(PropertyId::from_bytes).collect()))
            .boxed(),
        Kind::Shapes => {
            let point =
                (-90.0..=90.0, -180.0..=180.0).prop_map(|(lat, lon)| GeoPoint::new(lat, lon).unwrap());
            let polygon = vec(point, 3..12).prop_map(|corners| Polygon::new(corners).unwrap());
            vec(polygon, 1..4).prop_map(RawCriterion::Polygons).boxed()
        }
        Kind::SortMode => {
            select(vec![SortMode::Property, SortMode::Advert]).prop_map(RawCriterion::SortMode).boxed()
        }
        Kind::Features => vec("[a-z0-9éÀœ]{1,8}[ &=+%'-]{0,2}[a-zA-Z]{1,6}", 1..4)
            .prop_map(|texts| {
                let phrase = |text: &String| Phrase::new(text, Strictness::Inflected).unwrap();
                RawCriterion::Features(texts.iter().map(phrase).collect())
            })
            .boxed(),
        Kind::Expressions => {
            // Words with accents and with characters that need encoding.
            let entry = ("[a-z0-9éÀœ]{1,8}[ &=+%\\[\\]'-]{0,2}[a-zA-Z]{1,6}", any::<bool>(), any::<bool>());
            let entry = entry.prop_map(|(text, strict, present)| {
                let strictness = if strict { Strictness::Exact } else { Strictness::Inflected };
                let presence = if present { Presence::Present } else { Presence::Absent };
                Entry { phrase: Phrase::new(&text, strictness).unwrap(), presence }
            });
            vec(vec(entry, 1..4), 1..4).prop_map(RawCriterion::Expressions).boxed()
        }
    }
}

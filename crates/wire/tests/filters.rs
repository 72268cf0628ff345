//! Every filter of the table reads back what was written for it. The values are drawn by kind, so a new row is covered by
//! being there.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed, and says where")]

use std::sync::LazyLock;

use domain::criteria::{Entry, Given, Presence};
use domain::filter::{Codes, Kind, PlaceKind};
use domain::{
    EnergyLetter, FILTERS, Filter, GeoPoint, Insee, Polygon, PropertyId, Site, SiteDirectory, SiteId,
    SiteKey, SortMode, Strictness, Timestamp, Wording, Zipcode,
};
use jiff::tz::TimeZone;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use wire::filters::{Surroundings, read_one};
use wire::query::{Parameters, RawQuery};

static SITES: LazyLock<SiteDirectory> = LazyLock::new(|| {
    let site = |(id, key)| Site {
        id: SiteId::new(id).unwrap(),
        key: SiteKey::parse(key).unwrap(),
        name: None,
        category: None,
    };
    let sites = [(1, "portail.fr"), (2, "agence.example"), (3, "Office du Lac")].map(site);
    SiteDirectory::new(1, sites.to_vec(), Vec::new())
});

fn paris() -> TimeZone {
    TimeZone::get("Europe/Paris").unwrap()
}

/// A value that a filter of a kind may have.
fn given(kind: Kind) -> BoxedStrategy<Given> {
    let number = || prop_oneof![-1e6..1e6, any::<i32>().prop_map(f64::from), any::<f64>()];
    match kind {
        Kind::Least(_) | Kind::Most(_) | Kind::Latitude | Kind::Longitude | Kind::Radius => {
            number().prop_filter("finite", |it: &f64| it.is_finite()).prop_map(Given::Number).boxed()
        }
        Kind::From(_) | Kind::To(_) => (-2_000_000_000..8_000_000_000_i64)
            .prop_map(|second| Given::Moment(Timestamp::from_second(second).unwrap()))
            .boxed(),
        Kind::Choice(_, codes) => vec(select(codes.all()), 1..4).prop_map(Given::Codes).boxed(),
        Kind::Is(_) | Kind::Only(_) => any::<bool>().prop_map(Given::Flag).boxed(),
        Kind::Place(_, PlaceKind::Zipcode) => vec("[0-9A-Z][0-9A-Z -]{0,8}[0-9A-Z]", 1..4)
            .prop_map(|codes| {
                Given::Zipcodes(codes.iter().map(|code| Zipcode::parse(code).unwrap()).collect())
            })
            .boxed(),
        Kind::Place(_, PlaceKind::City | PlaceKind::Insee | PlaceKind::Department) => {
            vec(0..1_000_000_000_u64, 1..4).prop_map(Given::Places).boxed()
        }
        Kind::Site(_) => vec(select(SITES.sites()), 1..4)
            .prop_map(|sites| Given::Sites(sites.into_iter().map(|site| site.key).collect()))
            .boxed(),
        Kind::ExcludedProperty => vec(any::<[u8; 16]>(), 1..4)
            .prop_map(|ids| Given::Properties(ids.into_iter().map(PropertyId::from_bytes).collect()))
            .boxed(),
        Kind::Shapes => {
            let point =
                (-90.0..=90.0, -180.0..=180.0).prop_map(|(lat, lon)| GeoPoint::new(lat, lon).unwrap());
            let polygon = vec(point, 3..12).prop_map(|corners| Polygon::new(corners).unwrap());
            vec(polygon, 1..4).prop_map(Given::Polygons).boxed()
        }
        Kind::SortMode => {
            select(vec![SortMode::Property, SortMode::Advert]).prop_map(Given::SortMode).boxed()
        }
        Kind::Expressions => {
            // A word of every script, with something to encode around it.
            let entry = ("[a-z0-9éÀœ]{1,8}[ &=+%\\[\\]'-]{0,2}[a-zA-Z]{1,6}", any::<bool>(), any::<bool>());
            let entry = entry.prop_map(|(text, strict, present)| {
                let strictness = if strict { Strictness::Exact } else { Strictness::Inflected };
                let presence = if present { Presence::Present } else { Presence::Absent };
                Entry { wording: Wording::new(&text, strictness).unwrap(), presence }
            });
            vec(vec(entry, 1..4), 1..4).prop_map(Given::Expressions).boxed()
        }
    }
}

/// The pairs that say so.
fn pairs(filter: &Filter, name: &str, given: &Given) -> Vec<(String, String)> {
    let list = |values: Vec<String>| -> Vec<(String, String)> {
        values.into_iter().map(|value| (format!("{name}[]"), value)).collect()
    };
    let one = |value: String| vec![(name.to_owned(), value)];
    match given {
        // With an exponent where there are hundreds of digits.
        Given::Number(number) => one(format!("{number:?}")),
        Given::Moment(at) => one(wire::date::print(*at, &paris())),
        Given::Codes(codes) => list(
            codes
                .iter()
                .map(|code| match filter.kind {
                    Kind::Choice(_, Codes::EnergyLetter) => {
                        EnergyLetter::ALL[usize::from(*code)].letter().to_string()
                    }
                    _ => code.to_string(),
                })
                .collect(),
        ),
        Given::Flag(flag) => one(flag.to_string()),
        Given::Places(ids) => list(ids.iter().map(ToString::to_string).collect()),
        Given::Zipcodes(codes) => list(codes.iter().map(ToString::to_string).collect()),
        Given::Sites(sites) => list(sites.iter().map(|site| site.as_str().to_owned()).collect()),
        Given::Properties(ids) => list(ids.iter().map(|id| wire::iri::property(*id)).collect()),
        Given::SortMode(SortMode::Property) => one("property".to_owned()),
        Given::SortMode(SortMode::Advert) => one("advert".to_owned()),
        Given::Polygons(polygons) => {
            let mut pairs = Vec::new();
            for (shape, polygon) in polygons.iter().enumerate() {
                for (point, corner) in polygon.corners().iter().enumerate() {
                    pairs.push((format!("{name}[{shape}][{point}][0]"), corner.lon().to_string()));
                    pairs.push((format!("{name}[{shape}][{point}][1]"), corner.lat().to_string()));
                }
            }
            pairs
        }
        Given::Expressions(groups) => {
            let mut pairs = Vec::new();
            for (number, group) in groups.iter().enumerate() {
                for (place, entry) in group.iter().enumerate() {
                    let path = format!("{name}[{number}][{place}]");
                    let (includes, strict) =
                        (entry.presence == Presence::Present, entry.wording.strictness());
                    pairs.push((format!("{path}[word]"), entry.wording.text().to_owned()));
                    pairs.push((format!("{path}[options][includes]"), includes.to_string()));
                    pairs.push((
                        format!("{path}[options][strict]"),
                        (strict == Strictness::Exact).to_string(),
                    ));
                }
            }
            pairs
        }
    }
}

fn drawn() -> impl Strategy<Value = (&'static Filter, &'static str, Given)> {
    select(FILTERS.iter().collect::<Vec<_>>()).prop_flat_map(|filter| {
        let names: Vec<&'static str> =
            std::iter::once(filter.name).chain(filter.aliases.iter().copied()).collect();
        (Just(filter), select(names), given(filter.kind))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn every_filter_reads_back_what_was_written((filter, name, given) in drawn(), encoded in any::<bool>()) {
        let encode = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
        let written: Vec<String> = pairs(filter, name, &given)
            .into_iter()
            .map(|(key, value)| format!("{}={}", if encoded { encode(&key) } else { key }, encode(&value)))
            .collect();
        let query = RawQuery::parse(&written.join("&")).unwrap();
        let mut parameters = Parameters::of(&query);
        let (city, insee) = (|id: u64| vec![id], |insee: &Insee| vec![insee.id()]);
        let zone = paris();
        let surroundings = Surroundings { city: &city, insee: &insee, sites: &SITES, zone: &zone };
        let read = read_one(&mut parameters, filter, &surroundings);
        prop_assert_eq!(&parameters.violations, &[]);
        prop_assert_eq!(parameters.ignored(&[]), [""; 0]);
        prop_assert_eq!(read, Some(given), "{}", written.join("&"));
    }
}

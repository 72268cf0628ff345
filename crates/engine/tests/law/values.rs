//! A value for any filter, by its kind alone: a row added to the table of filters is drawn without a change here.
//!
//! Values are taken from the properties there are, and from just beside them, so that bounds fall on values and a request
//! has an answer.

use domain::criteria::{Entry, CriterionValue, Presence, SortMode};
use domain::filter::{Codes, Filter, Kind, PlaceKind, Inclusion, FilterTarget};
use domain::{
    Advert, AdvertEvent, PropertyView, GeoPoint, Key, Phrase, Polygon, Property, PropertyAttribute, SiteKey,
    Strictness, Timestamp, Zipcode,
};
use testkit::Random;

use crate::market::{COMMUNES, DAY, SITES, WORDS, moment, point};

/// What a request is drawn from.
#[derive(Debug, Clone, Copy)]
pub struct Scene<'a> {
    /// There is at least one.
    pub properties: &'a [&'a Property],
    /// Whose values are taken, so that several filters at once still accept something; else anybody's.
    pub aim: Option<(&'a Property, &'a Advert)>,
    /// The point that coordinates name.
    pub sort_key: GeoPoint,
}

impl<'a> Scene<'a> {
    pub fn draw(random: &mut Random, properties: &'a [&'a Property]) -> Self {
        let aimed = *random.pick(properties);
        let aim = (!random.once_in(3)).then(|| (aimed, random.pick(&aimed.adverts)));
        let near = PropertyView::new(aimed).and_then(|facts| facts.derived.point).filter(|_| !random.once_in(4));
        Self { properties, aim, sort_key: near.unwrap_or_else(|| point(random)) }
    }

    /// Nobody in particular: for what is excluded.
    fn aimless(self) -> Self {
        Self { aim: None, ..self }
    }

    fn property(&self, random: &mut Random) -> &'a Property {
        self.aim.map_or_else(|| *random.pick(self.properties), |(property, _)| property)
    }

    /// With an aim, now and then another advert of the same property: what holds on two adverts, and on neither of them
    /// alone, is what an index gets wrong.
    fn advert(&self, random: &mut Random) -> &'a Advert {
        match self.aim {
            Some((property, _)) if random.once_in(4) => random.pick(&property.adverts),
            Some((_, advert)) => advert,
            None => {
                let property = *random.pick(self.properties);
                random.pick(&property.adverts)
            }
        }
    }

    /// The value of a subject; nothing where it is unknown.
    fn key(&self, random: &mut Random, subject: FilterTarget) -> Option<Key> {
        let of_property = |attribute: PropertyAttribute, random: &mut Random| {
            attribute.read(&PropertyView::new(self.property(random))?)
        };
        match subject {
            FilterTarget::Property(attribute) => of_property(attribute, random),
            FilterTarget::Creation if random.once_in(2) => Some(Key::timestamp(self.advert(random).created_at)),
            FilterTarget::Creation => of_property(PropertyAttribute::CreatedAt, random),
            FilterTarget::Advert(attribute) => attribute.read(self.advert(random)),
            FilterTarget::Change(variation, attribute) => {
                let events = &self.property(random).adverts;
                let events = events.iter().flat_map(|advert| &advert.events);
                let changes: Vec<&AdvertEvent> = events.filter(|event| variation.is(event)).collect();
                // Mostly the first: several conditions then speak of one change.
                let first = changes.first().filter(|_| !random.once_in(3));
                attribute.read(first.or(changes.last())?)
            }
        }
    }

    /// The same, asked of several before giving up.
    fn some_key(&self, random: &mut Random, subject: FilterTarget) -> Option<Key> {
        (0..4).find_map(|_| self.key(random, subject))
    }
}

/// A value for a filter.
pub fn given(random: &mut Random, scene: Scene<'_>, filter: &Filter) -> CriterionValue {
    match filter.kind {
        Kind::Min(subject) => CriterionValue::Number(number(random, scene, subject, -1.0)),
        Kind::Max(subject) => CriterionValue::Number(number(random, scene, subject, 1.0)),
        Kind::From(subject) => CriterionValue::Timestamp(date(random, scene, subject, -1)),
        Kind::To(subject) => CriterionValue::Timestamp(date(random, scene, subject, 1)),
        Kind::Choice(subject, codes) => CriterionValue::Codes(choice(random, scene, subject, codes)),
        Kind::Is(subject) => {
            let known = scene.some_key(random, subject).map(|key| key == Key::flag(true));
            CriterionValue::Flag(known.unwrap_or(true) != random.once_in(4))
        }
        Kind::Only(_) => CriterionValue::Flag(!random.once_in(6)),
        Kind::Place(sense, PlaceKind::Zipcode) => {
            CriterionValue::Zipcodes(several(random, |random| zipcode(random, scene_for(scene, sense))))
        }
        Kind::Place(sense, PlaceKind::City | PlaceKind::Insee) => {
            let cities = several(random, |random| {
                place(random, scene_for(scene, sense), PropertyAttribute::City, 37_261)
            });
            CriterionValue::Places(cities.into_iter().flat_map(with_districts).collect())
        }
        Kind::Place(sense, PlaceKind::Department) => CriterionValue::Places(several(random, |random| {
            place(random, scene_for(scene, sense), PropertyAttribute::Department, 37)
        })),
        // A category is the sites that are in it: to whoever searches, both are sites.
        Kind::Site(sense) | Kind::SiteCategory(sense) => CriterionValue::Sites(several(random, |random| {
            let advert = scene_for(scene, sense).advert(random);
            let other = *random.pick(SITES);
            let other = SiteKey::parse(other).unwrap();
            advert.details.site.clone().filter(|_| !random.once_in(4)).unwrap_or(other)
        })),
        Kind::ExcludedProperty => {
            CriterionValue::Properties(several(random, |random| scene.aimless().property(random).id))
        }
        Kind::Latitude => CriterionValue::Number(scene.sort_key.lat()),
        Kind::Longitude => CriterionValue::Number(scene.sort_key.lon()),
        Kind::Radius => CriterionValue::Number(radius(random, scene)),
        Kind::Shapes => CriterionValue::Polygons(several(random, |random| polygon(random, scene))),
        Kind::SortMode => {
            CriterionValue::SortMode(*random.pick(&[SortMode::Property, SortMode::Advert, SortMode::Advert]))
        }
        Kind::Expressions => CriterionValue::Expressions(several(random, |random| {
            if random.once_in(40) { Vec::new() } else { several(random, |random| entry(random, scene)) }
        })),
    }
}

fn scene_for(scene: Scene<'_>, sense: Inclusion) -> Scene<'_> {
    match sense {
        Inclusion::Included => scene,
        Inclusion::Excluded => scene.aimless(),
    }
}

/// One to three; once in a long while none.
fn several<T>(random: &mut Random, mut draw: impl FnMut(&mut Random) -> T) -> Vec<T> {
    let count = if random.once_in(40) { 0 } else { 1 + random.below(3).min(random.below(3)) };
    (0..count).map(|_| draw(random)).collect()
}

/// A bound at a value, or beside it: mostly on the side where the value is within the bound.
fn number(random: &mut Random, scene: Scene<'_>, subject: FilterTarget, outwards: f64) -> f64 {
    let value = match scene.some_key(random, subject) {
        Some(key) => key.as_number(),
        None => *random.pick(&[0.0, 1.0, 50.0, 250_000.0]),
    };
    let step = *random.pick(&[0.001, 1.0, 50.0, 1_000.0]);
    match random.below(8) {
        0 => value + outwards * step,
        1 => value - outwards * step,
        2 if outwards < 0.0 => value.next_up(),
        2 => value.next_down(),
        _ => value,
    }
}

fn date(random: &mut Random, scene: Scene<'_>, subject: FilterTarget, outwards: i64) -> Timestamp {
    let value = match scene.some_key(random, subject) {
        Some(key) => key.get(),
        None => moment(random).as_second(),
    };
    let step = *random.pick(&[1, DAY]);
    let second = match random.below(8) {
        0 => value + outwards * step,
        1 => value - outwards * step,
        _ => value,
    };
    let second = second.clamp(Timestamp::MIN.as_second(), Timestamp::MAX.as_second());
    Timestamp::from_second(second).unwrap()
}

fn choice(random: &mut Random, scene: Scene<'_>, subject: FilterTarget, codes: Codes) -> Vec<u8> {
    let known = scene.some_key(random, subject).and_then(|key| u8::try_from(key.get()).ok());
    several(random, |random| known.filter(|_| !random.once_in(3)).unwrap_or(*random.pick(&codes.all())))
}

fn place(random: &mut Random, scene: Scene<'_>, attribute: PropertyAttribute, other: u64) -> u64 {
    let known = scene.some_key(random, FilterTarget::Property(attribute));
    known.and_then(|key| u64::try_from(key.get()).ok()).filter(|_| !random.once_in(6)).unwrap_or(other)
}

/// A city that has districts is given with them, as whoever reads a query gives it.
fn with_districts(city: u64) -> Vec<u64> {
    if city == 75_056 { (75_101..=75_120).chain([city]).collect() } else { vec![city] }
}

fn zipcode(random: &mut Random, scene: Scene<'_>) -> Zipcode {
    let facts = PropertyView::new(scene.property(random));
    let derived = facts.as_ref().map(|facts| &facts.derived);
    let known = derived.and_then(|derived| match derived.placement {
        Some(placement) => placement.zipcode.clone(),
        None => derived.given_place.and_then(|place| place.zipcode.clone()),
    });
    let (_, zipcodes) = *random.pick(COMMUNES);
    let other = *random.pick(zipcodes);
    let other = Zipcode::parse(other).unwrap();
    known.filter(|_| !random.once_in(4)).unwrap_or(other)
}

/// Exactly to a property, just short of it, or round numbers from nothing to the whole globe.
fn radius(random: &mut Random, scene: Scene<'_>) -> f64 {
    let property = *random.pick(scene.properties);
    let border = PropertyView::new(property)
        .and_then(|facts| facts.derived.point)
        .map(|point| scene.sort_key.distance_km(point));
    match (border, random.below(8)) {
        (Some(border), 0..3) => border.min(20_015.0),
        (Some(border), 3) => border.next_down().clamp(0.0, 20_015.0),
        _ => *random.pick(&[0.0, 0.2, 5.0, 12.5, 30.0, 600.0, 20_040.0]),
    }
}

/// Corners of the grid, of the sort_key and of the edge of the map; thin, crossed and empty polygons among them.
fn polygon(random: &mut Random, scene: Scene<'_>) -> Polygon {
    let corners = if random.once_in(2) {
        let (a, b) = (point(random), point(random));
        let corner = |lat: f64, lon: f64| GeoPoint::new(lat, lon).unwrap();
        vec![a, corner(a.lat(), b.lon()), b, corner(b.lat(), a.lon()), a]
    } else {
        let mut corners: Vec<GeoPoint> = (0..3 + random.below(4)).map(|_| point(random)).collect();
        if random.once_in(3) {
            corners[0] = scene.sort_key;
        }
        corners
    };
    Polygon::new(corners).unwrap()
}

fn entry(random: &mut Random, scene: Scene<'_>) -> Entry {
    let texts: Vec<&str> = domain::criteria::texts(scene.property(random)).collect();
    let strictness = *random.pick(&[Strictness::Exact, Strictness::Inflected]);
    let text = if texts.is_empty() { "" } else { *random.pick(&texts) };
    let phrase = Phrase::new(&phrase(random, text), strictness);
    let other = format!("{} {}", random.pick(WORDS), random.pick(WORDS));
    let words = if random.once_in(3) { &other } else { *random.pick(WORDS) };
    let other = Phrase::new(words, strictness).unwrap();
    let presence = if random.once_in(4) { Presence::Absent } else { Presence::Present };
    Entry { phrase: phrase.filter(|_| !random.once_in(3)).unwrap_or(other), presence }
}

/// Some words of a text in their order, cut where a blank is.
fn phrase(random: &mut Random, text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let first = random.below(words.len().max(1) as u64) as usize;
    let count = 1 + random.below(3) as usize;
    words.into_iter().skip(first).take(count).collect::<Vec<_>>().join(" ")
}

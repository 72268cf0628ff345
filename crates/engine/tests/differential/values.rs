//! Draws a value for any filter by its kind: a filter added to the table needs no change here.
//!
//! Values are taken from existing properties or are close to them, so that bounds coincide with values and queries have matches.

use domain::criteria::{AdvertScope, CriterionValue, Entry, Presence, SortMode};
use domain::filter::{Codes, Filter, FilterTarget, Inclusion, Kind, PlaceKind};
use domain::{
    Advert, AdvertEvent, GeoPoint, Key, Phrase, Polygon, Property, PropertyAttribute, PropertyView, SiteKey,
    Strictness, Timestamp, Zipcode,
};
use testkit::Random;

use crate::market::{COMMUNES, DAY, SITES, WORDS, point, timestamp};

/// The properties from which a query is drawn.
#[derive(Debug, Clone, Copy)]
pub struct DrawContext<'a> {
    /// At least one.
    pub properties: &'a [&'a Property],
    /// The property and advert whose values are used, so that several filters together still match; `None` to use all properties.
    pub target: Option<(&'a Property, &'a Advert)>,
    /// The centre of circles.
    pub centre: GeoPoint,
}

impl<'a> DrawContext<'a> {
    pub fn draw(random: &mut Random, properties: &'a [&'a Property]) -> Self {
        let chosen = *random.pick(properties);
        let target = (!random.once_in(3)).then(|| (chosen, random.pick(&chosen.adverts)));
        let near =
            PropertyView::new(chosen).and_then(|facts| facts.derived.point).filter(|_| !random.once_in(4));
        Self { properties, target, centre: near.unwrap_or_else(|| point(random)) }
    }

    /// Drops the target, for exclusions.
    fn untargeted(self) -> Self {
        Self { target: None, ..self }
    }

    fn property(&self, random: &mut Random) -> &'a Property {
        self.target.map_or_else(|| *random.pick(self.properties), |(property, _)| property)
    }

    /// With a target, sometimes another advert of the same property: conditions that hold on two adverts together, but on neither
    /// alone, are what an index gets wrong.
    fn advert(&self, random: &mut Random) -> &'a Advert {
        match self.target {
            Some((property, _)) if random.once_in(4) => random.pick(&property.adverts),
            Some((_, advert)) => advert,
            None => {
                let property = *random.pick(self.properties);
                random.pick(&property.adverts)
            }
        }
    }

    /// Returns the value of a subject; `None` if it is unknown.
    fn key(&self, random: &mut Random, subject: FilterTarget) -> Option<Key> {
        let of_property = |attribute: PropertyAttribute, random: &mut Random| {
            attribute.read(&PropertyView::new(self.property(random))?)
        };
        match subject {
            FilterTarget::Property(attribute) => of_property(attribute, random),
            FilterTarget::Creation if random.once_in(2) => {
                Some(Key::timestamp(self.advert(random).created_at))
            }
            FilterTarget::Creation => of_property(PropertyAttribute::CreatedAt, random),
            FilterTarget::Advert(attribute) => attribute.read(self.advert(random)),
            FilterTarget::Change(variation, attribute) => {
                let events = &self.property(random).adverts;
                let events = events.iter().flat_map(|advert| &advert.events);
                let changes: Vec<&AdvertEvent> = events.filter(|event| variation.is(event)).collect();
                // Mostly the first, so that several conditions concern the same change.
                let first = changes.first().filter(|_| !random.once_in(3));
                attribute.read(first.or(changes.last())?)
            }
        }
    }

    /// Tries several properties.
    fn some_key(&self, random: &mut Random, subject: FilterTarget) -> Option<Key> {
        (0..4).find_map(|_| self.key(random, subject))
    }
}

/// Draws a value for a filter.
pub fn given(random: &mut Random, context: DrawContext<'_>, filter: &Filter) -> CriterionValue {
    match filter.kind {
        Kind::Min(subject) => CriterionValue::Number(number(random, context, subject, -1.0)),
        Kind::Max(subject) => CriterionValue::Number(number(random, context, subject, 1.0)),
        Kind::From(subject) => CriterionValue::Timestamp(date(random, context, subject, -1)),
        Kind::To(subject) => CriterionValue::Timestamp(date(random, context, subject, 1)),
        Kind::Choice(subject, codes) => CriterionValue::Codes(choice(random, context, subject, codes)),
        Kind::Is(subject) => {
            let known = context.some_key(random, subject).map(|key| key == Key::flag(true));
            CriterionValue::Flag(known.unwrap_or(true) != random.once_in(4))
        }
        Kind::Only(_) => CriterionValue::Flag(!random.once_in(6)),
        Kind::Place(sense, PlaceKind::Zipcode) => {
            CriterionValue::Zipcodes(several(random, |random| zipcode(random, context_for(context, sense))))
        }
        Kind::Place(sense, PlaceKind::City | PlaceKind::Insee) => {
            let cities = several(random, |random| {
                place(random, context_for(context, sense), PropertyAttribute::City, 37_261)
            });
            CriterionValue::Places(cities.into_iter().flat_map(with_districts).collect())
        }
        Kind::Place(sense, PlaceKind::Department) => CriterionValue::Places(several(random, |random| {
            place(random, context_for(context, sense), PropertyAttribute::Department, 37)
        })),
        // A category is a list of sites: the criteria see sites in both cases.
        Kind::Site(sense) | Kind::SiteCategory(sense) => CriterionValue::Sites(several(random, |random| {
            let advert = context_for(context, sense).advert(random);
            let other = *random.pick(SITES);
            let other = SiteKey::parse(other).unwrap();
            advert.details.site.clone().filter(|_| !random.once_in(4)).unwrap_or(other)
        })),
        Kind::ExcludedProperty => {
            CriterionValue::Properties(several(random, |random| context.untargeted().property(random).id))
        }
        Kind::Latitude => CriterionValue::Number(context.centre.lat()),
        Kind::Longitude => CriterionValue::Number(context.centre.lon()),
        Kind::Radius => CriterionValue::Number(radius(random, context)),
        Kind::Shapes => CriterionValue::Polygons(several(random, |random| polygon(random, context))),
        Kind::SortMode => {
            CriterionValue::SortMode(*random.pick(&[SortMode::Property, SortMode::Advert, SortMode::Advert]))
        }
        Kind::Expressions => CriterionValue::Expressions(several(random, |random| {
            if random.once_in(40) { Vec::new() } else { several(random, |random| entry(random, context)) }
        })),
        Kind::Features => CriterionValue::Features(several(random, |random| feature(random, context))),
    }
}

fn context_for(context: DrawContext<'_>, sense: Inclusion) -> DrawContext<'_> {
    match sense {
        Inclusion::Included => context,
        Inclusion::Excluded => context.untargeted(),
    }
}

/// Draws one to three values; rarely none.
fn several<T>(random: &mut Random, mut draw: impl FnMut(&mut Random) -> T) -> Vec<T> {
    let count = if random.once_in(40) { 0 } else { 1 + random.below(3).min(random.below(3)) };
    (0..count).map(|_| draw(random)).collect()
}

/// Draws a bound at a value or next to it, mostly on the side where the value satisfies the bound.
fn number(random: &mut Random, context: DrawContext<'_>, subject: FilterTarget, outwards: f64) -> f64 {
    let value = match context.some_key(random, subject) {
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

fn date(random: &mut Random, context: DrawContext<'_>, subject: FilterTarget, outwards: i64) -> Timestamp {
    let value = match context.some_key(random, subject) {
        Some(key) => key.get(),
        None => timestamp(random).as_second(),
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

fn choice(random: &mut Random, context: DrawContext<'_>, subject: FilterTarget, codes: Codes) -> Vec<u8> {
    let known = context.some_key(random, subject).and_then(|key| u8::try_from(key.get()).ok());
    several(random, |random| known.filter(|_| !random.once_in(3)).unwrap_or(*random.pick(&codes.all())))
}

fn place(random: &mut Random, context: DrawContext<'_>, attribute: PropertyAttribute, other: u64) -> u64 {
    let known = context.some_key(random, FilterTarget::Property(attribute));
    known.and_then(|key| u64::try_from(key.get()).ok()).filter(|_| !random.once_in(6)).unwrap_or(other)
}

/// Adds the districts of a city, as the query parser does.
fn with_districts(city: u64) -> Vec<u64> {
    if city == 75_056 { (75_101..=75_120).chain([city]).collect() } else { vec![city] }
}

fn zipcode(random: &mut Random, context: DrawContext<'_>) -> Zipcode {
    let facts = PropertyView::new(context.property(random));
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

/// Draws the distance to a property, slightly less, or a round number from zero to the whole globe.
fn radius(random: &mut Random, context: DrawContext<'_>) -> f64 {
    let property = *random.pick(context.properties);
    let distance = PropertyView::new(property)
        .and_then(|facts| facts.derived.point)
        .map(|point| context.centre.distance_km(point));
    match (distance, random.below(8)) {
        (Some(distance), 0..3) => distance.min(20_015.0),
        (Some(distance), 3) => distance.next_down().clamp(0.0, 20_015.0),
        _ => *random.pick(&[0.0, 0.2, 5.0, 12.5, 30.0, 600.0, 20_040.0]),
    }
}

/// Draws corners on the grid, at the centre and at the edge of the map; some polygons are thin, self-intersecting or empty.
fn polygon(random: &mut Random, context: DrawContext<'_>) -> Polygon {
    let corners = if random.once_in(2) {
        let (a, b) = (point(random), point(random));
        let corner = |lat: f64, lon: f64| GeoPoint::new(lat, lon).unwrap();
        vec![a, corner(a.lat(), b.lon()), b, corner(b.lat(), a.lon()), a]
    } else {
        let mut corners: Vec<GeoPoint> = (0..3 + random.below(4)).map(|_| point(random)).collect();
        if random.once_in(3) {
            corners[0] = context.centre;
        }
        corners
    };
    Polygon::new(corners).unwrap()
}

fn entry(random: &mut Random, context: DrawContext<'_>) -> Entry {
    let texts: Vec<&str> = domain::criteria::texts(context.property(random), AdvertScope::All).collect();
    let strictness = *random.pick(&[Strictness::Exact, Strictness::Inflected]);
    let text = if texts.is_empty() { "" } else { *random.pick(&texts) };
    let phrase = Phrase::new(&phrase(random, text), strictness);
    let other = format!("{} {}", random.pick(WORDS), random.pick(WORDS));
    let words = if random.once_in(3) { &other } else { *random.pick(WORDS) };
    let other = Phrase::new(words, strictness).unwrap();
    let presence = if random.once_in(4) { Presence::Absent } else { Presence::Present };
    Entry { phrase: phrase.filter(|_| !random.once_in(3)).unwrap_or(other), presence }
}

/// Draws words of a feature, sometimes of another text.
fn feature(random: &mut Random, context: DrawContext<'_>) -> Phrase {
    let features: Vec<&str> =
        domain::criteria::features(context.property(random), AdvertScope::All).collect();
    let text = if features.is_empty() { "" } else { *random.pick(&features) };
    let found = Phrase::new(&phrase(random, text), Strictness::Inflected);
    let other = Phrase::new(random.pick::<&str>(WORDS), Strictness::Inflected).unwrap();
    found.filter(|_| !random.once_in(3)).unwrap_or(other)
}

/// Draws consecutive words of a text.
fn phrase(random: &mut Random, text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let first = random.below(words.len().max(1) as u64) as usize;
    let count = 1 + random.below(3) as usize;
    words.into_iter().skip(first).take(count).collect::<Vec<_>>().join(" ")
}

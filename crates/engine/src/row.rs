//! A property as it is indexed: the value of every attribute, computed once.

use domain::attribute::PropertyView;
use domain::criteria::texts;
use domain::fold::fold_into;
use domain::{
    AdvertAttribute, GeoPoint, Key, Property, PropertyAttribute, PropertyId, SiteKey, Variation,
    VariationAttribute,
};

use crate::column::UNKNOWN;
use crate::request::SequenceNumber;

pub const PROPERTY_ATTRIBUTES: usize = PropertyAttribute::ALL.len();
pub const ADVERT_ATTRIBUTES: usize = AdvertAttribute::ALL.len();

#[derive(Debug, Clone)]
pub struct Row {
    pub id: PropertyId,
    pub sequence_number: SequenceNumber,
    pub values: [i64; PROPERTY_ATTRIBUTES],
    pub point: Option<GeoPoint>,
    pub adverts: Vec<AdvertRow>,
    pub changes: Vec<ChangeRow>,
    /// Folded. Each text ends with a line break, so that no phrase spans two texts.
    pub text: String,
}

#[derive(Debug, Clone)]
pub struct AdvertRow {
    pub values: [i64; ADVERT_ATTRIBUTES],
    pub site: Option<SiteKey>,
}

/// A change of price or surface of one advert.
#[derive(Debug, Clone, Copy)]
pub struct ChangeRow {
    pub variation: Variation,
    pub at: i64,
    pub percent: i64,
    /// Whether the advert is not expired.
    pub live: bool,
}

impl Row {
    /// Returns `None` for a property without adverts, which no search can match.
    pub fn new(property: &Property, sequence_number: SequenceNumber) -> Option<Self> {
        let view = PropertyView::new(property)?;
        let mut values = [UNKNOWN; PROPERTY_ATTRIBUTES];
        for (value, attribute) in values.iter_mut().zip(PropertyAttribute::ALL) {
            *value = raw(attribute.read(&view));
        }
        let mut changes = Vec::new();
        for advert in &property.adverts {
            for variation in Variation::ALL {
                changes.extend(advert.events.iter().filter(|event| variation.is(event)).map(|event| {
                    ChangeRow {
                        variation: *variation,
                        at: raw(VariationAttribute::At.read(event)),
                        percent: raw(VariationAttribute::Percent.read(event)),
                        live: !advert.is_expired(),
                    }
                }));
            }
        }
        let adverts = property.adverts.iter().map(|advert| {
            let mut values = [UNKNOWN; ADVERT_ATTRIBUTES];
            for (value, attribute) in values.iter_mut().zip(AdvertAttribute::ALL) {
                *value = raw(attribute.read(advert));
            }
            AdvertRow { values, site: advert.details.site.clone() }
        });
        Some(Self {
            id: property.id,
            sequence_number,
            values,
            point: view.derived.point,
            adverts: adverts.collect(),
            changes,
            text: folded_texts(property),
        })
    }

    pub fn value(&self, attribute: PropertyAttribute) -> i64 {
        self.values[attribute as usize]
    }
}

fn raw(key: Option<Key>) -> i64 {
    key.map_or(UNKNOWN, Key::get)
}

/// Returns the folded texts of a property without duplicates: portals copy each other.
fn folded_texts(property: &Property) -> String {
    let mut folded = String::new();
    let mut lines: Vec<std::ops::Range<usize>> = Vec::new();
    for text in texts(property) {
        let start = folded.len();
        fold_into(text, &mut folded);
        let line = start..folded.len();
        if line.is_empty() || lines.iter().any(|other| folded[other.clone()] == folded[line.clone()]) {
            folded.truncate(start);
            continue;
        }
        folded.push('\n');
        lines.push(line);
    }
    folded
}

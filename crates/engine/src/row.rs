//! A property as it is indexed: the value of every attribute, computed once.

use std::collections::BTreeSet;

use domain::attribute::PropertyView;
use domain::criteria::{TextPart, advert_texts};
use domain::phrase::tokenize_into;
use domain::{
    Advert, AdvertAttribute, GeoPoint, Key, Property, PropertyAttribute, PropertyId, SiteKey, Variation,
    VariationAttribute,
};

use crate::column::UNKNOWN;
use crate::request::SequenceNumber;
use crate::segment::text_index::TextIndex;

pub const PROPERTY_ATTRIBUTES: usize = PropertyAttribute::ALL.len();
pub const ADVERT_ATTRIBUTES: usize = AdvertAttribute::ALL.len();

/// Marks a token of a feature, so that the filter on features finds it there only. No token contains this character.
pub const FEATURE_MARK: char = '#';

/// Marks a token of an advert that is expired, before a [`FEATURE_MARK`]: a query for what is on offer does not find it. No
/// token contains this character.
pub const EXPIRED_MARK: char = '~';

#[derive(Debug, Clone)]
pub struct Row<'a> {
    pub id: PropertyId,
    pub sequence_number: SequenceNumber,
    pub values: [i64; PROPERTY_ATTRIBUTES],
    /// Where the property is shown. [`PropertyAttribute::Located`] says whether an advert gives the point.
    pub point: Option<GeoPoint>,
    pub adverts: Vec<AdvertRow>,
    pub changes: Vec<ChangeRow>,
    pub text: RowText<'a>,
}

/// The texts of a row.
#[derive(Debug, Clone)]
pub enum RowText<'a> {
    /// Tokens. Each text ends with a line break, so that no phrase spans two texts. Each token of a feature starts with
    /// [`FEATURE_MARK`], and each token of an expired advert with [`EXPIRED_MARK`].
    Tokens(String),
    /// Those of a row of a segment that is merged with others.
    Indexed { index: &'a TextIndex, row: usize },
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

impl RowText<'_> {
    /// Returns the length of the tokens in bytes.
    pub fn len(&self) -> usize {
        match self {
            Self::Tokens(tokens) => tokens.len(),
            Self::Indexed { index, row } => index.text(*row).len(),
        }
    }
}

impl Row<'_> {
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
            text: RowText::Tokens(tokenized_texts(property)),
        })
    }

    pub fn value(&self, attribute: PropertyAttribute) -> i64 {
        self.values[attribute as usize]
    }
}

fn raw(key: Option<Key>) -> i64 {
    key.map_or(UNKNOWN, Key::get)
}

/// Returns the tokens of the texts of a property without duplicates: portals copy each other. A text that an expired advert shares
/// with one on offer is that of the one on offer.
fn tokenized_texts(property: &Property) -> String {
    let mut tokens = String::new();
    let mut lines: Vec<std::ops::Range<usize>> = Vec::new();
    // A property may have thousands of features, too many to compare each with all others.
    let mut features: BTreeSet<&str> = BTreeSet::new();
    let (mut plain, mut marked) = (String::new(), String::new());
    let (expired, live): (Vec<&Advert>, Vec<&Advert>) =
        property.adverts.iter().partition(|advert| advert.is_expired());
    for advert in live.into_iter().chain(expired) {
        for (part, text) in advert_texts(advert) {
            if part == TextPart::Feature && !features.insert(text) {
                continue;
            }
            plain.clear();
            tokenize_into(text, &mut plain);
            marked.clear();
            add_marked(&plain, Marks { expired: advert.is_expired(), part }, &mut marked);
            if part != TextPart::Feature {
                let is_known = |line: &std::ops::Range<usize>| {
                    let line = &tokens[line.clone()];
                    line == plain || line == marked
                };
                if lines.iter().any(is_known) {
                    continue;
                }
                lines.push(tokens.len()..tokens.len() + marked.len());
            }
            if !marked.is_empty() {
                tokens.push_str(&marked);
                tokens.push('\n');
            }
        }
    }
    tokens
}

/// Where a text comes from.
#[derive(Clone, Copy)]
struct Marks {
    expired: bool,
    part: TextPart,
}

fn add_marked(text: &str, marks: Marks, tokens: &mut String) {
    for (index, token) in text.split_whitespace().enumerate() {
        if index > 0 {
            tokens.push(' ');
        }
        tokens.extend(marks.expired.then_some(EXPIRED_MARK));
        tokens.extend((marks.part == TextPart::Feature).then_some(FEATURE_MARK));
        tokens.push_str(token);
    }
}

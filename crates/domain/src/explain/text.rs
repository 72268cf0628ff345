//! Which text expressions were found, and where.

use super::PropertyCheck;
use crate::criteria::{AdvertScope, Entry, Presence, TextPart, features, located_texts};
use crate::ids::AdvertId;
use crate::phrase::{Phrase, tokenize};
use crate::property::Property;

/// One group of entries. Groups are alternatives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupExplanation<'a> {
    /// All must pass.
    pub entries: Vec<EntryCheck<'a>>,
}

/// An entry and the first text that contains its phrase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryCheck<'a> {
    pub wanted: &'a Entry,
    pub found: Option<TextLocation>,
}

/// A text of an advert.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextLocation {
    pub advert: AdvertId,
    pub part: TextPart,
}

impl GroupExplanation<'_> {
    pub fn passed(&self) -> bool {
        self.entries.iter().all(EntryCheck::passed)
    }
}

impl EntryCheck<'_> {
    pub fn passed(&self) -> bool {
        self.found.is_some() == (self.wanted.presence == Presence::Present)
    }
}

/// Evaluates every group on the texts of the adverts in scope. `None` if the criteria have no expressions.
pub fn explain_expressions<'a>(
    expressions: &'a [Vec<Entry>],
    advert_scope: AdvertScope,
    property: &Property,
) -> Option<Vec<GroupExplanation<'a>>> {
    if expressions.is_empty() {
        return None;
    }
    let texts: Vec<(TextLocation, String)> = located_texts(property, advert_scope)
        .map(|(advert, part, text)| (TextLocation { advert, part }, tokenize(text)))
        .collect();
    let entry = |wanted: &'a Entry| {
        let found = texts.iter().find(|(_, text)| wanted.phrase.occurs_in(text));
        EntryCheck { wanted, found: found.map(|(location, _)| *location) }
    };
    let group = |entries: &'a Vec<Entry>| GroupExplanation { entries: entries.iter().map(entry).collect() };
    Some(expressions.iter().map(group).collect())
}

/// Looks for a feature with each phrase in the adverts in scope.
pub fn explain_features<'a>(
    wanted: &'a [Phrase],
    advert_scope: AdvertScope,
    property: &'a Property,
) -> Vec<PropertyCheck<'a>> {
    let found = |phrase: &Phrase| {
        features(property, advert_scope).find(|feature| phrase.occurs_in(&tokenize(feature)))
    };
    wanted.iter().map(|wanted| PropertyCheck::Feature { wanted, found: found(wanted) }).collect()
}

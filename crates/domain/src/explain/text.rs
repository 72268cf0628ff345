//! Which words were looked for, and where they stand.

use crate::criteria::{Entry, Presence, TextPart, located_texts};
use crate::fold::fold;
use crate::ids::AdvertId;
use crate::property::Property;

/// One of the alternatives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupTried<'a> {
    /// All of them must hold.
    pub entries: Vec<EntryTried<'a>>,
}

/// Words, and where they were found first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryTried<'a> {
    pub wanted: &'a Entry,
    pub found: Option<Passage>,
}

/// A text of an advert.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Passage {
    pub advert: AdvertId,
    pub part: TextPart,
}

impl GroupTried<'_> {
    pub fn held(&self) -> bool {
        self.entries.iter().all(EntryTried::held)
    }
}

impl EntryTried<'_> {
    pub fn held(&self) -> bool {
        self.found.is_some() == (self.wanted.presence == Presence::Present)
    }
}

/// Every alternative; nothing when no words are wanted.
pub fn tried<'a>(expressions: &'a [Vec<Entry>], property: &Property) -> Option<Vec<GroupTried<'a>>> {
    if expressions.is_empty() {
        return None;
    }
    let texts: Vec<(Passage, String)> =
        located_texts(property).map(|(advert, part, text)| (Passage { advert, part }, fold(text))).collect();
    let entry = |wanted: &'a Entry| {
        let found = texts.iter().find(|(_, text)| wanted.phrase.is_in(text));
        EntryTried { wanted, found: found.map(|(passage, _)| *passage) }
    };
    Some(expressions.iter().map(|group| GroupTried { entries: group.iter().map(entry).collect() }).collect())
}

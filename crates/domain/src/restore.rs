//! Restores an advert from a complete description of it, such as a line of an export.
//!
//! [`merge::create`] derives what a sender leaves out: events, and dates that agree with them. An export leaves nothing out, and the
//! advert has to come out as it went in. A description that contradicts itself is merged like any other.

use jiff::Timestamp;

use crate::advert::Advert;
use crate::advert_event::{AdvertEvent, EventSubject};
use crate::draft::{AdvertDraft, Lifecycle};
use crate::ids::AdvertId;
use crate::merge::{self, EVENTS_MAX, Merged};
use crate::place::Placement;

/// Creates an advert with exactly the dates and events of the draft, if they are complete.
pub fn restore(
    id: AdvertId,
    draft: AdvertDraft,
    placement: Option<Placement>,
    received_at: Timestamp,
) -> Merged {
    let stated = Stated::of(&draft);
    let mut merged = merge::create(id, draft, placement, received_at);
    if let Some(Stated { created_at, updated_at, last_crawled_at, expired_at, events }) = stated {
        let advert = &mut merged.advert;
        advert.created_at = created_at;
        advert.updated_at = updated_at;
        advert.last_crawled_at = last_crawled_at;
        advert.expired_at = expired_at;
        advert.events = events;
    }
    merged
}

/// Returns `true` if a complete description says what is known already, so that there is nothing to merge.
pub fn describes(draft: &AdvertDraft, current: &Advert) -> bool {
    let Some(Stated { created_at, updated_at, last_crawled_at, expired_at, events }) = Stated::of(draft)
    else {
        return false;
    };
    (draft.transaction_type, draft.property_type) == (current.transaction_type, current.property_type)
        && (created_at, updated_at) == (current.created_at, current.updated_at)
        && (last_crawled_at, expired_at) == (current.last_crawled_at, current.expired_at)
        && events == current.events
        && current.details.patched(draft.patch.clone()) == current.details
}

/// The dates and events of a complete description.
struct Stated {
    created_at: Timestamp,
    updated_at: Timestamp,
    last_crawled_at: Timestamp,
    expired_at: Option<Timestamp>,
    events: Vec<AdvertEvent>,
}

impl Stated {
    /// Returns `None` if something is missing, or if the events are not those of an advert: the creation first, then the others,
    /// oldest first.
    fn of(draft: &AdvertDraft) -> Option<Self> {
        let created_at = draft.created_at?;
        let expired_at = match draft.lifecycle {
            Lifecycle::Seen | Lifecycle::Live => None,
            Lifecycle::Expired { at } => Some(at?),
        };
        let (creation, others) = draft.history.split_first()?;
        let in_order = draft.history.is_sorted_by_key(|event| event.at)
            && draft.history.len() <= EVENTS_MAX
            && *creation == AdvertEvent::created(created_at)
            && others.iter().all(|event| event.subject != EventSubject::Created);
        in_order.then_some(Self {
            created_at,
            updated_at: draft.updated_at?,
            last_crawled_at: draft.last_crawled_at?,
            expired_at,
            events: draft.history.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advert_fields::{AdvertField, AdvertPatch, FieldUpdate};
    use crate::draft::Identity;
    use crate::value::Amount;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn id() -> AdvertId {
        AdvertId::from_bytes([1; 16])
    }

    /// An advert whose price changed in the second of its expiry, and that was crawled later.
    fn described() -> AdvertDraft {
        let price = |number| Amount::new(number);
        AdvertDraft {
            created_at: Some(at(100)),
            updated_at: Some(at(300)),
            last_crawled_at: Some(at(350)),
            lifecycle: Lifecycle::Expired { at: Some(at(290)) },
            history: vec![
                AdvertEvent::created(at(100)),
                AdvertEvent::amount(at(300), AdvertField::Price, price(10.0), price(9.0)),
                AdvertEvent::expiry(at(300), true),
            ],
            ..AdvertDraft::seen(Identity::Uuid(id()), AdvertPatch::default())
        }
    }

    #[test]
    fn complete_description_is_restored_exactly() {
        let draft = described();
        let advert = restore(id(), draft.clone(), None, at(1_000)).advert;
        assert_eq!(advert.events, draft.history);
        assert_eq!((advert.created_at, advert.updated_at), (at(100), at(300)));
        assert_eq!((advert.last_crawled_at, advert.expired_at), (at(350), Some(at(290))));
    }

    #[test]
    fn restored_advert_is_recognised() {
        let draft = described();
        let advert = restore(id(), draft.clone(), None, at(1_000)).advert;
        assert!(describes(&draft, &advert));
        let later = AdvertDraft { last_crawled_at: Some(at(351)), ..described() };
        assert!(!describes(&later, &advert));
        let patch = AdvertPatch { room: FieldUpdate::Set(Some(3)), ..AdvertPatch::default() };
        assert!(!describes(&AdvertDraft { patch, ..described() }, &advert));
        assert!(!describes(&AdvertDraft { updated_at: None, ..described() }, &advert));
    }

    #[test]
    fn incomplete_description_is_merged() {
        let mut without_creation = described();
        without_creation.history.remove(0);
        let mut unordered = described();
        unordered.history[1].at = at(400);
        let undated = AdvertDraft { updated_at: None, ..described() };
        for draft in [without_creation, unordered, undated] {
            let merged = merge::create(id(), draft.clone(), None, at(1_000));
            assert_eq!(restore(id(), draft, None, at(1_000)), merged);
        }
    }
}

//! What a change of a property means to those who wait: who has a new match, and who hears of which event.
//!
//! A match is made when a property **comes to** meet a search: it is on offer and meets the criteria now, and was not or did not
//! before. An event is told to every search whose criteria the property met before or after it. Both are functions of two
//! versions of the property and of nothing else; that a match is made once is for whoever keeps them.

use crate::advert_event::{AdvertEvent, EventName};
use crate::criteria::Criteria;
use crate::property::Property;

/// Whether somebody could still buy or rent it: one of its adverts is not expired.
pub fn is_on_offer(property: &Property) -> bool {
    property.adverts.iter().any(|advert| !advert.is_expired())
}

/// Whether a property makes a match with criteria, as far as it alone decides.
pub fn meets(criteria: &Criteria, property: &Property) -> bool {
    is_on_offer(property) && criteria.accepts(property)
}

/// Whether a change brings a property to criteria. `before` is nothing when there was no such property.
pub fn comes_to_meet(criteria: &Criteria, before: Option<&Property>, after: &Property) -> bool {
    meets(criteria, after) && !before.is_some_and(|before| meets(criteria, before))
}

/// Whether criteria are concerned by what happened to a property: met before, or after. Expiry is itself something to hear of, so
/// that a property no longer on offer counts.
pub fn concerns(criteria: &Criteria, before: Option<&Property>, after: Option<&Property>) -> bool {
    [before, after].into_iter().flatten().any(|property| criteria.accepts(property))
}

/// What subscribers are told of one update: the name, and which of its events it is. Changes of pictures, and of fields without
/// a name of their own, are each told once an update, by the first of them.
pub fn announcements(events: &[AdvertEvent]) -> Vec<(EventName, usize)> {
    let mut told: Vec<(EventName, usize)> = Vec::new();
    for (place, event) in events.iter().enumerate() {
        let Some(name) = event.name() else { continue };
        let once = matches!(name, EventName::UpdatePictures | EventName::AdUpdate);
        if !(once && told.iter().any(|(known, _)| *known == name)) {
            told.push((name, place));
        }
    }
    told
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::advert::AdvertField;

    #[test]
    fn an_update_of_many_fields_is_told_once() {
        let at = Timestamp::UNIX_EPOCH;
        let field = |field| AdvertEvent::field(at, field);
        let events = [
            field(AdvertField::Title),
            AdvertEvent::amount(at, AdvertField::Price, None, None),
            field(AdvertField::Description),
            field(AdvertField::PicturesRemote),
            field(AdvertField::Pictures),
            AdvertEvent::expiry(at, false),
            AdvertEvent::expiry(at, true),
        ];
        assert_eq!(
            announcements(&events),
            [
                (EventName::AdUpdate, 0),
                (EventName::UpdatePrice, 1),
                (EventName::UpdatePictures, 3),
                (EventName::UpdateExpired, 6)
            ]
        );
        assert_eq!(announcements(&[AdvertEvent::created(at)]), [(EventName::AdCreate, 0)]);
    }
}

//! The effect of a change of a property on saved searches: which have a new match, and which receive which event.
//!
//! A property is a **new match** of a search if it is available and satisfies the criteria now, and was unavailable or did
//! not satisfy them before. An event goes to every search whose criteria the property satisfies before or after the
//! change. Both depend only on versions of properties. That a search has at most one match per property is enforced by the
//! matcher.
//!
//! **Merges, splits and moves** of adverts are changes, not new properties. When adverts move to a property, it has several
//! versions before the change: its own, if it existed, and the last one of every property they come from. It newly matches a
//! search only if none of them did. It also inherits the alerts: a search that was alerted for one of those properties, or
//! for one that it inherited from in turn, is never alerted for this one. So a merge alerts no search that knew one of the homes,
//! and a split alerts only searches for which the old property was not right and the new one is. The property that the adverts
//! leave has changed too, and is compared with its own previous version.

use crate::advert_event::{AdvertEvent, EventName};
use crate::criteria::Criteria;
use crate::property::Property;

/// Returns `true` if the property can still be bought or rented: at least one advert is not expired.
pub fn is_available(property: &Property) -> bool {
    property.adverts.iter().any(|advert| !advert.is_expired())
}

/// Returns `true` if a property is available and satisfies the criteria.
pub fn matches(criteria: &Criteria, property: &Property) -> bool {
    is_available(property) && criteria.accepts(property)
}

/// Returns `true` if a property matches after a change and did not match before. `before` is empty for a new property, and
/// contains all properties that a regrouped one comes from.
pub fn newly_matches<'a>(
    criteria: &Criteria,
    before: impl IntoIterator<Item = &'a Property>,
    after: &Property,
) -> bool {
    matches(criteria, after) && !before.into_iter().any(|before| matches(criteria, before))
}

/// Returns `true` if a property satisfies the criteria before or after a change, so that subscribers receive its events.
/// Availability is ignored: the expiry of a property is itself an event.
pub fn concerns<'a>(
    criteria: &Criteria,
    before: impl IntoIterator<Item = &'a Property>,
    after: &Property,
) -> bool {
    criteria.accepts(after) || before.into_iter().any(|before| criteria.accepts(before))
}

/// Returns the events of one update that subscribers are notified of: the event name and the index in `events`. An update
/// yields at most one `UpdatePictures` and one `AdUpdate`, for the first event of that name.
pub fn notifiable_events(events: &[AdvertEvent]) -> Vec<(EventName, usize)> {
    let mut notifiable: Vec<(EventName, usize)> = Vec::new();
    for (index, event) in events.iter().enumerate() {
        let Some(name) = event.name() else { continue };
        let once = matches!(name, EventName::UpdatePictures | EventName::AdUpdate);
        if !(once && notifiable.iter().any(|(earlier, _)| *earlier == name)) {
            notifiable.push((name, index));
        }
    }
    notifiable
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::advert_fields::AdvertField;

    #[test]
    fn update_of_many_fields_is_notified_once() {
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
            notifiable_events(&events),
            [
                (EventName::AdUpdate, 0),
                (EventName::UpdatePrice, 1),
                (EventName::UpdatePictures, 3),
                (EventName::UpdateExpired, 6)
            ]
        );
        assert_eq!(notifiable_events(&[AdvertEvent::created(at)]), [(EventName::AdCreate, 0)]);
    }
}

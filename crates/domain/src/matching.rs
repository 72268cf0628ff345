//! The effect of a change of a property on saved searches: which have a new match, and which receive which event.
//!
//! A search sees what is on offer: a property **matches** if it is available and its adverts that are not expired satisfy the
//! criteria. It is a **new match** if it matches now and did not before. An event goes to every search that the property matches
//! before or after the change. All of this depends only on versions of properties. That a search has at most one match per
//! property is enforced by the matcher.
//!
//! A search that is **switched off** takes no part: it has no new matches and receives no events. What starts to match while it
//! is off is not remembered, so that it is a new match if it stops matching and starts again once the search is on.
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

/// Returns `true` if a property matches before or after a change, so that subscribers receive its events. The expiry of a
/// property is itself an event, for those who knew it before.
pub fn concerns<'a>(
    criteria: &Criteria,
    before: impl IntoIterator<Item = &'a Property>,
    after: &Property,
) -> bool {
    matches(criteria, after) || before.into_iter().any(|before| matches(criteria, before))
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
    use crate::advert::Advert;
    use crate::advert_fields::{AdvertField, AdvertPatch, FieldUpdate};
    use crate::criteria::{RawCriteria, RawCriterion, References};
    use crate::draft::{AdvertDraft, Identity, Lifecycle};
    use crate::filter::Filter;
    use crate::ids::{AdvertId, PropertyId};
    use crate::merge;
    use crate::site::SiteDirectory;

    fn built(number: u8, year: i32) -> Advert {
        let patch = AdvertPatch { construction_year: FieldUpdate::Set(Some(year)), ..AdvertPatch::default() };
        let id = AdvertId::from_bytes([number; 16]);
        merge::create(id, AdvertDraft::seen(Identity::Uuid(id), patch), None, Timestamp::UNIX_EPOCH).advert
    }

    fn expired(advert: &Advert) -> Advert {
        let draft = AdvertDraft::seen(Identity::Uuid(advert.id), AdvertPatch::default());
        let draft = AdvertDraft { lifecycle: Lifecycle::Expired { at: None }, ..draft };
        merge::update(advert, draft, None, Timestamp::from_second(1_000).unwrap()).advert
    }

    fn property(adverts: [Advert; 2]) -> Property {
        Property { id: PropertyId::from_bytes([9; 16]), adverts: adverts.into() }
    }

    /// The criteria of a saved search.
    fn saved(given: &[(&str, RawCriterion)]) -> Criteria {
        let mut raw_criteria = RawCriteria::default();
        raw_criteria.put(Filter::named("withCoherentPrice").unwrap(), RawCriterion::Flag(false));
        for (name, criterion) in given {
            raw_criteria.put(Filter::named(name).unwrap(), criterion.clone());
        }
        let sites = SiteDirectory::default();
        let references =
            References { city: &|id| vec![id], commune: &|insee| vec![insee.id()], sites: &sites };
        raw_criteria.criteria(&references).unwrap()
    }

    #[test]
    fn expired_adverts_satisfy_no_criterion_of_a_saved_search() {
        let recent = saved(&[("constructionYearMin", RawCriterion::Number(2000.0))]);
        let (new, old) = (built(1, 2020), built(2, 1900));
        let both = property([new.clone(), old.clone()]);
        let left = property([expired(&new), old.clone()]);
        let gone = property([expired(&new), expired(&old)]);
        assert!(matches(&recent, &both));
        assert!(!matches(&recent, &left), "the advert that is on offer is of an old house");
        assert!(matches(&saved(&[]), &left) && !matches(&saved(&[]), &gone));
        assert!(newly_matches(&recent, [&left], &both), "when it is on offer again");

        // The expiry concerns those who saw it, and nothing that happens afterwards does.
        assert!(concerns(&recent, [&both], &left) && concerns(&saved(&[]), [&left], &gone));
        assert!(!concerns(&recent, [&left], &left) && !concerns(&saved(&[]), [&gone], &gone));
    }

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

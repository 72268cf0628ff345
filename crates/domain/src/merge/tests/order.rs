//! Dated crawls give the same advert in any order: lived through, or replayed in one go.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::advert_fields::{EnergyLetter, Publisher, Rating};
use crate::kinds::{GeoAccuracy, PropertyType, PublisherType};
use crate::place::{GeoPoint, GivenPlace, Insee, Zipcode};
use crate::value::ShortText;

const LAST_SECOND: i64 = 1_000_000;

/// What a crawl says, except when.
fn patch() -> BoxedStrategy<AdvertPatch> {
    let amount = || update_of(option::of(select(&[85.0, 85.31, 90.0, 200.0]).prop_map(amount)));
    let text = || option::of(select(&["A", "B"])).prop_map(|text| text.and_then(short));
    let publisher = (text(), option::of(select(PublisherType::ALL)));
    let rating = (
        option::of(select(&[EnergyLetter::C, EnergyLetter::D])),
        option::of(select(&[120.0, 120.4, 130.0]).prop_map(amount_of)),
    );
    (
        (amount(), amount(), amount()),
        (update_of(text()), update_of(option::of(1..4_i32))),
        update_of(publisher.prop_map(|(name, kind)| Publisher { name, kind })),
        update_of(rating.prop_map(|(category, value)| Rating { category, value })),
        update_of(place()),
    )
        .prop_map(|((price, surface, property_tax), (title, room), publisher, energy, place)| AdvertPatch {
            price: flat(price),
            surface: flat(surface),
            property_tax: flat(property_tax),
            title,
            room,
            publisher,
            energy,
            place,
            ..AdvertPatch::default()
        })
        .boxed()
}

fn amount(number: f64) -> Option<Amount> {
    Amount::new(number)
}

fn amount_of(number: f64) -> Amount {
    Amount::new(number).unwrap()
}

fn flat(update: FieldUpdate<Option<Option<Amount>>>) -> FieldUpdate<Option<Amount>> {
    match update {
        FieldUpdate::Keep => FieldUpdate::Keep,
        FieldUpdate::Set(value) => FieldUpdate::Set(value.flatten()),
    }
}

fn short(text: &str) -> Option<ShortText> {
    ShortText::new(text).unwrap()
}

fn update_of<T: std::fmt::Debug + Clone + 'static>(
    value: impl Strategy<Value = T> + 'static,
) -> BoxedStrategy<FieldUpdate<T>> {
    prop_oneof![1 => Just(FieldUpdate::Keep), 3 => value.prop_map(FieldUpdate::Set)].boxed()
}

fn place() -> BoxedStrategy<GivenPlace> {
    let point = option::of(select(&[0.25, 0.5]).prop_map(|degrees| GeoPoint::new(degrees, degrees).unwrap()));
    let name = option::of(select(&["Tours", "Joué", "Nulle part"])).prop_map(|name| name.and_then(short));
    let zipcode = option::of(select(&["37000", "37100"])).prop_map(|code| code.and_then(Zipcode::parse));
    (name, zipcode, point, option::of(select(GeoAccuracy::ALL)))
        .prop_map(|(city_name, zipcode, point, accuracy)| GivenPlace {
            insee: None,
            zipcode,
            city_name,
            point,
            accuracy,
            country: None,
        })
        .boxed()
}

/// Resolves a place, as the gazetteer would: by name, or by the point.
fn placement(draft: &AdvertDraft) -> Option<Placement> {
    let place = draft.patch.place.value()?;
    let code = match place.city_name.as_ref().map(ShortText::as_str) {
        Some("Tours") => "37261",
        Some("Joué") => "37122",
        Some(_) => return None,
        None => place.point.map(|_| "37261")?,
    };
    let insee = Insee::parse(code)?;
    Some(Placement { department: insee.department(), zipcode: place.zipcode.clone(), insee, centre: None })
}

/// A crawl of each of some distinct times, with a history of its own in some of them. All are dated.
fn crawls() -> BoxedStrategy<Vec<AdvertDraft>> {
    let lifecycle = prop_oneof![
        6 => Just((Lifecycle::Seen, true)),
        1 => Just((Lifecycle::Live, true)),
        2 => any::<bool>().prop_map(|is_crawl| (Lifecycle::Expired { at: None }, is_crawl)),
    ];
    let dates = (option::weighted(0.5, 0..120_i64), option::weighted(0.2, 0..300_i64));
    let kind = select(&[PropertyType::Apartment, PropertyType::House]);
    vec((patch(), lifecycle, dates, option::weighted(0.3, history()), kind), 1..8)
        .prop_map(|crawls| {
            let numbered = crawls.into_iter().zip(0_i64..);
            numbered
                .map(|((patch, lifecycle, dates, history, property_type), number)| {
                    // Every time of a crawl is a multiple of a hundred, every time of a given event is not.
                    let second = 1_000 + 100 * number;
                    let (lifecycle, is_crawl) = match lifecycle {
                        (Lifecycle::Expired { .. }, is_crawl) => {
                            (Lifecycle::Expired { at: Some(at(second)) }, is_crawl)
                        }
                        seen => seen,
                    };
                    let later = |event: AdvertEvent| AdvertEvent {
                        at: at(event.at.as_second() + 200 * number),
                        ..event
                    };
                    AdvertDraft {
                        property_type,
                        updated_at: dates.0.map(|before| at(second - before)),
                        created_at: dates.1.map(|before| at(second - before)),
                        last_crawled_at: is_crawl.then(|| at(second)),
                        lifecycle,
                        history: history.map(later).into_iter().collect(),
                        ..draft(patch)
                    }
                })
                .collect()
        })
        .boxed()
}

fn history() -> BoxedStrategy<AdvertEvent> {
    let value = || option::of(select(&[85.0, 90.0, 200.0])).prop_map(|number| number.and_then(Amount::new));
    let amounts = (select(&[AdvertField::Price, AdvertField::Surface]), value(), value())
        .prop_map(|(field, old, new)| AdvertEvent::amount(at(0), field, old, new));
    let event = prop_oneof![
        4 => amounts,
        1 => Just(AdvertEvent::field(at(0), AdvertField::Title)),
        1 => Just(AdvertEvent::expiry(at(0), true)),
        1 => Just(AdvertEvent::created(at(0))),
    ];
    (event, 1..99_i64).prop_map(|(event, second)| AdvertEvent { at: at(700 + second), ..event }).boxed()
}

/// Merges drafts in this order. Each is received when it was crawled, or all at the end.
fn merge_all(drafts: &[AdvertDraft], received_at: impl Fn(&AdvertDraft) -> Timestamp) -> Advert {
    let mut advert: Option<Advert> = None;
    for draft in drafts {
        let (placement, received_at) = (placement(draft), received_at(draft));
        let merged = match &advert {
            None => create(id(), draft.clone(), placement, received_at),
            Some(current) => update(current, draft.clone(), placement, received_at),
        };
        advert = Some(merged.advert);
    }
    advert.unwrap()
}

fn crawl_time(draft: &AdvertDraft) -> Timestamp {
    match draft.lifecycle {
        Lifecycle::Seen | Lifecycle::Live => draft.last_crawled_at.unwrap(),
        Lifecycle::Expired { at } => at.unwrap(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    #[test]
    fn dated_crawls_give_the_same_advert_in_any_order(
        (lived, shuffled) in crawls().prop_flat_map(|crawls| (Just(crawls.clone()), Just(crawls).prop_shuffle()))
    ) {
        let lived = merge_all(&lived, crawl_time);
        let replayed = merge_all(&shuffled, |_| at(LAST_SECOND));
        prop_assert_eq!(&replayed, &lived);
        let ordered = lived.events.windows(2).all(|two| two[0].at <= two[1].at);
        prop_assert!(ordered, "{:?}", lived.events);
        prop_assert_eq!(&lived.events[0], &AdvertEvent::created(lived.created_at));
    }

    #[test]
    fn sending_crawls_again_changes_nothing(crawls in crawls(), again in any::<proptest::sample::Index>()) {
        let advert = merge_all(&crawls, crawl_time);
        let draft = again.get(&crawls);
        let merged = update(&advert, draft.clone(), placement(draft), at(LAST_SECOND));
        prop_assert_eq!(merged.effect, Effect::Unchanged);
        prop_assert_eq!(merged.advert, advert);
    }

    /// An independent definition of the simple case: each field has the value that the last crawl gave it.
    #[test]
    fn each_field_has_its_last_given_value(crawls in crawls().prop_shuffle()) {
        let advert = merge_all(&crawls, |_| at(LAST_SECOND));
        let mut crawls = crawls;
        crawls.sort_by_key(crawl_time);
        let title = crawls.iter().rev().find_map(|crawl| crawl.patch.title.value().cloned()).flatten();
        let room = crawls.iter().rev().find_map(|crawl| crawl.patch.room.value().copied()).flatten();
        let tax = crawls.iter().rev().find_map(|crawl| crawl.patch.property_tax.value().copied()).flatten();
        prop_assert_eq!(&advert.details.title, &title);
        prop_assert_eq!(advert.details.room, room);
        prop_assert_eq!(advert.details.property_tax, tax);
        prop_assert_eq!(Some(advert.property_type), crawls.last().map(|crawl| crawl.property_type));
        let crawled = crawls.iter().filter_map(|crawl| crawl.last_crawled_at).max();
        prop_assert_eq!(Some(advert.last_crawled_at), crawled.or_else(|| crawls.first().map(crawl_time)));
        let is_expired = matches!(crawls.last().map(|crawl| crawl.lifecycle), Some(Lifecycle::Expired { .. }));
        prop_assert_eq!(advert.is_expired(), is_expired);
    }

    #[test]
    fn events_lead_to_the_value_in_the_order_of_dates(crawls in crawls().prop_shuffle()) {
        // Only the crawls, so that the chain of values has no gaps from given history.
        let crawls: Vec<AdvertDraft> =
            crawls.into_iter().map(|crawl| AdvertDraft { history: Vec::new(), ..crawl }).collect();
        let advert = merge_all(&crawls, |_| at(LAST_SECOND));
        let of_tax = |event: &&AdvertEvent| event.subject == EventSubject::Field(AdvertField::PropertyTax);
        let recorded = advert.events.iter().filter(of_tax).count();
        let mut crawls = crawls;
        crawls.sort_by_key(crawl_time);
        let mut values = crawls.iter().enumerate().filter_map(|(index, crawl)| {
            crawl.patch.property_tax.value().map(|value| (index, *value))
        });
        // The first crawl creates the advert; a value in it is no change.
        let mut known = None;
        if let Some((0, first)) = values.clone().next() {
            (known, _) = (first, values.next());
        }
        let mut expected = 0;
        for (_, value) in values {
            let is_rounding = known == Amount::new(85.0) && value == Amount::new(85.31);
            expected += usize::from(value != known && !is_rounding);
            known = value;
        }
        prop_assert_eq!(recorded, expected);
    }
}

//! What a poorer crawl keeps, part by part.

use super::*;
use crate::advert_fields::{Contact, EnergyLetter, Publisher, Rating};
use crate::kinds::{GeoAccuracy, PublisherType};
use crate::place::{GeoPoint, GivenPlace, Insee, Zipcode};
use crate::value::ShortText;

fn text(text: &str) -> Option<ShortText> {
    ShortText::new(text).unwrap()
}

fn commune(code: &str) -> Option<Placement> {
    let insee = Insee::parse(code).unwrap();
    Some(Placement { department: insee.department(), insee, zipcode: None, centre: None })
}

fn place(place: GivenPlace) -> AdvertDraft {
    draft(AdvertPatch { place: FieldUpdate::Set(place), ..AdvertPatch::default() })
}

fn publisher(name: Option<&str>, kind: Option<PublisherType>) -> AdvertDraft {
    let publisher = Publisher { name: name.and_then(text), kind };
    draft(AdvertPatch { publisher: FieldUpdate::Set(publisher), ..AdvertPatch::default() })
}

fn energy(category: Option<EnergyLetter>, value: Option<f64>) -> AdvertDraft {
    let rating = Rating { category, value: value.and_then(Amount::new) };
    draft(AdvertPatch { energy: FieldUpdate::Set(rating), ..AdvertPatch::default() })
}

fn tours() -> GivenPlace {
    GivenPlace {
        insee: None,
        zipcode: Zipcode::parse("37000"),
        city_name: text("Tours"),
        point: GeoPoint::new(47.39, 0.69),
        accuracy: Some(GeoAccuracy::HouseNumber),
        country: None,
    }
}

#[test]
fn coordinates_stay_in_the_same_commune() {
    let known = create(id(), place(tours()), commune("37261"), at(1_000)).advert;
    let check = |given: GivenPlace, placement: Option<Placement>, expected: GivenPlace| {
        let merged = update(&known, place(given.clone()), placement, at(2_000));
        assert_eq!(merged.advert.details.place, expected, "{given:?}");
        assert_eq!(merged.events.is_empty(), expected == tours(), "{given:?}: {:?}", merged.events);
    };
    let bare = GivenPlace { point: None, accuracy: None, ..tours() };
    check(bare.clone(), commune("37261"), tours());
    let other_name = GivenPlace { city_name: text("TOURS"), ..bare.clone() };
    check(other_name.clone(), commune("37261"), GivenPlace { city_name: text("TOURS"), ..tours() });
    // An accuracy describes the coordinates of its own request.
    let vague = GivenPlace { accuracy: Some(GeoAccuracy::Neighbourhood), ..bare.clone() };
    check(vague, commune("37261"), tours());
    // The name stays if only the coordinates are given.
    let point_only = GivenPlace { zipcode: None, city_name: None, ..tours() };
    check(point_only, commune("37261"), tours());
    let moved = GivenPlace { point: GeoPoint::new(47.4, 0.7), accuracy: None, ..tours() };
    check(moved.clone(), commune("37261"), moved);
    let same_point = GivenPlace { accuracy: None, ..tours() };
    check(same_point, commune("37261"), tours());
    // Another commune, or one that is not known, takes everything with it.
    let joue =
        GivenPlace { zipcode: Zipcode::parse("37300"), city_name: text("Joué"), ..GivenPlace::default() };
    check(joue.clone(), commune("37122"), joue.clone());
    check(joue.clone(), None, joue);
    check(GivenPlace::default(), None, GivenPlace::default());
}

#[test]
fn place_that_is_not_resolved_keeps_its_coordinates_if_its_text_is_the_same() {
    let known = create(id(), place(tours()), None, at(1_000)).advert;
    let bare = GivenPlace { point: None, accuracy: None, ..tours() };
    let merged = update(&known, place(bare), None, at(2_000));
    assert_eq!((merged.advert.details.place, merged.events), (tours(), Vec::new()));
}

#[test]
fn accuracy_alone_applies_to_the_known_place() {
    let known = create(id(), place(tours()), commune("37261"), at(1_000)).advert;
    let alone = GivenPlace { accuracy: Some(GeoAccuracy::Neighbourhood), ..GivenPlace::default() };
    let merged = update(&known, place(alone), None, at(2_000));
    let expected = GivenPlace { accuracy: Some(GeoAccuracy::Neighbourhood), ..tours() };
    assert_eq!(merged.advert.details.place, expected);
    assert_eq!(merged.advert.placement, commune("37261"));
    assert_eq!(printed(&merged.events), ["Field(Place)@2000 -→- "]);
}

#[test]
fn placement_is_that_of_the_latest_place() {
    let crawled =
        |second, given: GivenPlace| AdvertDraft { last_crawled_at: Some(at(second)), ..place(given) };
    let advert = create(id(), crawled(2_000, tours()), commune("37261"), at(9_000)).advert;
    let late = update(&advert, crawled(1_000, tours()), commune("37122"), at(9_000)).advert;
    assert_eq!(late.placement, commune("37261"));
    let zipcode = |code| commune("37261").map(|it| Placement { zipcode: Zipcode::parse(code), ..it });
    let newer = update(&late, crawled(3_000, tours()), zipcode("37100"), at(9_000)).advert;
    assert_eq!(newer.placement, zipcode("37100"));
    // No later crawl gives a place.
    let silent = AdvertDraft { last_crawled_at: Some(at(5_000)), ..draft(price(1.0)) };
    let advert = create(id(), silent, None, at(9_000)).advert;
    let late = update(&advert, crawled(1_000, tours()), commune("37261"), at(9_000)).advert;
    assert_eq!((late.placement, late.details.place), (commune("37261"), tours()));
}

#[test]
fn publisher_type_stays_with_the_name() {
    let professional = Some(PublisherType::Professional);
    let known = create(id(), publisher(Some("Agence"), professional), None, at(1_000)).advert;
    let check = |name: Option<&str>,
                 kind: Option<PublisherType>,
                 expected: (Option<&str>, Option<PublisherType>)| {
        let merged = update(&known, publisher(name, kind), None, at(2_000)).advert.details.publisher;
        assert_eq!((merged.name, merged.kind), (expected.0.and_then(text), expected.1), "{name:?} {kind:?}");
    };
    check(Some("Agence"), None, (Some("Agence"), professional));
    check(Some("Autre"), None, (Some("Autre"), None));
    check(None, professional, (Some("Agence"), professional));
    check(None, None, (None, None));
    let individual = Some(PublisherType::Individual);
    check(Some("Agence"), individual, (Some("Agence"), individual));
    check(None, individual, (None, individual));
}

#[test]
fn energy_value_stays_with_the_letter() {
    let (c, d) = (Some(EnergyLetter::C), Some(EnergyLetter::D));
    let known = create(id(), energy(c, Some(120.0)), None, at(1_000)).advert;
    let check = |letter, value, expected: (Option<EnergyLetter>, Option<f64>)| {
        let merged = update(&known, energy(letter, value), None, at(2_000)).advert.details.energy;
        let expected = Rating { category: expected.0, value: expected.1.and_then(Amount::new) };
        assert_eq!(merged, expected, "{letter:?} {value:?}");
    };
    check(c, None, (c, Some(120.0)));
    check(d, None, (d, None));
    check(None, Some(120.0), (c, Some(120.0)));
    check(None, Some(200.0), (None, Some(200.0)));
    check(None, None, (None, None));
}

#[test]
fn contact_is_replaced_as_a_whole() {
    let contact = |name: Option<&str>, phone: Option<&str>| {
        let contact =
            Contact { name: name.and_then(text), phone: phone.and_then(text), ..Contact::default() };
        draft(AdvertPatch { contact: FieldUpdate::Set(contact), ..AdvertPatch::default() })
    };
    let known = create(id(), contact(Some("Zoé"), Some("1")), None, at(1_000)).advert;
    let merged = update(&known, contact(Some("Zoé"), None), None, at(2_000));
    assert_eq!(merged.advert.details.contact.phone, None);
}

//! Expressions: groups, entries, and the texts that they search. Words and phrases are tested in `phrase`.

use super::*;
use crate::phrase::Strictness;
use crate::value::{LongText, ShortText};
use Presence::{Absent, Present};
use Strictness::{Exact, Inflected};

fn entry(text: &str, strictness: Strictness, presence: Presence) -> Entry {
    Entry { phrase: Phrase::new(text, strictness).unwrap(), presence }
}

fn with(text: &str) -> Entry {
    entry(text, Inflected, Present)
}

fn without(text: &str) -> Entry {
    entry(text, Inflected, Absent)
}

fn titled(title: &str) -> Advert {
    advert(|advert| advert.details.title = ShortText::new(title).unwrap())
}

fn described(description: &str) -> Advert {
    advert(|advert| advert.details.description = LongText::new(description).unwrap())
}

fn featured(features: &[&str]) -> Advert {
    advert(|advert| {
        advert.details.features =
            features.iter().map(|text| ShortText::new(text).unwrap().unwrap()).collect();
    })
}

#[track_caller]
fn check_features(it: &Property, features: &[&str], expected: bool) {
    let phrases = features.iter().map(|text| Phrase::new(text, Inflected).unwrap()).collect();
    check(it, &[("features", CriterionValue::Features(phrases))], expected);
}

#[track_caller]
fn check_words(it: &Property, groups: Vec<Vec<Entry>>, expected: bool) {
    check(it, &[("expressions", CriterionValue::Expressions(groups))], expected);
}

#[test]
fn entries_of_a_group_must_all_hold() {
    let it = property([titled("Maison avec jardin et garage")]);
    check_words(&it, vec![vec![with("jardin"), with("garage")]], true);
    check_words(&it, vec![vec![with("jardin"), with("piscine")]], false);
}

#[test]
fn groups_are_alternatives() {
    let it = property([titled("Maison avec jardin")]);
    check_words(&it, vec![vec![with("piscine")], vec![with("jardin")]], true);
    check_words(&it, vec![vec![with("piscine")], vec![with("garage")]], false);
    check_words(&it, vec![vec![with("jardin"), with("piscine")], vec![with("maison")]], true);
    check_words(&it, vec![], true);
}

#[test]
fn word_can_be_required_to_be_absent() {
    let it = property([titled("Maison avec jardin")]);
    check_words(&it, vec![vec![without("piscine")]], true);
    check_words(&it, vec![vec![without("jardin")]], false);
    check_words(&it, vec![vec![with("maison"), without("piscine")]], true);
    check_words(&it, vec![vec![with("maison"), without("jardin")]], false);
}

#[test]
fn absent_word_occurs_in_no_text() {
    let it = property([titled("Maison"), described("Grand jardin")]);
    check_words(&it, vec![vec![without("jardin")]], false);
    check_words(&property([advert(|_| {})]), vec![vec![without("jardin")]], true);
    check_words(&property([advert(|_| {})]), vec![vec![with("jardin")]], false);
}

#[test]
fn titles_descriptions_features_and_districts_of_all_adverts_are_searched() {
    let mut gone = titled("Terrasse");
    gone.expired_at = Some(at(400));
    let there = advert(|advert| advert.details.district = ShortText::new("Les Salines").unwrap());
    let it = property([
        titled("Maison"),
        described("Grand jardin"),
        featured(&["Cave", "Double vitrage"]),
        there,
        gone,
    ]);
    check_words(&it, vec![vec![with("salines"), with("maison")]], true);
    check_words(&it, vec![vec![with("maison"), with("jardin"), with("terrasse")]], true);
    check_words(&it, vec![vec![with("cave"), with("doubles vitrages"), with("maison")]], true);
    check_words(&it, vec![vec![without("cave")]], false);
    check_words(&it, vec![vec![with("cave double")]], false);
    let words = CriterionValue::Expressions(vec![vec![with("terrasse")]]);
    check(&it, &[("expressions", words), ("expired", Flag(false))], false);
}

#[test]
fn phrase_does_not_span_texts() {
    let it = property([advert(|advert| {
        advert.details.title = ShortText::new("Maison avec grand").unwrap();
        advert.details.description = LongText::new("Jardin clos, sans vis-à-vis").unwrap();
    })]);
    check_words(&it, vec![vec![with("jardin clos")]], true);
    check_words(&it, vec![vec![with("clos jardin")]], false);
    check_words(&it, vec![vec![with("grand jardin")]], false);
    check_words(&it, vec![vec![with("sans vis à vis")]], true);
    check_words(&it, vec![vec![with("avec vis à vis")]], false);
}

#[test]
fn strictness_of_the_entry_is_applied() {
    let it = property([titled("TERRASSES à l'ÉTAGE")]);
    check_words(&it, vec![vec![entry("terrasse", Inflected, Present)]], true);
    check_words(&it, vec![vec![entry("terrasse", Exact, Present)]], false);
    check_words(&it, vec![vec![entry("terrasse", Exact, Absent)]], true);
    check_words(&it, vec![vec![entry("terrasses", Exact, Present)]], true);
    check_words(&it, vec![vec![entry("L’etage", Exact, Present)]], true);
    check_words(&it, vec![vec![entry("tage", Inflected, Present)]], false);
}

#[test]
fn filter_on_features_looks_into_features_only() {
    let it = property([advert(|advert| {
        advert.details.title = ShortText::new("Maison avec terrasse").unwrap();
        advert.details.features = ["Cave voûtée", "Place de parking"]
            .iter()
            .filter_map(|text| ShortText::new(text).unwrap())
            .collect();
    })]);
    check_features(&it, &["caves"], true);
    check_features(&it, &["places de parking"], true);
    check_features(&it, &["terrasse"], false);
    check_features(&it, &["voûtée place"], false);
    check_features(&it, &["cave", "parking"], true);
    check_features(&it, &["cave", "terrasse"], false);
    check_features(&it, &[], true);
    check_features(&property([titled("Cave")]), &["cave"], false);
}

#[test]
fn features_may_be_in_different_adverts() {
    let mut gone = featured(&["Cave"]);
    gone.expired_at = Some(at(400));
    let it = property([gone, featured(&["Parking"])]);
    check_features(&it, &["cave", "parking"], true);
    let phrases = vec![Phrase::new("cave", Inflected).unwrap()];
    let cave = ("features", CriterionValue::Features(phrases));
    check(&it, &[cave, ("expired", Flag(false))], false);
    check_features(&it, &["cave", "parking", "piscine"], false);
    check_features(&property([featured(&["Cave"]), featured(&["Parking"])]), &["cave", "parking"], true);
}

#[test]
fn expired_false_considers_only_the_texts_of_live_adverts() {
    let mut gone = titled("Maison avec piscine");
    gone.expired_at = Some(at(400));
    let it = property([gone, titled("Maison avec terrasse")]);
    let live = |entry: Entry| {
        [("expressions", CriterionValue::Expressions(vec![vec![entry]])), ("expired", Flag(false))]
    };
    check_words(&it, vec![vec![with("piscine"), with("terrasse")]], true);
    check(&it, &live(with("terrasse")), true);
    check(&it, &live(with("piscine")), false);
    check(&it, &live(entry("piscine", Inflected, Absent)), true);
    check(&it, &live(entry("terrasse", Inflected, Absent)), false);
}

//! Conditions on a single advert, and the adverts that are considered.

use super::*;
use crate::kinds::{FeesResponsibility, PublisherType};
use crate::value::WebAddress;
use CriterionValue::Sites;

fn site(name: &str) -> SiteKey {
    SiteKey::parse(name).unwrap()
}

fn sites(names: &[&str]) -> CriterionValue {
    Sites(names.iter().map(|name| site(name)).collect())
}

fn from(name: &str) -> Advert {
    advert(|advert| advert.details.site = Some(site(name)))
}

fn expired(mut advert: Advert) -> Advert {
    advert.expired_at = Some(at(400));
    advert
}

fn built(year: i32) -> impl FnOnce(&mut Advert) {
    move |advert| advert.details.construction_year = Some(year)
}

#[test]
fn all_conditions_hold_on_a_single_advert() {
    let seller = |advert: &mut Advert| advert.details.fees_responsibility = Some(FeesResponsibility::Seller);
    let professional =
        |advert: &mut Advert| advert.details.publisher.kind = Some(PublisherType::Professional);
    let by_seller = ("feesResponsibility", Codes(vec![0]));
    let by_professional = ("publisherTypes", Codes(vec![1]));
    let both = [by_seller.clone(), by_professional.clone()];
    let apart = property([advert(seller), advert(professional)]);
    check(&apart, &[by_seller], true);
    check(&apart, &[by_professional], true);
    check(&apart, &both, false);
    let together = property([
        advert(|_| {}),
        advert(|advert| {
            seller(advert);
            professional(advert);
        }),
    ]);
    check(&together, &both, true);
}

#[test]
fn both_bounds_hold_on_a_single_advert() {
    let it = property([advert(built(1900)), advert(built(2000))]);
    let year = |least: f64, most: f64| {
        [("constructionYearMin", Number(least)), ("constructionYearMax", Number(most))]
    };
    check(&it, &year(1900.0, 1900.0), true);
    check(&it, &year(1950.0, 2000.0), true);
    check(&it, &year(1950.0, 1990.0), false);
}

#[test]
fn site_and_conditions_hold_on_a_single_advert() {
    let mut old = from("a.example");
    old.details.construction_year = Some(1900);
    let it = property([old, from("b.example")]);
    let year = ("constructionYearMax", Number(1950.0));
    check(&it, &[("includedSites", sites(&["a.example"])), year.clone()], true);
    check(&it, &[("includedSites", sites(&["b.example"])), year.clone()], false);
    check(&it, &[("excludedSites", sites(&["b.example"])), year.clone()], true);
    check(&it, &[("excludedSites", sites(&["a.example"])), year], false);
}

#[test]
fn any_included_site_matches() {
    let it = property([from("a.example"), from("b.example")]);
    check(&it, &[("includedSites", sites(&["b.example", "c.example"]))], true);
    check(&it, &[("includedSites", sites(&["c.example"]))], false);
    check(&only(|_| {}), &[("includedSites", sites(&["a.example"]))], false);
}

#[test]
fn empty_list_of_sites_matches_nothing() {
    check(&property([from("a.example")]), &[("includedSites", sites(&[]))], false);
    check(&property([from("a.example")]), &[("excludedSites", sites(&[]))], true);
}

#[test]
fn advert_from_another_site_is_enough_despite_an_excluded_site() {
    let it = property([from("a.example"), from("b.example")]);
    check(&it, &[("excludedSites", sites(&["a.example"]))], true);
    check(&it, &[("excludedSites", sites(&["a.example", "b.example"]))], false);
    check(&only(|_| {}), &[("excludedSites", sites(&["a.example"]))], true);
    let both = [("includedSites", sites(&["a.example"])), ("excludedSites", sites(&["a.example"]))];
    check(&it, &both, false);
}

#[test]
fn expired_false_considers_only_live_adverts() {
    let tour = |advert: &mut Advert| {
        advert.details.virtual_tour = WebAddress::parse("https://tour.example/1").ok();
    };
    let it = property([expired(advert(tour)), advert(|_| {})]);
    let (with_tour, live) = (("withVirtualTour", Flag(true)), ("expired", Flag(false)));
    check(&it, std::slice::from_ref(&with_tour), true);
    check(&it, std::slice::from_ref(&live), true);
    check(&it, &[with_tour.clone(), live.clone()], false);
    let live_tour = property([expired(advert(|_| {})), advert(tour)]);
    check(&live_tour, &[with_tour, live.clone()], true);
    let site_gone = property([expired(from("a.example")), from("b.example")]);
    check(&site_gone, &[("includedSites", sites(&["a.example"]))], true);
    check(&site_gone, &[("includedSites", sites(&["a.example"])), live.clone()], false);
    check(&site_gone, &[("excludedSites", sites(&["b.example"])), live], false);
}

#[test]
fn expired_true_considers_all_adverts() {
    let it = property([expired(advert(built(1900))), expired(advert(|_| {}))]);
    check(&it, &[("constructionYearMin", Number(1900.0)), ("expired", Flag(true))], true);
}

#[test]
fn expiry_date_is_that_of_an_expired_advert() {
    let it = property([expired(advert(|_| {})), advert(|_| {})]);
    check(&it, &[("fromExpiredAt", time(400)), ("toExpiredAt", time(400))], true);
    check(&it, &[("fromExpiredAt", time(401))], false);
    check(&it, &[("toExpiredAt", time(399))], false);
    check(&it, &[("fromExpiredAt", time(400)), ("expired", Flag(false))], false);
}

#[test]
fn advert_price_is_ignored_once_expired() {
    let priced = |price: f64| advert(|advert| advert.details.price = Amount::new(price));
    let it = property([priced(250_000.0), priced(240_000.0), expired(priced(100_000.0))]);
    check(&it, &[("advertPriceMax", Number(240_000.0))], true);
    check(&it, &[("advertPriceMax", Number(239_999.0))], false);
    check(&it, &[("advertPriceMin", Number(250_000.0))], true);
    check(&it, &[("advertPriceMin", Number(241_000.0)), ("advertPriceMax", Number(249_000.0))], false);
    let gone = property([expired(priced(250_000.0))]);
    check(&gone, &[("advertPriceMax", Number(1e9))], false);
    check(&gone, &[("budgetMax", Number(1e9))], true);
}

#[test]
fn creation_window_applies_to_property_or_advert() {
    let created = |second: i64| advert(|advert| advert.created_at = at(second));
    let by_advert = ("sortMode", CriterionValue::SortMode(SortMode::Advert));
    let by_property = ("sortMode", CriterionValue::SortMode(SortMode::Property));
    let it = property([created(10), created(100)]);
    check(&it, &[("fromDate", time(50))], false);
    check(&it, &[("fromDate", time(50)), by_property.clone()], false);
    check(&it, &[("fromDate", time(50)), by_advert.clone()], true);
    check(&it, &[("toDate", time(50)), by_property], true);
    check(&it, &[("toDate", time(50)), by_advert.clone()], true);
    check(&it, &[("toDate", time(9)), by_advert.clone()], false);
    check(&it, &[("fromDate", time(100)), ("toDate", time(100)), by_advert.clone()], true);
    check(&it, &[("fromDate", time(11)), ("toDate", time(99)), by_advert], false);
}

#[test]
fn creation_window_and_conditions_hold_on_a_single_advert() {
    let mut early = from("a.example");
    early.created_at = at(10);
    let late = from("b.example");
    let by_advert = ("sortMode", CriterionValue::SortMode(SortMode::Advert));
    let since = |name: &str| [by_advert.clone(), ("fromDate", time(50)), ("includedSites", sites(&[name]))];
    let it = property([early.clone(), late.clone()]);
    check(&it, &since("b.example"), true);
    check(&it, &since("a.example"), false);
    let live = [by_advert.clone(), ("fromDate", time(50)), ("expired", Flag(false))];
    check(&it, &live, true);
    check(&property([early, expired(late)]), &live, false);
}

#[test]
fn flags_and_counts_of_feeds_are_read_from_one_advert() {
    let it = property([
        advert(|advert| {
            advert.details.exclusive_mandate = Some(true);
            advert.details.parking_count = Some(2);
        }),
        advert(|advert| advert.details.occupied = Some(false)),
    ]);
    check(&it, &[("exclusiveMandate", Flag(true)), ("parkingCountMin", Number(2.0))], true);
    check(&it, &[("exclusiveMandate", Flag(false))], false);
    check(&it, &[("parkingCountMin", Number(3.0))], false);
    check(&it, &[("parkingCountMax", Number(2.0))], true);
    check(&it, &[("parkingCountMax", Number(1.0))], false);
    check(&it, &[("occupied", Flag(false))], true);
    check(&it, &[("occupied", Flag(true))], false);
    // No single advert says both.
    check(&it, &[("occupied", Flag(false)), ("exclusiveMandate", Flag(true))], false);
}

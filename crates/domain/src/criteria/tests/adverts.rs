//! Conditions on adverts: one and the same advert, and which adverts have a say.

use super::*;
use crate::kinds::{FeesResponsibility, PublisherType};
use crate::value::WebAddress;
use Given::Sites;

fn site(name: &str) -> SiteKey {
    SiteKey::parse(name).unwrap()
}

fn sites(names: &[&str]) -> Given {
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
fn all_conditions_hold_on_one_and_the_same_advert() {
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
fn two_bounds_hold_on_one_and_the_same_advert() {
    let it = property([advert(built(1900)), advert(built(2000))]);
    let year = |least: f64, most: f64| {
        [("constructionYearMin", Number(least)), ("constructionYearMax", Number(most))]
    };
    check(&it, &year(1900.0, 1900.0), true);
    check(&it, &year(1950.0, 2000.0), true);
    check(&it, &year(1950.0, 1990.0), false);
}

#[test]
fn the_site_and_the_conditions_are_of_one_advert() {
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
fn an_included_site_is_any_of_them() {
    let it = property([from("a.example"), from("b.example")]);
    check(&it, &[("includedSites", sites(&["b.example", "c.example"]))], true);
    check(&it, &[("includedSites", sites(&["c.example"]))], false);
    check(&only(|_| {}), &[("includedSites", sites(&["a.example"]))], false);
}

#[test]
fn sites_that_nobody_knows_have_no_adverts() {
    check(&property([from("a.example")]), &[("includedSites", sites(&[]))], false);
    check(&property([from("a.example")]), &[("excludedSites", sites(&[]))], true);
}

#[test]
fn an_advert_from_elsewhere_is_enough_in_spite_of_an_excluded_site() {
    let it = property([from("a.example"), from("b.example")]);
    check(&it, &[("excludedSites", sites(&["a.example"]))], true);
    check(&it, &[("excludedSites", sites(&["a.example", "b.example"]))], false);
    check(&only(|_| {}), &[("excludedSites", sites(&["a.example"]))], true);
    let both = [("includedSites", sites(&["a.example"])), ("excludedSites", sites(&["a.example"]))];
    check(&it, &both, false);
}

#[test]
fn with_expired_false_only_live_adverts_count() {
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
fn with_expired_true_every_advert_counts() {
    let it = property([expired(advert(built(1900))), expired(advert(|_| {}))]);
    check(&it, &[("constructionYearMin", Number(1900.0)), ("expired", Flag(true))], true);
}

#[test]
fn an_expiry_is_asked_of_any_advert_and_never_of_a_live_one() {
    let it = property([expired(advert(|_| {})), advert(|_| {})]);
    check(&it, &[("fromExpiredAt", moment(400)), ("toExpiredAt", moment(400))], true);
    check(&it, &[("fromExpiredAt", moment(401))], false);
    check(&it, &[("toExpiredAt", moment(399))], false);
    check(&it, &[("fromExpiredAt", moment(400)), ("expired", Flag(false))], false);
}

#[test]
fn the_price_of_an_advert_counts_while_it_is_live() {
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
fn a_window_of_creation_is_of_the_property_or_of_one_advert() {
    let created = |second: i64| advert(|advert| advert.created_at = at(second));
    let by_advert = ("sortMode", Given::SortMode(SortMode::Advert));
    let by_property = ("sortMode", Given::SortMode(SortMode::Property));
    let it = property([created(10), created(100)]);
    check(&it, &[("fromDate", moment(50))], false);
    check(&it, &[("fromDate", moment(50)), by_property.clone()], false);
    check(&it, &[("fromDate", moment(50)), by_advert.clone()], true);
    check(&it, &[("toDate", moment(50)), by_property], true);
    check(&it, &[("toDate", moment(50)), by_advert.clone()], true);
    check(&it, &[("toDate", moment(9)), by_advert.clone()], false);
    check(&it, &[("fromDate", moment(100)), ("toDate", moment(100)), by_advert.clone()], true);
    check(&it, &[("fromDate", moment(11)), ("toDate", moment(99)), by_advert], false);
}

#[test]
fn the_window_of_an_advert_is_held_against_the_advert_that_meets_the_rest() {
    let mut early = from("a.example");
    early.created_at = at(10);
    let late = from("b.example");
    let by_advert = ("sortMode", Given::SortMode(SortMode::Advert));
    let since = |name: &str| [by_advert.clone(), ("fromDate", moment(50)), ("includedSites", sites(&[name]))];
    let it = property([early.clone(), late.clone()]);
    check(&it, &since("b.example"), true);
    check(&it, &since("a.example"), false);
    let live = [by_advert.clone(), ("fromDate", moment(50)), ("expired", Flag(false))];
    check(&it, &live, true);
    check(&property([early, expired(late)]), &live, false);
}

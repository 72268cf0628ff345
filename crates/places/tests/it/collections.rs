//! Filters and orders of the lists of places.

use domain::{GeoPoint, Polygon};
use places::{CityFilter, DivisionFilter, Order};

use crate::{gazetteer, insee, zipcode};

fn names(filter: &CityFilter) -> Vec<&'static str> {
    gazetteer().cities_matching(filter).into_iter().map(|city| &*city.name).collect()
}

#[test]
fn cities_are_filtered_by_a_part_of_their_name() {
    let filter = CityFilter { name: Some("HAY-LES".into()), ..CityFilter::default() };
    assert_eq!(names(&filter), ["L'Haÿ-les-Roses"]);
    let filter =
        CityFilter { name: Some("châlons".into()), order: Order::NameAscending, ..CityFilter::default() };
    assert_eq!(
        names(&filter),
        ["Châlons-du-Maine", "Châlons-en-Champagne", "Châlons-sur-Vesle", "Montchâlons"]
    );
}

#[test]
fn list_values_are_alternatives_and_filters_are_combined() {
    let filter = CityFilter { insee: vec![insee("75056"), insee("01039")], ..CityFilter::default() };
    assert_eq!(names(&filter), ["Culoz-Béon", "Paris"]);
    let filter = CityFilter { zipcodes: vec![zipcode("75011"), zipcode("94240")], ..CityFilter::default() };
    assert_eq!(names(&filter), ["L'Haÿ-les-Roses", "Paris", "Paris 11e"]);
    let filter = CityFilter { name: Some("roses".into()), ..filter };
    assert_eq!(names(&filter), ["L'Haÿ-les-Roses"]);
    let filter = CityFilter { insee: vec![insee("99999")], ..CityFilter::default() };
    assert_eq!(names(&filter), [""; 0]);
}

#[test]
fn empty_filter_returns_everything_in_order() {
    let all = gazetteer().cities_matching(&CityFilter::default());
    let order = |order| gazetteer().cities_matching(&CityFilter { order, ..CityFilter::default() });
    let ascending = order(Order::NameAscending);
    assert!(ascending.is_sorted_by_key(|city| (domain::fold(&city.name), city.id())));
    assert!(all == ascending && all.len() == gazetteer().cities().len());
    let descending = order(Order::NameDescending);
    assert!(descending.is_sorted_by(|a, b| {
        let (name_a, name_b) = (domain::fold(&a.name), domain::fold(&b.name));
        name_a > name_b || name_a == name_b && a.id() < b.id()
    }));
}

#[test]
fn best_match_of_a_name_comes_first() {
    let named = |name: &str| names(&CityFilter { name: Some(name.into()), ..CityFilter::default() });
    let found = named("tours");
    assert_eq!(found[0], "Tours");
    let first_word = found.iter().position(|name| !name.starts_with("Tours")).unwrap();
    assert!(found[1..first_word].is_sorted() && first_word < found.len(), "{found:?}");
    // The article is optional, and the official name counts.
    assert_eq!(named("mans")[0], "Le Mans");
    assert_eq!(named("paris 11e arrondissement"), ["Paris 11e"]);
    let descending =
        CityFilter { name: Some("tours".into()), order: Order::NameDescending, ..CityFilter::default() };
    assert_ne!(names(&descending)[0], "Tours");
}

#[test]
fn cities_are_filtered_by_slug_group_and_polygon() {
    let slug = |slug: &str| names(&CityFilter { slug: Some(slug.into()), ..CityFilter::default() });
    assert_eq!(slug("l-hay-les-roses"), ["L'Haÿ-les-Roses"]);
    assert_eq!(slug("tours"), ["Tours"]);
    assert_eq!(slug("tour"), [""; 0]);
    let paris =
        CityFilter { zipcodes: vec![zipcode("75011")], without_grouped: true, ..CityFilter::default() };
    assert_eq!(names(&paris), ["Paris 11e"]);
    let corners = [(47.35, 0.64), (47.35, 0.73), (47.43, 0.73), (47.43, 0.64)];
    let corners = corners.map(|(lat, lon)| GeoPoint::new(lat, lon).unwrap()).to_vec();
    let around =
        CityFilter { polygons: Polygon::new(corners).into_iter().collect(), ..CityFilter::default() };
    let found = names(&around);
    assert!(found.contains(&"Tours") && found.len() < 10, "{found:?}");
}

#[test]
fn departments_and_regions_are_filtered() {
    let named = |filter: &DivisionFilter| -> Vec<&str> {
        gazetteer().departments_matching(filter).into_iter().map(|department| &*department.name).collect()
    };
    let filter =
        DivisionFilter { name: Some("savoie".into()), order: Order::NameAscending, ..Default::default() };
    assert_eq!(named(&filter), ["Haute-Savoie", "Savoie"]);
    assert_eq!(named(&DivisionFilter { order: Order::BestMatch, ..filter }), ["Savoie", "Haute-Savoie"]);
    let filter = DivisionFilter { slug: Some("haute-savoie".into()), ..Default::default() };
    assert_eq!(named(&filter), ["Haute-Savoie"]);
    let codes = ["6", "2A", "974"].map(String::from).to_vec();
    let filter = DivisionFilter { codes, ..Default::default() };
    assert_eq!(named(&filter), ["Alpes-Maritimes", "Corse-du-Sud", "La Réunion"]);
    let regions = |filter: &DivisionFilter| -> Vec<&str> {
        gazetteer().regions_matching(filter).into_iter().map(|region| &*region.name).collect()
    };
    let breton = DivisionFilter { name: Some("bretagne".into()), ..Default::default() };
    assert_eq!(regions(&breton), ["Bretagne"]);
    let codes = vec!["11".to_owned(), "94".to_owned()];
    assert_eq!(regions(&DivisionFilter { codes, ..Default::default() }), ["Corse", "Île-de-France"]);
    let descending = DivisionFilter { order: Order::NameDescending, ..Default::default() };
    assert_eq!(regions(&descending).len(), 26);
}

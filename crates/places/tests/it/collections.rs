//! Filters and orders of the lists of places.

use places::{CityFilter, DepartmentFilter, Order};

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
    assert_eq!(names(&filter), ["Paris", "Paris 11e", "L'Haÿ-les-Roses"]);
    let filter = CityFilter { name: Some("roses".into()), ..filter };
    assert_eq!(names(&filter), ["L'Haÿ-les-Roses"]);
    let filter = CityFilter { insee: vec![insee("99999")], ..CityFilter::default() };
    assert_eq!(names(&filter), [""; 0]);
}

#[test]
fn empty_filter_returns_everything_in_order() {
    let by_id = gazetteer().cities_matching(&CityFilter::default());
    assert!(by_id.len() == gazetteer().cities().len() && by_id.is_sorted_by_key(|city| city.id()));
    let order = |order| gazetteer().cities_matching(&CityFilter { order, ..CityFilter::default() });
    let ascending = order(Order::NameAscending);
    assert!(ascending.is_sorted_by_key(|city| (domain::fold(&city.name), city.id())));
    let descending = order(Order::NameDescending);
    assert!(descending.is_sorted_by(|a, b| {
        let (name_a, name_b) = (domain::fold(&a.name), domain::fold(&b.name));
        name_a > name_b || name_a == name_b && a.id() < b.id()
    }));
}

#[test]
fn departments_and_regions_are_filtered() {
    let named = |filter: &DepartmentFilter| -> Vec<&str> {
        gazetteer().departments_matching(filter).into_iter().map(|department| &*department.name).collect()
    };
    let filter =
        DepartmentFilter { name: Some("savoie".into()), order: Order::NameAscending, ..Default::default() };
    assert_eq!(named(&filter), ["Haute-Savoie", "Savoie"]);
    let codes = ["6", "2A", "974"].map(String::from).to_vec();
    let filter = DepartmentFilter { codes, ..Default::default() };
    assert_eq!(named(&filter), ["Alpes-Maritimes", "Corse-du-Sud", "La Réunion"]);
    let regions: Vec<&str> = gazetteer()
        .regions_matching(Some("bretagne"), Order::Id)
        .into_iter()
        .map(|region| &*region.name)
        .collect();
    assert_eq!(regions, ["Bretagne"]);
    assert_eq!(gazetteer().regions_matching(None, Order::NameDescending).len(), 26);
}

use serde_json::json;

use super::*;

fn directory() -> SiteDirectory {
    let portals = SiteCategoryId::new(2).unwrap();
    let site = |id, key: &str, name: &str, category| Site {
        id: SiteId::new(id).unwrap(),
        key: SiteKey::parse(key).unwrap(),
        name: SiteName::new(name).unwrap(),
        category,
    };
    let sites = vec![site(1, "portail.fr", "Le Portail", Some(portals)), site(3, "Agence du Lac", "", None)];
    let category = SiteCategory { id: portals, name: SiteCategoryName::parse("Portails").unwrap() };
    SiteDirectory::new(1, sites, vec![category])
}

#[test]
fn site_is_written_with_its_category() {
    let directory = directory();
    let written = |index: usize| {
        serde_json::to_value(SiteResource::of(&directory.sites()[index], &directory).with_context()).unwrap()
    };
    assert_eq!(
        written(0),
        json!({
            "@context": "/contexts/Site", "@id": "/sites/1", "@type": "Site", "id": 1,
            "name": "Le Portail", "domain": "portail.fr",
            "category": {"@id": "/site_categories/2", "@type": "SiteCategory", "name": "Portails"},
        })
    );
    assert_eq!(
        written(1),
        json!({
            "@context": "/contexts/Site", "@id": "/sites/3", "@type": "Site", "id": 3,
            "name": "agence du lac", "domain": null, "category": null,
        })
    );
}

#[test]
fn advert_site_forms() {
    let check = |value: Value, expected: Result<Option<&str>, &str>| {
        let mut reader = Reader::default();
        let read = parse_advert_site(&mut reader, "site", &value, &directory());
        let messages = reader.violations.first().map(|violation| violation.message.clone());
        let expected = expected.map(|key| key.map(str::to_owned)).map_err(str::to_owned);
        assert_eq!(messages.map_or(Ok(read.map(|key| key.to_string())), Err), expected, "{value}");
    };
    check(json!("/sites/1"), Ok(Some("portail.fr")));
    check(json!(" sites/3 "), Ok(Some("agence du lac")));
    check(json!(1), Ok(Some("portail.fr")));
    check(json!("le portail"), Ok(Some("portail.fr")));
    check(json!("https://annonces.portail.fr/1"), Ok(Some("portail.fr")));
    check(json!("Autre agence"), Ok(Some("autre agence")));
    check(json!("1"), Ok(Some("1")));
    check(json!(""), Ok(None));
    check(json!("/sites/9"), Err("Item not found for \"/sites/9\"."));
    check(json!(9), Err("Item not found for \"/sites/9\"."));
    check(json!("/sites/x"), Err("Invalid reference \"x\"."));
    check(json!(1.5), Err("Invalid reference \"1.5\"."));
    check(json!(-1), Err("Invalid reference \"-1\"."));
    check(json!([1]), Err("The type of the \"site\" attribute must be a string, array given."));
}

#[test]
fn site_change_distinguishes_absent_and_null() {
    let read =
        |value: Value| parse_site_change(&value, &directory()).map(|change| (change.name, change.category));
    let portals = || FieldUpdate::Set(SiteCategoryId::new(2));
    assert_eq!(read(json!({})), Ok((FieldUpdate::Keep, FieldUpdate::Keep)));
    assert_eq!(
        read(json!({"name": null, "category": null})),
        Ok((FieldUpdate::Set(None), FieldUpdate::Set(None)))
    );
    assert_eq!(
        read(json!({"name": " P "})),
        Ok((FieldUpdate::Set(SiteName::new("P").unwrap()), FieldUpdate::Keep))
    );
    let written =
        serde_json::to_value(SiteResource::of(&directory().sites()[0], &directory()).with_context());
    let unchanged = FieldUpdate::Set(SiteName::new("Le Portail").unwrap());
    assert_eq!(read(written.unwrap()), Ok((unchanged, portals())), "a response can be sent back");
    for category in
        [json!("/site_categories/2"), json!("site_categories/2"), json!("2"), json!(2), json!("PORTAILS")]
    {
        assert_eq!(read(json!({"category": category})), Ok((FieldUpdate::Keep, portals())));
    }
}

#[test]
fn all_violations_are_reported_together() {
    let messages = |result: Result<(), Vec<Violation>>| -> Vec<String> {
        let violations = result.unwrap_err();
        violations.iter().map(|violation| format!("{}: {}", violation.path, violation.message)).collect()
    };
    let site = |value: Value| messages(parse_site_change(&value, &directory()).map(drop));
    let category = |value: Value| messages(parse_category(&value).map(drop));
    assert_eq!(
        site(json!({"name": 3, "category": "Notaires", "categry": 2})),
        [
            "category: Item not found for \"Notaires\".",
            "categry: This attribute is not known.",
            "name: The type of the \"name\" attribute must be a string, number 3 given.",
        ]
    );
    assert_eq!(site(json!({"category": 7})), ["category: Item not found for \"/site_categories/7\"."]);
    assert_eq!(site(json!({"name": "a\nb"})), ["name: This value contains a control character."]);
    assert_eq!(site(json!([])), [": The body must be a JSON object, array given."]);
    assert_eq!(category(json!({})), ["name: This value should not be blank."]);
    assert_eq!(category(json!({"name": " "})), ["name: This value should not be blank."]);
    assert_eq!(category(json!({"name": "12"})), ["name: This value should contain a letter."]);
    assert_eq!(parse_category(&json!({"name": " Portails "})).unwrap().as_str(), "Portails");
}

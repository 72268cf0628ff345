use domain::search::SearchDraft;
use domain::{
    Country, Region, SavedSearch, SearchId, SearchToken, Site, SiteCategory, SiteCategoryId,
    SiteCategoryName, SiteDirectory, SiteId, SiteKey, Timestamp, UserId,
};
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use super::*;

fn directory() -> SiteDirectory {
    let site = |id, key, category| Site {
        id: SiteId::new(id).unwrap(),
        key: SiteKey::parse(key).unwrap(),
        name: None,
        category: SiteCategoryId::new(category),
    };
    let name = SiteCategoryName::parse("Portails").unwrap();
    let category = SiteCategory { id: SiteCategoryId::new(4).unwrap(), name };
    SiteDirectory::new(1, vec![site(1, "portail.fr", 4), site(2, "Office du Lac", 0)], vec![category])
}

/// Knows only Tours.
fn city(id: u64) -> Option<Arc<City>> {
    let city = || City {
        insee: Insee::parse("37261").unwrap(),
        parent: None,
        article: None,
        name: "Tours".into(),
        official_name: None,
        zipcodes: Vec::new(),
        population: 1,
        centre: None,
        department: department(37).unwrap(),
        country: Arc::new(Country { id: 250, code: "FR".into(), name: "France".into() }),
        districts: Vec::new(),
        grouped_names: Vec::new(),
    };
    (id == 37_261).then(|| Arc::new(city()))
}

fn department(id: u64) -> Option<Arc<Department>> {
    let department = || Department {
        id: 37,
        code: "37".into(),
        name: "Indre-et-Loire".into(),
        name_clean: "indre-et-loire".into(),
        capital: Some("Tours".into()),
        capital_insee: None,
        region: Arc::new(Region { id: 24, code: "24".into(), name: "Centre-Val de Loire".into() }),
    };
    (id == 37).then(|| Arc::new(department()))
}

const PLACES: Places<'static> =
    Places { city: &city, commune: &|insee| city(insee.id()), department: &department };

fn parse_with(body: &Value, purpose: Purpose<'_>, sites: &SiteDirectory) -> ParsedSearch {
    let references = References { city: &|id| vec![id], commune: &|insee| vec![insee.id()], sites };
    let check_endpoint = |endpoint: &domain::Endpoint| match endpoint.as_str().contains("refused") {
        true => Err("This address is not allowed.".to_owned()),
        false => Ok(()),
    };
    parse(body, purpose, &ParseContext { references, places: PLACES, check_endpoint: &check_endpoint })
}

/// Returns a valid body extended with `fields`.
fn with(fields: Value) -> Value {
    let mut body = json!({"title": "Maison", "transactionType": 0, "propertyTypes": [1]});
    body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    body
}

fn draft(fields: Value) -> SearchDraft {
    let read = parse_with(&with(fields), Purpose::Create, &directory());
    assert_eq!(read.ignored, [""; 0]);
    read.draft.unwrap()
}

fn same(fields: Value, other: Value) {
    assert_eq!(draft(fields.clone()), draft(other), "{fields}");
}

/// Asserts `path: message` of every violation.
fn refused(body: &Value, expected: &[&str]) {
    let violations = parse_with(body, Purpose::Create, &directory()).draft.unwrap_err();
    let messages: Vec<String> = violations.iter().map(|v| format!("{}: {}", v.path, v.message)).collect();
    assert_eq!(messages, expected, "{body}");
}

fn written(draft: &SearchDraft, sites: &SiteDirectory) -> Value {
    let saved = SavedSearch {
        id: SearchId::from_bytes([1; 16]),
        owner: UserId::from_bytes([2; 16]),
        token: SearchToken::new([3; SearchToken::BYTES]),
        created_at: Timestamp::UNIX_EPOCH,
        updated_at: Timestamp::UNIX_EPOCH,
        draft: draft.clone(),
    };
    let zone = TimeZone::get("Europe/Paris").unwrap();
    let last_alert_at = Some(Timestamp::UNIX_EPOCH);
    let input =
        SearchInput { search: &saved, last_alert_at, places: PLACES, sites, zone: &zone, ignored: &[] };
    serde_json::to_value(search(input)).unwrap()
}

#[test]
fn single_values_and_numeric_strings_are_accepted() {
    same(json!({"propertyTypes": 1}), json!({"propertyTypes": [1]}));
    same(json!({"propertyTypes": "1"}), json!({"propertyTypes": {"0": 1, "3": "1"}}));
    same(json!({"publisherTypes": 0}), json!({"publisherTypes": ["0", 0]}));
    same(json!({"transactionType": [0]}), json!({"transactionType": "0"}));
    same(json!({"budgetMin": "20"}), json!({"budgetMin": 20.0}));
    same(json!({"energyCategories": "a"}), json!({"energyCategories": ["A"]}));
    same(json!({"subscribedEvents": "ad.update.price"}), json!({"subscribedEvents": ["ad.update.price"]}));
    same(json!({"includedZipcodes": 37000}), json!({"includedZipcodes": ["37000"]}));
    same(
        json!({"includedZipcodesInsee": ["37261"], "includedInseeCodes": ["37261"]}),
        json!({"includedInseeCodes": 37261}),
    );
    same(
        json!({"furnished": "true", "notificationEnabled": 1}),
        json!({"furnished": 1, "notificationEnabled": true}),
    );
}

#[test]
fn null_and_empty_values_are_unset() {
    let unset = json!({});
    same(
        json!({"budgetMin": null, "radius": "", "furnished": null, "includedCities": [], "geoShapes": []}),
        unset.clone(),
    );
    same(json!({"expressions": [[]]}), unset.clone());
    same(json!({"expressions": ""}), unset.clone());
    same(
        json!({"endpointRecipient": " ", "notificationRecipient": "", "subscribedEvents": [], "eventEndpoint": null}),
        unset.clone(),
    );
    same(
        json!({"withCoherentPrice": true, "hidePropertyContact": null, "notificationEnabled": false}),
        unset.clone(),
    );
    same(json!({"withCoherentPrice": ""}), unset);
    same(json!({"withCoherentPrice": null}), json!({"withCoherentPrice": false}));
}

#[test]
fn references_are_paths_ids_or_objects() {
    for city in [
        json!("/cities/37261"),
        json!("cities/37261"),
        json!("37261"),
        json!(37261),
        json!({"@id": "/cities/37261", "name": "x"}),
    ] {
        same(json!({"includedCities": [city]}), json!({"includedCities": "/cities/37261"}));
    }
    same(json!({"includedDepartments": ["37"]}), json!({"includedDepartments": {"@id": "/departments/37"}}));
    for site in [json!("/sites/1"), json!(1), json!("https://www.portail.fr/x"), json!({"@id": "/sites/1"})] {
        same(json!({"excludedSites": [site]}), json!({"excludedSites": ["portail.fr"]}));
    }
    for category in
        [json!("/site_categories/4"), json!("4"), json!("PORTAILS"), json!({"@id": "/site_categories/4"})]
    {
        same(json!({"includedSiteCategories": [category]}), json!({"includedSiteCategories": 4}));
    }
    assert_eq!(
        written(&draft(json!({"includedSites": ["nouveau.fr", 2]})), &directory())["includedSites"],
        json!(["nouveau.fr", "/sites/2"])
    );
    refused(
        &with(json!({
            "includedCities": ["/cities/37261", "Tours", "/cities/9", null],
            "excludedCities": {"name": "Tours"},
            "includedDepartments": "/departments/99",
            "includedInseeCodes": ["99999", "Tours"],
            "includedZipcodes": ["37000", "é"],
            "includedSites": ["/sites/9", "/sites/x", "Inconnu", "/cities/37261", true],
            "excludedSiteCategories": ["/site_categories/9", "Inconnue", "/sites/1", ""],
            "excludedProperties": ["/properties/1"],
        })),
        &[
            "includedCities[1]: \"Tours\" is not a reference to a city, such as /cities/37261 (GET /cities?name=… finds it).",
            "includedCities[2]: Item not found for \"/cities/9\". Look it up with GET /cities?name=… or GET \
             /public/location-autocomplete?query=….",
            "includedCities[3]: The type of the \"includedCities[3]\" attribute must be a reference to a city, such as \
             /cities/37261 (GET /cities?name=… finds it), null given.",
            "includedDepartments: Item not found for \"/departments/99\". Look it up with GET /departments?name=… or GET \
             /public/location-autocomplete?query=….",
            "includedZipcodes[1]: \"é\" is not a zipcode of five digits.",
            "includedInseeCodes[0]: Item not found for \"99999\". Look it up with GET /cities?name=… or GET \
             /public/location-autocomplete?query=….",
            "includedInseeCodes[1]: \"Tours\" is not an INSEE code, such as 37261 (GET /cities?name=… finds it).",
            "excludedCities: The type of the \"excludedCities\" attribute must be a reference to a city, such as \
             /cities/37261 (GET /cities?name=… finds it), object given.",
            "excludedProperties[0]: \"/properties/1\" is not a reference to a property.",
            "includedSites[0]: Item not found for \"/sites/9\". GET /sites lists the sites.",
            "includedSites[1]: \"/sites/x\" is not a reference to a site, such as /sites/1 or portail.fr (GET /sites lists them).",
            "includedSites[2]: Item not found for \"Inconnu\". GET /sites lists the sites.",
            "includedSites[3]: \"/cities/37261\" is not a reference to a site, such as /sites/1 or portail.fr (GET /sites lists them).",
            "includedSites[4]: The type of the \"includedSites[4]\" attribute must be a reference to a site, such as /sites/1 or portail.fr (GET /sites lists them), boolean true given.",
            "excludedSiteCategories[0]: Item not found for \"/site_categories/9\". GET /site_categories lists the categories.",
            "excludedSiteCategories[1]: Item not found for \"Inconnue\". GET /site_categories lists the categories.",
            "excludedSiteCategories[2]: \"/sites/1\" is not a reference to a category of sites, such as /site_categories/1 (GET /site_categories lists them).",
            "excludedSiteCategories[3]: \"\" is not a reference to a category of sites, such as /site_categories/1 (GET /site_categories lists them).",
        ],
    );
}

#[test]
fn all_violations_are_reported_together() {
    refused(
        &json!({
            "title": " ", "transactionType": 7, "budgetMin": 3, "budgetMax": 2, "roomMin": "x", "lat": 91, "lon": 2,
            "radius": -1, "furnished": 2, "geoAccuracy": [1, 2], "endpointRecipient": "http://hook.example/",
            "eventEndpoint": 5, "notificationRecipient": "a@b", "subscribedEvents": ["ad.update.price", "ad.sold"],
        }),
        &[
            "title: This value should not be blank.",
            "transactionType: The value 7 is not a valid choice; the choices are 0 Sell, 1 Rent.",
            "propertyTypes: This value should not be blank.",
            "roomMin: The type of the \"roomMin\" attribute must be a number, string \"x\" given.",
            "furnished: The type of the \"furnished\" attribute must be a boolean, number 2 given.",
            "geoAccuracy: The type of the \"geoAccuracy\" attribute must be one integer, array given.",
            "notificationRecipient: This value is not a valid email address. Given: \"a@b\".",
            "endpointRecipient: This URL must start with https://. Given: \"http://hook.example/\".",
            "eventEndpoint: The type of the \"eventEndpoint\" attribute must be a string, number 5 given.",
            "subscribedEvents[1]: \"ad.sold\" is not a valid event; the events are ad.update.price, ad.update.surface, \
             ad.update.pictures, ad.update.expired, property.ad.create, property.ad.update.",
            "budgetMin: The lower bound budgetMin, 3, is greater than the upper bound budgetMax, 2.",
            "lat: 91 is not between -90 and 90.",
            "radius: The radius -1 is not between 0 and 20040 kilometres.",
        ],
    );
    refused(&json!([]), &[": A search must be a JSON object, array given."]);
    let many: Vec<u32> = (0..5_001).collect();
    refused(
        &with(json!({"includedZipcodes": many})),
        &["includedZipcodes: This list is too long: 5001 items given, at most 5000 allowed."],
    );
    let wrong = parse_with(&with(json!({"includedCities": vec!["x"; 5_000]})), Purpose::Create, &directory());
    assert_eq!(wrong.draft.unwrap_err().len(), 100);
}

#[test]
fn unknown_fields_are_reported_but_read_only_fields_are_not() {
    let body = with(json!({
        "@id": "/searches/1", "@type": "Search", "@context": "x", "user": 1, "token": null, "createdAt": "", "updatedAt": 3,
        "lastAlertAt": [], "ignored": ["x"], "folder": 3, "expired": true, "sortMode": "advert", "fromDate": "2026-01-01",
        "expressions": "expressions[0][0][word]=balcon&page=2",
    }));
    let read = parse_with(&body, Purpose::Create, &directory());
    assert_eq!(read.ignored, ["expressions: page", "expired", "folder", "fromDate", "sortMode"]);
    assert_eq!(read.draft.ok(), Some(draft(json!({"expressions": "balcon"}))));
}

#[test]
fn misspelt_fields_and_unknown_options_are_refused() {
    refused(
        &with(json!({"maxBudget": 3, "folder": 1, "cities": ["/cities/37261"]})),
        &[
            "cities: This attribute is not known. Did you mean \"includedCities\" or \"excludedCities\"?",
            "maxBudget: This attribute is not known. Did you mean \"budgetMax\"?",
        ],
    );
    refused(
        &with(json!({"expressions": [{"word": "balcon", "options": {"exact": true}}]})),
        &["expressions[0][options][exact]: This option is not known; the options are includes, strict."],
    );
}

#[test]
fn update_keeps_absent_fields() {
    let current = draft(json!({
        "budgetMin": 3, "includedCities": [37261], "withCoherentPrice": false, "notificationEnabled": true,
        "endpointRecipient": "https://hook.example/", "subscribedEvents": "ad.update.price", "hidePropertyContact": true,
    }));
    let update = |fields: Value| parse_with(&with(fields), Purpose::Update(&current), &directory()).draft;
    assert_eq!(update(json!({})), Ok(current.clone()));
    let cleared = json!({
        "budgetMin": null, "includedCities": [], "withCoherentPrice": "", "notificationEnabled": null,
        "endpointRecipient": "", "subscribedEvents": null, "hidePropertyContact": null,
    });
    assert_eq!(update(cleared), Ok(draft(json!({}))));
    // `null` turns the default off, as in a query.
    assert_eq!(
        update(json!({"withCoherentPrice": null})).map(|draft| draft.raw_criteria),
        Ok(current.raw_criteria.clone())
    );
    // An invalid value is not checked against the current one.
    let violations = update(json!({"budgetMin": "x", "budgetMax": 2})).unwrap_err();
    assert_eq!(violations.len(), 1, "{violations:?}");
    let violations = update(json!({"budgetMax": 2})).unwrap_err();
    assert_eq!(violations[0].path, "budgetMin");
    let violations = parse_with(&json!({}), Purpose::Update(&current), &directory()).draft.unwrap_err();
    let paths: Vec<&str> = violations.iter().map(|violation| violation.path.as_str()).collect();
    assert_eq!(paths, ["title", "transactionType", "propertyTypes"]);
}

#[test]
fn forbidden_endpoint_is_rejected_unless_already_saved() {
    let (one, other) = ("https://refused.example/1", "https://refused.example/2");
    refused(
        &with(json!({"endpointRecipient": one, "eventEndpoint": other})),
        &["endpointRecipient: This address is not allowed.", "eventEndpoint: This address is not allowed."],
    );
    // Accepted before the rules became stricter.
    let mut current = draft(json!({"budgetMin": 3}));
    current.alerts.endpoint = Some(domain::Endpoint::trusted(one.to_owned()));
    let update = |fields: Value| parse_with(&with(fields), Purpose::Update(&current), &directory()).draft;
    assert!(update(json!({"budgetMin": 4})).is_ok() && update(json!({"endpointRecipient": one})).is_ok());
    assert_eq!(update(json!({"endpointRecipient": other})).unwrap_err()[0].path, "endpointRecipient");
}

#[test]
fn preview_needs_no_title() {
    let body = json!({"transactionType": 0, "propertyTypes": [1], "budgetMax": 5});
    let read = parse_with(&body, Purpose::Preview, &directory()).draft.unwrap();
    assert_eq!(read.raw_criteria, draft(json!({"budgetMax": 5})).raw_criteria);
    let violations = parse_with(&json!({"title": ""}), Purpose::Preview, &directory()).draft.unwrap_err();
    assert_eq!(violations.len(), 2);
}

#[test]
fn dangling_references_are_shown_and_accepted_back() {
    let current = draft(json!({"includedSiteCategories": [4], "excludedSites": [1, 2]}));
    let bare = SiteDirectory::new(2, Vec::new(), Vec::new());
    let shown = written(&current, &bare);
    assert_eq!(
        shown["includedSiteCategories"],
        json!([{"@context": "/contexts/SiteCategory", "@id": "/site_categories/4", "@type": "SiteCategory", "name": null}])
    );
    assert_eq!(shown["excludedSites"], json!(["portail.fr", "office du lac"]));
    assert_eq!(parse_with(&shown, Purpose::Update(&current), &bare).draft, Ok(current));
    // For a new search the references are unknown.
    let violations = parse_with(&shown, Purpose::Create, &bare).draft.unwrap_err();
    assert_eq!(violations.len(), 2);
}

#[test]
fn search_for_prices_on_request_does_not_require_coherent_ones() {
    let on_request = draft(json!({"priceOnRequest": true}));
    let shown = written(&on_request, &directory());
    assert_eq!((&shown["priceOnRequest"], &shown["withCoherentPrice"]), (&json!(true), &Value::Null));
    // The default, given or not, is off.
    for given in [json!(true), Value::Null] {
        assert_eq!(draft(json!({"priceOnRequest": true, "withCoherentPrice": given})), on_request, "{given}");
    }
    let shown = written(&draft(json!({"priceOnRequest": false})), &directory());
    assert_eq!((&shown["priceOnRequest"], &shown["withCoherentPrice"]), (&json!(false), &json!(true)));
}

#[test]
fn a_search_shows_every_key_and_numbers_as_they_were_sent() {
    let shown = written(&draft(json!({})), &directory());
    for name in write::ALWAYS_SHOWN {
        let filter = Filter::named(name).unwrap();
        assert!(is_criterion(filter) && filter.name == *name, "{name}");
        assert!(shown.get(name).is_some(), "{name}");
    }
    assert_eq!(shown.get("energyCategories"), None);
    assert_eq!(
        (&shown["budgetMin"], &shown["publisherTypes"], &shown["geoAccuracy"], &shown["furnished"]),
        (&Value::Null, &json!([]), &Value::Null, &Value::Null)
    );
    assert_eq!((&shown["withCoherentPrice"], &shown["notificationEnabled"]), (&json!(true), &json!(false)));
    assert_eq!((&shown["transactionType"], &shown["propertyTypes"]), (&json!(0), &json!([1])));
    assert_eq!(shown["token"], "03".repeat(25));
    assert_eq!(shown["user"], "/users/02020202-0202-0202-0202-020202020202");
    assert_eq!(shown["lastAlertAt"], "1970-01-01T01:00:00+01:00");

    let shown = written(
        &draft(json!({
            "budgetMin": "20", "surfaceMax": 62.50, "roomMax": 0, "energyCategories": ["b"], "feesResponsibility": [1],
            "includedCities": [37261], "includedDepartments": [37], "geoShapes": [[[2, 48], [3, 48], [2.5, 49]]],
            "expressions": "expressions[0][0][word]=balcon&expressions[0][0][options][includes]=false",
        })),
        &directory(),
    );
    assert_eq!(shown["budgetMin"].to_string(), "20");
    assert_eq!(shown["surfaceMax"].to_string(), "62.5");
    assert_eq!(shown["roomMax"].to_string(), "0");
    assert_eq!((&shown["energyCategories"], &shown["feesResponsibility"]), (&json!(["B"]), &json!(1)));
    assert_eq!(shown["geoShapes"].to_string(), "[[[2,48],[3,48],[2.5,49]]]");
    assert_eq!(
        shown["expressions"],
        json!([[{"word": "balcon", "options": {"includes": false, "strict": false}}]])
    );
    let city = &shown["includedCities"][0];
    for key in ["@context", "@id", "@type", "article", "insee", "libelle", "name", "zipcode"] {
        assert!(city.get(key).is_some(), "{key}");
    }
    let department = &shown["includedDepartments"][0];
    for key in ["@context", "@id", "@type", "chefLieu", "departmentCode", "name", "nameClean"] {
        assert!(department.get(key).is_some(), "{key}");
    }
}

#[test]
fn docs_page_names_every_field() {
    let page = include_str!("../../../../docs/searches.md");
    let settings = [TITLE, ENABLED, HIDE_CONTACT, EMAIL, ENDPOINT, EVENT_ENDPOINT, EVENTS];
    for name in write::ALWAYS_SHOWN.iter().copied().chain(settings) {
        assert!(page.contains(&format!("`{name}`")), "docs/searches.md does not name {name}");
    }
    assert!(page.contains("(search.md#other-names)"), "docs/searches.md does not say where the aliases are");
    assert!(page.contains("`ignored`"));
}

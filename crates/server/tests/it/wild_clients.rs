//! Shapes that programs in the wild rely on. Each test does what such a program does, with nothing changed but the address.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::harness::TestServer;
use crate::harness::adverts::advert;
use crate::harness::client::Request;
use crate::search::{check, found, ingest, listing, titles, with};
use crate::searches::{create_search, path, put, with as search_with};

const PROPERTIES: &str = "/documents/properties";

fn members(page: &Value) -> &Vec<Value> {
    page["hydra:member"].as_array().unwrap()
}

#[tokio::test]
async fn collections_are_paged_in_three_ways() {
    let listings: Vec<Value> = (0..35).map(|number| listing(&format!("h{number:02}"), json!({}))).collect();
    let server = with(&listings).await;
    // As most programs send it: plain JSON, a content type without a body, and headers of their own.
    let get = async |target: &str| {
        let request = Request::new("GET", target)
            .header("x-api-key", &server.keys.read)
            .header("Accept", "application/json")
            .header("Content-Type", "application/json")
            .header("platformOrigin", "my-crm");
        let response = server.send(request).await;
        assert_eq!(response.header("content-type"), Some("application/json"));
        response.ok()
    };
    let all: BTreeSet<String> = (0..35).map(|number| format!("h{number:02}")).collect();

    let (mut next, mut seen) = (Some(PROPERTIES.to_owned()), Vec::new());
    while let Some(target) = next {
        let page = get(&target).await;
        seen.extend(titles(&page));
        next = page["hydra:view"]["hydra:next"].as_str().map(str::to_owned);
    }
    assert_eq!((seen.len(), BTreeSet::from_iter(seen)), (35, all.clone()), "by hydra:next");

    // A larger page than is served: thirty items come, and the total and the short page say when it is over.
    for size in [50, 100] {
        let target = |page: usize| format!("{PROPERTIES}?itemsPerPage={size}&page={page}");
        let (mut seen, mut page) = (Vec::new(), 1);
        loop {
            let body = get(&target(page)).await;
            seen.extend(titles(&body));
            if seen.len() as u64 >= body["hydra:totalItems"].as_u64().unwrap() {
                break;
            }
            page += 1;
        }
        assert_eq!((page, BTreeSet::from_iter(seen)), (2, all.clone()), "by hydra:totalItems");
    }
    let (mut seen, mut page) = (Vec::new(), 1);
    loop {
        let found = titles(&get(&format!("{PROPERTIES}?itemsPerPage=30&page={page}")).await);
        seen.extend(found.clone());
        if found.len() < 30 {
            break;
        }
        page += 1;
    }
    assert_eq!((page, BTreeSet::from_iter(seen)), (2, all), "until a short page");
}

#[tokio::test]
async fn filters_are_written_in_many_ways() {
    let at = |lat: f64, lon: f64| json!({"lat": lat, "lon": lon});
    let server = with(&[
        listing("paris", json!({"insee": "75110", "zipcode": "75010", "createdAt": "2026-02-01T12:00:00Z"})),
        listing(
            "tours",
            json!({"insee": "37261", "propertyType": 1, "price": 300_000, "createdAt": "2026-02-02T12:00:00Z",
                "locations": at(47.39, 0.69), "geoAccuracy": 1, "floorQuantity": 4,
                "greenHouseGas": {"category": "B", "value": 9}}),
        ),
        listing("gone", json!({"insee": "37261", "expired": true, "createdAt": "2026-02-03T12:00:00Z"})),
    ])
    .await;
    check(
        &server,
        &[
            ("expired=null", "gone paris tours"),
            ("isExpired=true", "gone"),
            ("isExpired=false", "paris tours"),
            ("includedDepartments[]=departments/75", "paris"),
            ("includedDepartments[]=/departments/75", "paris"),
            ("includedCities=cities/75056", "paris"),
            ("propertyTypes[0]=0&expired=false", "paris"),
            ("propertyTypes%5B0%5D=0&propertyTypes%5B1%5D=1&expired=0", "paris tours"),
            ("lat=47.391&lon=0.69&radius=0.2", "tours"),
            ("lat=47.393&lon=0.69&radius=0.2", ""),
            ("fromDate=2026-02-02T12:00:00Z", "gone tours"),
            ("fromDate=2026-02-02T13:00:00%2B01:00", "gone tours"),
            ("fromDate=2026-02-02T12:00:01.000Z", "gone"),
            ("toDate=2026-02-02T12:00:00Z", "paris tours"),
            ("fromDate=2026-02-02%2013:00:00&toDate=2026-02-02", "tours"),
            ("withCoherentPrice=null&expired=false", "paris tours"),
            // Zero for "unset", for both bounds too.
            ("budgetMin=0&budgetMax=0&surfaceMax=0&roomMax=0", "gone paris tours"),
            ("budgetMin=250000&budgetMax=0", "tours"),
            // Names of the official assistant server.
            ("priceMin=250000", "tours"),
            ("priceMax=250000&isExpired=false", "paris"),
            ("ghgCategories[]=B", "tours"),
            ("ghgLetters[]=B", "tours"),
            ("ghgValueMin=5&ghgValueMax=9", "tours"),
            ("floorsMin=4&floorsMax=4", "tours"),
            ("geocodingAccuracy[]=1", "tours"),
            ("includedSources[]=portail.example", "gone paris tours"),
            ("excludedSources[]=portail.example", ""),
            ("excludeCities[]=/cities/37261", "paris"),
        ],
    )
    .await;
    assert_eq!(found(&server, "withResolvedLocation=true").await, found(&server, "withLocation=true").await);
    let order = async |query: &str| titles(&server.get(&format!("{PROPERTIES}?{query}")).await.ok());
    assert_eq!(order("orderCreatedAt=asc").await, ["paris", "tours", "gone"]);
    assert_eq!(order("orderByPrice=desc&orderCreatedAt=asc").await, ["tours", "paris", "gone"]);
    assert_eq!(order("orderUpdatedAt=asc").await, order("order[updatedAt]=asc").await);
}

#[tokio::test]
async fn changes_are_found_under_both_names() {
    let server =
        with(&[listing("fell", json!({"price": 200_000})), listing("rose", json!({"price": 200_000}))]).await;
    server.clock.advance_seconds(3_600);
    ingest(
        &server,
        &[listing("fell", json!({"price": 180_000})), listing("rose", json!({"price": 210_000}))],
    )
    .await;
    check(
        &server,
        &[
            // Zero is a real bound of a change.
            ("eventPriceVariationMax=0", "fell"),
            ("eventPriceVariationMin=0&eventPriceVariationMax=0", ""),
            ("priceEventMax=-5", "fell"),
            ("priceEventVariationMin=0", "rose"),
            ("priceEventFromCreatedAt=2026-03-02T10:00:00Z&priceEventMin=-20&priceEventMax=-1", "fell"),
            ("priceEventFromDate=2026-03-03", ""),
        ],
    )
    .await;
}

/// The same exclusion, in every form that a program was seen to send.
fn exclusions() -> Vec<Value> {
    let options = json!({"includes": false, "strict": false});
    vec![
        json!([[{"word": "balcon"}, {"word": "travaux", "options": options}]]),
        json!([[{"value": "balcon"}, {"value": "travaux", "includes": false}]]),
        json!([["balcon", {"word": "travaux", "includes": "false", "strict": 0}]]),
        json!({"include": ["balcon"], "exclude": ["travaux"]}),
        json!("{\"include\":[\"balcon\"],\"exclude\":[\"travaux\"]}"),
        json!(
            "expressions[0][0][word]=balcon&expressions[0][1][word]=travaux&expressions[0][1][options][includes]=false"
        ),
        json!(
            "expressions[0][0][word]=balcon&expressions[0][1][value]=travaux&expressions[0][1][includes]=0"
        ),
    ]
}

#[tokio::test]
async fn expressions_mean_the_same_in_every_form() {
    let server = with(&[
        listing("calm", json!({"description": "Avec balcon."})),
        listing("noisy", json!({"description": "Avec balcon, travaux à prévoir."})),
        listing("bare", json!({"description": "Sans rien."})),
    ])
    .await;
    let excluded = "expressions[0][1][word]=travaux";
    let balcony = "expressions[0][0][word]=balcon";
    check(
        &server,
        &[
            (&format!("{balcony}&{excluded}&expressions[0][1][options][includes]=false"), "calm"),
            (&format!("{balcony}&{excluded}&expressions[0][1][includes]=false"), "calm"),
            ("expressions[0][word]=travaux&expressions[0][includes]=false", "bare calm"),
            ("expressions[include][]=balcon&expressions[exclude][]=travaux", "calm"),
            ("expressions[]=rien&expressions[]=travaux", "bare noisy"),
            (
                &format!(
                    "expressions={}",
                    "%7B%22include%22:[%22balcon%22],%22exclude%22:[%22travaux%22]%7D"
                ),
                "calm",
            ),
        ],
    )
    .await;
    let nested = json!([[
        {"word": "balcon", "options": {"includes": true, "strict": false}},
        {"word": "travaux", "options": {"includes": false, "strict": false}}
    ]]);
    for expressions in exclusions() {
        let search = create_search(&server, &json!({"expressions": expressions})).await;
        assert_eq!(search["expressions"], nested, "{expressions}");
    }
    let flat =
        create_search(&server, &json!({"expressions": ["balcon", {"word": "travaux", "includes": false}]}))
            .await;
    assert_eq!(members_of_groups(&flat["expressions"]), [1, 1]);

    // An option that is not known would invert the search if it were ignored.
    for query in [
        "expressions[0][0][word]=travaux&expressions[0][0][options][include]=false",
        "expressions[0][0][word]=travaux&expressions[0][0][exclude]=true",
        "expressions=expressions[0][0][word]%3Dtravaux%26expressions[0][0][options][inclues]%3Dfalse",
    ] {
        let message = server.get(&format!("{PROPERTIES}?{query}")).await.problem(400);
        assert!(message.contains("This option is not known"), "{message}");
    }
    for expressions in [
        json!([{"word": "travaux", "exclude": true}]),
        json!([[{"word": "travaux", "options": {"include": false}}]]),
        json!({"include": ["a"], "excluded": ["b"]}),
        json!("expressions[0][0][word]=travaux&expressions[0][0][not]=1"),
    ] {
        let response = server.post("/searches", &search_with(&json!({"expressions": expressions}))).await;
        assert!(response.problem(400).contains("This option is not known"), "{expressions}");
    }
}

fn members_of_groups(groups: &Value) -> Vec<usize> {
    groups.as_array().unwrap().iter().map(|group| group.as_array().unwrap().len()).collect()
}

#[tokio::test]
async fn searches_are_created_read_and_deleted() {
    let server = TestServer::start().await;
    // As a published sample: strings for numbers, zero for "unset", single values for lists, names of the assistant server.
    let sample = json!({
        "propertyTypes": "1", "publisherTypes": 1, "budgetMin": "0", "budgetMax": 0, "surfaceMin": 0, "surfaceMax": "0",
        "lat": "48.86", "lon": "2.35", "radius": 0.2, "withCoherentPrice": null, "furnished": null,
        "includedDepartments": ["departments/75"], "floorsMax": 3, "ghgCategories": ["A"], "priceEventMax": 0,
        "includedSources": ["portail.example"], "excludeCities": [37261],
    });
    let search = create_search(&server, &sample).await;
    let id = path(&search).rsplit('/').next().unwrap().to_owned();
    assert_eq!(id.len(), 36);
    let read = server.get(&format!("/searches/{id}")).await.ok();
    assert_eq!(read, search);
    for (name, value) in [
        ("budgetMin", json!(0)),
        ("budgetMax", json!(0)),
        ("surfaceMax", json!(0)),
        ("radius", json!(0.2)),
        ("withCoherentPrice", json!(false)),
        ("furnished", json!(null)),
        ("floorQuantityMax", json!(3)),
        ("greenHouseGasCategories", json!(["A"])),
        ("eventPriceVariationMax", json!(0)),
    ] {
        assert_eq!(read[name], value, "{name}");
    }
    assert_eq!(read["excludedCities"][0]["@id"], "/cities/37261");
    assert_eq!(read.get("uuid"), None);
    // What was read can be sent back, with a key of the program's own: it is named in the body and in the header.
    let mut back = read.clone();
    back["color"] = json!("red");
    let response = put(&server, path(&search), &back).await;
    assert_eq!(response.header("x-ignored-parameters"), Some("color"));
    assert_eq!(response.ok()["ignored"], json!(["color"]));
    let response = server.delete(path(&search)).await;
    assert_eq!((response.status, response.body.len()), (204, 0));
    server.get(path(&search)).await.problem(404);
}

#[tokio::test]
async fn errors_say_what_is_accepted() {
    let server = TestServer::start().await;
    // As programs read it: the Hydra description, else the detail.
    let text = |body: &Value| {
        let description = body["hydra:description"].as_str().or_else(|| body["detail"].as_str());
        description.unwrap().to_owned()
    };
    let refused = async |fields: Value| {
        let response = server.post("/searches", &search_with(&fields)).await;
        assert!(matches!(response.status, 400 | 422), "{}", response.text());
        let mut plain = response.json();
        let described = text(&plain);
        plain.as_object_mut().unwrap().remove("hydra:description");
        assert_eq!(text(&plain), described);
        described
    };
    for (fields, expected) in [
        (
            json!({"propertyTypes": [9]}),
            "0 Apartment, 1 House, 2 Building, 3 Parking, 4 Office, 5 Land, 6 Shop",
        ),
        (json!({"transactionType": 2}), "0 Sell, 1 Rent"),
        (json!({"publisherTypes": [5]}), "0 Individual, 1 Professional"),
        (json!({"energyCategories": ["H"]}), "A, B, C, D, E, F, G"),
        (
            json!({"includedCities": ["/cities/9"]}),
            "Item not found for \"/cities/9\". Look it up with GET /cities?name=…",
        ),
        (json!({"includedCities": ["Tours"]}), "GET /cities?name=… finds it"),
        (json!({"includedDepartments": ["/departments/99"]}), "GET /departments?name=…"),
        (json!({"includedInseeCodes": ["99999"]}), "/public/location-autocomplete?query=…"),
        (json!({"includedSites": ["/sites/9"]}), "GET /sites lists the sites."),
        (json!({"subscribedEvents": ["ad.sold"]}), "the events are ad.update.price,"),
        (json!({"maxBudget": 1}), "maxBudget: This attribute is not known. Did you mean \"budgetMax\"?"),
        (json!({"budgetmax": 1}), "Did you mean \"budgetMax\"?"),
        (json!({"cities": [37261]}), "Did you mean \"includedCities\" or \"excludedCities\"?"),
    ] {
        let described = refused(fields.clone()).await;
        assert!(described.contains(expected), "{fields}: {described}");
    }
    let described = server.get(&format!("{PROPERTIES}?propertyTypes[]=9")).await.problem(400);
    assert!(described.contains("0 Apartment, 1 House"), "{described}");
    let described = server.get(&format!("{PROPERTIES}?includedCities[]=Tours")).await.problem(400);
    assert!(described.contains("GET /cities?name=…"), "{described}");
}

#[tokio::test]
async fn locations_are_suggested_under_every_name() {
    let server = TestServer::start().await;
    let ask = async |query: &str| {
        server.send(Request::new("GET", &format!("/public/location-autocomplete?{query}"))).await
    };
    for name in ["q", "query", "search"] {
        let page = ask(&format!("{name}=tours")).await.ok();
        let city = &members(&page)[0];
        assert_eq!((&city["@id"], &city["type"]), (&json!("/cities/37261"), &json!("city")), "{name}");
        assert_eq!((&city["displayName"], &city["code"]), (&json!("Tours (37000)"), &json!("37261")));
        assert!(city["location"]["lat"].is_f64() && city["location"] == city["locations"], "{city}");
    }
    let page = ask("query=indre&type=department").await.ok();
    let names: Vec<&Value> = members(&page).iter().map(|member| &member["displayName"]).collect();
    assert_eq!(names, [&json!("Indre (36)"), &json!("Indre-et-Loire (37)")]);
    let department = &members(&page)[1];
    assert_eq!((&department["type"], &department["code"]), (&json!("department"), &json!("37")));
    assert!(department["location"]["lat"].is_f64() && department["location"] == department["locations"]);
    assert!(
        members(&ask("query=indre&type[]=City").await.ok()).iter().all(|member| member["@type"] == "City")
    );
    assert_eq!(
        ask("query=indre&type=region").await.problem(400),
        "type: \"region\" is not city, department or station."
    );
    for query in
        ["excludedCitiesIds[]=37261", "excludedCitiesIds[]=/cities/37261", "excludeCities[]=/cities/37261"]
    {
        let page = ask(&format!("query=tours&{query}")).await.ok();
        assert!(members(&page).iter().all(|member| member["@id"] != "/cities/37261"), "{query}");
    }
    let page = ask("query=indre&type=department&excludedDepartmentsIds[]=36").await.ok();
    assert_eq!(members(&page).len(), 1);
}

#[tokio::test]
async fn cities_are_looked_up() {
    let server = TestServer::start().await;
    let names = async |target: &str| -> Vec<String> {
        let response = server.get(target).await;
        assert_eq!(response.header("x-ignored-parameters"), None, "{target}");
        members(&response.ok()).iter().map(|member| member["name"].as_str().unwrap().to_owned()).collect()
    };
    for name in ["name", "libelle"] {
        let found = names(&format!("/cities?{name}=tours")).await;
        assert_eq!(found[0], "Tours", "the best match first");
        let rest = found[1..].iter().filter(|name| name.starts_with("Tours")).collect::<Vec<_>>();
        assert!(rest.is_sorted() && !rest.is_empty(), "then by name: {found:?}");
    }
    assert_eq!(names("/cities?slug=l-hay-les-roses").await, ["L'Haÿ-les-Roses"]);
    for list in
        ["insee[]=37261&insee[]=75111", "code[]=37261&code[]=75111", "inseeCodes[]=75111&inseeCode=37261"]
    {
        assert_eq!(names(&format!("/cities?{list}")).await, ["Paris 11e", "Tours"], "{list}");
    }
    assert_eq!(names("/cities?zipcode[]=75011").await, ["Paris", "Paris 11e"]);
    assert_eq!(names("/cities?zipcode[]=75011&excludeGroupedCities=true").await, ["Paris 11e"]);
    assert_eq!(names("/cities?zipcode=75011&order[name]=desc").await, ["Paris 11e", "Paris"]);
    let all = names("/cities?itemsPerPage=30").await;
    assert!(all[0] == "Aast" || all[0] == "Abainville", "by name unless asked otherwise: {all:?}");
    let square = "[[0.64,47.35],[0.73,47.35],[0.73,47.43],[0.64,47.43]]";
    for polygon in [format!("polygon={square}"), format!("polygon=[{square}]")] {
        assert!(names(&format!("/cities?{polygon}")).await.contains(&"Tours".to_owned()), "{polygon}");
    }
    let corners = "polygon[0][0]=0.64&polygon[0][1]=47.35&polygon[1][0]=0.73&polygon[1][1]=47.35&polygon[2][0]=0.7&polygon[2][1]=47.43";
    assert!(names(&format!("/cities?{corners}")).await.contains(&"Tours".to_owned()));
    server.get("/cities?polygon=rond").await.problem(400);
    assert_eq!(names("/departments?code[]=2A&code[]=6").await, ["Alpes-Maritimes", "Corse-du-Sud"]);
    assert_eq!(names("/departments?name=savoie").await, ["Savoie", "Haute-Savoie"]);
    assert_eq!(names("/departments?slug=haute-savoie").await, ["Haute-Savoie"]);
    assert_eq!(names("/regions?code[]=11").await, ["Île-de-France"]);
    assert_eq!(server.get("/cities/37261").await.ok()["slug"], "tours");
}

#[tokio::test]
async fn history_of_another_service_can_be_sent_as_it_came() {
    let server = TestServer::start().await;
    // A creation has no field name, and an expiry has no values.
    let document = advert(
        "1",
        json!({
            "createdAt": "2026-01-01T09:00:00Z", "updatedAt": "2026-02-01T09:00:00Z", "expired": true,
            "expiredAt": "2026-02-01T09:00:00Z",
            "events": [
                {"fieldName": null, "fieldOldValue": null, "fieldNewValue": null, "percentVariation": null,
                    "createdAt": "2026-01-01T09:00:00Z"},
                {"fieldName": "expired", "fieldOldValue": null, "fieldNewValue": null, "percentVariation": null,
                    "createdAt": "2026-02-01T09:00:00Z"},
            ],
        }),
    );
    let receipt = server.accept(&document).await;
    let events = server.advert(&receipt).await["events"].clone();
    let subjects: Vec<&Value> = events.as_array().unwrap().iter().map(|event| &event["fieldName"]).collect();
    assert_eq!(subjects, [&json!("created"), &json!("expired")]);
    assert_eq!((&events[1]["fieldOldValue"], &events[1]["fieldNewValue"]), (&json!("false"), &json!("true")));
    assert_eq!(server.accept(&document).await["outcome"], "unchanged");
    assert_eq!(server.advert(&receipt).await["events"], events);
}

#[tokio::test]
async fn stale_update_date_does_not_hide_a_change() {
    let stale = |price: u32| listing("a", json!({"price": price, "updatedAt": "2026-02-01T09:00:00Z"}));
    let server = with(&[stale(200_000)]).await;
    server.clock.advance_seconds(3_600);
    let receipt = server.accept(&stale(190_000)).await;
    server.indexed().await;
    let document = server.document(&receipt).await;
    assert_eq!(document["updatedAt"], "2026-03-02T11:00:00+01:00");
    let events = document["adverts"][0]["events"].as_array().unwrap();
    let last = events.last().unwrap();
    assert_eq!((&last["fieldName"], &last["createdAt"]), (&json!("price"), &document["updatedAt"]));
    assert_eq!(found(&server, "fromUpdatedAt=2026-03-02T10:00:00Z").await, "a");
    assert_eq!(found(&server, "priceEventFromDate=2026-03-02&priceEventMax=-1").await, "a");
}

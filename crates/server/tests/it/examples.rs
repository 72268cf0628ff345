//! Records the examples of the API's documentation: real requests and their answers.
//!
//! `cargo xtask describe` writes them; otherwise the test compares. What
//! differs from run to run is replaced, and long lists are cut.

use description::OperationId;
use serde_json::{Value, json};

use crate::deliveries::queue;
use crate::harness::TestServer;
use crate::harness::adverts::merge;
use crate::harness::client::Request;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../description/examples.json");

/// Records one operation after the other.
struct Recorder {
    server: TestServer,
    examples: Value,
}

impl Recorder {
    async fn record(&mut self, id: OperationId, path: &str, body: Option<Value>) -> Value {
        let operation = description::operations::find(id).unwrap();
        let mut request = Request::new(operation.method.name(), path).key(&self.server.keys.all);
        if let Some(body) = &body {
            request = request.json(body);
            self.examples[id.name()]["request"] = body.clone();
        }
        let response = self.server.send(request).await;
        assert!(response.status < 300, "{path}: {}", response.text());
        let answer = if response.body.is_empty() { Value::Null } else { response.json() };
        let mut shown = answer.clone();
        shorten(&mut shown);
        self.examples[id.name()]["answers"][response.status.to_string()] = shown;
        answer
    }
}

/// Replaces what differs from run to run, and cuts long lists.
fn shorten(value: &mut Value) {
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                match key.as_str() {
                    "token" => *value = "5f1c0a9be27d43688f0e6b7a1d2c3b4a5968778695a4b3c2d1".into(),
                    "secret" => *value = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".into(),
                    "took" => *value = json!(0.042),
                    "user" => *value = "/users/0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b".into(),
                    "hydra:mapping" | "coordinates" => value.as_array_mut().unwrap().truncate(2),
                    "hydra:template" => {
                        let text = value.as_str().unwrap();
                        let cut = text
                            .match_indices(',')
                            .nth(1)
                            .map_or(text.to_owned(), |(at, _)| format!("{}}}", &text[..at]));
                        *value = cut.into();
                    }
                    _ => shorten(value),
                }
            }
        }
        // The id of a delivery contains a random number of the server.
        Value::String(text) if text.starts_with("/deliveries/") && text.len() == 48 => {
            *text = format!("/deliveries/00000001-2608-8001-b58d-20{}", &text[38..]);
        }
        Value::Array(items) => {
            items.truncate(3);
            items.iter_mut().for_each(shorten);
        }
        _ => {}
    }
}

fn flat(reference: &str, site: &str, price: u32) -> Value {
    json!({
        "site": site, "reference": reference, "url": format!("https://{site}/annonces/{reference}"),
        "transactionType": 0, "propertyType": 0, "title": "Appartement 3 pièces avec balcon",
        "description": "Au troisième étage avec ascenseur, séjour plein sud, cuisine équipée, deux chambres, cave.",
        "price": price, "surface": 62.5, "room": 3, "bedroom": 2, "floor": 3, "floorQuantity": 6, "elevator": true,
        "energy": {"category": "C", "value": 142}, "greenHouseGas": {"category": "B", "value": 9},
        "features": ["Balcon", "Cave"], "pictures": [format!("https://{site}/photos/{reference}-1.jpg")],
        "publisher": {"name": "Agence du Canal", "type": 1}, "contact": {"agency": "Agence du Canal", "phone": "01 99 00 00 01"},
        "insee": "37261", "zipcode": "37000", "cityName": "Tours", "locations": {"lat": 47.3941, "lon": 0.6848}, "geoAccuracy": 1,
    })
}

fn search() -> Value {
    json!({
        "title": "Appartement à Tours", "transactionType": 0, "propertyTypes": [0], "budgetMax": 300_000, "surfaceMin": 50,
        "includedCities": ["/cities/37261"], "expressions": [[{"word": "balcon", "options": {"includes": true, "strict": false}}]],
        "notificationEnabled": true, "endpointRecipient": "https://hooks.example/matches",
        "eventEndpoint": "https://hooks.example/events", "subscribedEvents": ["ad.update.price"],
    })
}

#[tokio::test]
async fn examples_are_real_answers() {
    use OperationId as Id;
    let mut recorder = Recorder { server: TestServer::start().await, examples: json!({}) };

    let search = recorder.record(Id::CreateSearch, "/searches", Some(search())).await;
    let search = search["@id"].as_str().unwrap().to_owned();
    let receipt = recorder
        .record(Id::SendAdverts, "/adverts", Some(flat("A-12", "agence-du-canal.example", 248_500)))
        .await;
    let advert = receipt["@id"].as_str().unwrap().to_owned();
    let property = receipt["property"].as_str().unwrap().to_owned();
    let document = format!("/documents{property}");
    let second = recorder.server.accept(&flat("77120", "portail.example", 251_000)).await;
    let mut cheaper = flat("77120", "portail.example", 246_000);
    merge(&mut cheaper, json!({"description": "Trois pièces lumineux, balcon, ascenseur."}));
    recorder.record(Id::SendAdverts, "/adverts", Some(cheaper)).await;
    recorder.server.indexed().await;
    let now = recorder.server.app.clock().now();
    queue(&recorder.server, |_| store::InitialState::DueAt(now)).await;

    recorder
        .record(Id::ListProperties, "/documents/properties?transactionType=0&budgetMax=300000", None)
        .await;
    recorder
        .record(
            Id::PropertyByUrl,
            "/documents/properties/by-url?url=https://portail.example/annonces/77120",
            None,
        )
        .await;
    recorder.record(Id::Property, &document, None).await;
    recorder.record(Id::SimilarProperties, &format!("{document}/similar-properties"), None).await;
    recorder.record(Id::Grouping, &format!("{document}/grouping"), None).await;
    let viewport = "bounds=0.6,47.3,0.8,47.5&zoom=11";
    let clusters = format!("/documents/properties/clusters?transactionType=0&{viewport}");
    recorder.record(Id::Clusters, &clusters, None).await;
    let facets = "/documents/properties/facets?transactionType=0&fields=price,rooms";
    recorder.record(Id::Facets, facets, None).await;
    recorder.record(Id::PricePerMeter, "/indicators/price_per_meter?transactionType=0", None).await;
    recorder.record(Id::Advert, &advert, None).await;

    recorder.record(Id::Searches, "/searches", None).await;
    recorder.record(Id::Search, &search, None).await;
    let change = json!({"title": "Appartement à Tours", "transactionType": 0, "propertyTypes": [0], "budgetMax": 280_000});
    recorder.record(Id::UpdateSearch, &search, Some(change)).await;
    let draft =
        json!({"transactionType": 0, "propertyTypes": [0, 1], "includedDepartments": ["/departments/37"]});
    recorder.record(Id::PreviewSearch, "/searches/preview", Some(draft)).await;
    recorder.record(Id::ExplainSearch, &format!("{search}/explain?property={property}"), None).await;
    let matches = recorder.record(Id::SearchMatches, &format!("{search}/matches"), None).await;
    let by_day = "/searches/matches-by-day?days=3";
    recorder.record(Id::MatchesByDay, by_day, None).await;
    let by_day = format!("{search}/matches-by-day?days=2");
    recorder.record(Id::SearchMatchesByDay, &by_day, None).await;
    recorder.record(Id::Match, matches["hydra:member"][0]["@id"].as_str().unwrap(), None).await;

    let deliveries = recorder.record(Id::Deliveries, "/deliveries", None).await;
    recorder.record(Id::Delivery, deliveries["hydra:member"][0]["@id"].as_str().unwrap(), None).await;
    recorder.record(Id::ReplayCount, &format!("{search}/replay?since=2026-03-01"), None).await;
    recorder
        .record(Id::ReplaySearch, &format!("{search}/replay"), Some(json!({"since": "2026-03-01"})))
        .await;
    recorder.record(Id::WebhookSecret, "/webhook-secret", None).await;

    recorder.record(Id::Autocomplete, "/public/location-autocomplete?query=tour&itemsPerPage=2", None).await;
    recorder.record(Id::Cities, "/cities?name=tours&itemsPerPage=1", None).await;
    recorder.record(Id::City, "/cities/37261", None).await;
    recorder.record(Id::CityOutline, "/cities/37261/outline", None).await;
    recorder.record(Id::Departments, "/departments?code[]=37", None).await;
    recorder.record(Id::Department, "/departments/37", None).await;
    recorder.record(Id::DepartmentOutline, "/departments/37/outline", None).await;
    recorder.record(Id::Station, "/stations/72", None).await;
    recorder.record(Id::Regions, "/regions?itemsPerPage=1", None).await;
    recorder.record(Id::Region, "/regions/24", None).await;

    recorder.record(Id::Sites, "/sites", None).await;
    recorder.record(Id::CreateSiteCategory, "/site_categories", Some(json!({"name": "Portails"}))).await;
    recorder
        .record(
            Id::ChangeSite,
            "/sites/2",
            Some(json!({"name": "Le Portail", "category": "/site_categories/1"})),
        )
        .await;
    recorder.record(Id::Site, "/sites/2", None).await;
    recorder.record(Id::SiteCategories, "/site_categories", None).await;
    recorder.record(Id::SiteCategory, "/site_categories/1", None).await;
    recorder
        .record(Id::RenameSiteCategory, "/site_categories/1", Some(json!({"name": "Portails nationaux"})))
        .await;

    let split = json!({"adverts": [second["@id"]]});
    let split = recorder.record(Id::SplitProperty, &format!("{property}/split"), Some(split)).await;
    let merged = json!({"properties": [property, split["created"]]});
    recorder.record(Id::MergeProperties, "/properties/merge", Some(merged)).await;
    let decision = json!({"adverts": [advert, second["@id"]], "verdict": "different"});
    recorder.record(Id::DecideGrouping, "/grouping/decisions", Some(decision)).await;
    let mut reworded = flat("R-7", "autre-portail.example", 248_500);
    merge(
        &mut reworded,
        json!({
            "title": "Bel appartement", "description": "Trois pièces à découvrir.", "surface": 62, "floor": null, "energy": null,
            "greenHouseGas": null, "features": [], "pictures": [], "publisher": null, "contact": null, "locations": null,
        }),
    );
    recorder.server.accept(&reworded).await;
    let doubtful = recorder.record(Id::DoubtfulPairs, "/grouping/doubtful-pairs", None).await;
    assert_ne!(doubtful["hydra:totalItems"], 0, "an example shows a pair");
    recorder.record(Id::ExpireAdvert, &format!("{advert}/expire"), None).await;
    recorder.record(Id::EntryPoint, "/", None).await;
    recorder.record(Id::Alive, "/healthz", None).await;
    recorder.record(Id::Ready, "/readyz", None).await;

    let recorded = serde_json::to_string_pretty(&recorder.examples).unwrap() + "\n";
    if std::env::var_os("VIGIE_RECORD").is_some() {
        std::fs::write(FILE, &recorded).unwrap();
    }
    let kept: Value = serde_json::from_str(&std::fs::read_to_string(FILE).unwrap()).unwrap();
    for id in OperationId::ALL {
        let (kept, recorded) = (&kept[id.name()], &recorder.examples[id.name()]);
        assert_eq!(kept, recorded, "{}: run `cargo xtask describe`", id.name());
    }
}

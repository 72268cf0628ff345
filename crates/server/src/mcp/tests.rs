use super::api::Call;
use super::*;
use serde_json::json;

/// A server that is not running.
struct Unreachable;

impl Api for Unreachable {
    async fn call(&self, _call: Call) -> Result<Answer, ApiError> {
        Err(ApiError::Connect("http://127.0.0.1:9".to_owned(), std::io::ErrorKind::ConnectionRefused.into()))
    }
}

fn tool(name: &str) -> &'static ToolRow {
    TOOLS.iter().find(|tool| tool.name == name).unwrap()
}

fn call(name: &str, arguments: Value) -> Result<Call, String> {
    tool(name).call(arguments.as_object().unwrap().clone())
}

#[test]
fn arguments_become_path_query_and_body() {
    let check = |name: &str, arguments: Value, target: &str| {
        let call = call(name, arguments).unwrap();
        assert_eq!((call.target.as_str(), call.body), (target, None));
    };
    check("search-properties", json!({}), "/documents/properties");
    check(
        "search-properties",
        json!({"includedCities": ["/cities/75056"], "budgetMax": 3.5, "expired": false, "roomMin": null}),
        "/documents/properties?budgetMax=3.5&expired=false&includedCities%5B0%5D=%2Fcities%2F75056",
    );
    check(
        "search-properties",
        json!({"expressions": [[{"word": "vue mer", "options": {"includes": false}}]], "order": {"price": "asc"}}),
        "/documents/properties?expressions%5B0%5D%5B0%5D%5Boptions%5D%5Bincludes%5D=false\
         &expressions%5B0%5D%5B0%5D%5Bword%5D=vue%20mer&order%5Bprice%5D=asc",
    );
    check("get-property", json!({"id": "/properties/a-1"}), "/documents/properties/a-1");
    check("get-property", json!({"id": "a/../é?x"}), "/documents/properties/%C3%A9%3Fx");
    check(
        "get-property",
        json!({"url": "https://a.example/1"}),
        "/documents/properties/by-url?url=https%3A%2F%2Fa.example%2F1",
    );
    check("explain-match", json!({"search": "s", "property": "p"}), "/searches/s/explain?property=p");
    let update = call("update-search", json!({"id": "s", "title": "t", "budgetMax": null})).unwrap();
    assert_eq!((update.method, update.target.as_str()), (http::Method::PUT, "/searches/s"));
    assert_eq!(update.body, Some(json!({"title": "t", "budgetMax": null})));
}

#[test]
fn missing_and_contradictory_arguments_are_named() {
    let check = |name: &str, arguments: Value, message: &str| {
        assert_eq!(call(name, arguments).unwrap_err(), message);
    };
    check("get-property", json!({}), "id: this argument is required.");
    check("get-property", json!({"id": "a", "url": "b"}), "id, url: give one of them, not both.");
    check("get-search", json!({"id": 5}), "id: 5 is not an id; an id is a string.");
    check("get-search", json!({"id": "/searches/.."}), "id: this id is empty.");
    check("explain-match", json!({"search": "s"}), "property: this argument is required.");
    check("location-autocomplete", json!({"query": null}), "query: this argument is required.");
}

#[test]
fn every_filter_and_setting_is_an_argument() {
    let listed = tool("search-properties").listed();
    let known = listed.input_schema["properties"].as_object().unwrap();
    for filter in domain::FILTERS {
        let argument = &known[filter.name];
        assert!(argument["description"].as_str().is_some_and(|text| !text.is_empty()), "{}", filter.name);
        assert!(argument.get("type").or(argument.get("enum")).is_some(), "{}", filter.name);
    }
    let listed = tool("create-search").listed();
    let known = listed.input_schema["properties"].as_object().unwrap();
    let expected: std::collections::BTreeSet<&str> = wire::search::criteria()
        .map(|filter| filter.name)
        .chain(wire::search::SETTINGS.iter().copied())
        .collect();
    assert_eq!(known.keys().map(String::as_str).collect::<std::collections::BTreeSet<_>>(), expected);
}

/// A client sends the list of tools to the model with every conversation.
#[test]
fn list_of_tools_is_short() {
    let list = serde_json::to_string(&*LISTED).unwrap();
    assert!(list.len() < 48_000, "{} bytes", list.len());
    let names: std::collections::BTreeSet<&str> = TOOLS.iter().map(|tool| tool.name).collect();
    assert_eq!(names.len(), TOOLS.len());
}

#[test]
fn refusals_name_the_field() {
    let body = json!({
        "detail": "budgetMax: …",
        "violations": [{"propertyPath": "budgetMax", "message": "\"x\" is not a number.", "code": "malformed"}],
    });
    assert_eq!(
        refusal(StatusCode::BAD_REQUEST, &body),
        "Refused with status 400. budgetMax: \"x\" is not a number."
    );
    assert_eq!(
        refusal(StatusCode::FORBIDDEN, &json!({"detail": "Access Denied."})),
        "Refused with status 403. Access Denied. The key lacks the scope that this tool needs."
    );
}

#[tokio::test]
async fn unreachable_server_is_reported() {
    let assistant = Assistant::new(Unreachable);
    let error = assistant.call(tool("list-searches"), JsonObject::new()).await.unwrap_err();
    assert!(
        error.starts_with("The call failed: cannot connect to http://127.0.0.1:9; is the server running?: "),
        "{error}"
    );
}

#[test]
fn long_documents_are_shortened() {
    let advert = |number: usize| json!({"uuid": number, "description": "é".repeat(20_000), "events": [1], "fax": null});
    let adverts: Vec<Value> = (0..20).map(advert).collect();
    let document = json!({"uuid": "u", "pictures": ["p"], "adverts": adverts});
    let blocks = answer::property(&document);
    assert!(blocks[0].starts_with("Property u; adverts: 20. Pictures are left out"), "{}", blocks[0]);
    assert!(blocks[1].len() < 20_000, "{} bytes", blocks[1].len());
    let shown: Value = serde_json::from_str(&blocks[1]).unwrap();
    assert_eq!(shown["adverts"].as_array().unwrap().len(), 5);
    assert!(shown.get("pictures").is_none());
    let blocks =
        answer::property(&json!({"uuid": "u", "pictures": ["p"], "adverts": [{"fax": null, "price": 1}]}));
    assert_eq!(blocks[1], r#"{"adverts":[{"price":1}],"pictures":["p"],"uuid":"u"}"#);
}

#[test]
fn token_of_a_search_is_not_shown() {
    let search = json!({"@id": "/searches/s", "token": "secret", "title": "t", "roomMin": null,
        "includedCities": [{"@id": "/cities/1", "name": "Ici", "insee": "00001"}]});
    let blocks = answer::search(&search);
    assert_eq!(blocks[0], "Saved search /searches/s; notifications are off.");
    assert_eq!(
        blocks[1],
        r#"{"@id":"/searches/s","includedCities":[{"@id":"/cities/1","name":"Ici"}],"title":"t"}"#
    );
}

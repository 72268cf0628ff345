//! Invalid search queries: rejected with name and value, all violations together, never answered with an empty result.

use serde_json::{Value, json};
use wire::accepted;

use crate::harness::TestServer;
use crate::harness::client::{Request, Response};
use crate::search::{listing, titles, with};

async fn search(server: &TestServer, query: &str) -> Response {
    server.get(&format!("/documents/properties?{query}")).await
}

async fn search_strictly(server: &TestServer, query: &str, prefer: &str) -> Response {
    let request = Request::new("GET", &format!("/documents/properties?{query}")).key(&server.keys.read);
    server.send(request.header("Prefer", prefer)).await
}

#[tokio::test]
async fn invalid_utf8_is_rejected_and_quoted() {
    let server = with(&[listing("a", json!({"description": "Entièrement rénové."}))]).await;
    for (query, expected) in [
        ("expressions[]=r%E9nov%E9", "expressions: \"r%E9nov%E9\" is not valid UTF-8."),
        ("expressions[0][0][word]=r%E9nov%E9", "expressions: \"r%E9nov%E9\" is not valid UTF-8."),
        // A text that contains keys itself.
        (
            "expressions=expressions%5B0%5D%5B0%5D%5Bword%5D%3Dr%25E9nov%25E9",
            "expressions: \"r%E9nov%E9\" is not valid UTF-8.",
        ),
        ("budgetMin=%FF1", "budgetMin: \"%FF1\" is not valid UTF-8."),
        ("order[price]=%E9", "order: \"%E9\" is not valid UTF-8."),
    ] {
        assert_eq!(search(&server, query).await.problem(400), expected, "{query}");
    }
    assert_eq!(titles(&search(&server, "expressions[]=r%C3%A9nov%C3%A9").await.ok()), ["a"]);
    // Ignored parameters may contain anything.
    let response = search(&server, "utm=%E9t%E9").await;
    assert_eq!(
        (titles(&response.ok()), response.header("x-ignored-parameters")),
        (vec!["a".into()], Some("utm"))
    );
}

#[tokio::test]
async fn invalid_codes_and_references_are_rejected() {
    let server = with(&[listing("nice", json!({"insee": "06088", "zipcode": "06000"}))]).await;
    for (names, values, expected) in [
        (
            ["includedZipcodes", "excludedZipcodes"],
            &["abcde", "F-75011", "750", "750111"][..],
            accepted::ZIPCODE,
        ),
        (["includedSites", "excludedSites"], &["/site/1", "-3", "0", "/sites/0", "sites/-3"], accepted::SITE),
        (
            ["includedSiteCategories", "excludedSiteCategories"],
            &["-1", "0", "/site_categories/-1", "/sites/1"],
            accepted::SITE_CATEGORY,
        ),
    ] {
        for (name, value) in names.iter().flat_map(|name| values.iter().map(move |value| (name, value))) {
            let message = search(&server, &format!("{name}[]={value}")).await.problem(400);
            assert_eq!(message, format!("{name}: \"{value}\" is not {expected}."));
            // The body of a search is validated alike.
            let mut search = json!({"title": "a", "transactionType": 0, "propertyTypes": [1]});
            search[*name] = json!([value]);
            let message = server.post("/searches", &search).await.problem(400);
            assert_eq!(message, format!("{name}[0]: \"{value}\" is not {expected}."));
        }
    }
    assert_eq!(server.get("/cities?zipcode=F-75011").await.violations(400), ["zipcode"]);
    // A lost leading zero is restored, and an unknown code matches nothing.
    assert_eq!(titles(&search(&server, "includedZipcodes=6000").await.ok()), ["nice"]);
    assert_eq!(titles(&search(&server, "excludedZipcodes=6000").await.ok()), [""; 0]);
    for unknown in ["includedZipcodes=99999", "includedSites=77", "includedSiteCategories=Inconnue"] {
        assert_eq!(titles(&search(&server, unknown).await.ok()), [""; 0], "{unknown}");
    }
}

#[tokio::test]
async fn strict_handling_reports_unknown_parameters_with_other_violations() {
    let server = with(&[listing("a", json!({}))]).await;
    let query = "budgetMin=cher&budgetmax=7&order[prize]=asc";
    assert_eq!(search(&server, query).await.violations(400), ["budgetMin"]);
    for prefer in ["handling=strict", "handling=\"strict\"", "handling = strict", "Handling=STRICT"] {
        let response = search_strictly(&server, query, prefer).await;
        assert_eq!(response.violations(400), ["budgetMin", "budgetmax", "order[prize]"], "{prefer}");
    }
    let response = search_strictly(&server, "budgetmax=7", "handling=strict").await;
    assert_eq!(response.problem(400), "budgetmax: This parameter is not known.");
    assert_eq!(titles(&search_strictly(&server, "budgetmax=7", "handling=lenient").await.ok()), ["a"]);
    let search = json!({"title": "", "transactionType": 0, "propertyTypes": [1], "budgetmax": 7});
    let request =
        Request::new("POST", "/searches?x=1").key(&server.keys.all).header("Prefer", "handling=strict");
    assert_eq!(server.send(request.json(&search)).await.violations(400), ["title", "budgetmax", "x"]);
}

#[tokio::test]
async fn long_list_of_ignored_parameters_is_truncated() {
    let server = TestServer::start().await;
    let names: Vec<String> = (0..1_500).map(|number| format!("unknown{number:04}")).collect();
    let response = search(&server, &names.join("&")).await;
    let header = response.header("x-ignored-parameters").unwrap();
    let (shown, more) = header.rsplit_once(", and ").unwrap();
    let count = shown.split(", ").count();
    assert_eq!(shown, names[..count].join(", "));
    assert_eq!(more, format!("{} more", names.len() - count));
    assert_eq!(
        search_strictly(&server, &names.join("&"), "handling=strict").await.violations(400).len(),
        101
    );
}

#[tokio::test]
async fn large_whole_numbers_are_accepted() {
    let listings: Vec<Value> = (0..31).map(|number| listing(&number.to_string(), json!({}))).collect();
    let server = with(&listings).await;
    let page = search(&server, "itemsPerPage=99999999999999999999999").await.ok();
    assert_eq!(titles(&page).len(), 30);
    let page = search(&server, "page=99999999999999999999999999").await.ok();
    assert_eq!((titles(&page).len(), &page["hydra:totalItems"]), (0, &json!(31)));
    assert_eq!(page["hydra:view"]["hydra:previous"], "/documents/properties?page=4");
}

#[tokio::test]
async fn excessive_queries_are_rejected() {
    let server = TestServer::start().await;
    let many: String = (0..51).map(|number| format!("expressions[]=mot{number}&")).collect();
    let entries: String = (0..21).map(|number| format!("expressions[0][{number}][word]=mot&")).collect();
    let long = format!("expressions[]={}", "a".repeat(201));
    for (query, path) in [(&many, "expressions"), (&entries, "expressions[0]"), (&long, "expressions[0]")] {
        assert_eq!(search(&server, query).await.violations(422), [path]);
    }
}

#[tokio::test]
async fn null_is_case_insensitive() {
    let server = with(&[listing("a", json!({})), listing("b", json!({"price": null}))]).await;
    for query in ["expired=NULL", "expired=Null&budgetMin=nuLL&order[price]=NULL&expressions=NULL"] {
        assert_eq!(titles(&search(&server, query).await.ok()), ["a"], "{query}");
    }
    let page = search(&server, "withCoherentPrice=NULL").await.ok();
    assert_eq!(page["hydra:totalItems"], 2);
}

#[tokio::test]
async fn ndjson_is_not_acceptable_for_collections() {
    let server = TestServer::start().await;
    let get = |path: &str| Request::new("GET", path).key(&server.keys.read);
    let lines = |path: &str| get(path).header("Accept", "application/x-ndjson");
    server.send(lines("/documents/properties")).await.problem(406);
    assert_eq!(server.send(lines("/documents/properties.ndjson")).await.status, 200);
}

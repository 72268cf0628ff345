//! What is wrong with the query of a search: refused by name and value, all at once, and never answered with nothing found.

use serde_json::{Value, json};

use crate::harness::TestServer;
use crate::harness::client::{Answer, Request};
use crate::search::{home, titles, with};

async fn asked(server: &TestServer, query: &str) -> Answer {
    server.get(&format!("/documents/properties?{query}")).await
}

async fn asked_strictly(server: &TestServer, query: &str, prefer: &str) -> Answer {
    let request = Request::new("GET", &format!("/documents/properties?{query}")).key(&server.keys.read);
    server.send(request.header("Prefer", prefer)).await
}

#[tokio::test]
async fn a_value_that_is_not_utf_8_is_refused_as_it_was_written() {
    let server = with(&[home("a", json!({"description": "Entièrement rénové."}))]).await;
    for (query, expected) in [
        ("expressions[]=r%E9nov%E9", "expressions: \"r%E9nov%E9\" is not valid UTF-8."),
        ("expressions[0][0][word]=r%E9nov%E9", "expressions: \"r%E9nov%E9\" is not valid UTF-8."),
        // A text that holds keys of its own.
        (
            "expressions=expressions%5B0%5D%5B0%5D%5Bword%5D%3Dr%25E9nov%25E9",
            "expressions: \"r%E9nov%E9\" is not valid UTF-8.",
        ),
        ("budgetMin=%FF1", "budgetMin: \"%FF1\" is not valid UTF-8."),
        ("order[price]=%E9", "order: \"%E9\" is not valid UTF-8."),
    ] {
        assert_eq!(asked(&server, query).await.problem(400), expected, "{query}");
    }
    assert_eq!(titles(&asked(&server, "expressions[]=r%C3%A9nov%C3%A9").await.ok()), ["a"]);
    // What nobody asked for may say anything.
    let answer = asked(&server, "utm=%E9t%E9").await;
    assert_eq!(
        (titles(&answer.ok()), answer.header("x-ignored-parameters")),
        (vec!["a".into()], Some("utm"))
    );
}

#[tokio::test]
async fn what_cannot_be_a_code_or_reference_is_refused() {
    let server = with(&[home("nice", json!({"insee": "06088", "zipcode": "06000"}))]).await;
    for (names, values, expected) in [
        (["includedZipcodes", "excludedZipcodes"], &["abcde", "F-75011", "750", "750111"][..], "a zipcode"),
        (
            ["includedSites", "excludedSites"],
            &["/site/1", "-3", "0", "/sites/0", "sites/-3"],
            "a reference to a site",
        ),
        (
            ["includedSiteCategories", "excludedSiteCategories"],
            &["-1", "0", "/site_categories/-1", "/sites/1"],
            "a reference to a category of sites",
        ),
    ] {
        for (name, value) in names.iter().flat_map(|name| values.iter().map(move |value| (name, value))) {
            let told = asked(&server, &format!("{name}[]={value}")).await.problem(400);
            assert_eq!(told, format!("{name}: \"{value}\" is not {expected}."));
            // The body of a search is read alike.
            let mut search = json!({"title": "a", "transactionType": 0, "propertyTypes": [1]});
            search[*name] = json!([value]);
            let told = server.post("/searches", &search).await.problem(400);
            assert_eq!(told, format!("{name}[0]: \"{value}\" is not {expected}."));
        }
    }
    assert_eq!(server.get("/cities?zipcode=F-75011").await.violations(400), ["zipcode"]);
    // A zero that was lost is put back, and what nobody knows is nowhere.
    assert_eq!(titles(&asked(&server, "includedZipcodes=6000").await.ok()), ["nice"]);
    assert_eq!(titles(&asked(&server, "excludedZipcodes=6000").await.ok()), [""; 0]);
    for unknown in ["includedZipcodes=99999", "includedSites=77", "includedSiteCategories=Inconnue"] {
        assert_eq!(titles(&asked(&server, unknown).await.ok()), [""; 0], "{unknown}");
    }
}

#[tokio::test]
async fn strict_handling_tells_unknown_parameters_together_with_the_rest() {
    let server = with(&[home("a", json!({}))]).await;
    let query = "budgetMin=cher&budgetmax=7&order[prize]=asc";
    assert_eq!(asked(&server, query).await.violations(400), ["budgetMin"]);
    for prefer in ["handling=strict", "handling=\"strict\"", "handling = strict", "Handling=STRICT"] {
        let answer = asked_strictly(&server, query, prefer).await;
        assert_eq!(answer.violations(400), ["budgetMin", "budgetmax", "order[prize]"], "{prefer}");
    }
    let answer = asked_strictly(&server, "budgetmax=7", "handling=strict").await;
    assert_eq!(answer.problem(400), "budgetmax: This parameter is not known.");
    assert_eq!(titles(&asked_strictly(&server, "budgetmax=7", "handling=lenient").await.ok()), ["a"]);
    let search = json!({"title": "", "transactionType": 0, "propertyTypes": [1], "budgetmax": 7});
    let request =
        Request::new("POST", "/searches?x=1").key(&server.keys.all).header("Prefer", "handling=strict");
    assert_eq!(server.send(request.json(&search)).await.violations(400), ["title", "budgetmax", "x"]);
}

#[tokio::test]
async fn a_long_list_of_ignored_parameters_ends_with_how_many_more_there_are() {
    let server = TestServer::start().await;
    let names: Vec<String> = (0..1_500).map(|number| format!("unknown{number:04}")).collect();
    let answer = asked(&server, &names.join("&")).await;
    let told = answer.header("x-ignored-parameters").unwrap();
    let (shown, more) = told.rsplit_once(", and ").unwrap();
    let count = shown.split(", ").count();
    assert_eq!(shown, names[..count].join(", "));
    assert_eq!(more, format!("{} more", names.len() - count));
    assert_eq!(asked_strictly(&server, &names.join("&"), "handling=strict").await.violations(400).len(), 101);
}

#[tokio::test]
async fn whole_numbers_may_have_any_size() {
    let homes: Vec<Value> = (0..31).map(|number| home(&number.to_string(), json!({}))).collect();
    let server = with(&homes).await;
    let page = asked(&server, "itemsPerPage=99999999999999999999999").await.ok();
    assert_eq!(titles(&page).len(), 30);
    let page = asked(&server, "page=99999999999999999999999999").await.ok();
    assert_eq!((titles(&page).len(), &page["hydra:totalItems"]), (0, &json!(31)));
    assert_eq!(page["hydra:view"]["hydra:previous"], "/documents/properties?page=4");
}

#[tokio::test]
async fn too_much_is_understood_and_refused() {
    let server = TestServer::start().await;
    let many: String = (0..51).map(|number| format!("expressions[]=mot{number}&")).collect();
    let entries: String = (0..21).map(|number| format!("expressions[0][{number}][word]=mot&")).collect();
    let long = format!("expressions[]={}", "a".repeat(201));
    for (query, path) in [(&many, "expressions"), (&entries, "expressions[0]"), (&long, "expressions[0]")] {
        assert_eq!(asked(&server, query).await.violations(422), [path]);
    }
}

#[tokio::test]
async fn null_is_nothing_in_any_case() {
    let server = with(&[home("a", json!({})), home("b", json!({"price": null}))]).await;
    for query in ["expired=NULL", "expired=Null&budgetMin=nuLL&order[price]=NULL&expressions=NULL"] {
        assert_eq!(titles(&asked(&server, query).await.ok()), ["a"], "{query}");
    }
    let page = asked(&server, "withCoherentPrice=NULL").await.ok();
    assert_eq!(page["hydra:totalItems"], 2);
}

#[tokio::test]
async fn lines_are_not_served_where_there_are_none() {
    let server = TestServer::start().await;
    let get = |path: &str| Request::new("GET", path).key(&server.keys.read);
    let lines = |path: &str| get(path).header("Accept", "application/x-ndjson");
    server.send(lines("/documents/properties")).await.problem(406);
    assert_eq!(server.send(lines("/documents/properties.ndjson")).await.status, 200);
}

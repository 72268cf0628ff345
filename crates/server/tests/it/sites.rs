//! Sites and their categories: created from adverts, named by an operator, over HTTP and on the command line.

use std::path::Path;

use serde_json::{Value, json};

use crate::cli::{self, Run};
use crate::harness::TestServer;
use crate::harness::adverts::advert;
use crate::harness::client::{Request, Response};

async fn put(server: &TestServer, path: &str, body: &Value) -> Response {
    server.send(Request::new("PUT", path).key(&server.keys.all).json(body)).await
}

async fn create_category(server: &TestServer, name: &str) -> Value {
    let response = server.post("/site_categories", &json!({"name": name})).await;
    assert_eq!(response.status, 201, "{}", response.text());
    response.json()
}

/// Returns the total, and one field of each member.
fn listed(page: &Value, member: &str) -> (u64, Vec<String>) {
    let members = page["hydra:member"].as_array().unwrap().iter();
    let text = |value: &Value| value[member].as_str().unwrap_or("-").to_owned();
    (page["hydra:totalItems"].as_u64().unwrap(), members.map(text).collect())
}

/// Starts a server with adverts of three sites: `portail.fr`, `agence.fr`, and one without a domain.
async fn with_three_sites() -> TestServer {
    let server = TestServer::start().await;
    for (number, fields) in [
        json!({"site": "https://annonces.portail.fr"}),
        json!({"site": null, "url": "https://www.agence.fr/1"}),
        json!({"site": "www.portail.fr"}),
        json!({"site": "Office du Lac"}),
    ]
    .into_iter()
    .enumerate()
    {
        server.accept(&advert(&number.to_string(), fields)).await;
    }
    server
}

#[tokio::test]
async fn sites_are_created_from_adverts() {
    let server = with_three_sites().await;
    let response = server.send(Request::new("GET", "/sites").key(&server.keys.read)).await;
    let page = response.ok();
    assert_eq!(
        listed(&page, "name"),
        (3, vec!["agence.fr".into(), "office du lac".into(), "portail.fr".into()])
    );
    assert_eq!(listed(&page, "domain").1, ["agence.fr", "-", "portail.fr"]);
    assert_eq!(
        (&page["@context"], &page["@id"], &page["@type"]),
        (&json!("/contexts/Site"), &json!("/sites"), &json!("hydra:Collection"))
    );
    let expected = json!({
        "@context": "/contexts/Site", "@id": "/sites/1", "@type": "Site", "id": 1,
        "name": "portail.fr", "domain": "portail.fr", "category": null,
    });
    assert_eq!(server.get("/sites/1").await.ok(), expected);
    for path in ["/sites/4", "/sites/0", "/sites/portail.fr", "/site_categories/1"] {
        server.get(path).await.problem(404);
    }
}

#[tokio::test]
async fn site_name_and_category_appear_in_documents() {
    let server = with_three_sites().await;
    let receipt = server.accept(&advert("0", json!({"site": "portail.fr"}))).await;
    let category = async || {
        let document = server.document(&receipt).await;
        let alone = server.advert(&receipt).await;
        let inside = &document["adverts"][0]["publisher"]["category"];
        assert_eq!(inside, &alone["publisher"]["category"]);
        inside.clone()
    };
    assert_eq!(category().await, Value::Null);

    let response = server.post("/site_categories", &json!({"name": "Portails"})).await;
    assert_eq!((response.status, response.header("location")), (201, Some("/site_categories/1")));
    let created = json!({
        "@context": "/contexts/SiteCategory", "@id": "/site_categories/1", "@type": "SiteCategory",
        "id": 1, "name": "Portails",
    });
    assert_eq!(response.json(), created);
    assert_eq!(server.get("/site_categories/1").await.ok(), created);

    let changed = put(&server, "/sites/1", &json!({"name": "Le Portail", "category": "portails"})).await.ok();
    assert_eq!(changed["name"], "Le Portail");
    let inside = json!({"@id": "/site_categories/1", "@type": "SiteCategory", "name": "Portails"});
    assert_eq!(changed["category"], inside);
    assert_eq!(server.get("/sites/1").await.ok(), changed);
    assert_eq!(category().await, "Portails");

    let renamed = put(&server, "/site_categories/1", &json!({"name": "Grands portails"})).await.ok();
    assert_eq!(renamed["name"], "Grands portails");
    assert_eq!(category().await, "Grands portails");

    // Absent fields are kept.
    let changed = put(&server, "/sites/1", &json!({"name": null})).await.ok();
    assert_eq!(
        (&changed["name"], &changed["category"]["name"]),
        (&json!("portail.fr"), &json!("Grands portails"))
    );
    let deleted = server.delete("/site_categories/1").await;
    assert_eq!((deleted.status, deleted.body.len()), (204, 0));
    assert_eq!(server.get("/sites/1").await.ok()["category"], Value::Null);
    assert_eq!(category().await, Value::Null);
    server.delete("/site_categories/1").await.problem(404);
    assert_eq!(create_category(&server, "Portails").await["@id"], "/site_categories/2");
}

#[tokio::test]
async fn sites_are_filtered_sorted_and_paged() {
    let server = with_three_sites().await;
    create_category(&server, "Portails").await;
    create_category(&server, "Agences").await;
    put(&server, "/sites/1", &json!({"name": "Ça se loue", "category": 1})).await.ok();
    put(&server, "/sites/2", &json!({"category": "/site_categories/2"})).await.ok();
    let names = async |query: &str| {
        let response = server.get(&format!("/sites?{query}")).await;
        assert_eq!(response.header("x-ignored-parameters"), None, "{query}");
        let (total, names) = listed(&response.ok(), "name");
        assert_eq!(total, names.len() as u64, "{query}");
        names
    };
    assert_eq!(names("name=ca+se").await, ["Ça se loue"]);
    assert_eq!(names("name=PORTAIL.fr").await, ["Ça se loue"]);
    assert_eq!(names("name=du%20lac").await, ["office du lac"]);
    assert_eq!(names("name=rien").await, [""; 0]);
    assert_eq!(names("name=").await, ["agence.fr", "Ça se loue", "office du lac"]);
    assert_eq!(names("order[name]=desc").await, ["office du lac", "Ça se loue", "agence.fr"]);
    for portals in ["1", "/site_categories/1", "site_categories%2F1", "PORTAILS"] {
        assert_eq!(names(&format!("category={portals}")).await, ["Ça se loue"], "{portals}");
    }
    assert_eq!(names("category[]=1&category[]=Agences").await, ["agence.fr", "Ça se loue"]);
    assert_eq!(names("category[]=9&category[]=Agences").await, ["agence.fr"]);
    assert_eq!(names("category=9").await, [""; 0]);

    let page = server.get("/sites?itemsPerPage=2&page=2").await.ok();
    assert_eq!(listed(&page, "name"), (3, vec!["office du lac".to_owned()]));
    assert_eq!(page["hydra:view"]["hydra:previous"], "/sites?itemsPerPage=2&page=1");
    assert_eq!(listed(&server.get("/sites?itemsPerPage=0").await.ok(), "name"), (3, Vec::new()));
    for wrong in ["page=0", "page=x", "itemsPerPage=-1", "order[name]=up"] {
        let path = server.get(&format!("/sites?{wrong}")).await.violations(400);
        assert_eq!(path, [wrong.split('=').next().unwrap()]);
    }
    let categories = server.get("/site_categories").await.ok();
    assert_eq!(listed(&categories, "name"), (2, vec!["Agences".into(), "Portails".into()]));
    let categories = server.get("/site_categories?order[name]=desc&name=A").await.ok();
    assert_eq!(listed(&categories, "name").1, ["Portails", "Agences"]);
    assert_eq!(listed(&server.get("/site_categories?name=port").await.ok(), "name").1, ["Portails"]);
}

#[tokio::test]
async fn unknown_parameters_of_sites_are_reported() {
    let server = with_three_sites().await;
    for path in ["/sites", "/site_categories"] {
        let path = format!("{path}?nmae=portail&order[id]=asc&page=1");
        let response = server.get(&path).await;
        assert_eq!(
            (response.status, response.header("x-ignored-parameters")),
            (200, Some("nmae, order[id]"))
        );
        let strict = Request::new("GET", &path).key(&server.keys.read).header("Prefer", "handling=strict");
        let message = server.send(strict).await.problem(400);
        assert!(message.contains("nmae") && message.contains("order[id]"), "{message}");
    }
}

#[tokio::test]
async fn advert_can_reference_its_site() {
    let server = with_three_sites().await;
    put(&server, "/sites/1", &json!({"name": "Le Portail"})).await.ok();
    // The advert with reference 0 of portail.fr, with every way to name the site.
    for site in [json!("/sites/1"), json!("sites/1"), json!(1), json!("LE PORTAIL"), json!("m.portail.fr")] {
        let receipt = server.accept(&advert("0", json!({"site": site}))).await;
        assert_eq!((&receipt["outcome"], &receipt["uuid"]), (&json!("unchanged"), &json!(FIRST)), "{site}");
    }
    let receipt = server.accept(&advert("new", json!({"site": "/sites/3"}))).await;
    assert_eq!(
        (&receipt["outcome"], server.advert(&receipt).await["site"].clone()),
        (&json!("created"), json!("office du lac"))
    );

    let unknown = advert("x", json!({"site": "/sites/9"}));
    let response = server.post("/adverts", &unknown).await;
    assert_eq!(response.problem(400), "site: Item not found for \"/sites/9\".");
    let many =
        server.post("/adverts", &json!([unknown, advert("y", json!({"site": "/sites/2"}))])).await.ok();
    let outcomes: Vec<_> =
        many["hydra:member"].as_array().unwrap().iter().map(|r| r["outcome"].clone()).collect();
    assert_eq!(outcomes, ["rejected", "created"]);
    let lines = format!("{unknown}\n{}\n", advert("z", json!({"site": "/sites/2"})));
    let receipts = server.post_lines(lines).await;
    assert_eq!(receipts[0]["violations"][0]["message"], "Item not found for \"/sites/9\".");
    assert_eq!(receipts[1]["outcome"], "created");
    assert_eq!(listed(&server.get("/sites").await.ok(), "name").0, 3, "no site was created by mistake");
}

const FIRST: &str = "00000000-0000-7000-8000-000000000001";

#[tokio::test]
async fn invalid_site_input_is_reported() {
    let server = with_three_sites().await;
    create_category(&server, "Portails").await;
    create_category(&server, "Agences").await;
    let problem = async |method: &str, path: &str, body: Value, status: u16| {
        let request = Request::new(method, path).key(&server.keys.admin).json(&body);
        server.send(request).await.problem(status)
    };
    assert_eq!(
        problem("PUT", "/sites/1", json!({"category": 9}), 400).await,
        "category: Item not found for \"/site_categories/9\"."
    );
    assert_eq!(
        problem("PUT", "/sites/1", json!({"category": "Notaires"}), 400).await,
        "category: Item not found for \"Notaires\"."
    );
    assert_eq!(
        problem("PUT", "/sites/1", json!({"nom": "x"}), 400).await,
        "nom: This attribute is not known."
    );
    assert_eq!(
        problem("PUT", "/sites/1", json!([]), 400).await,
        "The body must be a JSON object, array given."
    );
    problem("PUT", "/sites/1", json!({"name": "x".repeat(201)}), 422).await;
    problem("PUT", "/sites/9", json!({"name": "x"}), 404).await;
    assert_eq!(
        problem("POST", "/site_categories", json!({"name": "PORTAILS"}), 422).await,
        "name: This value is already used."
    );
    assert_eq!(
        problem("POST", "/site_categories", json!({}), 422).await,
        "name: This value should not be blank."
    );
    assert_eq!(
        problem("PUT", "/site_categories/2", json!({"name": "portails"}), 422).await,
        "name: This value is already used."
    );
    problem("PUT", "/site_categories/9", json!({"name": "Autres"}), 404).await;
    problem("POST", "/site_categories", json!({"name": 3}), 400).await;
    let body = |content_type, text: &str| {
        Request::new("POST", "/site_categories").key(&server.keys.admin).body(content_type, text)
    };
    server.send(body("application/json", "{")).await.problem(400);
    server.send(body("text/plain", "{\"name\": \"x\"}")).await.problem(415);
    // Nothing was changed.
    assert_eq!(listed(&server.get("/site_categories").await.ok(), "name").1, ["Agences", "Portails"]);
    assert_eq!(server.get("/sites/1").await.ok()["name"], "portail.fr");
}

#[tokio::test]
async fn sites_need_read_and_admin_scopes() {
    let server = with_three_sites().await;
    create_category(&server, "Portails").await;
    let keys = &server.keys;
    for path in ["/sites", "/sites/1", "/site_categories", "/site_categories/1"] {
        server.send(Request::new("GET", path)).await.problem(401);
        for key in [&keys.searches, &keys.ingest, &keys.admin] {
            server.send(Request::new("GET", path).key(key)).await.problem(403);
        }
        server.send(Request::new("GET", path).key(&keys.read)).await.ok();
    }
    let changes = [
        ("PUT", "/sites/1", 200),
        ("POST", "/site_categories", 201),
        ("PUT", "/site_categories/1", 200),
        ("DELETE", "/site_categories/1", 204),
    ];
    for (number, (method, path, status)) in changes.into_iter().enumerate() {
        let body = json!({"name": format!("Nom {number}")});
        server.send(Request::new(method, path).json(&body)).await.problem(401);
        for key in [&keys.searches, &keys.ingest, &keys.read] {
            server.send(Request::new(method, path).key(key).json(&body)).await.problem(403);
        }
        let response = server.send(Request::new(method, path).key(&keys.admin).json(&body)).await;
        assert_eq!(response.status, status, "{method} {path}: {}", response.text());
    }
    let wrong = server.send(Request::new("DELETE", "/sites/1").key(&keys.all)).await;
    wrong.problem(405);
    let allowed = wrong.header("allow").unwrap();
    assert!(allowed.contains("GET") && allowed.contains("PUT"), "{allowed}");
}

/// Runs `vigie sites` on a folder.
fn vigie_sites(folder: &Path, arguments: &[&str]) -> Run {
    cli::run(folder, &[&["sites"], arguments].concat())
}

fn printed(folder: &Path, arguments: &[&str]) -> String {
    vigie_sites(folder, arguments).succeeded().to_owned()
}

fn failure(folder: &Path, arguments: &[&str]) -> String {
    let run = vigie_sites(folder, arguments);
    assert_ne!(run.code, Some(0), "{arguments:?} succeeded");
    run.err
}

#[tokio::test]
async fn sites_command_changes_apply_to_a_running_server() {
    let server = with_three_sites().await;
    let folder = server.folder();
    let run = |arguments: &[&str]| printed(folder, arguments);
    assert_eq!(run(&["list"]), "1\tportail.fr\t-\t-\n2\tagence.fr\t-\t-\n3\toffice du lac\t-\t-\n");
    assert_eq!(server.get("/sites/1").await.ok()["name"], "portail.fr");

    run(&["add-category", "Portails"]);
    run(&["add-category", "portails"]);
    assert_eq!(run(&["categories"]), "1\tPortails\n");
    run(&["set", "www.portail.fr", "--name", "Le Portail", "--category", "PORTAILS"]);
    let site = server.get("/sites/1").await.ok();
    assert_eq!((&site["name"], &site["category"]["name"]), (&json!("Le Portail"), &json!("Portails")));
    run(&["set", "nouveau.fr", "--category", "Portails"]);
    assert_eq!(server.get("/sites/4").await.ok()["domain"], "nouveau.fr");
    run(&["set", "portail.fr", "--no-category"]);
    assert_eq!(
        run(&["list"]),
        "1\tportail.fr\tLe Portail\t-\n2\tagence.fr\t-\t-\n3\toffice du lac\t-\t-\n4\tnouveau.fr\t-\tPortails\n"
    );
    run(&["remove-category", "portails"]);
    assert_eq!(run(&["categories"]), "");
    assert_eq!(server.get("/sites/4").await.ok()["category"], Value::Null);

    assert!(
        failure(folder, &["set", "portail.fr", "--category", "Portails"])
            .contains("category \"Portails\" does not exist")
    );
    assert!(failure(folder, &["remove-category", "Portails"]).contains("does not exist"));
    assert!(failure(folder, &["add-category", "12"]).contains("letter"));
    assert!(failure(folder, &["set", " "]).contains("not a valid site domain or key"));
    failure(folder, &["set", "portail.fr", "--category", "x", "--no-category"]);
}

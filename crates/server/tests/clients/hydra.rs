//! What libraries for Hydra and JSON-LD make of the service.

use serde_json::{Value, json};
use testkit::node;

use crate::service::{Service, output, repository};

const PROGRAMS: &str = "crates/server/tests/clients/programs";

/// Returns the lines that a program prints, each of them JSON.
fn run(service: &Service, name: &str, arguments: &[&str]) -> Vec<Value> {
    let mut command = node::with(&repository(PROGRAMS)).program(&repository(PROGRAMS).join(name));
    let command = command.args(arguments).env("API_URL", service.url()).env("API_KEY", service.key());
    output(command).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn texts(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect()
}

/// The collections that a client reaches from the entry point: path, class, operations.
const RESOURCES: &[(&str, &str, &str)] = &[
    ("documents/properties", "PropertyDocument", "list GET, show GET"),
    ("searches", "Search", "list GET, create POST, show GET, edit PUT, delete DELETE"),
    ("deliveries", "Delivery", "list GET, show GET"),
    ("cities", "City", "list GET, show GET"),
    ("departments", "Department", "list GET, show GET"),
    ("regions", "Region", "list GET, show GET"),
    ("sites", "Site", "list GET, show GET, edit PUT"),
    ("site_categories", "SiteCategory", "list GET, create POST, show GET, edit PUT, delete DELETE"),
];

#[test]
fn libraries_understand_every_resource() {
    let service = Service::start();
    let search = service.fill();
    let parsed = run(&service, "parse.mjs", &[]).remove(0);
    let resources = parsed["resources"].as_object().unwrap();
    let collections: Vec<String> =
        RESOURCES.iter().map(|(name, ..)| format!("/{name}?itemsPerPage=2")).collect();
    let collections: Vec<&str> = collections.iter().map(String::as_str).collect();
    for (expanded, (name, class, operations)) in
        run(&service, "expand.mjs", &collections).iter().zip(RESOURCES)
    {
        let resource = resources.get(*name).unwrap_or_else(|| panic!("{name} is missing: {parsed}"));
        assert_eq!(resource["title"], *class);
        for operation in operations.split(", ") {
            assert!(texts(&resource["operations"]).contains(&operation), "{name}: {operation} is missing");
        }
        assert!(!texts(&resource["parameters"]).is_empty(), "{name} has no parameters");
        // Every key of a real answer is a field.
        let fields = texts(&resource["fields"]);
        let is_member = texts(&expanded["keys"]).iter().all(|key| !key.starts_with("hydra:"));
        for key in texts(&expanded["keys"]).into_iter().filter(|_| is_member) {
            assert!(fields.contains(&key), "{name} has no field {key}");
        }
        check_expanded(expanded);
    }
    let writable = texts(&resources["searches"]["writable"]);
    assert!(writable.contains(&"budgetMax") && !writable.contains(&"token"), "{writable:?}");

    let paths = [
        "/",
        "/documents/properties?page=0",
        "/nowhere",
        "/webhook-secret",
        "/indicators/price_per_meter",
        &search,
    ];
    let expanded = run(&service, "expand.mjs", &paths);
    assert_eq!(expanded.len(), paths.len());
    expanded.iter().for_each(check_expanded);
    assert_eq!(expanded[1]["types"], json!(["http://www.w3.org/ns/hydra/core#Error"]));
}

/// No key is lost, and what the keys stand for is described.
fn check_expanded(expanded: &Value) {
    assert_eq!(expanded["lost"], json!([]), "{expanded}");
    assert_eq!(expanded["undescribed"], json!([]), "{expanded}");
    assert!(!texts(&expanded["types"]).is_empty(), "{expanded}");
}

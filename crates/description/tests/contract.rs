//! Every field and parameter of the contract is described. `contract.txt` is the checked list.

use description::{OperationId, operations, resources};

fn check(kind: &str, name: &str, member: &str) -> bool {
    match kind {
        "fields" => {
            let resource = resources::find(name).unwrap_or_else(|| panic!("no object {name}"));
            resource.fields.iter().any(|field| field.name == member)
        }
        "parameters" => {
            let id = OperationId::ALL.iter().find(|id| id.name() == name);
            let id = id.unwrap_or_else(|| panic!("no operation {name}"));
            let listed = operations::search_parameters(*id);
            listed.iter().any(|parameter| parameter.variable == member)
        }
        other => panic!("unknown kind {other}"),
    }
}

#[test]
fn fields_and_parameters_of_the_contract_are_described() {
    let lines =
        include_str!("contract.txt").lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let mut missing = Vec::new();
    for line in lines {
        let (head, members) = line.split_once(": ").unwrap();
        let (kind, name) = head.split_once(' ').unwrap();
        missing.extend(
            members
                .split(' ')
                .filter(|member| !check(kind, name, member))
                .map(|member| format!("{head}: {member}")),
        );
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

/// The document in the repository is the one that the service answers with.
#[test]
fn open_api_document_is_up_to_date() {
    const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/openapi.json");
    let document = description::openapi::document(env!("CARGO_PKG_VERSION"));
    let text = serde_json::to_string_pretty(&document).unwrap() + "\n";
    if std::env::var_os("VIGIE_RECORD").is_some() {
        std::fs::write(FILE, &text).unwrap();
    }
    let kept = std::fs::read_to_string(FILE).unwrap_or_default();
    assert!(kept == text, "docs/openapi.json is out of date: run `cargo xtask describe`");
}

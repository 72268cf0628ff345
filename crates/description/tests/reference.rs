//! The reference pages are what the tables say.
//!
//! `cargo xtask describe` writes them; otherwise the test compares.

use std::path::Path;

use description::reference::PAGES;

#[test]
fn pages_are_up_to_date() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference");
    let is_writing = std::env::var_os("VIGIE_RECORD").is_some();
    for page in PAGES {
        let path = folder.join(format!("{}.md", page.name));
        let text = std::fs::read_to_string(&path).unwrap();
        let Some(new) = page.regenerate(&text) else { panic!("{} has no markers", page.name) };
        if is_writing {
            std::fs::write(&path, &new).unwrap();
        }
        assert!(is_writing || text == new, "{}.md is out of date: run `cargo xtask describe`", page.name);
    }
}

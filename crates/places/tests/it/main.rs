//! Tests of the embedded gazetteer. One binary, so that the data is loaded once.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed, and says where")]

mod autocomplete;
mod collections;
mod corpus;
mod data;
mod districts;
mod files;
mod outlines;
mod resolving;
mod spellings;
mod stations;
mod tiles;
mod well_known;

use std::sync::OnceLock;

use domain::{GivenPlace, Insee, ShortText, Zipcode};
use places::Gazetteer;

fn gazetteer() -> &'static Gazetteer {
    static GAZETTEER: OnceLock<Gazetteer> = OnceLock::new();
    GAZETTEER.get_or_init(|| Gazetteer::embedded().expect("the embedded data is sound"))
}

fn insee(code: &str) -> Insee {
    Insee::parse(code).expect("a commune code")
}

fn zipcode(text: &str) -> Zipcode {
    Zipcode::parse(text).expect("a zipcode")
}

/// Builds a given place; empty texts are omitted.
fn given(code: &str, zip: &str, name: &str) -> GivenPlace {
    GivenPlace {
        insee: (!code.is_empty()).then(|| insee(code)),
        zipcode: (!zip.is_empty()).then(|| zipcode(zip)),
        city_name: ShortText::new(name).expect("a short text"),
        ..GivenPlace::default()
    }
}

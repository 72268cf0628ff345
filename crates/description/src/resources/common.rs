//! Objects that occur everywhere: errors and collections.

use crate::schema::{Field, Identity, Kind, Resource};

pub fn resources() -> Vec<Resource> {
    vec![Resource {
        name: "ConstraintViolation",
        meaning: "One thing that is wrong with a request",
        identity: Identity::Part,
        fields: vec![
            Field::new("propertyPath", Kind::Text, "The field or parameter; empty for the whole request"),
            Field::new("message", Kind::Text, "What is wrong, with the value"),
            Field::new("code", Kind::Text, "A word for programs"),
        ],
    }]
}

//! `hydra:search`: lists every parameter of an operation.

use std::borrow::Cow;

use serde::Serialize;

/// A parameter as clients write it, and the property it filters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    pub variable: Cow<'static, str>,
    pub property: &'static str,
    pub required: bool,
}

impl Parameter {
    pub const fn new(variable: &'static str, property: &'static str) -> Self {
        Self { variable: Cow::Borrowed(variable), property, required: false }
    }

    /// Builds a parameter whose name is computed.
    pub const fn from_string(variable: String, property: &'static str) -> Self {
        Self { variable: Cow::Owned(variable), property, required: false }
    }
}

#[derive(Debug, Serialize)]
pub struct SearchTemplate {
    #[serde(rename = "@type")]
    kind: &'static str,
    #[serde(rename = "hydra:template")]
    template: String,
    #[serde(rename = "hydra:variableRepresentation")]
    representation: &'static str,
    #[serde(rename = "hydra:mapping")]
    mapping: Vec<Mapping>,
}

#[derive(Debug, Serialize)]
struct Mapping {
    #[serde(rename = "@type")]
    kind: &'static str,
    variable: Cow<'static, str>,
    property: &'static str,
    required: bool,
}

impl SearchTemplate {
    pub fn new(path: &str, parameters: &[Parameter]) -> Self {
        let variables: Vec<&str> = parameters.iter().map(|parameter| &*parameter.variable).collect();
        let mapping = |parameter: &Parameter| Mapping {
            kind: "IriTemplateMapping",
            variable: parameter.variable.clone(),
            property: parameter.property,
            required: parameter.required,
        };
        Self {
            kind: "hydra:IriTemplate",
            template: format!("{path}{{?{}}}", variables.join(",")),
            representation: "BasicRepresentation",
            mapping: parameters.iter().map(mapping).collect(),
        }
    }
}

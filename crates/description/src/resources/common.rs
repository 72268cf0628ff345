//! Objects that occur everywhere: errors and collections.

use crate::codes;
use crate::schema::{Field, Kind, Resource};

#[rustfmt::skip]
pub fn resources() -> Vec<Resource> {
    let violations = || Field::new("violations", Kind::List(&Kind::Object("ConstraintViolation")), "Everything that is wrong with the request");
    vec![
        Resource::answer("Error", "An error. Hydra clients read the keys with hydra:, others those of RFC 9457.", [
            error_head(),
            vec![
                violations().optional(),
                Field::new("receiver", Kind::Object("Receiver"), "What the receiver of a test webhook did; only if it did not answer 200").optional(),
            ],
            problem(),
        ].concat())
        .typed(&["hydra:Error"]),
        Resource::answer("ConstraintViolationList", "The error of a request that can be read and breaks a rule (422)", [error_head(), vec![violations()], problem()].concat()),
        Resource::part("ConstraintViolation", "One thing that is wrong with a request, or a warning about a value", vec![
            Field::new("propertyPath", Kind::Text, "The field or parameter; empty for the whole request"),
            Field::new("message", Kind::Text, "What is wrong, with the value"),
            Field::new("code", Kind::Choice(codes::VIOLATION_CODES), "A word for programs"),
        ]),
        Resource::part("Receiver", "What the receiver of a test webhook did", vec![
            Field::new("outcome", Kind::Choice(codes::OUTCOMES), "How the attempt ended"),
            Field::new("status", Kind::Integer, "The HTTP status that it answered with").or_null(),
            Field::new("durationMs", Kind::Integer, "How long the attempt took, in milliseconds; rounded if no connection was opened"),
            Field::new("detail", Kind::Text, "What is wrong with the certificate of the receiver, and what to do; null otherwise").or_null(),
        ]),
        Resource::part("Collection", "A page of a list", vec![
            Field::new("@context", Kind::Link("Context"), "The JSON-LD context of the members"),
            Field::new("@id", Kind::Link("Collection"), "The path of the list, without parameters"),
            Field::new("@type", Kind::Constant("hydra:Collection"), "The type"),
            Field::new("hydra:member", Kind::List(&Kind::Any), "The members on this page"),
            Field::new("hydra:totalItems", Kind::Integer, "The number of members on all pages"),
            Field::new("hydra:view", Kind::Object("View"), "The links to other pages. Absent if there is one page and no parameter.").optional(),
            Field::new("hydra:search", Kind::Object("SearchTemplate"), "The parameters of the list. Absent in the answer to a list of adverts.").optional(),
        ]),
        Resource::part("View", "Links to the pages of a list. All other parameters are kept.", vec![
            Field::new("@id", Kind::Link("Collection"), "This page"),
            Field::new("@type", Kind::Constant("hydra:PartialCollectionView"), "The type"),
            Field::new("hydra:first", Kind::Link("Collection"), "The first page"),
            Field::new("hydra:last", Kind::Link("Collection"), "The last page; absent if it is not known where it begins").optional(),
            Field::new("hydra:previous", Kind::Link("Collection"), "The page before; absent on the first one").optional(),
            Field::new("hydra:next", Kind::Link("Collection"), "The page after; absent on the last one").optional(),
            Field::new("scannedAdverts", Kind::Integer, "How many adverts were scanned for this page; only of doubtful pairs").optional(),
            Field::new("oldestAdvert", Kind::Link("Advert"), "The oldest advert that was scanned for this page; only of doubtful pairs").optional(),
        ]),
        Resource::part("SearchTemplate", "The parameters of a list, as a URI template", vec![
            Field::new("@type", Kind::Constant("hydra:IriTemplate"), "The type"),
            Field::new("hydra:template", Kind::Text, "The URI template (RFC 6570)"),
            Field::new("hydra:variableRepresentation", Kind::Constant("BasicRepresentation"), "How values are written: as they are"),
            Field::new("hydra:mapping", Kind::List(&Kind::Object("Mapping")), "The variables of the template"),
        ]),
        Resource::part("Mapping", "A parameter of a list", vec![
            Field::new("@type", Kind::Constant("IriTemplateMapping"), "The type"),
            Field::new("variable", Kind::Text, "The name of the parameter"),
            Field::new("property", Kind::Text, "The field that the parameter is about"),
            Field::new("required", Kind::Boolean, "Whether the parameter must be given"),
        ]),
        Resource::part("Health", "The state of the server", vec![
            Field::new("status", Kind::Choice(codes::HEALTH), "The state"),
        ]),
    ]
}

#[rustfmt::skip]
fn error_head() -> Vec<Field> {
    vec![
        Field::new("hydra:title", Kind::Text, "A fixed title"),
        Field::new("hydra:description", Kind::Text, "What is wrong. Several violations are on several lines."),
    ]
}

#[rustfmt::skip]
fn problem() -> Vec<Field> {
    vec![
        Field::new("type", Kind::Link("ErrorType"), "The type of error: /errors/ and the status"),
        Field::new("title", Kind::Text, "The same as hydra:title"),
        Field::new("status", Kind::Integer, "The HTTP status"),
        Field::new("detail", Kind::Text, "The same as hydra:description"),
    ]
}

//! Reading properties: the collection, single documents, similar ones, prices, and why adverts are one property.

use super::{ADMIN, READ, body, moved, none, one, page, parameters};
use crate::codes;
use crate::operation::{Answer, BodyLimit, Content, Method, Operation, OperationId, Parameter, Tag};
use crate::schema::Kind;

pub const OPERATIONS: &[Operation] = &[
    Operation {
        id: OperationId::ListProperties,
        method: Method::Get,
        path: "/documents/properties",
        tag: Tag::Properties,
        access: READ,
        summary: "Search properties",
        description: "Returns a page of the properties that meet all filters. Filters on the property are tested on the property; \
                      those on adverts must hold on one and the same advert. `hydra:totalItems` is exact, and any page can be asked for.",
        parameters: parameters::property_collection,
        body: None,
        answers: &[page("PropertyDocument", "A page of properties")],
        errors: &[422],
    },
    Operation {
        id: OperationId::ExportProperties,
        method: Method::Get,
        path: "/documents/properties.ndjson",
        tag: Tag::Properties,
        access: READ,
        summary: "Export all properties that meet filters",
        description: "Streams one document per line, in the order of their ids, without paging. `X-Total-Items` tells how many there \
                      are. If the stream ends with an error line, ask again with `after`. Another Vigie can import the lines.",
        parameters: || {
            let after =
                Parameter::new("after", "after", Kind::Link("Property"), "Continue after this property");
            [parameters::filters(), vec![after]].concat()
        },
        body: None,
        answers: &[Answer {
            status: 200,
            meaning: "The documents, one per line",
            content: Content::Lines("ExportedProperty"),
            headers: &["X-Total-Items"],
        }],
        errors: &[422],
    },
    Operation {
        id: OperationId::Clusters,
        method: Method::Get,
        path: "/documents/properties/clusters",
        tag: Tag::Properties,
        access: READ,
        summary: "Count the properties of a map's viewport by cell",
        description: "Takes the filters of the collection. The counts are exact. A cell is 64 pixels wide at the zoom (512 pixels for \
                      the world at zoom 0), or larger if the bounds have more cells than any screen shows. A cell with one property \
                      comes as that property, and so do all of them if the viewport has at most 200, or 2,000 from zoom 15 on.",
        parameters: || {
            let bounds = Parameter::new(
                "bounds",
                "bounds",
                Kind::Text,
                "The viewport in degrees: west,south,east,north, borders included",
            );
            let zoom = Parameter::new("zoom", "zoom", Kind::Number, "The zoom of the map, from 0 to 22");
            [parameters::filters(), vec![bounds.required(), zoom.required()]].concat()
        },
        body: None,
        answers: &[one(200, "Clusters", "The properties of the viewport")],
        errors: &[422],
    },
    Operation {
        id: OperationId::Facets,
        method: Method::Get,
        path: "/documents/properties/facets",
        tag: Tag::Properties,
        access: READ,
        summary: "Count the properties that meet filters by price, surface and other fields",
        description: "Takes the filters of the collection. The histogram of a field leaves out the filters on that field itself, so \
                      that it shows what another bound would find. The counts are exact, and the edges of the buckets are fixed.",
        parameters: || {
            let fields = Parameter::new(
                "fields",
                "fields",
                Kind::Text,
                "Separated by commas: price, pricePerMeter, surface, landSurface, rooms",
            );
            [parameters::filters(), vec![fields.default("price,surface")]].concat()
        },
        body: None,
        answers: &[one(200, "Facets", "A histogram of each field")],
        errors: &[422],
    },
    Operation {
        id: OperationId::PropertyByUrl,
        method: Method::Get,
        path: "/documents/properties/by-url",
        tag: Tag::Properties,
        access: READ,
        summary: "Find the property that holds the advert with an address",
        description: "",
        parameters: || vec![Parameter::new("url", "url", Kind::Url, "Address of an advert").required()],
        body: None,
        answers: &[one(200, "PropertyDocument", "The property")],
        errors: &[404],
    },
    Operation {
        id: OperationId::Property,
        method: Method::Get,
        path: "/documents/properties/{id}",
        tag: Tag::Properties,
        access: READ,
        summary: "Read one property",
        description: "",
        parameters: none,
        body: None,
        answers: &[one(200, "PropertyDocument", "The property"), moved(301)],
        errors: &[],
    },
    Operation {
        id: OperationId::PropertyRedirect,
        method: Method::Get,
        path: "/properties/{id}",
        tag: Tag::Properties,
        access: READ,
        summary: "Go to the document of a property",
        description: "For the paths that documents, matches and receipts name.",
        parameters: none,
        body: None,
        answers: &[Answer {
            status: 301,
            meaning: "The path of the document is in `Location`",
            content: Content::Json(Kind::Object("Error")),
            headers: &["Location"],
        }],
        errors: &[],
    },
    Operation {
        id: OperationId::SimilarProperties,
        method: Method::Get,
        path: "/documents/properties/{id}/similar-properties",
        tag: Tag::Properties,
        access: READ,
        summary: "List the properties most similar to one",
        description: "Similar in place, type, price, surface and rooms; of the same transaction, not expired, without the property itself.",
        parameters: parameters::similar_properties,
        body: None,
        answers: &[page("PropertyDocument", "A page of properties"), moved(301)],
        errors: &[],
    },
    Operation {
        id: OperationId::PricePerMeter,
        method: Method::Get,
        path: "/indicators/price_per_meter",
        tag: Tag::Properties,
        access: READ,
        summary: "Price per square metre of the properties that meet filters, over time",
        description: "",
        parameters: || {
            let interval = |name: &'static str| {
                Parameter::new(name, "periods", Kind::Choice(codes::INTERVALS), "Length of a period")
                    .default("month")
            };
            let alias = Parameter {
                alias_of: Some("aggregationInterval".into()),
                ..interval("dateHistogramGranularity")
            };
            [parameters::filters(), vec![interval("aggregationInterval"), alias]].concat()
        },
        body: None,
        answers: &[page("PricePerMeter", "A collection with one member")],
        errors: &[422],
    },
    Operation {
        id: OperationId::Grouping,
        method: Method::Get,
        path: "/documents/properties/{id}/grouping",
        tag: Tag::Grouping,
        access: READ,
        summary: "Explain why adverts are one property",
        description: "With two `adverts[]` it compares these two, whether they are in one property or in two.",
        parameters: || {
            vec![Parameter::new(
                "adverts[]",
                "adverts",
                Kind::List(&Kind::Link("Advert")),
                "Two adverts to compare",
            )]
        },
        body: None,
        answers: &[
            Answer {
                status: 200,
                meaning: "The grouping of the property, or the comparison of two adverts",
                content: Content::Json(Kind::AnyOf(&[
                    Kind::Object("PropertyGrouping"),
                    Kind::Object("AdvertComparison"),
                ])),
                headers: &[],
            },
            moved(301),
        ],
        errors: &[],
    },
    Operation {
        id: OperationId::MergeProperties,
        method: Method::Post,
        path: "/properties/merge",
        tag: Tag::Grouping,
        access: ADMIN,
        summary: "Merge properties into the first one",
        description: "The decision is remembered and counts more than automatic grouping. The uuids of the others redirect to the first.",
        parameters: none,
        body: body("MergeDraft", BodyLimit::LIST),
        answers: &[one(200, "PropertyMerge", "The properties are one")],
        errors: &[404],
    },
    Operation {
        id: OperationId::SplitProperty,
        method: Method::Post,
        path: "/properties/{id}/split",
        tag: Tag::Grouping,
        access: ADMIN,
        summary: "Move adverts of a property to a new one",
        description: "The decision is remembered and counts more than automatic grouping.",
        parameters: none,
        body: body("SplitDraft", BodyLimit::LIST),
        answers: &[super::created("PropertySplit", "The new property"), moved(308)],
        errors: &[],
    },
    Operation {
        id: OperationId::DoubtfulPairs,
        method: Method::Get,
        path: "/grouping/doubtful-pairs",
        tag: Tag::Grouping,
        access: ADMIN,
        summary: "List pairs of adverts that grouping nearly decided the other way",
        description: "Scans the newest 1,000 adverts, and compares them with those near them. Returns the 100 most doubtful pairs at most, \
                      the most doubtful first: at most one for two properties, and one within a property. Pairs that a person decided are \
                      left out, and so are adverts whose sender named the property. `hydra:next` continues with older adverts.",
        parameters: || {
            vec![Parameter::new(
                "before",
                "adverts",
                Kind::Link("Advert"),
                "Scan adverts that are older than this one",
            )]
        },
        body: None,
        answers: &[page("DoubtfulPair", "The pairs")],
        errors: &[],
    },
    Operation {
        id: OperationId::DecideGrouping,
        method: Method::Post,
        path: "/grouping/decisions",
        tag: Tag::Grouping,
        access: ADMIN,
        summary: "Decide whether two adverts are of one property",
        description: "Merges their properties into that of the first advert, or moves the second advert to a new property, if they are \
                      grouped otherwise. The decision is remembered and counts more than automatic grouping; the latest about two \
                      adverts counts.",
        parameters: none,
        body: body("GroupingDecisionDraft", BodyLimit::CONTROL),
        answers: &[one(200, "GroupingDecision", "The decision, and what followed from it")],
        errors: &[404],
    },
];

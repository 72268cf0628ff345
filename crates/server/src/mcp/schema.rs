//! JSON Schemas of arguments, derived from the table of filters: a new filter is a new argument.

use domain::filter::{Codes, Filter, Kind, PlaceKind};
use domain::{
    EventName, FILTERS, FeesResponsibility, GeoAccuracy, PropertyType, PublisherType, TransactionType,
};
use rmcp::model::JsonObject;
use serde_json::{Map, Value, json};
use wire::filters::{is_single_valued, order_names};
use wire::names;

/// Whether filters are described. A model sees all tools at once, so one description is enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    Described,
    NamesOnly,
}

/// The arguments of one tool.
#[derive(Debug, Default)]
pub struct Arguments {
    properties: JsonObject,
    required: Vec<&'static str>,
}

impl Arguments {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn optional(mut self, name: &'static str, kind: Value, description: &str) -> Self {
        self.properties.insert(name.to_owned(), described(kind, description));
        self
    }

    pub fn required(mut self, name: &'static str, kind: Value, description: &str) -> Self {
        self.required.push(name);
        self.optional(name, kind, description)
    }

    /// Adds all filters of the property collection.
    pub fn filters(self, detail: Detail) -> Self {
        self.rows(FILTERS.iter(), detail)
    }

    /// Adds the criteria and settings of a saved search.
    pub fn search(self) -> Self {
        let events: Vec<&str> = EventName::ALL.iter().map(|name| names::event_name(*name)).collect();
        self.rows(wire::search::criteria(), Detail::NamesOnly)
            .optional("title", text(), "Name of the search")
            .optional(
                "notificationEnabled",
                flag(),
                "Whether the search makes matches and sends anything; false by default",
            )
            .optional("notificationRecipient", text(), "E-mail address that new matches are sent to")
            .optional("endpointRecipient", text(), "https address that new matches are posted to")
            .optional("eventEndpoint", text(), "https address that subscribed events are posted to")
            .optional("subscribedEvents", list(json!({"enum": events})), "Events to post")
            .optional("hidePropertyContact", flag(), "Leave contacts out of what is sent")
    }

    pub fn order(self) -> Self {
        let directions = json!({"enum": ["asc", "desc"]});
        let keys: Map<String, Value> =
            order_names().into_iter().map(|name| (name.to_owned(), directions.clone())).collect();
        let order = json!({"type": "object", "properties": keys, "additionalProperties": false});
        self.optional(
            "order",
            order,
            "Sort by one key, such as {\"price\": \"asc\"}; distance needs lat and lon",
        )
    }

    pub fn pages(self) -> Self {
        self.optional("page", json!({"type": "integer", "minimum": 1}), "From 1").optional(
            "itemsPerPage",
            json!({"type": "integer", "minimum": 0, "maximum": 30}),
            "0 only counts",
        )
    }

    fn rows(mut self, filters: impl Iterator<Item = &'static Filter>, detail: Detail) -> Self {
        for filter in filters {
            let kind = kind(filter);
            let schema = match detail {
                Detail::Described => described(kind, &description(filter)),
                Detail::NamesOnly => kind,
            };
            self.properties.insert(filter.name.to_owned(), schema);
        }
        self
    }

    pub fn schema(self) -> JsonObject {
        let Self { properties, required } = self;
        let mut schema = JsonObject::new();
        schema.insert("type".to_owned(), "object".into());
        schema.insert("properties".to_owned(), properties.into());
        if !required.is_empty() {
            schema.insert("required".to_owned(), required.into());
        }
        schema
    }

    pub fn is_required(&self, name: &str) -> bool {
        self.required.contains(&name)
    }

    pub fn names(&self) -> impl Iterator<Item = &String> {
        self.properties.keys()
    }
}

pub fn text() -> Value {
    json!({"type": "string"})
}

pub fn flag() -> Value {
    json!({"type": "boolean"})
}

pub fn list(items: Value) -> Value {
    json!({"type": "array", "items": items})
}

fn described(mut kind: Value, description: &str) -> Value {
    kind["description"] = description.into();
    kind
}

/// Returns the type of a filter's value.
fn kind(filter: &Filter) -> Value {
    match filter.kind {
        Kind::Min(_) | Kind::Max(_) | Kind::Latitude | Kind::Longitude | Kind::Radius => {
            json!({"type": "number"})
        }
        Kind::From(_) | Kind::To(_) => text(),
        Kind::Is(_) | Kind::Only(_) => flag(),
        Kind::Choice(_, codes) if is_single_valued(codes) => json!({"enum": values(codes)}),
        Kind::Choice(_, codes) => list(json!({"enum": values(codes)})),
        Kind::Place(..) | Kind::Site(_) | Kind::SiteCategory(_) | Kind::ExcludedProperty | Kind::Features => {
            list(text())
        }
        Kind::SortMode => json!({"enum": ["property", "advert"]}),
        Kind::Shapes => list(list(list(json!({"type": "number"})))),
        Kind::Expressions => {
            let options = json!({"type": "object", "properties": {"includes": flag(), "strict": flag()}});
            list(list(
                json!({"type": "object", "properties": {"word": text(), "options": options}, "required": ["word"]}),
            ))
        }
    }
}

/// Returns the accepted values of an enumeration.
fn values(codes: Codes) -> Vec<Value> {
    match codes {
        Codes::EnergyLetter => ["A", "B", "C", "D", "E", "F", "G"].map(Value::from).to_vec(),
        codes => codes.all().into_iter().map(Value::from).collect(),
    }
}

/// Returns the row's description, and what a model has to know about the value.
fn description(filter: &Filter) -> String {
    let hint = match filter.kind {
        Kind::From(_) | Kind::To(_) => "YYYY-MM-DD, or ISO 8601 with a time".to_owned(),
        Kind::Choice(_, codes) => match meanings(codes) {
            Some(meanings) => meanings.join(", "),
            None => return filter.description.to_owned(),
        },
        Kind::Place(_, PlaceKind::City) => "ids such as /cities/75056, from location-autocomplete".to_owned(),
        Kind::Place(_, PlaceKind::Department) => {
            "ids such as /departments/75, from location-autocomplete".to_owned()
        }
        Kind::Shapes => "a list of polygons, each a list of [longitude, latitude]".to_owned(),
        Kind::Expressions => {
            let rest = "Groups are alternatives; all entries of a group must hold. options.includes false: the word must be \
                        absent; options.strict true: exactly this word or phrase";
            return format!("Words in title, description, features or district. {rest}");
        }
        _ => return filter.description.to_owned(),
    };
    format!("{}: {hint}", filter.description)
}

/// Returns what each code means, if that is not obvious.
fn meanings(codes: Codes) -> Option<Vec<String>> {
    let names: Vec<(u8, &str)> = match codes {
        Codes::PropertyType => {
            PropertyType::ALL.iter().map(|kind| (kind.code(), property_type(*kind))).collect()
        }
        Codes::TransactionType => {
            TransactionType::ALL.iter().map(|kind| (kind.code(), transaction_type(*kind))).collect()
        }
        Codes::PublisherType => PublisherType::ALL
            .iter()
            .map(|kind| match kind {
                PublisherType::Individual => (kind.code(), "individual"),
                PublisherType::Professional => (kind.code(), "professional"),
            })
            .collect(),
        Codes::FeesResponsibility => FeesResponsibility::ALL
            .iter()
            .map(|kind| match kind {
                FeesResponsibility::Seller => (kind.code(), "seller"),
                FeesResponsibility::Buyer => (kind.code(), "buyer"),
            })
            .collect(),
        Codes::Accuracy => GeoAccuracy::ALL
            .iter()
            .map(|kind| match kind {
                GeoAccuracy::HouseNumber => (kind.code(), "house number"),
                GeoAccuracy::Neighbourhood => (kind.code(), "neighbourhood or city centre"),
            })
            .collect(),
        Codes::EnergyLetter => return None,
    };
    Some(names.into_iter().map(|(code, name)| format!("{code} {name}")).collect())
}

pub const fn property_type(kind: PropertyType) -> &'static str {
    match kind {
        PropertyType::Apartment => "apartment",
        PropertyType::House => "house",
        PropertyType::Building => "building",
        PropertyType::Parking => "parking",
        PropertyType::Office => "office",
        PropertyType::Land => "land",
        PropertyType::Shop => "shop",
    }
}

pub const fn transaction_type(kind: TransactionType) -> &'static str {
    match kind {
        TransactionType::Sell => "for sale",
        TransactionType::Rent => "to let",
    }
}

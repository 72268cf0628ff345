//! The table of tools. Where the assistant server of the live service has the same tool, the name is the same.

use http::Method;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

use super::answer;
use super::api::Call;
use super::schema::{Arguments, Detail, flag, list, text};

/// One tool: a request to the API, its arguments, and how its answer is shown.
pub struct ToolRow {
    pub name: &'static str,
    description: &'static str,
    method: Method,
    /// The path. Names in braces are arguments; the other arguments are the query or the body.
    path: &'static str,
    arguments: fn() -> Arguments,
    effect: Effect,
    /// Returns a sentence and the values, each a block of text.
    pub show: fn(&Value) -> Vec<String>,
}

/// What a call does, as a hint to the client, which may ask its user first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect {
    Reads,
    Adds,
    Changes,
    /// Contacts an address outside.
    Sends,
}

pub const TOOLS: &[ToolRow] = &[
    ToolRow {
        name: "search-properties",
        description: "Search properties by place, price, size, words in the text and many more filters; newest first unless order says \
                      otherwise. Returns the total and a page of summaries.",
        method: Method::GET,
        path: "/documents/properties",
        arguments: || Arguments::new().filters(Detail::Described).order().pages(),
        effect: Effect::Reads,
        show: answer::properties,
    },
    ToolRow {
        name: "get-property",
        description: "Read one property in full, with its adverts, their contacts and the history of prices. Give its id, or the url of \
                      one of its adverts.",
        method: Method::GET,
        path: "/documents/properties/{id}",
        arguments: || {
            Arguments::new().optional("id", text(), "Id of the property").optional(
                "url",
                text(),
                "Address of an advert on a portal, instead of the id",
            )
        },
        effect: Effect::Reads,
        show: answer::property,
    },
    ToolRow {
        name: "find-similar-properties",
        description: "Find properties similar to one, the most similar first.",
        method: Method::GET,
        path: "/documents/properties/{id}/similar-properties",
        arguments: || {
            Arguments::new()
                .required("id", text(), "Id of the property")
                .optional("fromDate", text(), "Only those created on or after this date")
                .order()
                .pages()
        },
        effect: Effect::Reads,
        show: answer::properties,
    },
    ToolRow {
        name: "get-price-per-meter",
        description: "Price per square metre of a market: average, median and development by month or year. Takes the filters of \
                      search-properties, which describes them.",
        method: Method::GET,
        path: "/indicators/price_per_meter",
        arguments: || {
            Arguments::new().filters(Detail::NamesOnly).optional(
                "aggregationInterval",
                json!({"enum": ["month", "year"]}),
                "Length of a period",
            )
        },
        effect: Effect::Reads,
        show: answer::price_per_meter,
    },
    ToolRow {
        name: "location-autocomplete",
        description: "Look up cities and departments by the beginning of a name or zipcode; typing errors are forgiven. Returns the ids \
                      that place filters take.",
        method: Method::GET,
        path: "/public/location-autocomplete",
        arguments: || Arguments::new().required("query", text(), "Beginning of a name or zipcode"),
        effect: Effect::Reads,
        show: answer::places,
    },
    ToolRow {
        name: "get-cities",
        description: "List cities by name, zipcode or INSEE code.",
        method: Method::GET,
        path: "/cities",
        arguments: || {
            Arguments::new()
                .optional("name", text(), "Part of the name")
                .optional("zipcode", list(text()), "Any of these zipcodes")
                .optional("insee", list(text()), "Any of these INSEE codes")
                .pages()
        },
        effect: Effect::Reads,
        show: answer::places,
    },
    ToolRow {
        name: "list-searches",
        description: "List the user's saved searches.",
        method: Method::GET,
        path: "/searches",
        arguments: || {
            Arguments::new()
                .optional("title", text(), "Part of the title")
                .optional("notificationEnabled", flag(), "Only those that notify, or that do not")
                .pages()
        },
        effect: Effect::Reads,
        show: answer::searches,
    },
    ToolRow {
        name: "get-search",
        description: "Read one saved search.",
        method: Method::GET,
        path: "/searches/{id}",
        arguments: || Arguments::new().required("id", text(), "Id of the search"),
        effect: Effect::Reads,
        show: answer::search,
    },
    ToolRow {
        name: "preview-search",
        description: "Try a saved search before creating it: how many properties it finds now, and how many new ones it would have \
                      announced in the last 7 and 30 days. Takes the arguments of create-search.",
        method: Method::POST,
        path: "/searches/preview",
        arguments: || Arguments::new().search(),
        effect: Effect::Reads,
        show: answer::preview,
    },
    ToolRow {
        name: "create-search",
        description: "Save a search. With notificationEnabled, new matches are kept from then on, and sent to the recipients given. The criteria are filters of \
                      search-properties, which describes them; title, transactionType and propertyTypes are required.",
        method: Method::POST,
        path: "/searches",
        arguments: || Arguments::new().search(),
        effect: Effect::Adds,
        show: answer::search,
    },
    ToolRow {
        name: "update-search",
        description: "Change a saved search. A field that is absent keeps its value and null clears it; title, transactionType and \
                      propertyTypes must be sent again. Takes the arguments of create-search.",
        method: Method::PUT,
        path: "/searches/{id}",
        arguments: || Arguments::new().required("id", text(), "Id of the search").search(),
        effect: Effect::Changes,
        show: answer::search,
    },
    ToolRow {
        name: "delete-search",
        description: "Delete a saved search, with its matches and with what it has not sent yet.",
        method: Method::DELETE,
        path: "/searches/{id}",
        arguments: || Arguments::new().required("id", text(), "Id of the search"),
        effect: Effect::Changes,
        show: answer::deleted,
    },
    ToolRow {
        name: "list-matches",
        description: "List the matches of a saved search, newest first, with each property as it was when it matched.",
        method: Method::GET,
        path: "/searches/{id}/matches",
        arguments: || Arguments::new().required("id", text(), "Id of the search").pages(),
        effect: Effect::Reads,
        show: answer::matches,
    },
    ToolRow {
        name: "explain-match",
        description: "Explain why a property meets a saved search or does not, criterion by criterion.",
        method: Method::GET,
        path: "/searches/{search}/explain",
        arguments: || {
            Arguments::new().required("search", text(), "Id of the search").required(
                "property",
                text(),
                "Id of the property",
            )
        },
        effect: Effect::Reads,
        show: answer::explanation,
    },
    ToolRow {
        name: "test-webhook",
        description: "Post a sample message to an https address at once, to try a receiver of webhooks.",
        method: Method::GET,
        path: "/webhook-tester",
        arguments: || {
            Arguments::new().required("endpoint", text(), "https address of the receiver").required(
                "eventType",
                text(),
                "match, or the name of an event such as ad.update.price",
            )
        },
        effect: Effect::Sends,
        show: answer::webhook_sent,
    },
];

/// Where `get-property` looks up the address of an advert.
const BY_URL: &str = "/documents/properties/by-url";

impl ToolRow {
    /// Returns the tool as clients list it.
    pub fn listed(&self) -> Tool {
        let hints = ToolAnnotations::new()
            .read_only(self.effect == Effect::Reads)
            .destructive(self.effect == Effect::Changes)
            .open_world(self.effect == Effect::Sends);
        Tool::new(self.name, self.description, (self.arguments)().schema()).with_annotations(hints)
    }

    /// Returns the request of a call. An error says which argument is wrong.
    pub fn call(&self, mut arguments: JsonObject) -> Result<Call, String> {
        let by_url = self.name == "get-property" && arguments.get("url").is_some_and(|url| !url.is_null());
        let target = if by_url {
            if arguments.remove("id").is_some_and(|id| !id.is_null()) {
                return Err("id, url: give one of them, not both.".to_owned());
            }
            BY_URL.to_owned()
        } else {
            fill(self.path, &mut arguments)?
        };
        // Required ones of the query; those of the path have been used. The API checks all others.
        let known = (self.arguments)();
        let given = |name: &str| arguments.get(name).is_some_and(|value| !value.is_null());
        if let Some(missing) = known
            .names()
            .find(|name| known.is_required(name) && !self.path.contains(&braced(name)) && !given(name))
        {
            return Err(format!("{missing}: this argument is required."));
        }
        if self.method == Method::GET || self.method == Method::DELETE {
            let query = query_string(&arguments);
            let target = if query.is_empty() { target } else { format!("{target}?{query}") };
            return Ok(Call { method: self.method.clone(), target, body: None });
        }
        Ok(Call { method: self.method.clone(), target, body: Some(arguments.into()) })
    }
}

fn braced(name: &str) -> String {
    format!("{{{name}}}")
}

/// Replaces the name in braces by the argument with this name. Paths such as `/searches/…`, as documents show them, are accepted,
/// too.
fn fill(path: &str, arguments: &mut JsonObject) -> Result<String, String> {
    let Some((before, rest)) = path.split_once('{') else { return Ok(path.to_owned()) };
    let Some((name, after)) = rest.split_once('}') else { return Ok(path.to_owned()) };
    let id = match arguments.remove(name) {
        Some(Value::String(id)) => id,
        None | Some(Value::Null) => return Err(format!("{name}: this argument is required.")),
        Some(other) => return Err(format!("{name}: {other} is not an id; an id is a string.")),
    };
    let id = id.trim().trim_end_matches('/');
    let id = id.rsplit('/').next().unwrap_or_default();
    if id.is_empty() || matches!(id, "." | "..") {
        return Err(format!("{name}: this id is empty."));
    }
    Ok(format!("{before}{}{after}", encoded(id)))
}

/// Characters that stay as they are in a query. Everything else is encoded.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

fn encoded(text: &str) -> impl std::fmt::Display + '_ {
    utf8_percent_encode(text, ENCODED)
}

/// Writes arguments as a query string with brackets. `null` means "not given".
fn query_string(arguments: &JsonObject) -> String {
    let mut pairs = Vec::new();
    for (name, value) in arguments {
        write_pairs(name, value, &mut pairs);
    }
    let pairs: Vec<String> =
        pairs.iter().map(|(name, value)| format!("{}={}", encoded(name), encoded(value))).collect();
    pairs.join("&")
}

/// The JSON parser limits the depth of a value, and so the depth of this recursion.
fn write_pairs(name: &str, value: &Value, pairs: &mut Vec<(String, String)>) {
    match value {
        Value::Null => {}
        Value::Bool(flag) => pairs.push((name.to_owned(), flag.to_string())),
        Value::Number(number) => pairs.push((name.to_owned(), number.to_string())),
        Value::String(text) => pairs.push((name.to_owned(), text.clone())),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                write_pairs(&format!("{name}[{index}]"), item, pairs);
            }
        }
        Value::Object(members) => {
            for (member, item) in members {
                write_pairs(&format!("{name}[{member}]"), item, pairs);
            }
        }
    }
}

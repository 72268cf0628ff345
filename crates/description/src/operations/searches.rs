//! Saved searches, their matches, and what they would find.

use super::{SEARCHES, body, created, empty, none, one, page, parameters};
use crate::operation::{BodyLimit, Method, Operation, OperationId, Parameter, Tag};
use crate::schema::Kind;

/// Which searches are listed, in which order.
fn list() -> Vec<Parameter> {
    vec![
        Parameter::new(
            "notificationEnabled",
            "notificationEnabled",
            Kind::Boolean,
            "With notifications, or without",
        ),
        parameters::order("order[title]", "title", "Sort by title"),
        parameters::page(),
        Parameter::new("title", "title", Kind::Text, "Part of the title; case and accents do not matter"),
        parameters::items_per_page(),
    ]
}

/// The period of counts by day.
fn days() -> Parameter {
    Parameter::new("days", "days", Kind::Integer, "How many days, today included; 92 at most").default("30")
}

pub const OPERATIONS: &[Operation] = &[
    Operation {
        id: OperationId::Searches,
        method: Method::Get,
        path: "/searches",
        tag: Tag::Searches,
        access: SEARCHES,
        summary: "List your saved searches",
        description: "",
        parameters: list,
        body: None,
        answers: &[page("Search", "A page of your searches")],
        errors: &[],
    },
    Operation {
        id: OperationId::CreateSearch,
        method: Method::Post,
        path: "/searches",
        tag: Tag::Searches,
        access: SEARCHES,
        summary: "Create a saved search",
        description: "With `notificationEnabled`, matches are made and sent from now on; what is in the stock already is not announced. \
                      See `POST /searches/preview` for how many matches to expect.",
        parameters: none,
        body: body("SearchDraft", BodyLimit::SEARCH),
        answers: &[created("Search", "The search")],
        errors: &[],
    },
    Operation {
        id: OperationId::PreviewSearch,
        method: Method::Post,
        path: "/searches/preview",
        tag: Tag::Searches,
        access: SEARCHES,
        summary: "Preview what a search would find",
        description: "Takes the body of a search, saves nothing, and counts the properties now and the matches of the last days.",
        parameters: none,
        body: body("PreviewDraft", BodyLimit::SEARCH),
        answers: &[one(200, "SearchPreview", "Counts and the first properties")],
        errors: &[],
    },
    Operation {
        id: OperationId::MatchesByDay,
        method: Method::Get,
        path: "/searches/matches-by-day",
        tag: Tag::Searches,
        access: SEARCHES,
        summary: "Count the matches of your searches by day",
        description: "Of the searches that `GET /searches` lists for the same parameters, in the same order. Matches that were deleted \
                      since, with their property or for their age, are not counted.",
        parameters: || [vec![days()], list()].concat(),
        body: None,
        answers: &[page("MatchesByDay", "A page of counts, one member for each search")],
        errors: &[],
    },
    Operation {
        id: OperationId::Search,
        method: Method::Get,
        path: "/searches/{id}",
        tag: Tag::Searches,
        access: SEARCHES,
        summary: "Read a saved search",
        description: "",
        parameters: none,
        body: None,
        answers: &[one(200, "Search", "The search")],
        errors: &[],
    },
    Operation {
        id: OperationId::UpdateSearch,
        method: Method::Put,
        path: "/searches/{id}",
        tag: Tag::Searches,
        access: SEARCHES,
        summary: "Change a saved search",
        description: "A field that is absent keeps its value; `null` or `[]` clears it.",
        parameters: none,
        body: body("SearchDraft", BodyLimit::SEARCH),
        answers: &[one(200, "Search", "The search as it is now")],
        errors: &[409],
    },
    Operation {
        id: OperationId::UpdateSearchByPost,
        method: Method::Post,
        path: "/searches/{id}",
        tag: Tag::Searches,
        access: SEARCHES,
        summary: "Change a saved search, for clients that cannot send PUT",
        description: "The same as `PUT /searches/{id}`.",
        parameters: none,
        body: body("SearchDraft", BodyLimit::SEARCH),
        answers: &[one(200, "Search", "The search as it is now")],
        errors: &[409],
    },
    Operation {
        id: OperationId::DeleteSearch,
        method: Method::Delete,
        path: "/searches/{id}",
        tag: Tag::Searches,
        access: SEARCHES,
        summary: "Delete a saved search",
        description: "Deliveries that were not sent yet are dropped.",
        parameters: none,
        body: None,
        answers: &[empty("The search is gone")],
        errors: &[],
    },
    Operation {
        id: OperationId::ExplainSearch,
        method: Method::Get,
        path: "/searches/{id}/explain",
        tag: Tag::Searches,
        access: SEARCHES,
        summary: "Explain why a property matches a search or does not",
        description: "",
        parameters: || {
            vec![
                Parameter::new("property", "property", Kind::Link("Property"), "The property to explain")
                    .required(),
            ]
        },
        body: None,
        answers: &[one(200, "Explanation", "Each criterion, with the value that meets or fails it")],
        errors: &[422],
    },
    Operation {
        id: OperationId::SearchMatches,
        method: Method::Get,
        path: "/searches/{id}/matches",
        tag: Tag::Searches,
        access: SEARCHES,
        summary: "List the matches of a search",
        description: "Newest first, each with the property as it was when it matched.",
        parameters: || vec![parameters::page(), parameters::items_per_page()],
        body: None,
        answers: &[page("Match", "A page of matches")],
        errors: &[],
    },
    Operation {
        id: OperationId::SearchMatchesByDay,
        method: Method::Get,
        path: "/searches/{id}/matches-by-day",
        tag: Tag::Searches,
        access: SEARCHES,
        summary: "Count the matches of a search by day",
        description: "",
        parameters: || vec![days()],
        body: None,
        answers: &[one(200, "MatchesByDay", "The counts")],
        errors: &[],
    },
    Operation {
        id: OperationId::Match,
        method: Method::Get,
        path: "/matches/{id}",
        tag: Tag::Searches,
        access: SEARCHES,
        summary: "Read a match",
        description: "",
        parameters: none,
        body: None,
        answers: &[one(200, "Match", "The match")],
        errors: &[],
    },
];

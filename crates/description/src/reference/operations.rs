//! The operations, chapter by chapter, with their parameters, bodies, answers and errors.

use super::{kind_name, link_to};
use crate::operation::{Access, Answer, Content, Operation, Parameter, Tag};
use crate::operations;
use crate::schema::Kind;

/// More parameters than this are shown on a page of their own.
const PARAMETERS_MAX: usize = 30;

/// Returns the sections of all operations.
pub fn operations() -> String {
    let mut text = String::new();
    let mut chapter: Option<Tag> = None;
    for (tag, name, meaning) in crate::openapi::TAGS {
        for operation in operations::all().filter(|operation| operation.tag == *tag) {
            if chapter.replace(*tag) != Some(*tag) {
                text.push_str(&format!("## {name}\n\n{meaning}.\n\n"));
            }
            text.push_str(&section(operation));
        }
    }
    text
}

fn section(operation: &Operation) -> String {
    let access = match operation.access {
        Access::Open => "No key is needed.".to_owned(),
        Access::AnyKey => "Any key will do.".to_owned(),
        Access::Scope(scope) => format!("Scope `{}`.", scope.word()),
    };
    let mut text = format!(
        "### `{} {}`\n\n{}. {access}\n\n",
        operation.method.name(),
        operation.path,
        operation.summary
    );
    if !operation.description.is_empty() {
        text.push_str(&format!("{}\n\n", operation.description));
    }
    text.push_str(&parameters(&(operation.parameters)()));
    if let Some(body) = &operation.body {
        let need = if body.required { "Body" } else { "Body, which may be absent" };
        text.push_str(&format!("{need}: {}. {}.\n\n", kind_name(body.kind), body.limit.sentence()));
    }
    text.push_str("| Status | Answer |\n|---|---|\n");
    for answer in operation.answers {
        text.push_str(&format!("| {} | {}{} |\n", answer.status, answer.meaning, content(answer)));
    }
    let errors: Vec<String> = crate::openapi::error_statuses(operation).iter().map(u16::to_string).collect();
    text.push_str(&format!("| {} | {} |\n\n", errors.join(", "), link_to("Error")));
    text
}

fn content(answer: &Answer) -> String {
    match answer.content {
        Content::Empty | Content::Other(_, None) | Content::Negotiated(_) => String::new(),
        Content::Json(kind) | Content::Other(_, Some(kind)) => format!(": {}", kind_name(kind)),
        Content::Lines(name) => format!(": {}", link_to(name)),
    }
}

fn parameters(parameters: &[Parameter]) -> String {
    if parameters.is_empty() {
        return String::new();
    }
    if parameters.len() > PARAMETERS_MAX {
        let own =
            parameters.iter().filter(|parameter| domain::Filter::named(stem(&parameter.name)).is_none());
        let own: Vec<String> = own.map(|parameter| format!("`{}`", parameter.name)).collect();
        return format!("Parameters: every [filter](filters.md), and {}.\n\n", own.join(", "));
    }
    let mut text = String::from("| Parameter | Type | Meaning |\n|---|---|---|\n");
    for parameter in parameters {
        let mut meaning = match &parameter.alias_of {
            Some(name) => format!("another name of `{name}`"),
            None => parameter.meaning.to_string(),
        };
        if let Kind::Choice(choices) = parameter.kind {
            let texts: Vec<String> = choices.iter().map(|choice| format!("`{}`", choice.text)).collect();
            meaning.push_str(&format!("; one of {}", texts.join(", ")));
        }
        if let Some(default) = parameter.default {
            meaning.push_str(&format!("; `{default}` by default"));
        }
        if parameter.required {
            meaning.push_str("; required");
        }
        text.push_str(&format!("| `{}` | {} | {meaning} |\n", parameter.name, kind_name(parameter.kind)));
    }
    text.push('\n');
    text
}

fn stem(name: &str) -> &str {
    name.split('[').next().unwrap_or_default()
}

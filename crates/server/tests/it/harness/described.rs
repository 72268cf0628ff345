//! Compares every answer that a test receives with the description of its operation, so that the two cannot drift apart.

use description::operation::{Content, Operation};
use description::{Kind, operations};
use serde_json::Value;

use super::client::Response;

/// Panics if an answer is not what the description says: its status, its body, and the parameters it accepted.
pub fn assert_described(head: &str, response: &Response) {
    let mut words = head.lines().next().unwrap_or_default().split(' ');
    let (Some(method), Some(target)) = (words.next(), words.next()) else { return };
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    // Answers of the HTTP library have no request id, and unknown paths no operation.
    let Some(operation) = operations::of_request(method, path) else { return };
    if response.header("X-Request-Id").is_none() {
        return;
    }
    // Another method on the path of an operation is no operation, and this client does not decompress.
    if response.status == 405 || response.header("Content-Encoding").is_some() {
        return;
    }
    let problems = problems(operation, query, response);
    assert!(
        problems.is_empty(),
        "{method} {target} is not as described:\n{}\n{}",
        problems.join("\n"),
        String::from_utf8_lossy(&response.body)
    );
}

fn problems(operation: &Operation, query: &str, response: &Response) -> Vec<String> {
    let status = response.status;
    if let Some(answer) = operation.answers.iter().find(|answer| answer.status == status) {
        let mut problems = unknown_parameters(operation, query, response);
        problems.extend(match answer.content {
            Content::Empty if response.body.is_empty() => Vec::new(),
            Content::Empty => vec!["the body should be empty".to_owned()],
            Content::Lines(name) => lines(Kind::Object(name), response),
            Content::Json(_) if response.header("Content-Type") == Some("application/x-ndjson") => {
                lines(Kind::Object("AdvertReceipt"), response)
            }
            Content::Json(kind) | Content::Other(_, Some(kind)) => body(kind, &response.body),
            Content::Other(_, None) | Content::Negotiated(_) => Vec::new(),
        });
        return problems;
    }
    if !description::openapi::error_statuses(operation).contains(&status) {
        return vec![format!("status {status} is not listed")];
    }
    let is_page =
        response.header("Content-Type").is_some_and(|media_type| media_type.starts_with("text/html"));
    if is_page {
        return Vec::new();
    }
    match serde_json::from_slice::<Value>(&response.body) {
        Ok(error) if error["@type"] == "ConstraintViolationList" => {
            description::check::check(Kind::Object("ConstraintViolationList"), &error)
        }
        Ok(error) => description::check::check(Kind::Object("Error"), &error),
        Err(error) => vec![format!("the error is not JSON: {error}")],
    }
}

fn body(kind: Kind, bytes: &[u8]) -> Vec<String> {
    match serde_json::from_slice(bytes) {
        Ok(value) => description::check::check(kind, &value),
        Err(error) => vec![format!("not JSON: {error}")],
    }
}

/// Checks a stream line by line. The last line may be an error.
fn lines(kind: Kind, response: &Response) -> Vec<String> {
    let lines = response.body.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines
        .filter(|line| !line.windows(11).any(|window| window == b"hydra:Error"))
        .flat_map(|line| body(kind, line))
        .collect()
}

/// Returns the parameters that were accepted although the description does not list them.
fn unknown_parameters(operation: &Operation, query: &str, response: &Response) -> Vec<String> {
    let ignored = response.header("X-Ignored-Parameters").unwrap_or_default();
    // A long list is truncated.
    if ignored.contains(", and ") {
        return Vec::new();
    }
    let known: Vec<String> =
        (operation.parameters)().iter().map(|parameter| stem(&parameter.name).to_owned()).collect();
    let given = query.split('&').filter_map(|pair| pair.split('=').next()).filter(|name| !name.is_empty());
    given
        .map(|name| stem(&name.replace("%5B", "[").replace("%5b", "[").replace("%5D", "]")).to_owned())
        .filter(|name| !known.contains(name) && !ignored.contains(name.as_str()) && name.is_ascii())
        .filter(|name| !name.contains(['%', '+']))
        .map(|name| format!("the parameter {name} was accepted and is not listed"))
        .collect()
}

/// Returns a name without what varies: `order[x]` stays, `x[0]` becomes `x`.
fn stem(name: &str) -> &str {
    if name.starts_with("order[") { name } else { name.split('[').next().unwrap_or_default() }
}

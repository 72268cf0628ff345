//! The tools of assistants, by the Model Context Protocol.
//!
//! A tool is one request to the HTTP API, made with the caller's key: scopes, limits and errors are those of the API. [`tools`] is
//! the table of tools, [`schema`] derives their arguments from the table of filters, and [`answer`] shortens what the API answers.
//! `/mcp` calls the router in the same process; `vigie mcp` calls a server over HTTP.

mod answer;
pub mod api;
mod schema;
mod tools;

use std::sync::LazyLock;

use http::StatusCode;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorCode, Implementation,
    JsonObject, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;

use api::{Answer, Api, ApiError};
use tools::{TOOLS, ToolRow};

/// Told to the model at the start of a session.
const INSTRUCTIONS: &str = "Vigie holds real-estate listings in France: properties for sale and to let, each with the adverts of all \
    portals that show it. Look places up with location-autocomplete before you filter by them, and pass the ids it returns. Amounts are \
    in euros, surfaces in square metres. Search with expired=false unless past listings are wanted. Lists are short: use page for more, \
    and get-property for one property in full. Before create-search, show the user what preview-search finds.";

/// The descriptions of all tools: a few tens of kilobytes that never change.
static LISTED: LazyLock<Vec<Tool>> = LazyLock::new(|| TOOLS.iter().map(ToolRow::listed).collect());

/// A session of an assistant. It keeps nothing between two calls.
pub struct Assistant<A> {
    api: A,
}

impl<A: Api> Assistant<A> {
    pub const fn new(api: A) -> Self {
        Self { api }
    }

    /// Calls a tool. An error is a sentence for the model.
    async fn call(&self, tool: &ToolRow, arguments: JsonObject) -> Result<Vec<String>, String> {
        let call = tool.call(arguments)?;
        let (method, body) = (call.method.clone(), call.body.clone());
        let mut answer = self.api.call(call).await.map_err(|error| describe(&error))?;
        // A property that was merged into another one.
        if let Some(location) = answer.location.take().filter(|_| answer.status.is_redirection()) {
            let moved = api::Call { method, target: location, body };
            answer = self.api.call(moved).await.map_err(|error| describe(&error))?;
        }
        let Answer { status, location: _, body } = answer;
        if status.is_success() { Ok((tool.show)(&body)) } else { Err(refusal(status, &body)) }
    }
}

/// Returns an error and its causes on one line.
fn describe(error: &ApiError) -> String {
    let causes = std::iter::successors(std::error::Error::source(error), |cause| cause.source());
    causes.fold(format!("The call failed: {error}"), |text, cause| format!("{text}: {cause}"))
}

/// Returns the error of the API as the model reads it: one line per violation, with the field and what is accepted.
fn refusal(status: StatusCode, body: &Value) -> String {
    let violations = body["violations"].as_array().map(Vec::as_slice).unwrap_or_default();
    let lines: Vec<String> = violations
        .iter()
        .map(|violation| {
            let (path, message) = (violation["propertyPath"].as_str(), violation["message"].as_str());
            match (path.unwrap_or_default(), message.unwrap_or_default()) {
                ("", message) => message.to_owned(),
                (path, message) => format!("{path}: {message}"),
            }
        })
        .collect();
    let detail = if lines.is_empty() { answer::text(&body["detail"]).to_owned() } else { lines.join("\n") };
    let advice = match status {
        StatusCode::UNAUTHORIZED => " The assistant's configuration must hold a valid key.",
        StatusCode::FORBIDDEN => " The key lacks the scope that this tool needs.",
        StatusCode::NOT_FOUND => " Nothing has this id, or it belongs to another user.",
        _ => "",
    };
    let end = if detail.ends_with('.') { "" } else { "." };
    format!("Refused with status {}. {detail}{end}{advice}", status.as_u16())
}

impl<A: Api> ServerHandler for Assistant<A> {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("vigie", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(LISTED.clone()))
    }

    /// Everything that can go wrong with a known tool is a result that the model can read, never an error of the protocol: clients
    /// hide those from the model.
    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = TOOLS.iter().find(|tool| tool.name == request.name) else {
            let message = format!("There is no tool \"{}\".", request.name);
            return Err(ErrorData::new(ErrorCode::INVALID_PARAMS, message, None));
        };
        let called = self.call(tool, request.arguments.unwrap_or_default()).await;
        Ok(match called {
            Ok(blocks) => CallToolResult::success(blocks.into_iter().map(ContentBlock::text).collect()),
            Err(message) => CallToolResult::error(vec![ContentBlock::text(message)]),
        }
        .into())
    }
}

#[cfg(test)]
mod tests;

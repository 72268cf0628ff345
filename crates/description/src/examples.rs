//! Real requests and answers, recorded from a server. A test of the server records them again and compares.

use std::sync::LazyLock;

use serde_json::Value;

use crate::operation::OperationId;

/// By name of the operation: `request` is a body, and `answers` are bodies by status.
static EXAMPLES: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("../examples.json")).unwrap_or_default());

/// Returns the body of a request.
pub fn request(operation: OperationId) -> Option<Value> {
    EXAMPLES.get(operation.name())?.get("request").cloned()
}

/// Returns the body of an answer.
pub fn answer(operation: OperationId, status: u16) -> Option<Value> {
    EXAMPLES.get(operation.name())?.get("answers")?.get(status.to_string()).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_is_json_and_names_operations_only() {
        let examples: Value = serde_json::from_str(include_str!("../examples.json")).unwrap();
        for name in examples.as_object().unwrap().keys() {
            assert!(OperationId::ALL.iter().any(|id| id.name() == name), "{name}");
        }
    }
}

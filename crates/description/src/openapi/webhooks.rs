//! The requests that the service sends.

use serde_json::{Value, json};

use super::schemas::schema;
use crate::schema::Kind;

pub fn webhooks() -> Value {
    json!({
        "match": webhook("A property came to meet a saved search", "endpointRecipient", "WebhookMatch"),
        "event": webhook("An advert of a property that meets a saved search changed", "eventEndpoint", "WebhookEvent"),
    })
}

fn webhook(summary: &str, recipient: &str, body: &'static str) -> Value {
    let header = |name: &str, meaning: &str| json!({"name": name, "in": "header", "required": true, "description": meaning, "schema": {"type": "string"}});
    json!({"post": {
        "operationId": body,
        "summary": summary,
        "description": format!(
            "Sent to the `{recipient}` of the search. Signed as in the Standard Webhooks specification. After any answer but 200 \
             it is sent again, up to five times, an hour apart."
        ),
        "parameters": [
            header("webhook-id", "The id of the delivery; the same when it is sent again"),
            header("webhook-timestamp", "When this attempt was made, in seconds since 1970"),
            header("webhook-signature", "`v1,` and the signature in Base64; two, separated by a space, after a rotation"),
        ],
        "requestBody": {"required": true, "content": {"application/json": {"schema": schema(Kind::Object(body), false)}}},
        "responses": {"200": {"description": "The receiver has the data"}},
    }})
}

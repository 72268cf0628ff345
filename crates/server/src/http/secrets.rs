//! The secret that signs a user's webhooks. Responses must not be cached; the middleware sets `no-store` on every response unless
//! the handler sets its own `Cache-Control`.

use app::access::Caller;
use axum::Extension;
use axum::extract::{Request, State};
use axum::response::Response;
use description::OperationId;
use domain::WebhookSecrets;
use http::StatusCode;
use wire::delivery::WebhookSecretBody;

use super::error::{Problem, json};
use super::parameters::QueryText;
use super::{Shared, body};

/// `GET /webhook-secret`
pub async fn one(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
) -> Result<Response, Problem> {
    let secrets = shared.app.webhook_secrets(caller.user.id).await?;
    Ok(present(&shared, &secrets))
}

/// `POST /webhook-secret/rotate`
pub async fn rotate(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    query: QueryText,
    request: Request,
) -> Result<Response, Problem> {
    let ignored = body::expect_empty(&shared, OperationId::RotateWebhookSecret, &query, request).await?;
    let secrets = shared.app.rotate_webhook_secret(caller.user.id).await?;
    tracing::info!(user = %caller.user.id, "webhook secret rotated");
    Ok(ignored.on(present(&shared, &secrets)))
}

fn present(shared: &Shared, secrets: &WebhookSecrets) -> Response {
    let now = shared.app.clock().now();
    let previous_until = secrets.replaced_valid_until(now);
    let text = delivery::signature::text_of(&secrets.current);
    let zone = &shared.config.time_zone;
    json(StatusCode::OK, &WebhookSecretBody::of(text, secrets.created_at, previous_until, zone))
}

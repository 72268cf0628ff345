//! A transport that sends nothing, records every message, and answers as the test says.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use delivery::{AttemptResult, ConfirmationEmail, Email, Reach, SequenceHeaders, WebhookMessage};
use domain::{DeliveryId, Endpoint, Outcome, PhaseTimings, Timestamp};
use serde_json::Value;
use tokio::sync::Notify;

use crate::dispatch::{EndpointRefused, Transport};

/// A webhook that was sent.
#[derive(Debug, Clone)]
pub struct SentWebhook {
    pub id: DeliveryId,
    pub at: Timestamp,
    pub path: String,
    pub body: Vec<u8>,
    pub secrets: usize,
    pub order: Option<SequenceHeaders>,
}

impl SentWebhook {
    /// Describes the JSON body: the event or "match", and the description of the property.
    pub fn summary(&self) -> String {
        let body: Value = serde_json::from_slice(&self.body).unwrap();
        let (kind, matched) = match body.get("event") {
            Some(event) => (event.as_str().unwrap(), &body["match"]),
            None => ("match", &body),
        };
        format!("{kind}: {}", matched["propertyDocument"]["description"].as_str().unwrap())
    }

    /// Returns `true` if the body shows no contact.
    pub fn hides_contacts(&self) -> bool {
        let body: Value = serde_json::from_slice(&self.body).unwrap();
        let contact = &body["propertyDocument"]["adverts"][0]["contact"];
        contact.as_object().unwrap().values().all(Value::is_null)
    }
}

#[derive(Debug, Clone, Default)]
pub enum Answer {
    Outcome(Outcome),
    /// The receiver gets the message, and never answers.
    #[default]
    Never,
    /// The receiver gets the message, and answers with success when notified.
    When(Arc<Notify>),
}

#[derive(Default)]
pub struct FakeTransport {
    state: Mutex<State>,
    sent: Notify,
}

#[derive(Default)]
struct State {
    webhooks: Vec<SentWebhook>,
    emails: Vec<Email>,
    questions: Vec<ConfirmationEmail>,
    answer: Option<Answer>,
    by_host: HashMap<String, Answer>,
    email_is_off: bool,
}

impl FakeTransport {
    pub fn webhooks(&self) -> Vec<SentWebhook> {
        self.state.lock().unwrap().webhooks.clone()
    }

    /// Waits until `count` webhooks were sent.
    pub async fn wait_for_webhooks(&self, count: usize) {
        while self.webhooks().len() < count {
            self.sent.notified().await;
        }
    }

    pub fn emails(&self) -> Vec<Email> {
        self.state.lock().unwrap().emails.clone()
    }

    pub fn questions(&self) -> Vec<ConfirmationEmail> {
        self.state.lock().unwrap().questions.clone()
    }

    pub fn always(&self, answer: Answer) {
        self.state.lock().unwrap().answer = Some(answer);
    }

    /// Holds back all answers until the returned handle is notified.
    pub fn hold(&self) -> Arc<Notify> {
        let notify = Arc::new(Notify::new());
        self.always(Answer::When(Arc::clone(&notify)));
        notify
    }

    pub fn hang_on(&self, host: &str) {
        self.state.lock().unwrap().by_host.insert(host.to_owned(), Answer::Never);
    }

    pub fn turn_off_email(&self) {
        self.state.lock().unwrap().email_is_off = true;
    }

    async fn answer(&self, answer: Answer) -> AttemptResult {
        let outcome = match answer {
            Answer::Outcome(outcome) => outcome,
            Answer::Never => std::future::pending().await,
            Answer::When(notify) => {
                notify.notified().await;
                Outcome::Delivered
            }
        };
        AttemptResult {
            outcome,
            status: Some(200),
            took: Duration::from_millis(3),
            excerpt: b"fine".to_vec(),
            headers: Vec::new(),
            timings: PhaseTimings::default(),
            certificate: None,
            reach: Reach::Connected,
        }
    }
}

#[async_trait]
impl Transport for FakeTransport {
    async fn send_webhook(&self, message: &WebhookMessage) -> AttemptResult {
        let host = self.check_endpoint(&message.endpoint).unwrap();
        let answer = {
            let mut state = self.state.lock().unwrap();
            let path = message.endpoint.as_str().split('/').skip(3).collect::<Vec<_>>().join("/");
            state.webhooks.push(SentWebhook {
                id: message.id,
                at: message.at,
                path: format!("/{path}"),
                body: message.body.to_vec(),
                secrets: message.secrets.len(),
                order: message.order,
            });
            let default = state.answer.clone().unwrap_or(Answer::Outcome(Outcome::Delivered));
            state.by_host.get(&host).cloned().unwrap_or(default)
        };
        self.sent.notify_one();
        self.answer(answer).await
    }

    async fn send_email(&self, email: &Email) -> AttemptResult {
        let answer = {
            let mut state = self.state.lock().unwrap();
            state.emails.push(email.clone());
            state.answer.clone().unwrap_or(Answer::Outcome(Outcome::Delivered))
        };
        self.answer(answer).await
    }

    async fn send_confirmation(&self, email: &ConfirmationEmail) -> AttemptResult {
        let answer = {
            let mut state = self.state.lock().unwrap();
            state.questions.push(email.clone());
            state.answer.clone().unwrap_or(Answer::Outcome(Outcome::Delivered))
        };
        self.answer(answer).await
    }

    fn check_endpoint(&self, endpoint: &Endpoint) -> Result<String, EndpointRefused> {
        let host = endpoint.as_str().split('/').nth(2).unwrap_or_default();
        Ok(format!("{host}:443"))
    }

    fn sends_email(&self) -> bool {
        !self.state.lock().unwrap().email_is_off
    }
}

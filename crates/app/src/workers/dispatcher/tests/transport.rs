//! A transport that carries nothing, remembers everything, and answers as it is told; and a renderer that writes plain words.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use delivery::{AttemptResult, Email, SequenceHeaders, WebhookMessage};
use domain::{
    AdvertEvent, Contact, DeliveryId, Endpoint, EventName, Outcome, Property, SiteDirectory, Timestamp,
};
use tokio::sync::Notify;

use crate::App;
use crate::dispatch::{EndpointRefused, PayloadRenderer, Told, Transport};

/// A message that was carried.
#[derive(Debug, Clone)]
pub struct Carried {
    pub id: DeliveryId,
    pub at: Timestamp,
    pub path: String,
    pub body: Vec<u8>,
    pub secrets: usize,
    pub order: Option<SequenceHeaders>,
}

impl Carried {
    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }
}

#[derive(Debug, Clone, Default)]
pub enum Answer {
    Is(Outcome),
    /// The receiver has it, and nothing more is ever heard.
    #[default]
    TakenThenSilence,
    /// The receiver has it, and says so when it is told to.
    When(Arc<Notify>),
}

#[derive(Default)]
pub struct TestCarrier {
    state: Mutex<State>,
    came: Notify,
}

#[derive(Default)]
struct State {
    posts: Vec<Carried>,
    emails: Vec<Email>,
    answer: Option<Answer>,
    by_host: HashMap<String, Answer>,
    no_letters: bool,
}

impl TestCarrier {
    pub fn posts(&self) -> Vec<Carried> {
        self.state.lock().unwrap().posts.clone()
    }

    /// Waits until so many were carried.
    pub async fn carried(&self, count: usize) {
        while self.posts().len() < count {
            self.came.notified().await;
        }
    }

    pub fn emails(&self) -> Vec<Email> {
        self.state.lock().unwrap().emails.clone()
    }

    pub fn always(&self, answer: Answer) {
        self.state.lock().unwrap().answer = Some(answer);
    }

    /// Everything is taken and answered only when that is told.
    pub fn hold(&self) -> Arc<Notify> {
        let notify = Arc::new(Notify::new());
        self.always(Answer::When(Arc::clone(&notify)));
        notify
    }

    pub fn hang_on(&self, host: &str) {
        self.state.lock().unwrap().by_host.insert(host.to_owned(), Answer::TakenThenSilence);
    }

    pub fn no_letters(&self) {
        self.state.lock().unwrap().no_letters = true;
    }

    async fn answered(&self, answer: Answer) -> AttemptResult {
        let outcome = match answer {
            Answer::Is(outcome) => outcome,
            Answer::TakenThenSilence => std::future::pending().await,
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
        }
    }
}

#[async_trait]
impl Transport for TestCarrier {
    async fn post(&self, post: &WebhookMessage) -> AttemptResult {
        let host = self.judge(&post.endpoint).unwrap();
        let answer = {
            let mut state = self.state.lock().unwrap();
            let path = post.endpoint.as_str().split('/').skip(3).collect::<Vec<_>>().join("/");
            state.posts.push(Carried {
                id: post.id,
                at: post.at,
                path: format!("/{path}"),
                body: post.body.to_vec(),
                secrets: post.secrets.len(),
                order: post.order,
            });
            let otherwise = state.answer.clone().unwrap_or(Answer::Is(Outcome::Delivered));
            state.by_host.get(&host).cloned().unwrap_or(otherwise)
        };
        self.came.notify_one();
        self.answered(answer).await
    }

    async fn email(&self, email: &Email) -> AttemptResult {
        let answer = {
            let mut state = self.state.lock().unwrap();
            state.emails.push(email.clone());
            state.answer.clone().unwrap_or(Answer::Is(Outcome::Delivered))
        };
        self.answered(answer).await
    }

    fn judge(&self, endpoint: &Endpoint) -> Result<String, EndpointRefused> {
        let host = endpoint.as_str().split('/').nth(2).unwrap_or_default();
        Ok(format!("{host}:443"))
    }

    fn sends_email(&self) -> bool {
        !self.state.lock().unwrap().no_letters
    }
}

/// Writes what a test can read.
pub struct TestScribe;

impl PayloadRenderer for TestScribe {
    fn document(&self, _: &App, _: &SiteDirectory, property: &Property) -> Option<Vec<u8>> {
        let description = property.derive()?.description?.as_str().to_owned();
        let hidden = property.adverts.iter().all(|advert| advert.details.contact == Contact::default());
        Some(format!("{description}{}", if hidden { ", hidden" } else { "" }).into_bytes())
    }

    fn match_body(&self, told: &Told<'_>) -> Vec<u8> {
        format!("match of {}", String::from_utf8_lossy(told.document)).into_bytes()
    }

    fn event_body(&self, name: EventName, _: &AdvertEvent, told: &Told<'_>) -> Vec<u8> {
        format!("{name:?} in {}", String::from_utf8_lossy(told.document)).into_bytes()
    }
}

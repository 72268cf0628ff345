//! From what is due to what is sent: documents as they were first sent, bodies around them, signatures' secrets.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use bytes::Bytes;
use delivery::{Email, SequenceHeaders, WebhookMessage};
use domain::{DeliveryId, Endpoint, Property, PropertyId, SiteDirectory, Timestamp, UserId, WebhookSecret};
use store::{Contacts, DeliverySubject, DocumentKey, DueDelivery, Notification, StoredSearch};

use super::email::email;
use super::round::Slot;
use crate::dispatch::{Dispatch, Told};
use crate::{App, Error};

/// Something to be brought, before it is written.
pub struct OutboundMessage {
    /// One, or all that a email tells of.
    pub due: Vec<DueDelivery>,
    pub message: Message,
    pub slot: Slot,
}

pub enum Message {
    WebhookMessage { search: Arc<StoredSearch>, endpoint: Endpoint },
    Email { search: Arc<StoredSearch> },
}

/// What can be sent.
pub struct Ready {
    pub due: Vec<DueDelivery>,
    pub content: Content,
    pub slot: Slot,
}

pub enum Content {
    WebhookMessage(WebhookMessage),
    Email(Email),
}

impl Ready {
    pub fn ids(&self) -> impl Iterator<Item = DeliveryId> {
        self.due.iter().map(|due| due.id)
    }
}

/// What came of writing.
#[derive(Default)]
pub struct Written {
    pub ready: Vec<Ready>,
    /// Nothing is left of what these tell of.
    pub erased: Vec<DeliveryId>,
    /// Those that do not say how to reach the advertiser.
    pub hidden: Vec<DeliveryId>,
    /// Documents that are sent for the first time.
    pub documents: Vec<(DocumentKey, Vec<u8>)>,
}

/// Everything that is read before anything is written.
struct RenderInputs {
    documents: HashMap<DocumentKey, Bytes>,
    properties: HashMap<(PropertyId, u32), Property>,
    secrets: HashMap<UserId, Vec<WebhookSecret>>,
}

pub async fn write(
    app: &App,
    dispatch: &Dispatch,
    messages: Vec<OutboundMessage>,
    now: Timestamp,
) -> Result<Written, Error> {
    let mut written = Written::default();
    let mut inputs = RenderInputs::lay_out(app, &messages, now).await?;
    let sites = app.sites().await?;
    for mut message in messages {
        match &message.message {
            Message::WebhookMessage { search, endpoint } => {
                let Some(due) = message.due.first() else { continue };
                let body = inputs.body(app, dispatch, &sites, search, due, &mut written.documents);
                let Some(body) = body else {
                    written.erased.push(due.id);
                    continue;
                };
                if contacts(search, due) == Contacts::Hidden {
                    written.hidden.push(due.id);
                }
                let secrets = inputs.secrets.get(&search.search.owner).cloned().unwrap_or_default();
                let order = due
                    .about
                    .as_ref()
                    .map(|about| SequenceHeaders { sequence: due.number, property_version: about.version });
                let post =
                    WebhookMessage { endpoint: endpoint.clone(), id: due.id, at: now, secrets, order, body };
                written.ready.push(Ready {
                    due: message.due,
                    content: Content::WebhookMessage(post),
                    slot: message.slot,
                });
            }
            Message::Email { search } => {
                let search = Arc::clone(search);
                // What was erased is left out of the email, and of nothing else.
                let there = |due: &DueDelivery| inputs.property(due).and_then(Property::derive).is_some();
                let (kept, erased): (Vec<_>, Vec<_>) =
                    std::mem::take(&mut message.due).into_iter().partition(there);
                written.erased.extend(erased.iter().map(|due| due.id));
                let properties = kept.iter().filter_map(|due| inputs.property(due));
                let deliveries = kept.iter().map(|due| due.id);
                let email = email(app, dispatch, &search, deliveries, properties, now);
                if let Some(email) = email {
                    written.ready.push(Ready {
                        due: kept,
                        content: Content::Email(email),
                        slot: message.slot,
                    });
                }
            }
        }
    }
    Ok(written)
}

impl RenderInputs {
    async fn lay_out(app: &App, messages: &[OutboundMessage], now: Timestamp) -> Result<Self, Error> {
        let (mut kept, mut properties, mut users) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        for OutboundMessage { due, message, .. } in messages {
            if let Message::WebhookMessage { search, .. } = message {
                users.insert(search.search.owner);
            }
            for (due, about) in due.iter().filter_map(|due| Some((due, due.about.as_ref()?))) {
                match message {
                    Message::WebhookMessage { search, .. } if about.kept.contains(&contacts(search, due)) => {
                        kept.insert(key(about, search, due));
                    }
                    Message::WebhookMessage { .. } | Message::Email { .. } => {
                        properties.insert((about.property, about.version));
                    }
                }
            }
        }
        let kept: Vec<_> = kept.into_iter().collect();
        let documents = if kept.is_empty() {
            HashMap::new()
        } else {
            let found = kept.iter().copied().zip(app.store.sent_documents(kept.clone()).await?);
            found.filter_map(|(key, document)| Some((key, Bytes::from(document?)))).collect()
        };
        // One that was there a moment ago and is not any more was erased, and is written anew.
        let missing = kept.iter().filter(|key| !documents.contains_key(key));
        properties.extend(missing.map(|key| (key.property, key.version)));
        let mut secrets = HashMap::new();
        for user in users {
            let known = app.webhook_secrets(user).await?;
            secrets.insert(user, known.in_use(now).cloned().collect());
        }
        Ok(Self { documents, properties: versions(app, properties).await?, secrets })
    }

    fn property(&self, due: &DueDelivery) -> Option<&Property> {
        let about = due.about.as_ref()?;
        self.properties.get(&(about.property, about.version))
    }

    /// Nothing when nothing is left of what it tells of.
    fn body(
        &mut self,
        app: &App,
        dispatch: &Dispatch,
        sites: &SiteDirectory,
        search: &StoredSearch,
        due: &DueDelivery,
        written: &mut Vec<(DocumentKey, Vec<u8>)>,
    ) -> Option<Bytes> {
        let about = due.about.as_ref()?;
        let key = key(about, search, due);
        let document = match self.documents.get(&key) {
            Some(document) => document.clone(),
            None => {
                let property = self.property(due)?.clone();
                let property = match key.contacts {
                    Contacts::Shown => property,
                    Contacts::Hidden => property.without_contacts(),
                };
                let document = dispatch.renderer.document(app, sites, &property)?;
                written.push((key, document.clone()));
                let document = Bytes::from(document);
                self.documents.insert(key, document.clone());
                document
            }
        };
        let DeliverySubject { property, matching, matched_at, event, .. } = about;
        let told = Told {
            matching: *matching,
            property: *property,
            search: search.search.id,
            at: *matched_at,
            document: &document,
        };
        let body = match due.notification {
            Notification::Match(_) => dispatch.renderer.match_body(&told),
            Notification::Event(name, _) => dispatch.renderer.event_body(name, event.as_ref()?, &told),
        };
        Some(body.into())
    }
}

/// What was once sent without how to reach the advertiser is never sent with it, whatever the search says by now.
fn contacts(search: &StoredSearch, due: &DueDelivery) -> Contacts {
    let hides = search.search.draft.alerts.hide_contact || due.sent_with == Some(Contacts::Hidden);
    if hides { Contacts::Hidden } else { Contacts::Shown }
}

fn key(about: &DeliverySubject, search: &StoredSearch, due: &DueDelivery) -> DocumentKey {
    DocumentKey { property: about.property, version: about.version, contacts: contacts(search, due) }
}

/// Versions of properties. One whose record is damaged must not keep all others from being sent; nothing is left of it.
async fn versions(
    app: &App,
    wanted: BTreeSet<(PropertyId, u32)>,
) -> Result<HashMap<(PropertyId, u32), Property>, Error> {
    if wanted.is_empty() {
        return Ok(HashMap::new());
    }
    let wanted: Vec<_> = wanted.into_iter().collect();
    match app.store.properties_at(wanted.clone()).await {
        Err(store::Error::Corrupt { .. }) => {}
        read => {
            let read = wanted.into_iter().zip(read?);
            return Ok(read.filter_map(|(key, property)| Some((key, property?))).collect());
        }
    }
    let mut found = HashMap::new();
    for (property, version) in wanted {
        match app.store.property_at(property, version).await {
            Err(error @ store::Error::Corrupt { .. }) => {
                let error = &error as &dyn std::error::Error;
                tracing::error!(%property, version, error, "a damaged property is not sent");
            }
            read => found.extend(read?.map(|read| ((property, version), read))),
        }
    }
    Ok(found)
}

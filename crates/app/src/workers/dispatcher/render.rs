//! Renders due deliveries into messages that can be sent.
//!
//! A delivery is always sent with the same bytes: the document of its first attempt is stored and reused.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use bytes::Bytes;
use delivery::{Email, SequenceHeaders, WebhookMessage};
use domain::{DeliveryId, EmailAddress, Endpoint, Property, PropertyId, Timestamp, UserId, WebhookSecret};
use store::{Contacts, DeliverySubject, DocumentKey, DueDelivery, Notification, StoredSearch, VersionLookup};
use wire::webhook::WebhookEvent;

use super::email::{self, EmailContents};
use super::in_flight::InFlight;
use super::payload::{self, MatchPayload};
use crate::dispatch::Dispatch;
use crate::documents::DocumentRenderer;
use crate::unsubscribe::LinkKey;
use crate::{App, Error};

/// Deliveries to send as one message, before rendering.
pub(super) struct PendingMessage {
    /// One delivery for a webhook; all deliveries of the batch for an e-mail.
    pub due: Vec<DueDelivery>,
    pub recipient: Recipient,
    pub in_flight: InFlight,
}

pub(super) enum Recipient {
    Webhook { search: Arc<StoredSearch>, endpoint: Endpoint },
    Email { search: Arc<StoredSearch>, to: EmailAddress },
}

/// A message ready to be sent.
pub(super) struct OutboundMessage {
    pub due: Vec<DueDelivery>,
    pub payload: Payload,
    pub in_flight: InFlight,
}

pub(super) enum Payload {
    Webhook(WebhookMessage),
    Email(Email),
}

impl OutboundMessage {
    pub fn ids(&self) -> impl Iterator<Item = DeliveryId> {
        self.due.iter().map(|due| due.id)
    }
}

/// The result of rendering.
#[derive(Default)]
pub(super) struct Rendered {
    pub messages: Vec<OutboundMessage>,
    /// Deliveries whose property was erased.
    pub erased: Vec<DeliveryId>,
    /// Deliveries that cannot be sent because what they are about cannot be read.
    pub damaged: Vec<DeliveryId>,
    /// Deliveries sent without the contacts of the advertiser.
    pub hidden: Vec<DeliveryId>,
    /// Documents that are sent for the first time, to be stored with the claim.
    pub documents: Vec<(DocumentKey, Vec<u8>)>,
}

/// Everything that rendering reads, loaded beforehand.
struct RenderInputs {
    renderer: DocumentRenderer,
    documents: HashMap<DocumentKey, Bytes>,
    properties: HashMap<(PropertyId, u32), Property>,
    damaged: HashSet<(PropertyId, u32)>,
    secrets: HashMap<UserId, Vec<WebhookSecret>>,
    link_key: LinkKey,
}

pub(super) async fn render(
    app: &App,
    dispatch: &Dispatch,
    pending: Vec<PendingMessage>,
    now: Timestamp,
) -> Result<Rendered, Error> {
    let mut rendered = Rendered::default();
    let mut inputs = RenderInputs::load(app, &pending, now).await?;
    for PendingMessage { due, recipient, in_flight } in pending {
        match recipient {
            Recipient::Webhook { search, endpoint } => {
                let Some(first) = due.first() else { continue };
                let Some(body) = inputs.webhook_body(app, &search, first, &mut rendered.documents) else {
                    rendered.leave_out(first, &inputs);
                    continue;
                };
                if contacts(&search, first) == Contacts::Hidden {
                    rendered.hidden.push(first.id);
                }
                let secrets = inputs.secrets.get(&search.search.owner).cloned().unwrap_or_default();
                let order = first.subject.as_ref().map(|subject| SequenceHeaders {
                    sequence: first.lane_sequence,
                    property_version: subject.version,
                });
                let message = WebhookMessage { endpoint, id: first.id, at: now, secrets, order, body };
                let payload = Payload::Webhook(message);
                rendered.messages.push(OutboundMessage { due, payload, in_flight });
            }
            Recipient::Email { search, to } => {
                // An erased property is left out; the rest of the e-mail is sent.
                let (mut shown, mut counted) = (due, Vec::new());
                if shown.len() > Email::LISTINGS_MAX {
                    counted = shown.split_off(Email::LISTINGS_MAX);
                }
                let exists = |due: &DueDelivery| inputs.property(due).and_then(Property::derive).is_some();
                let (shown, missing): (Vec<_>, Vec<_>) = shown.into_iter().partition(exists);
                // The properties of these were not read.
                let (counted, also_missing): (Vec<_>, Vec<_>) =
                    counted.into_iter().partition(|due| due.subject.is_some());
                missing.iter().chain(&also_missing).for_each(|due| rendered.leave_out(due, &inputs));
                let properties: Vec<_> = shown.iter().filter_map(|due| inputs.property(due)).collect();
                let unsubscribe = dispatch.settings.unsubscribe_link(&inputs.link_key, &search.search, &to);
                let contents = EmailContents {
                    to,
                    title: search.search.draft.title.as_str(),
                    properties: &properties,
                    others: counted.len() as u64,
                    unsubscribe,
                };
                let due = [shown, counted].concat();
                if let Some(email) = email::build(app, contents, due.iter().map(|due| due.id), now) {
                    let payload = Payload::Email(email);
                    rendered.messages.push(OutboundMessage { due, payload, in_flight });
                }
            }
        }
    }
    Ok(rendered)
}

/// Renders the body of one webhook as it would be sent now; `None` if what it is about was erased or cannot be read.
pub(crate) async fn webhook_body(
    app: &App,
    search: &StoredSearch,
    due: &DueDelivery,
) -> Result<Option<Bytes>, Error> {
    let Some(subject) = &due.subject else { return Ok(None) };
    let key = document_key(subject, search, due);
    let stored = if subject.stored_documents.contains(&key.contacts) {
        app.store.sent_documents(vec![key]).await?.pop().flatten()
    } else {
        None
    };
    let missing = stored.is_none().then_some((subject.property, subject.version));
    let (properties, damaged) = load_versions(app, missing.into_iter().collect()).await?;
    let mut inputs = RenderInputs {
        renderer: app.document_renderer().await?,
        documents: stored.map(|document| (key, Bytes::from(document))).into_iter().collect(),
        properties,
        damaged,
        secrets: HashMap::new(),
        link_key: app.link_key().await?,
    };
    Ok(inputs.webhook_body(app, search, due, &mut Vec::new()))
}

impl Rendered {
    /// Takes note of a delivery that cannot be sent.
    fn leave_out(&mut self, due: &DueDelivery, inputs: &RenderInputs) {
        let subject = due.subject.as_ref();
        let is_damaged = due.is_damaged
            || subject.is_some_and(|subject| inputs.damaged.contains(&(subject.property, subject.version)));
        let ids = if is_damaged { &mut self.damaged } else { &mut self.erased };
        ids.push(due.id);
    }
}

impl RenderInputs {
    async fn load(app: &App, pending: &[PendingMessage], now: Timestamp) -> Result<Self, Error> {
        let (mut stored, mut properties, mut users) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        for PendingMessage { due, recipient, .. } in pending {
            if let Recipient::Webhook { search, .. } = recipient {
                users.insert(search.search.owner);
            }
            // An e-mail shows the first ones and counts the others.
            let read = match recipient {
                Recipient::Webhook { .. } => due.len(),
                Recipient::Email { .. } => due.len().min(Email::LISTINGS_MAX),
            };
            for (due, subject) in due.iter().take(read).filter_map(|due| Some((due, due.subject.as_ref()?))) {
                match recipient {
                    Recipient::Webhook { search, .. }
                        if subject.stored_documents.contains(&contacts(search, due)) =>
                    {
                        stored.insert(document_key(subject, search, due));
                    }
                    Recipient::Webhook { .. } | Recipient::Email { .. } => {
                        properties.insert((subject.property, subject.version));
                    }
                }
            }
        }
        let stored: Vec<_> = stored.into_iter().collect();
        let documents = if stored.is_empty() {
            HashMap::new()
        } else {
            let found = stored.iter().copied().zip(app.store.sent_documents(stored.clone()).await?);
            found.filter_map(|(key, document)| Some((key, Bytes::from(document?)))).collect()
        };
        // A document that is gone since the deliveries were read was erased, and is rendered again.
        let missing = stored.iter().filter(|key| !documents.contains_key(key));
        properties.extend(missing.map(|key| (key.property, key.version)));
        let mut secrets = HashMap::new();
        for user in users {
            let of_user = app.webhook_secrets(user).await?;
            secrets.insert(user, of_user.signing_secrets(now).cloned().collect());
        }
        let (properties, damaged) = load_versions(app, properties).await?;
        let (renderer, link_key) = (app.document_renderer().await?, app.link_key().await?);
        Ok(Self { renderer, documents, properties, damaged, secrets, link_key })
    }

    fn property(&self, due: &DueDelivery) -> Option<&Property> {
        let subject = due.subject.as_ref()?;
        self.properties.get(&(subject.property, subject.version))
    }

    /// Returns `None` if the property was erased. A document that had to be rendered is added to `rendered`.
    fn webhook_body(
        &mut self,
        app: &App,
        search: &StoredSearch,
        due: &DueDelivery,
        rendered: &mut Vec<(DocumentKey, Vec<u8>)>,
    ) -> Option<Bytes> {
        let subject = due.subject.as_ref()?;
        let key = document_key(subject, search, due);
        let document = match self.documents.get(&key) {
            Some(document) => document.clone(),
            None => {
                let property = self.property(due)?.clone();
                let property = match key.contacts {
                    Contacts::Shown => property,
                    Contacts::Hidden => property.without_contacts(),
                };
                let document = self.renderer.render_for_webhook(&property)?;
                rendered.push((key, document.clone()));
                let document = Bytes::from(document);
                self.documents.insert(key, document.clone());
                document
            }
        };
        let DeliverySubject { property, match_id, matched_at, event, advert, .. } = subject;
        let matched = MatchPayload {
            id: *match_id,
            property: *property,
            search: search.search.id,
            at: *matched_at,
            document: &document,
        };
        let event = match due.notification {
            Notification::Match(_) => None,
            Notification::Event(name, _) => {
                Some(WebhookEvent { name, event: event.as_ref()?, advert: *advert })
            }
        };
        Some(payload::render(app, &matched, event).into())
    }
}

/// A delivery that was once sent without contacts is never sent with them, even if the search shows contacts now.
fn contacts(search: &StoredSearch, due: &DueDelivery) -> Contacts {
    let hidden = search.search.draft.alerts.hide_contact || due.sent_contacts == Some(Contacts::Hidden);
    if hidden { Contacts::Hidden } else { Contacts::Shown }
}

fn document_key(subject: &DeliverySubject, search: &StoredSearch, due: &DueDelivery) -> DocumentKey {
    DocumentKey { property: subject.property, version: subject.version, contacts: contacts(search, due) }
}

type Versions = HashMap<(PropertyId, u32), Property>;

/// Returns the versions that can be read, and those that are damaged.
async fn load_versions(
    app: &App,
    versions: BTreeSet<(PropertyId, u32)>,
) -> Result<(Versions, HashSet<(PropertyId, u32)>), Error> {
    let (mut properties, mut damaged) = (HashMap::new(), HashSet::new());
    if versions.is_empty() {
        return Ok((properties, damaged));
    }
    let versions: Vec<_> = versions.into_iter().collect();
    for (key, version) in versions.iter().zip(app.store.properties_at(versions.clone()).await?) {
        match version {
            VersionLookup::Intact(property) => drop(properties.insert(*key, property)),
            VersionLookup::NotFound => {}
            VersionLookup::Damaged => drop(damaged.insert(*key)),
        }
    }
    Ok((properties, damaged))
}

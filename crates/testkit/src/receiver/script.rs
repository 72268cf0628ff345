//! Decides how each connection and request is treated.

use std::collections::{HashSet, VecDeque};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use domain::Outcome;

use super::injected_fault::{InjectedFault, Stage};
use super::request_log::ReceivedRequest;
use super::steps::Step;

/// How a request is treated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Behaviour {
    /// Responds correctly with this status.
    Answer(u16),
    Fault(InjectedFault),
    /// Runs these steps on the bare connection.
    Steps(Vec<Step>),
}

impl Behaviour {
    pub const GOOD: Self = Self::Answer(200);

    /// Returns every status a receiver may send, including two outside all classes, and every fault.
    pub fn all() -> impl Iterator<Item = Self> {
        let statuses = (200..=600).chain([999]).map(Self::Answer);
        statuses.chain(InjectedFault::ALL.iter().copied().map(Self::Fault))
    }

    /// Parses `status-404` or the name of a fault.
    pub fn by_name(name: &str) -> Option<Self> {
        let status = || {
            let number: u16 = name.strip_prefix("status-")?.parse().ok()?;
            (200..=999).contains(&number).then_some(Self::Answer(number))
        };
        InjectedFault::by_name(name).map(Self::Fault).or_else(status)
    }

    pub fn name(&self) -> String {
        match self {
            Self::Answer(status) => format!("status-{status}"),
            Self::Fault(fault) => fault.name().to_owned(),
            Self::Steps(_) => "steps".to_owned(),
        }
    }

    /// Returns the outcome a correct sender reports, if only status 200 is a success. `None` for custom steps.
    pub fn expected(&self) -> Option<Outcome> {
        match self {
            Self::Answer(200) => Some(Outcome::Delivered),
            Self::Answer(_) => Some(Outcome::Failed(domain::Fault::Status)),
            Self::Fault(fault) => Some(fault.expected()),
            Self::Steps(_) => None,
        }
    }

    /// Returns when it applies. Anything but [`Stage::Answer`] must be decided before there is a request.
    pub fn stage(&self) -> Stage {
        match self {
            Self::Answer(_) | Self::Steps(_) => Stage::Answer,
            Self::Fault(fault) => fault.stage(),
        }
    }
}

impl From<InjectedFault> for Behaviour {
    fn from(fault: InjectedFault) -> Self {
        Self::Fault(fault)
    }
}

/// An accepted connection.
#[derive(Debug, Clone, Copy)]
pub struct IncomingConnection {
    /// Starting at 1.
    pub connection: u64,
    /// The receiver's address it arrived on.
    pub address: IpAddr,
}

type ForConnections = dyn Fn(&IncomingConnection) -> Option<InjectedFault> + Send + Sync;
type ForRequests = dyn Fn(&ReceivedRequest) -> Behaviour + Send + Sync;

/// Decides the behaviour of each connection and request.
#[derive(Clone)]
pub struct Script {
    connections: Arc<ForConnections>,
    requests: Arc<ForRequests>,
    pub(super) listening: Option<InjectedFault>,
    pub(super) connection_reuse: ConnectionReuse,
}

/// Whether a connection stays open after a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConnectionReuse {
    KeepAlive,
    CloseAfterResponse,
}

impl Script {
    /// Responds with 200 to everything.
    pub fn good() -> Self {
        Self::new(|_| Behaviour::GOOD)
    }

    /// Calls the test for each request. Only behaviours of [`Stage::Answer`] are possible.
    pub fn new(requests: impl Fn(&ReceivedRequest) -> Behaviour + Send + Sync + 'static) -> Self {
        Self {
            connections: Arc::new(|_| None),
            requests: Arc::new(requests),
            listening: None,
            connection_reuse: ConnectionReuse::KeepAlive,
        }
    }

    /// Also calls the test for each connection, before any data.
    pub fn with_connections(
        self,
        connections: impl Fn(&IncomingConnection) -> Option<InjectedFault> + Send + Sync + 'static,
    ) -> Self {
        Self { connections: Arc::new(connections), ..self }
    }

    /// Calls the test for each request first, and falls back to this script on `None`.
    pub fn with_override(
        self,
        exception: impl Fn(&ReceivedRequest) -> Option<Behaviour> + Send + Sync + 'static,
    ) -> Self {
        let rule = self.requests;
        let requests = move |request: &ReceivedRequest| exception(request).unwrap_or_else(|| rule(request));
        Self { requests: Arc::new(requests), ..self }
    }

    /// Applies one behaviour to everything.
    pub fn always(behaviour: impl Into<Behaviour>) -> Self {
        let behaviour = behaviour.into();
        match (behaviour.stage(), behaviour) {
            (Stage::Answer, behaviour) => Self::new(move |_| behaviour.clone()),
            (Stage::Listening, Behaviour::Fault(fault)) => Self { listening: Some(fault), ..Self::good() },
            (_, Behaviour::Fault(fault)) => Self::good().with_connections(move |_| Some(fault)),
            (stage, behaviour) => panic!("{behaviour:?} is not a fault but belongs to {stage:?}"),
        }
    }

    /// Applies the behaviour named by the path `/fault/<name>`; other paths get 200. Unknown names and faults that
    /// cannot wait for a request get 404.
    pub fn by_path() -> Self {
        Self::new(|request| match request.path.strip_prefix("/fault/") {
            None => Behaviour::GOOD,
            Some(name) => Behaviour::by_name(name)
                .filter(|behaviour| behaviour.stage() == Stage::Answer)
                .unwrap_or(Behaviour::Answer(404)),
        })
    }

    /// Applies the behaviours in order, then responds with 200. Each one gets its own connection, so that they
    /// cannot be mixed up.
    pub fn sequence(behaviours: impl IntoIterator<Item = Behaviour>) -> Self {
        let queue: VecDeque<Behaviour> = behaviours.into_iter().collect();
        let is_listening = |behaviour: &&Behaviour| behaviour.stage() == Stage::Listening;
        assert_eq!(queue.iter().find(is_listening), None, "a sequence cannot contain a closed port");
        let queue = Arc::new(Mutex::new(queue));
        let for_connections = Arc::clone(&queue);
        let requests = move |_: &ReceivedRequest| {
            let next = queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            next.unwrap_or(Behaviour::GOOD)
        };
        let connections = move |_: &IncomingConnection| {
            let mut queue = for_connections.lock().unwrap_or_else(PoisonError::into_inner);
            let next = queue.pop_front_if(|next| next.stage() != Stage::Answer);
            next.and_then(|next| match next {
                Behaviour::Fault(fault) => Some(fault),
                Behaviour::Answer(_) | Behaviour::Steps(_) => None,
            })
        };
        let script = Self::new(requests).with_connections(connections);
        Self { connection_reuse: ConnectionReuse::CloseAfterResponse, ..script }
    }

    /// Responds with 500 to one in `messages` messages the first time it arrives, chosen by `webhook-id` and
    /// independent of the order of arrival.
    pub fn refusing_one_in(messages: u64) -> Self {
        let refused = Mutex::new(HashSet::new());
        Self::new(move |request| {
            let Some(id) = request.webhook_id() else { return Behaviour::GOOD };
            let digest = digest(id);
            let chosen = digest.is_multiple_of(messages.max(1));
            if chosen && refused.lock().unwrap_or_else(PoisonError::into_inner).insert(digest) {
                Behaviour::Answer(500)
            } else {
                Behaviour::GOOD
            }
        })
    }

    pub(super) fn for_connection(&self, incoming: &IncomingConnection) -> Option<InjectedFault> {
        (self.connections)(incoming)
    }

    pub fn for_request(&self, request: &ReceivedRequest) -> Behaviour {
        (self.requests)(request)
    }
}

/// FNV-1a with its upper bits folded in. It is the same on every machine and in every release.
fn digest(text: &str) -> u64 {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    hash ^ hash >> 32
}

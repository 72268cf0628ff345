//! Which behaviour a connection or a request meets.

use std::collections::{HashSet, VecDeque};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use domain::Outcome;

use super::injected_fault::{InjectedFault, Stage};
use super::request_log::ReceivedRequest;
use super::steps::Step;

/// How a receiver treats a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Behaviour {
    /// Answers with this status, as one should.
    Answer(u16),
    Fault(InjectedFault),
    /// Whatever the test says, on the bare connection.
    Steps(Vec<Step>),
}

impl Behaviour {
    pub const GOOD: Self = Self::Answer(200);

    /// Every status that a receiver may answer with, the two beyond all classes included, and every trick.
    pub fn all() -> impl Iterator<Item = Self> {
        let statuses = (200..=600).chain([999]).map(Self::Answer);
        statuses.chain(InjectedFault::ALL.iter().copied().map(Self::Fault))
    }

    /// `status-404`, or the name of a trick.
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

    /// What a correct sender makes of it, if success is status 200. Nobody knows what comes of steps.
    pub fn expected(&self) -> Option<Outcome> {
        match self {
            Self::Answer(200) => Some(Outcome::Delivered),
            Self::Answer(_) => Some(Outcome::Failed(domain::Fault::Status)),
            Self::Fault(fault) => Some(fault.expected()),
            Self::Steps(_) => None,
        }
    }

    /// When it shows. Anything but an answer must be decided before there is a request.
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

/// A connection that has just been taken.
#[derive(Debug, Clone, Copy)]
pub struct IncomingConnection {
    /// From one.
    pub connection: u64,
    /// Which of the receiver's addresses it came to.
    pub address: IpAddr,
}

type ForConnections = dyn Fn(&IncomingConnection) -> Option<InjectedFault> + Send + Sync;
type ForRequests = dyn Fn(&ReceivedRequest) -> Behaviour + Send + Sync;

/// Decides, for each connection and for each request, what happens to it.
#[derive(Clone)]
pub struct Script {
    connections: Arc<ForConnections>,
    requests: Arc<ForRequests>,
    pub(super) listening: Option<InjectedFault>,
    pub(super) connection_reuse: ConnectionReuse,
}

/// Whether a connection is used again after an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConnectionReuse {
    KeepAlive,
    CloseAfterResponse,
}

impl Script {
    /// Takes everything and answers 200.
    pub fn good() -> Self {
        Self::new(|_| Behaviour::GOOD)
    }

    /// Asks the test. Only what can be done to a request can be answered here.
    pub fn new(requests: impl Fn(&ReceivedRequest) -> Behaviour + Send + Sync + 'static) -> Self {
        Self {
            connections: Arc::new(|_| None),
            requests: Arc::new(requests),
            listening: None,
            connection_reuse: ConnectionReuse::KeepAlive,
        }
    }

    /// Asks the test about every connection as well, before anything was said on it.
    pub fn with_connections(
        self,
        connections: impl Fn(&IncomingConnection) -> Option<InjectedFault> + Send + Sync + 'static,
    ) -> Self {
        Self { connections: Arc::new(connections), ..self }
    }

    /// Asks the test first about every request, and itself if the test has no opinion.
    pub fn with_override(
        self,
        exception: impl Fn(&ReceivedRequest) -> Option<Behaviour> + Send + Sync + 'static,
    ) -> Self {
        let rule = self.requests;
        let requests = move |request: &ReceivedRequest| exception(request).unwrap_or_else(|| rule(request));
        Self { requests: Arc::new(requests), ..self }
    }

    /// The same for everybody.
    pub fn always(behaviour: impl Into<Behaviour>) -> Self {
        let behaviour = behaviour.into();
        match (behaviour.stage(), behaviour) {
            (Stage::Answer, behaviour) => Self::new(move |_| behaviour.clone()),
            (Stage::Listening, Behaviour::Fault(fault)) => Self { listening: Some(fault), ..Self::good() },
            (_, Behaviour::Fault(fault)) => Self::good().with_connections(move |_| Some(fault)),
            (stage, behaviour) => panic!("{behaviour:?} is no fault, but would be played at {stage:?}"),
        }
    }

    /// `/fault/<name>` gets that behaviour, any other path is answered with 200. A name that is none, or that of a trick
    /// which cannot wait for a request, is answered with 404.
    pub fn by_path() -> Self {
        Self::new(|request| match request.path.strip_prefix("/fault/") {
            None => Behaviour::GOOD,
            Some(name) => Behaviour::by_name(name)
                .filter(|behaviour| behaviour.stage() == Stage::Answer)
                .unwrap_or(Behaviour::Answer(404)),
        })
    }

    /// One after the other, and then 200. Each gets a connection of its own, so that it does not matter which is whose.
    pub fn sequence(behaviours: impl IntoIterator<Item = Behaviour>) -> Self {
        let queue: VecDeque<Behaviour> = behaviours.into_iter().collect();
        let never = |behaviour: &&Behaviour| behaviour.stage() == Stage::Listening;
        assert_eq!(queue.iter().find(never), None, "a port is either open or not");
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

    /// Of so many messages, by their `webhook-id`, one is answered with 500 when it comes first, and taken when it comes again.
    /// Which ones does not depend on the order they come in.
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

/// FNV-1a, with its higher bits folded in. It must be the same on every machine and in every release.
fn digest(text: &str) -> u64 {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    hash ^ hash >> 32
}

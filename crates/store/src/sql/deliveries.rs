//! Deliveries: enqueued from the outbox, claimed under a lease, settled, listed, pruned.
//!
//! A lane is a search and a channel. An index holds pending deliveries in the order of lanes and then of due dates, so that the next
//! delivery of a lane is found at once however many are pending in others.

mod documents;
mod listing;
mod outbox;
mod queue;
mod subject;

use domain::{
    CancelReason, CertificateFault, DeliveryChannel, DeliveryEpoch, DeliveryId, DeliveryState, Fault,
    Outcome, ResponseHeader, SearchNumber, Timestamp,
};

pub use documents::{PreparedClaim, delete_documents, sent_documents};
pub use listing::{
    ATTEMPT_COLUMNS, attempt, attempt_name, attempts_since, count_replayable, delivery, list, prune,
    queue_depth, replay,
};
pub use outbox::{delete_lanes, enqueue, first_not_enqueued, read_outbox};
pub use queue::{
    cancel, cancel_deleted, cancel_lane, claim, delivery_source, lanes, peek_lanes, reap_leases, settle,
};

use super::matches::notification_from_code;
use crate::contract::{Lane, StateKind};
use crate::error::Error;
use crate::sql::{Connection, Row, params};

/// Encodes a lane as a number on disk.
fn lane_code(lane: Lane) -> i64 {
    first_lane(lane.search) + channel_code(lane.channel)
}

/// Returns the lowest code of a search's lanes. The lanes of the next search start four higher.
fn first_lane(search: SearchNumber) -> i64 {
    i64::from(search.0) * LANES_PER_SEARCH
}

const LANES_PER_SEARCH: i64 = 4;

fn channel_code(channel: DeliveryChannel) -> i64 {
    match channel {
        DeliveryChannel::Match => 0,
        DeliveryChannel::Event => 1,
        DeliveryChannel::Email => 2,
    }
}

fn lane_from_code(code: i64) -> Result<Lane, Error> {
    let search = u32::try_from(code / LANES_PER_SEARCH).ok().map(SearchNumber);
    let channel =
        DeliveryChannel::ALL.into_iter().find(|channel| channel_code(*channel) == code % LANES_PER_SEARCH);
    let lane = search.zip(channel).map(|(search, channel)| Lane { search, channel });
    lane.ok_or_else(|| Error::corrupt(format!("lane {code} of the deliveries")))
}

const PENDING: i64 = 0;
const LEASED: i64 = 1;
const DELIVERED: i64 = 2;
const FAILED: i64 = 3;
/// Cancelled deliveries have this code or a higher one, depending on the reason.
const CANCELLED: i64 = 10;

fn cancelled_code(reason: CancelReason) -> i64 {
    CANCELLED
        + match reason {
            CancelReason::Disabled => 0,
            CancelReason::SearchDeleted => 1,
            CancelReason::NoRecipient => 2,
            CancelReason::Erased => 3,
            CancelReason::ChannelOff => 4,
            CancelReason::Damaged => 5,
            CancelReason::Unconfirmed => 6,
        }
}

fn state_from_code(code: i64) -> Result<DeliveryState, Error> {
    let cancelled = || CancelReason::ALL.into_iter().find(|reason| cancelled_code(*reason) == code);
    let state = match code {
        PENDING => Some(DeliveryState::Pending),
        LEASED => Some(DeliveryState::Leased),
        DELIVERED => Some(DeliveryState::Delivered),
        FAILED => Some(DeliveryState::Failed),
        _ => cancelled().map(DeliveryState::Cancelled),
    };
    state.ok_or_else(|| Error::corrupt(format!("state {code} of a delivery")))
}

/// Returns the first and the last code of a kind of state.
fn state_codes(kind: StateKind) -> (i64, i64) {
    match kind {
        StateKind::Pending => (PENDING, PENDING),
        StateKind::Leased => (LEASED, LEASED),
        StateKind::Delivered => (DELIVERED, DELIVERED),
        StateKind::Failed => (FAILED, FAILED),
        StateKind::Cancelled => (CANCELLED, i64::MAX),
    }
}

fn outcome_code(outcome: Outcome) -> i64 {
    match outcome {
        Outcome::Delivered => 0,
        Outcome::Interrupted => 1,
        Outcome::Failed(fault) => fault_code(fault),
    }
}

fn fault_code(fault: Fault) -> i64 {
    match fault {
        Fault::Refused => 10,
        Fault::Dns => 11,
        Fault::Connect => 12,
        Fault::Tls => 13,
        Fault::Timeout => 14,
        Fault::Closed => 15,
        Fault::Protocol => 16,
        Fault::TooLarge => 17,
        Fault::Status => 18,
        Fault::Rejected => 19,
    }
}

fn outcome_from_code(code: i64) -> Result<Outcome, Error> {
    let fault = || Fault::ALL.into_iter().find(|fault| fault_code(*fault) == code);
    let outcome = match code {
        0 => Some(Outcome::Delivered),
        1 => Some(Outcome::Interrupted),
        _ => fault().map(Outcome::Failed),
    };
    outcome.ok_or_else(|| Error::corrupt(format!("outcome {code} of an attempt")))
}

fn certificate_code(fault: CertificateFault) -> i64 {
    match fault {
        CertificateFault::Expired => 1,
        CertificateFault::NotYetValid => 2,
        CertificateFault::WrongName => 3,
        CertificateFault::UnknownIssuer => 4,
        CertificateFault::SelfSigned => 5,
        CertificateFault::CertificateAuthority => 6,
        CertificateFault::Invalid => 7,
    }
}

fn certificate_from_code(code: i64) -> Result<CertificateFault, Error> {
    let fault = CertificateFault::ALL.into_iter().find(|fault| certificate_code(*fault) == code);
    fault.ok_or_else(|| Error::corrupt(format!("certificate fault {code} of an attempt")))
}

/// Encodes headers as a JSON array of names and values in turn.
fn encode_headers(headers: &[ResponseHeader]) -> Result<Option<String>, Error> {
    if headers.is_empty() {
        return Ok(None);
    }
    let texts: Vec<&str> = headers.iter().flat_map(|header| [&*header.name, &*header.value]).collect();
    let json = serde_json::to_string(&texts);
    json.map(Some).map_err(|error| Error::corrupt_by("headers to be written", error))
}

fn decode_headers(json: Option<&str>) -> Result<Vec<ResponseHeader>, Error> {
    const WHAT: &str = "the response headers of an attempt";
    let Some(json) = json else { return Ok(Vec::new()) };
    let texts: Vec<String> = serde_json::from_str(json).map_err(|error| Error::corrupt_by(WHAT, error))?;
    let mut texts = texts.into_iter();
    let mut headers = Vec::with_capacity(texts.len() / 2);
    while let Some(name) = texts.next() {
        let value = texts.next().ok_or_else(|| Error::corrupt(WHAT))?;
        headers.push(ResponseHeader { name, value });
    }
    Ok(headers)
}

fn timestamp(millisecond: i64) -> Result<Timestamp, Error> {
    Timestamp::from_millisecond(millisecond)
        .map_err(|error| Error::corrupt_by("the date of a delivery", error))
}

/// Checks that a delivery can be read: sequence, owner, lane, kind, event index, state and two dates, in this order.
pub fn check(row: Row<'_>) -> Result<(), Error> {
    let (_sequence, _owner): (i64, [u8; 16]) = (row.get(0)?, row.get(1)?);
    lane_from_code(row.get(2)?)?;
    notification_from_code(row.get(3)?, row.get(4)?)
        .ok_or_else(|| Error::corrupt("the notification of a delivery"))?;
    state_from_code(row.get(5)?)?;
    timestamp(row.get(6)?)?;
    timestamp(row.get(7)?).map(drop)
}

/// Converts between rows and the public ids of deliveries.
struct Ids {
    /// Each epoch with the first sequence number it applies to, in ascending order.
    epochs: Vec<(u64, DeliveryEpoch)>,
}

impl Ids {
    fn load(connection: &Connection) -> Result<Self, Error> {
        let mut statement = connection
            .prepare_cached("SELECT first_sequence, epoch FROM delivery_epoch ORDER BY first_sequence")?;
        let epochs =
            statement.query_map(params![], |row| Ok((row.get(0)?, DeliveryEpoch::new(row.get(1)?))))?;
        Ok(Self { epochs: epochs.collect::<Result<_, _>>()? })
    }

    fn id(&self, lane: Lane, sequence: u64) -> DeliveryId {
        let started = self.epochs.partition_point(|(first, _)| *first <= sequence);
        let epoch = started.checked_sub(1).and_then(|last| self.epochs.get(last)).map(|(_, epoch)| *epoch);
        DeliveryId::of(lane.search, sequence, epoch.unwrap_or_default())
    }

    /// Returns the sequence number of a delivery and the number of its search; `None` if this database did not issue the id.
    fn row(&self, id: DeliveryId) -> Option<(i64, u32)> {
        let (search, sequence) = id.parts()?;
        let is_ours = self.id(Lane { search, channel: DeliveryChannel::Match }, sequence) == id;
        Some((i64::try_from(sequence).ok().filter(|_| is_ours)?, search.0))
    }
}

/// Starts an epoch, and deletes the epochs of which no delivery is left.
pub fn start_epoch(connection: &Connection, epoch: DeliveryEpoch) -> Result<(), Error> {
    let last = if connection.is_postgres() {
        "SELECT coalesce(pg_sequence_last_value(pg_get_serial_sequence('delivery', 'sequence')::regclass), 0)"
    } else {
        "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'delivery'"
    };
    let last: i64 = connection.query_row(last, params![], |row| row.get(0))?;
    connection.execute(
        "INSERT INTO delivery_epoch (first_sequence, epoch) VALUES (?1, ?2)
         ON CONFLICT (first_sequence) DO UPDATE SET epoch = excluded.epoch",
        params![last + 1, epoch.number()],
    )?;
    connection.execute(
        "DELETE FROM delivery_epoch WHERE first_sequence < (SELECT max(first_sequence) FROM delivery_epoch
             WHERE first_sequence <= (SELECT coalesce(min(sequence), 9223372036854775807) FROM delivery))",
        params![],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_round_trip() {
        for search in [SearchNumber(1), SearchNumber(77), SearchNumber(u32::MAX)] {
            for channel in DeliveryChannel::ALL {
                let lane = Lane { search, channel };
                assert_eq!(lane_from_code(lane_code(lane)).unwrap(), lane);
            }
        }
        assert!(lane_from_code(7).is_err() && lane_from_code(i64::MAX).is_err());
        for reason in CancelReason::ALL {
            let state = DeliveryState::Cancelled(reason);
            assert_eq!(state_from_code(cancelled_code(reason)).unwrap(), state);
        }
        assert!(state_from_code(4).is_err());
        for fault in Fault::ALL {
            assert_eq!(outcome_from_code(fault_code(fault)).unwrap(), Outcome::Failed(fault));
        }
        assert!(outcome_from_code(2).is_err());
        for fault in CertificateFault::ALL {
            assert_eq!(certificate_from_code(certificate_code(fault)).unwrap(), fault);
        }
        assert!(certificate_from_code(0).is_err());
    }

    /// Frequent queries must read an index in its order, however many other rows there are.
    #[test]
    fn queue_queries_neither_scan_nor_sort() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(crate::sqlite::FILE_NAME);
        let connection = crate::sqlite::schema::open_for_writing(&path).unwrap();
        let plan = |sql: &str| {
            let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
            // Parameters stay unbound.
            let steps = statement.raw_query().mapped(|row| row.get::<_, String>(3));
            steps.collect::<Result<Vec<_>, _>>().unwrap().join("; ")
        };
        for (sql, expected) in [
            (queue::NEXT_LANE, "SEARCH delivery USING COVERING INDEX delivery_pending (lane>?)"),
            (queue::PENDING_IN_LANE, "SEARCH delivery USING INDEX delivery_pending (lane=?)"),
            (queue::FIRST_DUE, "SEARCH delivery USING COVERING INDEX delivery_pending (lane=?)"),
            (queue::LEASES, "SEARCH delivery USING INDEX delivery_leased (due_at<?)"),
            (listing::UNSUCCESSFUL, "SEARCH delivery USING INDEX delivery_unsuccessful (lane=? AND rowid>?)"),
            (listing::COUNT_UNSUCCESSFUL, "SEARCH delivery USING INDEX delivery_unsuccessful (lane=?)"),
            (outbox::ENTRIES, "SEARCH outbox USING PRIMARY KEY ((position,ordinal)>(?,?))"),
        ] {
            assert_eq!(plan(sql), expected, "{sql}");
        }
    }
}

//! Deliveries: made of notices, claimed under a lease, settled, read, forgotten.
//!
//! A lane is a search and a channel; what is pending lies in the order of lanes and then of time, so that the next of any lane is
//! found at once however many wait in others.

mod documents;
mod listing;
mod outbox;
mod queue;
mod subject;

use domain::{
    CancelReason, DeliveryChannel, DeliveryEpoch, DeliveryId, DeliveryState, Fault, Outcome, SearchNumber,
    Timestamp,
};
use rusqlite::Connection;

pub use documents::{PreparedClaim, forget_documents, sent_documents};
pub use listing::{deliveries, delivery, depth, forget, replay};
pub use outbox::{enqueue, forget_numbers, read_outbox};
pub use queue::{cancel, cancel_lane, claim, lanes, reap_leases, settle, waiting};

use super::writer::Verdict;
use crate::deliveries::{Lane, StateKind};
use crate::error::Error;

/// What lane a delivery waits in, as a number on disk.
fn lane_code(lane: Lane) -> i64 {
    first_lane(lane.search) + channel_code(lane.channel)
}

/// The lowest number of a search's lanes; the next search's is four more.
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

fn lane_of(code: i64) -> Result<Lane, Error> {
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
/// This and above.
const CANCELLED: i64 = 10;

fn cancelled_code(reason: CancelReason) -> i64 {
    CANCELLED
        + match reason {
            CancelReason::Disabled => 0,
            CancelReason::SearchDeleted => 1,
            CancelReason::NoRecipient => 2,
            CancelReason::Erased => 3,
            CancelReason::ChannelOff => 4,
        }
}

fn state_of(code: i64) -> Result<DeliveryState, Error> {
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

/// The first and the last number of a kind of state.
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

fn outcome_of(code: i64) -> Result<Outcome, Error> {
    let fault = || Fault::ALL.into_iter().find(|fault| fault_code(*fault) == code);
    let outcome = match code {
        0 => Some(Outcome::Delivered),
        1 => Some(Outcome::Interrupted),
        _ => fault().map(Outcome::Failed),
    };
    outcome.ok_or_else(|| Error::corrupt(format!("outcome {code} of an attempt")))
}

fn moment(millisecond: i64) -> Result<Timestamp, Error> {
    Timestamp::from_millisecond(millisecond)
        .map_err(|error| Error::corrupt_by("the date of a delivery", error))
}

/// Whether an error says that a row is not what was written, and nothing of the database as a whole.
fn is_damage(error: &Error) -> bool {
    use rusqlite::Error as Sql;
    matches!(
        error,
        Error::Corrupt { .. }
            | Error::Unavailable(
                Sql::FromSqlConversionFailure(..)
                    | Sql::IntegralValueOutOfRange(..)
                    | Sql::InvalidColumnType(..)
            )
    )
}

/// Nothing in place of what is damaged, which is told to the log: it must not keep all others from being sent.
fn unless_damaged<T>(read: Result<T, Error>, sequence: i64, what: &str) -> Result<Option<T>, Error> {
    match read {
        Ok(read) => Ok(Some(read)),
        Err(error) if is_damage(&error) => {
            let error = &error as &dyn std::error::Error;
            tracing::error!(sequence, error, "{what} is damaged, and is not sent");
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Gives deliveries of a database the ids by which they are known outside.
struct Ids {
    /// From which delivery on each holds, in that order.
    marks: Vec<(u64, DeliveryEpoch)>,
}

impl Ids {
    fn of_database(connection: &Connection) -> Result<Self, Error> {
        let mut statement =
            connection.prepare_cached("SELECT first, mark FROM delivery_mark ORDER BY first")?;
        let marks = statement.query_map([], |row| Ok((row.get(0)?, DeliveryEpoch::new(row.get(1)?))))?;
        Ok(Self { marks: marks.collect::<Result<_, _>>()? })
    }

    fn of(&self, lane: Lane, sequence: u64) -> DeliveryId {
        let begun = self.marks.partition_point(|(first, _)| *first <= sequence);
        let mark = begun.checked_sub(1).and_then(|last| self.marks.get(last)).map(|(_, mark)| *mark);
        DeliveryId::of(lane.search, sequence, mark.unwrap_or_default())
    }

    /// The number of a delivery's row, and of the search it must be of; nothing when the id is none of this database's.
    fn row_of(&self, id: DeliveryId) -> Option<(i64, u32)> {
        let (search, sequence) = id.parts()?;
        let is_ours = self.of(Lane { search, channel: DeliveryChannel::Match }, sequence) == id;
        Some((i64::try_from(sequence).ok().filter(|_| is_ours)?, search.0))
    }
}

/// Deliveries that are made from now on have this mark in their ids. Marks of which nothing is left are forgotten.
pub fn mark(connection: &Connection, mark: DeliveryEpoch) -> Result<Verdict<()>, Error> {
    connection.execute(
        "INSERT OR REPLACE INTO delivery_mark (first, mark)
         SELECT coalesce(max(seq), 0) + 1, ?1 FROM sqlite_sequence WHERE name = 'delivery'",
        [mark.number()],
    )?;
    connection.execute(
        "DELETE FROM delivery_mark WHERE first < (SELECT max(first) FROM delivery_mark
             WHERE first <= (SELECT coalesce(min(sequence), 9223372036854775807) FROM delivery))",
        [],
    )?;
    Ok(Verdict::Keep(()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back() {
        for search in [SearchNumber(1), SearchNumber(77), SearchNumber(u32::MAX)] {
            for channel in DeliveryChannel::ALL {
                let lane = Lane { search, channel };
                assert_eq!(lane_of(lane_code(lane)).unwrap(), lane);
            }
        }
        assert!(lane_of(7).is_err() && lane_of(i64::MAX).is_err());
        for reason in CancelReason::ALL {
            let state = DeliveryState::Cancelled(reason);
            assert_eq!(state_of(cancelled_code(reason)).unwrap(), state);
        }
        assert!(state_of(4).is_err());
        for fault in Fault::ALL {
            assert_eq!(outcome_of(fault_code(fault)).unwrap(), Outcome::Failed(fault));
        }
        assert!(outcome_of(2).is_err());
    }

    /// What is asked all the time must be found within an index, in its order, however much lies beside it.
    #[test]
    fn whoever_looks_for_something_to_do_walks_no_table_and_sorts_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(crate::sqlite::FILE_NAME);
        let connection = crate::sqlite::schema::open_for_writing(&path).unwrap();
        let plan = |sql: &str| {
            let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
            // Parameters are left open.
            let steps = statement.raw_query().mapped(|row| row.get::<_, String>(3));
            steps.collect::<Result<Vec<_>, _>>().unwrap().join("; ")
        };
        for (sql, expected) in [
            (queue::NEXT_LANE, "SEARCH delivery USING COVERING INDEX delivery_pending (lane>?)"),
            (queue::WAITING, "SEARCH delivery USING INDEX delivery_pending (lane=?)"),
            (queue::LEASES, "SEARCH delivery USING INDEX delivery_leased (due_at<?)"),
            (listing::GIVEN_UP, "SEARCH delivery USING INDEX delivery_given_up (lane=? AND rowid>?)"),
            (outbox::NOTICES, "SEARCH notice USING PRIMARY KEY ((position,ordinal)>(?,?))"),
        ] {
            assert_eq!(plan(sql), expected, "{sql}");
        }
    }
}

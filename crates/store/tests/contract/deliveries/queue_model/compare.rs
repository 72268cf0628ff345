//! Compares the queue with its model.

use domain::DeliveryState;
use store::prelude::*;
use store::{LaneDue, QueueDepth};
use testkit::build::{at, user_id};

use super::reference::Model;
use crate::delivery_fixtures::all_deliveries;

pub async fn compare(store: &impl Store, model: &Model) {
    let rows = all_deliveries(store).await;
    assert_eq!(rows.len(), model.rows.len());
    for (row, expected) in rows.iter().zip(&model.rows) {
        let is_live = model.live.contains(&expected.lane.search);
        assert_eq!(
            (row.id, row.owner, row.lane, row.notification),
            (expected.id(), user_id(1), expected.lane, expected.notification)
        );
        assert_eq!((row.state, row.state_at), (expected.state, at(expected.state_at)));
        assert_eq!(row.created_at, at(expected.created_at));
        assert_eq!(row.search.is_some(), is_live);
        let (single, attempts) = store.delivery(row.id).await.unwrap().unwrap();
        assert_eq!(&single, row);
        assert_eq!(attempts, expected.attempts);
        assert_eq!(row.attempts as usize, attempts.len());
    }

    let pending = || model.rows.iter().filter(|row| row.state == DeliveryState::Pending);
    let leased = model.rows.iter().filter(|row| row.state == DeliveryState::Leased).count();
    let depth = QueueDepth {
        pending: pending().count() as u64,
        leased: leased as u64,
        oldest_due_at: pending().map(|row| at(row.state_at)).min(),
    };
    assert_eq!(store.queue_depth().await.unwrap(), depth);

    let earliest = |lane| pending().filter(|row| row.lane == lane).map(|row| at(row.state_at)).min();
    let expected: Vec<_> =
        model.lanes().into_iter().map(|lane| LaneDue { lane, due_at: earliest(lane).unwrap() }).collect();
    let mut found = store.lanes(None, 100).await.unwrap();
    found.sort_by_key(|found| found.lane);
    assert_eq!(found, expected);

    for search in &model.live {
        let stored = store.search_by_number(*search).await.unwrap().unwrap();
        assert_eq!(stored.last_alert_at, model.last_alerts.get(search).map(|second| at(*second)));
    }
}

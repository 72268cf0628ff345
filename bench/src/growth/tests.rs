//! A small market for a short time: what grows without retention stays the same with it.

use super::*;

/// Months of four days, so that everything that retention waits for has happened by the middle.
const SMALL: Simulation = Simulation {
    market: MarketSettings { stock: 60, life_days: 6, seed: 7 },
    searches: 12,
    months: 16,
    days_per_month: 4,
    delivery_retention: Duration::from_secs(4 * 86_400),
    retention: OFF,
};

/// Returns the rows of a table, as the mean of some months: a single one depends on chance.
fn mean(months: &[Rows], table: &str) -> f64 {
    let rows = months.iter().filter_map(|month| month.by_table().find(|(name, _)| *name == table));
    rows.map(|(_, rows)| rows as f64).sum::<f64>() / months.len() as f64
}

/// Returns how many times as many rows a table has in the last four months as in the four before.
fn growth(months: &[Rows], table: &str) -> f64 {
    mean(&months[12..16], table) / mean(&months[8..12], table).max(1.0)
}

#[test]
fn everything_reaches_a_plateau_with_retention_and_nothing_without() {
    let retention =
        Settings { log: Some(4 * DAY), matches: Some(8 * DAY), expired_properties: Some(8 * DAY), ..OFF };
    let kept = simulate(Simulation { retention, ..SMALL }).unwrap();
    let tables: Vec<_> = kept[0].by_table().map(|(table, _)| table).collect();
    for table in &tables {
        assert!(mean(&kept[8..], table) > 0.0, "{table} is not used: the simulation shows nothing");
        let growth = growth(&kept, table);
        assert!(growth < 1.25, "{table} grows by {growth}: {kept:#?}");
    }
    let used = |month: usize| kept[month].used_bytes as f64;
    assert!(used(15) < 1.25 * used(9), "{kept:#?}");

    let all = simulate(SMALL).unwrap();
    for table in ["log", "property", "property_version", "match_group", "search_match", "outbox"] {
        let growth = growth(&all, table);
        assert!(growth > 1.25, "{table} does not grow without retention: {growth}");
    }
    assert!(all[15].used_bytes > 2 * kept[15].used_bytes);
}

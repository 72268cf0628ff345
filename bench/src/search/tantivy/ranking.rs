//! Totals and first ten hits, with the top-documents collector of the library.

use tantivy::collector::sort_key::{SortByStaticFastValue, SortKeyComputer};
use tantivy::collector::{Collector, Count, TopDocs};
use tantivy::fastfield::FastValue;
use tantivy::query::Query;
use tantivy::{Order, Searcher};

use super::distinct::Distinct;
use super::index::{CREATED, HIGH, LOW, PRICE, PRICE_PER_METER};
use crate::search::query::{LIMIT, TopHits};

/// Returns the newest hits, ordered like [`Order::Newest`](crate::search::query::Order::Newest).
pub fn newest(searcher: &Searcher, query: &dyn Query) -> anyhow::Result<TopHits> {
    let (total, ids) = newest_documents(searcher, query, Count, LIMIT)?;
    Ok(TopHits { total: total as u64, ids })
}

/// Returns the cheapest hits.
pub fn cheapest(searcher: &Searcher, query: &dyn Query) -> anyhow::Result<TopHits> {
    let order = (column::<f64>(PRICE, Order::Asc), id(HIGH), id(LOW));
    let (total, first) = searcher.search(query, &(Count, TopDocs::with_limit(LIMIT).order_by(order)))?;
    let ids = first.into_iter().filter_map(|((_, high, low), _)| joined(high, low)).collect();
    Ok(TopHits { total: total as u64, ids })
}

/// Does the same as [`newest`] if a property may have several documents. These are adjacent in the order, so it requests more
/// documents than needed, and even more if that was not enough.
pub fn newest_properties(searcher: &Searcher, query: &dyn Query) -> anyhow::Result<TopHits> {
    // A property has an advert and a half on average.
    let mut limit = 2 * LIMIT;
    loop {
        let (total, mut ids) = newest_documents(searcher, query, Distinct, limit)?;
        ids.dedup();
        ids.truncate(LIMIT);
        if ids.len() == total.min(LIMIT) {
            return Ok(TopHits { total: total as u64, ids });
        }
        limit *= 2;
    }
}

fn newest_documents(
    searcher: &Searcher,
    query: &dyn Query,
    count: impl Collector<Fruit = usize>,
    limit: usize,
) -> anyhow::Result<(usize, Vec<[u8; 16]>)> {
    let order =
        (column::<i64>(CREATED, Order::Desc), column::<f64>(PRICE_PER_METER, Order::Desc), id(HIGH), id(LOW));
    let (total, first) = searcher.search(query, &(count, TopDocs::with_limit(limit).order_by(order)))?;
    let ids = first.into_iter().filter_map(|((_, _, high, low), _)| joined(high, low)).collect();
    Ok((total, ids))
}

/// Documents without a value come last in either order.
fn column<T: FastValue>(name: &str, order: Order) -> (SortByStaticFastValue<T>, Order) {
    (SortByStaticFastValue::for_field(name), order)
}

fn id(half: &str) -> impl SortKeyComputer<SortKey = Option<u64>> + Send + 'static {
    column::<u64>(half, Order::Asc)
}

fn joined(high: Option<u64>, low: Option<u64>) -> Option<[u8; 16]> {
    let (high, low) = high.zip(low)?;
    Some((u128::from(high) << 64 | u128::from(low)).to_be_bytes())
}

//! The index of Vigie, in this process.

use std::sync::Arc;

use domain::criteria::{CriteriaBuilder, CriterionValue, Direction, Entry, Presence};
use domain::{Filter, OrderBy, Phrase, Strictness, Timestamp};
use engine::{Index, IndexBuilder, IndexSettings, SequenceNumber};

use super::Engine;
use super::dataset::Stream;
use super::query::{Criteria, LIMIT, Order, Query, TopHits};
use super::report;

pub struct Vigie {
    index: Arc<Index>,
}

impl Vigie {
    pub fn load(properties: Stream<domain::Property>) -> Self {
        let mut builder = IndexBuilder::new(IndexSettings::default());
        for (property, position) in properties.zip(1..) {
            builder.put(&property, SequenceNumber(position));
        }
        Self { index: Arc::new(Index::from_builders(IndexSettings::default(), vec![builder], 0)) }
    }

    pub fn index(&self) -> Arc<Index> {
        Arc::clone(&self.index)
    }

    /// Describes the memory of the index, in total and by component.
    pub fn describe(&self) -> String {
        let view = self.index.searcher();
        let per_property = |bytes: usize| bytes as f64 / view.len().max(1) as f64;
        let mut parts: Vec<(&str, usize)> = Vec::new();
        for (name, bytes) in view.segment_readers().iter().flat_map(engine::SegmentReader::bytes_by_component)
        {
            match parts.iter_mut().find(|(known, _)| *known == name) {
                Some((_, sum)) => *sum += bytes,
                None => parts.push((name, bytes)),
            }
        }
        let parts = parts.iter().map(|(name, bytes)| format!("{name} {:.0}", per_property(*bytes)));
        format!(
            "Vigie's index: {} properties in {} segments, {:.0} bytes per property ({})",
            view.len(),
            view.segment_readers().len(),
            per_property(view.bytes()),
            parts.collect::<Vec<_>>().join(", ")
        )
    }
}

impl Engine for Vigie {
    fn name(&self) -> &str {
        report::OURS
    }

    fn search(&mut self, query: &Query) -> anyhow::Result<TopHits> {
        let found = self.index.searcher().search(&request(query)?, &engine::Budget::unlimited())?;
        let ids = found.hits.iter().map(|hit| *hit.property.as_bytes()).collect();
        Ok(TopHits { total: found.total as u64, ids })
    }
}

/// Converts a query to a search request, with the filters a client would send.
pub fn request(query: &Query) -> anyhow::Result<engine::SearchRequest> {
    let mut filters = vec![
        ("transactionType", CriterionValue::Codes(vec![query.transaction.code()])),
        ("expired", CriterionValue::Flag(false)),
    ];
    let budget = |filters: &mut Vec<(&'static str, CriterionValue)>, budget: &world::Budget| {
        filters.extend(budget.min.map(|min| ("budgetMin", CriterionValue::Number(min))));
        filters.push(("budgetMax", CriterionValue::Number(budget.max)));
    };
    match &query.criteria {
        Criteria::City { city, budget: amount, surface_min } => {
            filters.push(("includedCities", CriterionValue::Places(vec![*city])));
            filters.push(("surfaceMin", CriterionValue::Number(*surface_min)));
            budget(&mut filters, amount);
        }
        Criteria::Department { department, budget: amount, surface_min } => {
            filters.push(("includedDepartments", CriterionValue::Places(vec![*department])));
            filters.push(("surfaceMin", CriterionValue::Number(*surface_min)));
            budget(&mut filters, amount);
        }
        Criteria::Radius { centre, radius_km, budget: amount } => {
            filters.push(("lat", CriterionValue::Number(centre.lat())));
            filters.push(("lon", CriterionValue::Number(centre.lon())));
            filters.push(("radius", CriterionValue::Number(*radius_km)));
            budget(&mut filters, amount);
        }
        Criteria::Words { words, kind } => {
            let entry = |word: &&str| {
                let phrase = Phrase::new(word, Strictness::Exact)?;
                Some(Entry { phrase, presence: Presence::Present })
            };
            filters.push((
                "expressions",
                CriterionValue::Expressions(vec![words.iter().filter_map(entry).collect()]),
            ));
            filters.push(("propertyTypes", CriterionValue::Codes(vec![kind.code()])));
        }
        Criteria::Country { kinds } => {
            filters.push((
                "propertyTypes",
                CriterionValue::Codes(kinds.iter().map(|kind| kind.code()).collect()),
            ));
        }
        Criteria::Energy { city, letters, year_min } => {
            filters.push(("includedCities", CriterionValue::Places(vec![*city])));
            let letters = letters.iter().map(|letter| *letter as u8).collect();
            filters.push(("energyCategories", CriterionValue::Codes(letters)));
            filters.push(("constructionYearMin", CriterionValue::Number(f64::from(*year_min))));
        }
        Criteria::PriceDrop { department, percent_max, since } => {
            filters.push(("includedDepartments", CriterionValue::Places(vec![*department])));
            filters.push(("eventPriceVariationMax", CriterionValue::Number(*percent_max)));
            let since = Timestamp::from_second(*since)?;
            filters.push(("eventPriceVariationFromCreatedAt", CriterionValue::Timestamp(since)));
        }
    }
    let mut draft = CriteriaBuilder::default();
    for (name, given) in filters {
        draft.put(Filter::named(name).ok_or_else(|| anyhow::anyhow!("no filter {name}"))?, given);
    }
    let finished = draft.build().map_err(|violations| anyhow::anyhow!("{violations:?}"))?;
    let order = match query.criteria.order() {
        Order::Newest => domain::Order::default(),
        Order::Cheapest => {
            domain::Order { by: vec![(OrderBy::Price, Direction::Ascending)], ..domain::Order::default() }
        }
    };
    Ok(engine::SearchRequest { criteria: finished.criteria, order, skip: 0, take: LIMIT })
}

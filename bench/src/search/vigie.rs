//! Vigie's own index, in this process.

use std::sync::Arc;

use domain::criteria::{CriteriaDraft, Direction, Entry, Given, Presence};
use domain::{Filter, OrderBy, Phrase, Strictness, Timestamp};
use engine::{Index, IndexBuilder, IndexSettings, SequenceNumber};

use super::Engine;
use super::dataset::Stream;
use super::question::{Answer, Criteria, FIRST, Order, Question};
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

    /// What the index takes, in all and by part.
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
            "Vigie's index: {} properties in {} segments, {:.0} bytes a property ({})",
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

    fn answer(&mut self, question: &Question) -> anyhow::Result<Answer> {
        let found = self.index.searcher().search(&asked(question)?);
        let ids = found.hits.iter().map(|hit| *hit.property.as_bytes()).collect();
        Ok(Answer { total: found.total as u64, ids })
    }
}

/// The question in Vigie's own words: the filters a client would send.
pub fn asked(question: &Question) -> anyhow::Result<engine::SearchRequest> {
    let mut filters = vec![
        ("transactionType", Given::Codes(vec![question.transaction.code()])),
        ("expired", Given::Flag(false)),
    ];
    let budget = |filters: &mut Vec<(&'static str, Given)>, budget: &world::Budget| {
        filters.extend(budget.min.map(|min| ("budgetMin", Given::Number(min))));
        filters.push(("budgetMax", Given::Number(budget.max)));
    };
    match &question.criteria {
        Criteria::City { city, budget: amount, surface_min } => {
            filters.push(("includedCities", Given::Places(vec![*city])));
            filters.push(("surfaceMin", Given::Number(*surface_min)));
            budget(&mut filters, amount);
        }
        Criteria::Department { department, budget: amount, surface_min } => {
            filters.push(("includedDepartments", Given::Places(vec![*department])));
            filters.push(("surfaceMin", Given::Number(*surface_min)));
            budget(&mut filters, amount);
        }
        Criteria::Radius { centre, radius_km, budget: amount } => {
            filters.push(("lat", Given::Number(centre.lat())));
            filters.push(("lon", Given::Number(centre.lon())));
            filters.push(("radius", Given::Number(*radius_km)));
            budget(&mut filters, amount);
        }
        Criteria::Words { words, kind } => {
            let entry = |word: &&str| {
                let phrase = Phrase::new(word, Strictness::Exact)?;
                Some(Entry { phrase, presence: Presence::Present })
            };
            filters.push(("expressions", Given::Expressions(vec![words.iter().filter_map(entry).collect()])));
            filters.push(("propertyTypes", Given::Codes(vec![kind.code()])));
        }
        Criteria::Country { kinds } => {
            filters.push(("propertyTypes", Given::Codes(kinds.iter().map(|kind| kind.code()).collect())));
        }
        Criteria::Energy { city, letters, year_min } => {
            filters.push(("includedCities", Given::Places(vec![*city])));
            let letters = letters.iter().map(|letter| *letter as u8).collect();
            filters.push(("energyCategories", Given::Codes(letters)));
            filters.push(("constructionYearMin", Given::Number(f64::from(*year_min))));
        }
        Criteria::PriceDrop { department, percent_max, since } => {
            filters.push(("includedDepartments", Given::Places(vec![*department])));
            filters.push(("eventPriceVariationMax", Given::Number(*percent_max)));
            let since = Timestamp::from_second(*since)?;
            filters.push(("eventPriceVariationFromCreatedAt", Given::Moment(since)));
        }
    }
    let mut draft = CriteriaDraft::default();
    for (name, given) in filters {
        draft.put(Filter::named(name).ok_or_else(|| anyhow::anyhow!("no filter {name}"))?, given);
    }
    let finished = draft.finish().map_err(|violations| anyhow::anyhow!("{violations:?}"))?;
    let order = match question.criteria.order() {
        Order::Newest => domain::Order::default(),
        Order::Cheapest => {
            domain::Order { by: vec![(OrderBy::Price, Direction::Ascending)], ..domain::Order::default() }
        }
    };
    Ok(engine::SearchRequest { criteria: finished.criteria, order, skip: 0, take: FIRST })
}

//! The results as tables.

use std::fmt::Write;

use super::dataset::Dataset;
use super::measure::{EngineResult, KindResult};
use super::over_http;
use crate::table::{dash, microseconds, per_second, table, times};

/// The engine the others are compared with.
pub const OURS: &str = "Vigie";

/// Properties in the sample that describes the market.
const SAMPLE: usize = 10_000;

/// Describes the market by a sample.
pub fn describe(dataset: &Dataset) -> String {
    let (mut properties, mut adverts, mut changed, mut words) = (0, 0, 0, Vec::new());
    for property in dataset.properties().take(SAMPLE) {
        properties += 1;
        for advert in &property.adverts {
            adverts += 1;
            changed += usize::from(advert.events.iter().any(|event| event.percent_variation.is_some()));
            let text = advert.details.description.as_ref().map(|text| text.as_str()).unwrap_or_default();
            words.push(text.split_whitespace().count());
        }
    }
    words.sort_unstable();
    let within = words.iter().filter(|count| (40..=120).contains(*count)).count();
    let share = |part: usize| 100.0 * part as f64 / f64::max(adverts as f64, 1.0);
    format!(
        "{} properties (seed {}), {:.2} adverts each, {:.0} % of them with price changes; descriptions of {:.0} words on \
         average, {:.1} % have 40 to 120",
        dataset.len(),
        dataset.world().seed(),
        adverts as f64 / f64::max(f64::from(properties), 1.0),
        share(changed),
        words.iter().sum::<usize>() as f64 / f64::max(words.len() as f64, 1.0),
        share(within),
    )
}

/// Formats all results, the mix, and the differences between engines.
pub fn tables(kinds: &[KindResult], markdown: bool) -> String {
    let mut text = String::new();
    for result in kinds {
        let title = format!("{} ({:.0} found on average)", result.kind.title(), result.mean_total);
        let rows = result.engines.iter().map(|engine| {
            let ratio = result.engines.iter().find(|other| other.name == OURS).map(|ours| (engine, ours));
            let ratio = ratio.filter(|(engine, ours)| engine.name != ours.name);
            vec![
                engine.name.clone(),
                engine.times.len().to_string(),
                microseconds(engine.percentile(50)),
                microseconds(engine.percentile(99)),
                microseconds(engine.mean()),
                per_second(engine.mean().as_secs_f64()),
                ratio.map_or_else(dash, |(engine, ours)| times(engine.percentile(50), ours.percentile(50))),
                ratio.map_or_else(dash, |(engine, ours)| times(engine.percentile(99), ours.percentile(99))),
                ratio.map_or_else(dash, |(engine, ours)| times(engine.mean(), ours.mean())),
            ]
        });
        let head =
            ["", "answered", "median µs", "p99 µs", "mean µs", "per second", "median ×", "p99 ×", "mean ×"];
        table(&mut text, &title, &head, &rows.collect::<Vec<_>>(), markdown);
    }
    mix(&mut text, kinds, markdown);
    agreement(&mut text, kinds);
    text
}

/// Formats the mix: the mean over its kinds, in equal parts.
fn mix(text: &mut String, kinds: &[KindResult], markdown: bool) {
    let in_mix: Vec<&KindResult> = kinds.iter().filter(|result| result.kind.is_in_mix()).collect();
    let Some(names) = in_mix.first().map(|result| result.engines.iter().map(|engine| engine.name.clone()))
    else {
        return;
    };
    let means: Vec<(String, f64)> = names
        .map(|name| {
            let engines = in_mix.iter().flat_map(|result| &result.engines);
            let total: f64 =
                engines.filter(|engine| engine.name == name).map(|engine| engine.mean().as_secs_f64()).sum();
            (name, total / in_mix.len() as f64)
        })
        .collect();
    let ours = means.iter().find(|(name, _)| name == OURS).map(|(_, mean)| *mean);
    let rows: Vec<Vec<String>> = means
        .iter()
        .map(|(name, mean)| {
            let ratio = ours.filter(|_| name != OURS).map(|ours| format!("{:.1}", mean / ours));
            vec![name.clone(), format!("{:.0}", mean * 1e6), per_second(*mean), ratio.unwrap_or_else(dash)]
        })
        .collect();
    table(
        text,
        "The mix: the first five kinds in equal parts",
        &["", "mean µs", "per second", "mean ×"],
        &rows,
        markdown,
    );
    let peers = means.iter().filter(|(name, _)| name != OURS && name != over_http::NAME);
    let best = peers.min_by(|one, other| one.1.total_cmp(&other.1));
    if let (Some(ours), Some((name, mean))) = (ours, best) {
        _ = writeln!(text, "{OURS} has {:.1} times the throughput of the best peer, {name}.\n", mean / ours);
    }
    if let Some((_, http)) = means.iter().find(|(name, _)| name == over_http::NAME) {
        let peers = means.iter().filter(|(name, _)| name != OURS && name != over_http::NAME);
        let ratios: Vec<String> = peers.map(|(name, mean)| format!("{name} {:.1}", mean / http)).collect();
        _ = writeln!(
            text,
            "Over one HTTP connection, with ten whole documents per response and their parsing, it has this many times the throughput of \
             the peers, which return only ids: {}.\n",
            ratios.join(", ")
        );
    }
}

/// Lists all differences from the first engine: a fast but wrong result does not count.
fn agreement(text: &mut String, kinds: &[KindResult]) {
    let compared: usize = kinds.iter().map(|result| result.compared).sum();
    // Nothing to compare with a single engine.
    let Some([EngineResult { name: first, .. }, _, ..]) = kinds.first().map(|result| &result.engines[..])
    else {
        return;
    };
    _ = writeln!(text, "Agreement with {first}, {compared} queries compared:");
    let mut differs = false;
    for result in kinds {
        for engine in result.engines.iter().filter(|engine| engine.other_totals + engine.other_ids > 0) {
            differs = true;
            _ = writeln!(
                text,
                "- {}: {} had a different total {} times and different ids {} times, of {}",
                result.kind.title(),
                engine.name,
                engine.other_totals,
                engine.other_ids,
                result.compared,
            );
        }
    }
    if !differs {
        text.push_str("- all totals and ids are equal\n");
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::search::query::Kind;

    fn engine(name: &str, microseconds: &[u64], other_totals: usize) -> EngineResult {
        let times = microseconds.iter().copied().map(Duration::from_micros).collect();
        EngineResult { name: name.to_owned(), times, other_totals, other_ids: 0 }
    }

    #[test]
    fn ratios_compare_peers_with_vigie() {
        let kinds = [Kind::City, Kind::Country, Kind::Energy].map(|kind| KindResult {
            kind,
            engines: vec![engine(OURS, &[10, 20, 30], 0), engine("peer", &[20, 60, 160], 2)],
            mean_total: 3.0,
            compared: 3,
        });
        let text = tables(&kinds, true);
        let row =
            "| peer  |        3 |      60.0 |    160 |    80.0 |      12500 |      3.0 |   5.3 |    4.0 |";
        assert!(text.contains(row), "{text}");
        assert!(text.contains("| peer  |      80 |      12500 |    4.0 |"), "{text}");
        assert!(text.contains("Vigie has 4.0 times the throughput of the best peer, peer."), "{text}");
        assert!(
            text.contains("peer had a different total 2 times and different ids 0 times, of 3"),
            "{text}"
        );
    }
}

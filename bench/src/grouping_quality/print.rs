//! The tables of a report, and examples of its pairs.

use std::fmt::Write;

use domain::{Amount, FieldUpdate};
use world::{CaseKind, GroupingReport, LabelledAdvert, PairExample};

use crate::table::{dash, table};

/// Returns the true pairs by kind, and the wrong pairs by the two kinds.
pub fn tables(report: &GroupingReport, markdown: bool) -> String {
    let mut text = String::new();
    let kinds: Vec<Vec<String>> = CaseKind::ALL
        .iter()
        .filter_map(|kind| report.kinds.get(kind).map(|counts| (kind, counts)))
        .map(|(kind, counts)| {
            let recall = match counts.true_pairs {
                0 => dash(),
                pairs => format!("{:.4}", counts.correct_pairs as f64 / pairs as f64),
            };
            let numbers = [
                counts.homes,
                counts.adverts,
                counts.true_pairs,
                counts.correct_pairs,
                counts.true_pairs - counts.correct_pairs,
                wrong_of(report, *kind),
            ];
            let mut row = vec![kind.name().to_owned()];
            row.extend(numbers.map(|number| number.to_string()));
            row.push(recall);
            row
        })
        .collect();
    let head = ["Kind", "Homes", "Adverts", "True pairs", "Found", "Missed", "Wrong", "Recall"];
    table(&mut text, "Pairs by kind of case", &head, &kinds, markdown);
    let mut wrong: Vec<_> = report.wrong.iter().collect();
    wrong.sort_by_key(|(_, pairs)| std::cmp::Reverse(pairs.count));
    let rows: Vec<Vec<String>> = wrong
        .iter()
        .map(|((first, second), pairs)| {
            vec![format!("{} × {}", first.name(), second.name()), pairs.count.to_string()]
        })
        .collect();
    if !rows.is_empty() {
        table(&mut text, "Wrong pairs by the kinds of the two homes", &["Kinds", "Pairs"], &rows, markdown);
    }
    text
}

/// Counts the wrong pairs that contain a home of this kind.
fn wrong_of(report: &GroupingReport, kind: CaseKind) -> u64 {
    let with_kind = report.wrong.iter().filter(|((first, second), _)| *first == kind || *second == kind);
    with_kind.map(|(_, pairs)| pairs.count).sum()
}

/// Returns the examples, two adverts each.
pub fn examples(report: &GroupingReport, market: &[LabelledAdvert]) -> String {
    let mut text = String::new();
    for (kind, counts) in &report.kinds {
        list(&mut text, &format!("Missed, {}", kind.name()), &counts.missed_examples, market);
    }
    for ((first, second), pairs) in &report.wrong {
        let title = format!("Wrong, {} and {}", first.name(), second.name());
        list(&mut text, &title, &pairs.examples, market);
    }
    text
}

fn list(text: &mut String, title: &str, examples: &[PairExample], market: &[LabelledAdvert]) {
    if examples.is_empty() {
        return;
    }
    _ = writeln!(text, "{title}:");
    for PairExample { first, second } in examples {
        _ = writeln!(text, "  {}\n  {}\n", summary(&market[*first]), summary(&market[*second]));
    }
}

/// Returns an advert in a line: site, price, surface, rooms, floor, energy, agency and title.
fn summary(advert: &LabelledAdvert) -> String {
    let patch = &advert.draft.patch;
    let amount = |given: &FieldUpdate<Option<Amount>>| known(given).map_or_else(dash, Amount::to_string);
    let number = |given: &FieldUpdate<Option<i32>>| known(given).map_or_else(dash, i32::to_string);
    let rating =
        patch.energy.value().and_then(|rating| rating.value).map_or_else(dash, |value| value.to_string());
    let agency = patch.publisher.value().and_then(|publisher| publisher.name.as_ref());
    format!(
        "case {}: {} | {} € | {} m² | {} rooms | floor {} | {rating} kWh | {} | {}",
        advert.case,
        known(&patch.site).map_or_else(dash, ToString::to_string),
        amount(&patch.price),
        amount(&patch.surface),
        number(&patch.room),
        number(&patch.floor),
        agency.map_or_else(dash, ToString::to_string),
        known(&patch.title).map_or_else(dash, ToString::to_string),
    )
}

fn known<T>(given: &FieldUpdate<Option<T>>) -> Option<&T> {
    given.value().and_then(Option::as_ref)
}

//! Summarises an explanation in one or two sentences.

use super::value::ExpectedValue;
use super::{AdvertBody, ChangeBody, CriterionBody, EntryResultBody, ExplanationBody, GroupBody};

/// Returns the summary of an otherwise complete body.
pub fn of(body: &ExplanationBody<'_>) -> String {
    let mut text = match (body.held, body.on_offer) {
        (true, true) => "The property is on offer and meets all criteria of the search.".to_owned(),
        (true, false) => {
            "The property meets all criteria of the search, but all its adverts have expired: it is \
                          not on offer and cannot match."
                .to_owned()
        }
        (false, _) => format!("The property does not meet the search: {}.", failures(body).join("; ")),
    };
    if !body.held && !body.on_offer {
        text.push_str(" All its adverts have expired as well.");
    }
    match (body.held && body.on_offer, body.matched) {
        (true, false) => text.push_str(
            " There is no match: a match is created only when a property starts to meet a search that is already saved and enabled.",
        ),
        (false, true) => text.push_str(" There is a match from an earlier time when it did."),
        (true, true) | (false, false) => {}
    }
    text
}

fn failures(body: &ExplanationBody<'_>) -> Vec<String> {
    let mut failures: Vec<String> = body.criteria.iter().filter(|line| !line.held).map(failure).collect();
    failures.extend(closest_advert(&body.adverts));
    failures.extend(body.changes.iter().filter(|change| !change.held).map(change));
    failures.extend(closest_group(&body.expressions));
    if failures.is_empty() {
        // There are advert criteria, and no advert that could meet them.
        failures.push("none of its adverts is on offer".to_owned());
    }
    failures
}

fn failure(line: &CriterionBody) -> String {
    let CriterionBody { filters, wanted, found, held: _ } = line;
    let filters = join_names(filters);
    match (wanted, found) {
        (_, Some(found)) => format!("{filters}: expected {wanted}, found {found}"),
        (ExpectedValue::Feature { .. }, None) => format!("{filters}: expected {wanted}, but it has none"),
        (_, None) => format!("{filters}: expected {wanted}, but the value is unknown"),
    }
}

/// Describes what the closest advert fails.
fn closest_advert(adverts: &[AdvertBody]) -> Option<String> {
    let closest = adverts.first().filter(|_| adverts.iter().all(|advert| !advert.held))?;
    let failed: Vec<String> = closest.criteria.iter().filter(|line| !line.held).map(failure).collect();
    let failed = failed.join("; ");
    Some(match (adverts.len(), closest.criteria.len()) {
        (1, _) => format!("its advert fails ({failed})"),
        (_, 1) => format!("none of its {} adverts meets the criterion ({failed})", adverts.len()),
        (count, _) => format!("none of its {count} adverts meets all advert criteria (closest: {failed})"),
    })
}

fn change(change: &ChangeBody) -> String {
    let ChangeBody { field_name, count, criteria, .. } = change;
    if *count == 0 {
        return format!("no advert on offer has changed its {field_name}");
    }
    let failed: Vec<String> = criteria.iter().filter(|line| !line.held).map(failure).collect();
    format!("no change of its {field_name} meets the criteria (closest of {count}: {})", failed.join("; "))
}

/// Describes what the closest group lacks.
fn closest_group(groups: &[GroupBody<'_>]) -> Option<String> {
    if groups.iter().any(|group| group.held) {
        return None;
    }
    let failing = |group: &GroupBody<'_>| group.entries.iter().filter(|entry| !entry.held).count();
    let closest = groups.iter().min_by_key(|group| failing(group))?;
    let failed: Vec<String> = closest.entries.iter().filter(|entry| !entry.held).map(word).collect();
    Some(failed.join(" and "))
}

fn word(entry: &EntryResultBody<'_>) -> String {
    let word = entry.entry.word();
    match &entry.found_in {
        None => format!("\"{word}\" is in none of its texts"),
        Some(passage) => format!("\"{word}\" is in a {} but is excluded", passage.field_name),
    }
}

/// Formats `a`, `a and b`, `a, b and c`.
fn join_names(names: &[&str]) -> String {
    match names.split_last() {
        None => "criterion".to_owned(),
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    }
}

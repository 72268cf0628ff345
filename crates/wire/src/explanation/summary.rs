//! An explanation in a sentence or two of plain English: what failed, or that nothing did.

use super::{AdvertBody, ChangeBody, EntryTriedBody, ExplanationBody, GroupBody, LineBody};

/// The summary of a body that is otherwise complete.
pub fn of(body: &ExplanationBody<'_>) -> String {
    let mut text = match (body.held, body.on_offer) {
        (true, true) => "The property is on offer and meets everything the search asks for.".to_owned(),
        (true, false) => {
            "The property meets everything the search asks for, but all its adverts are expired: it is \
                          not on offer, and makes no match."
                .to_owned()
        }
        (false, _) => format!("The property does not meet the search: {}.", failures(body).join("; ")),
    };
    if !body.held && !body.on_offer {
        text.push_str(" All its adverts are expired, too.");
    }
    match (body.held && body.on_offer, body.matched) {
        (true, false) => text.push_str(
            " There is no match: one is made when a property comes to meet a search after that was made or switched on.",
        ),
        (false, true) => text.push_str(" There is a match from when it did."),
        (true, true) | (false, false) => {}
    }
    text
}

fn failures(body: &ExplanationBody<'_>) -> Vec<String> {
    let mut failures: Vec<String> = body.criteria.iter().filter(|line| !line.held).map(failure).collect();
    failures.extend(adverts(&body.adverts));
    failures.extend(body.changes.iter().filter(|change| !change.held).map(change));
    failures.extend(words(&body.expressions));
    if failures.is_empty() {
        // Something was wanted of adverts, and none of them counts.
        failures.push("none of its adverts counts".to_owned());
    }
    failures
}

fn failure(line: &LineBody) -> String {
    let LineBody { filters, wanted, found, held: _ } = line;
    let filters = listed(filters);
    match found {
        Some(found) => format!("{filters}: wanted {wanted}, found {found}"),
        None => format!("{filters}: wanted {wanted}, which is not known of it"),
    }
}

/// What the nearest advert fails.
fn adverts(tried: &[AdvertBody]) -> Option<String> {
    let nearest = tried.first().filter(|_| tried.iter().all(|advert| !advert.held))?;
    let failed: Vec<String> = nearest.criteria.iter().filter(|line| !line.held).map(failure).collect();
    let failed = failed.join("; ");
    Some(match (tried.len(), nearest.criteria.len()) {
        (1, _) => format!("its advert ({failed})"),
        (_, 1) => format!("none of its {} adverts will do ({failed})", tried.len()),
        (count, _) => format!(
            "no one of its {count} adverts meets everything asked of an advert (the nearest: {failed})"
        ),
    })
}

fn change(change: &ChangeBody) -> String {
    let ChangeBody { field_name, count, criteria, .. } = change;
    if *count == 0 {
        return format!("its {field_name} has never changed");
    }
    let failed: Vec<String> = criteria.iter().filter(|line| !line.held).map(failure).collect();
    format!("no change of {field_name} will do (the nearest of {count}: {})", failed.join("; "))
}

/// What the nearest group lacks.
fn words(groups: &[GroupBody<'_>]) -> Option<String> {
    if groups.iter().any(|group| group.held) {
        return None;
    }
    let failing = |group: &GroupBody<'_>| group.entries.iter().filter(|entry| !entry.held).count();
    let nearest = groups.iter().min_by_key(|group| failing(group))?;
    let failed: Vec<String> = nearest.entries.iter().filter(|entry| !entry.held).map(word).collect();
    Some(failed.join(" and "))
}

fn word(entry: &EntryTriedBody<'_>) -> String {
    let word = entry.entry.word();
    match &entry.found_in {
        None => format!("\"{word}\" stands in none of its texts"),
        Some(passage) => format!("\"{word}\" stands in a {}, and must not", passage.field_name),
    }
}

/// `a`, `a and b`, `a, b and c`.
fn listed(names: &[&str]) -> String {
    match names.split_last() {
        None => "criterion".to_owned(),
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    }
}

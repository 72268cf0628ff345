//! Summarises in a few sentences why two adverts are one property, or not.

use domain::grouping::{Comparison, JOIN_SCORE, KEEP_SCORE, Verdict};

use super::{ComparisonInput, rounded};

/// Returns the summary of a comparison: where the adverts are, what decides about the two, and what else must have decided if the
/// two alone would be elsewhere.
pub fn summary(input: &ComparisonInput<'_>) -> String {
    let is_one = input.is_one_property();
    let place =
        if is_one { "The adverts are in one property." } else { "The adverts are in two properties." };
    let other_reason = match (is_one, expects_one(input)) {
        (true, false) => {
            " Something else keeps them together: another advert that is like both, a sender that named the property, or a person."
        }
        (false, true) => {
            " Something else keeps them apart: another advert of their properties, senders that named two properties, in a city \
             that they have no exact value in common, or automatic grouping was off."
        }
        (true, true) | (false, false) => "",
    };
    format!("{place} {}{other_reason}", reason(input))
}

/// Returns whether the two adverts alone would be in one property. In a property they already share, a lower score is enough.
fn expects_one(input: &ComparisonInput<'_>) -> bool {
    let least = if input.is_one_property() { KEEP_SCORE } else { JOIN_SCORE };
    match (input.verdict, input.comparison) {
        (Some(verdict), _) => verdict == Verdict::Same,
        (None, Some(Comparison { score, veto, evidence: _ })) => veto.is_none() && *score >= least,
        (None, None) => false,
    }
}

/// Describes what decides about the two adverts.
fn reason(input: &ComparisonInput<'_>) -> String {
    let Comparison { score, veto, evidence: _ } = match (input.verdict, input.comparison) {
        (Some(Verdict::Same), _) => return "A person decided that they are of one property.".to_owned(),
        (Some(Verdict::Different), _) => {
            return "A person decided that they are of different properties.".to_owned();
        }
        (None, None) => {
            return "One of them has no known commune; such adverts are not compared.".to_owned();
        }
        (None, Some(comparison)) => comparison,
    };
    let (points, join, keep) = (rounded(*score), rounded(JOIN_SCORE), rounded(KEEP_SCORE));
    match veto {
        Some(veto) => format!(
            "They cannot be of one property, whatever their score of {points}: {}.",
            spaced(veto.name())
        ),
        None if *score >= JOIN_SCORE => {
            format!("Their score of {points} reaches the {join} for one property.")
        }
        None if *score >= KEEP_SCORE => format!(
            "Their score of {points} is below the {join} for joining a property, and not below the {keep} for leaving one."
        ),
        None => format!("Their score of {points} is below the {keep} for staying in one property."),
    }
}

/// Writes a name as words: `bothLiveOnOneSite` becomes `both live on one site`.
pub fn spaced(name: &str) -> String {
    let mut words = String::with_capacity(name.len() + 8);
    for character in name.chars() {
        if character.is_uppercase() {
            words.push(' ');
        }
        words.extend(character.to_lowercase());
    }
    words
}

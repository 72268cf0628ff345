//! Fast path: reads a number in the forms that most values of a feed have: `1 250 000,50 €`, `€ 295.000`, `60,5 m²`, `3 pièces`. Splitting
//! a text into tokens takes ten times as long. Every other form is left to the tokens.

use super::NumberKind;

/// Reads a number in a usual form.
pub(super) fn simple(text: &str, kind: NumberKind) -> Option<f64> {
    let is_money = kind.is_money();
    let units: &[&str] = match kind {
        _ if is_money => &["", "€", "EUR", "euros"],
        NumberKind::Surface | NumberKind::Land => &["", "m²", "m2", "M2"],
        NumberKind::Rooms => &["", "pièces", "pièce", "pieces"],
        NumberKind::Percent | NumberKind::Rating => &[""],
        _ => return None,
    };
    let mut plain = Digits::default();
    let mut rest = text;
    let is_marked = is_money && rest.starts_with('€');
    if is_marked {
        rest = rest['€'.len_utf8()..].trim_start_matches(is_space);
    }
    let lead = leading_digits(rest);
    if lead == 0 {
        return None;
    }
    plain.push(&rest[..lead])?;
    rest = &rest[lead..];
    // Groups of three digits. Spaces elsewhere end the number.
    while let Some(after) = rest.strip_prefix(is_space).filter(|after| leading_digits(after) > 0) {
        if lead > 3 || leading_digits(after) != 3 {
            return None;
        }
        plain.push(&after[..3])?;
        rest = &after[3..];
    }
    if let Some(after) = rest.strip_prefix([',', '.']) {
        let decimals = leading_digits(after);
        let is_thousands = is_money && lead <= 3 && plain.length == lead && plain.bytes[0] != b'0';
        match decimals {
            // No room is a half one.
            1 | 2 if kind != NumberKind::Rooms => plain.push(".")?,
            // `295.000 €`. Behind another mark or a space they may be decimals after all.
            3 if is_thousands && !after[3..].starts_with([',', '.']) => {}
            _ => return None,
        }
        plain.push(&after[..decimals])?;
        rest = &after[decimals..];
    }
    let unit = rest.trim_matches(is_space);
    let is_known = if is_marked { unit.is_empty() } else { units.contains(&unit) };
    if is_known { plain.number() } else { None }
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}')
}

fn leading_digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

/// The digits of a number, and its point.
#[derive(Default)]
struct Digits {
    bytes: [u8; 24],
    length: usize,
}

impl Digits {
    fn push(&mut self, digits: &str) -> Option<()> {
        let end = self.length + digits.len();
        self.bytes.get_mut(self.length..end)?.copy_from_slice(digits.as_bytes());
        self.length = end;
        Some(())
    }

    fn number(&self) -> Option<f64> {
        std::str::from_utf8(&self.bytes[..self.length]).ok()?.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Tokens, checked};
    use super::*;

    /// Every kind that has a fast path, and one that has none.
    const KINDS: &[NumberKind] = &[
        NumberKind::Price,
        NumberKind::Money,
        NumberKind::YearlyMoney,
        NumberKind::MonthlyMoney,
        NumberKind::Surface,
        NumberKind::Land,
        NumberKind::Rooms,
        NumberKind::Percent,
        NumberKind::Rating,
        NumberKind::Year,
    ];

    proptest! {
        #[test]
        fn fast_path_agrees_with_tokens(
            text in "(€ ?)?[0-9]{1,5}([ \u{a0}\u{202f}][0-9]{2,4}){0,2}([.,][0-9]{0,4}){0,2}[ \u{a0}]?\
                     (€|EUR|euros|m²|m2|M2|k€|ha|pièces|pièce|pieces|%)?",
        ) {
            for kind in KINDS {
                if let Some(number) = simple(&text, *kind) {
                    let tokens = Tokens::of(&text).map(|tokens| tokens.read(*kind));
                    prop_assert_eq!(tokens, Some(checked(number, *kind)), "{} {:?}", text, kind);
                }
            }
        }
    }

    #[test]
    fn usual_forms_take_the_fast_path() {
        for (text, kind, number) in [
            ("295 000 €", NumberKind::Price, 295_000.0),
            ("€ 295.000", NumberKind::Price, 295_000.0),
            ("295.000 €", NumberKind::MonthlyMoney, 295_000.0),
            ("1\u{202f}250\u{202f}000,50\u{a0}€", NumberKind::Money, 1_250_000.5),
            ("60,1 m²", NumberKind::Surface, 60.1),
            ("3 pièces", NumberKind::Rooms, 3.0),
            ("4,92", NumberKind::Percent, 4.92),
        ] {
            assert_eq!(simple(text, kind), Some(number), "{text}");
        }
        for (text, kind) in [
            ("1.250.000", NumberKind::Price),
            ("€0.001", NumberKind::Price),
            ("12 34", NumberKind::Price),
            ("60 €", NumberKind::Surface),
            ("60.125", NumberKind::Surface),
            ("3,5 pièces", NumberKind::Rooms),
        ] {
            assert_eq!(simple(text, kind), None, "{text}");
        }
    }
}

//! Amounts of money: `1,2 M€ FAI`, `850 € CC dont 50 € de charges`, `150 €/mois`.

use super::tokens::{Token, Tokens};
use super::vocabulary::*;
use super::{MALFORMED, NO_NUMBER, NumberKind, UNKNOWN_WORDS, checked};
use crate::lenient::Reading;

/// How often an amount is due.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Period {
    /// More often than every month.
    Shorter,
    /// So many times a year.
    PerYear(f64),
}

impl Tokens {
    pub(super) fn money(&self, kind: NumberKind) -> Reading<f64> {
        const EUROS: &[&str] = &["eur", "euro", "euros"];
        if self.has_word(OTHER_CURRENCIES) || self.has_symbol(&['$', '£', '¥']) {
            return Reading::Unusable("is not in euros");
        }
        if self.has_word(&["m2", "ha", "are"]) {
            return match self.without_price_per_area() {
                Some(rest) => rest.money(kind),
                None => Reading::Unusable("is a price per area"),
            };
        }
        if self.has_symbol(&['%']) && !self.has_word(EUROS) {
            return Reading::Unusable("is a percentage, not an amount");
        }
        let index = match self.one_number(EUROS) {
            Ok(index) => index,
            Err(NO_NUMBER) if self.has_word(ON_REQUEST) => return Reading::NotGiven,
            Err(NO_NUMBER) if kind != NumberKind::Price && self.has_word(FREE) => return Reading::Value(0.0),
            Err(reason) => return Reading::Unusable(reason),
        };
        let period = self.period(index);
        let is_other_period = match period {
            Some(Period::Shorter) => true,
            Some(Period::PerYear(payments)) => kind == NumberKind::Price && payments != 12.0,
            None => false,
        };
        if is_other_period {
            return Reading::Unusable("is not an amount per month");
        }
        let after = self.word_at(Some(index + 1));
        if after == "f" {
            return Reading::Unusable("is not in euros");
        }
        if MONTHS.contains(&after) {
            return Reading::Unusable("is a number of months, not an amount");
        }
        let multiplier = match after {
            "k" | "ke" | "keur" | "keuros" | "kilo" | "mille" | "millier" | "milliers" => 1e3,
            "m" | "me" | "meur" | "meuros" | "mio" | "mln" | "million" | "millions" => 1e6,
            _ => 1.0,
        };
        let is_known = |word: &str| MONEY_WORDS.contains(&word) || APPROXIMATE.contains(&word);
        let is_comment = |word: &str| is_known(word) || HOME_TYPES.contains(&word);
        let has_currency = self.has_word(EUROS) || self.has_word(MULTIPLES_OF_EUROS);
        // What stands between the number and the currency may multiply it.
        let is_clear = after.is_empty() || EUROS.contains(&after) || is_known(after);
        if self.is_label(index)
            || !is_clear && multiplier == 1.0
            || !has_currency && !self.words().all(is_comment)
        {
            return Reading::Unusable(UNKNOWN_WORDS);
        }
        let Some(number) = self.value_at(index, multiplier == 1.0 && kind.groups_by_three()) else {
            return Reading::Unusable(MALFORMED);
        };
        let amount = number * multiplier;
        match (period, kind.payments_per_year()) {
            (Some(Period::PerYear(given)), Some(wanted)) if given != wanted => {
                let converted = (amount * given / wanted * 100.0).round() / 100.0;
                let period = if wanted == 1.0 { "year" } else { "month" };
                Reading::Remarked(converted, format!("has another period; {converted} per {period} was kept"))
            }
            _ => checked(amount, kind),
        }
    }

    /// Returns how often the amount at a position is due: the first period behind it, or else before it.
    fn period(&self, amount: usize) -> Option<Period> {
        let places = (amount + 1..self.0.len()).chain(0..amount);
        places.into_iter().find_map(|place| self.period_at(place))
    }

    fn period_at(&self, place: usize) -> Option<Period> {
        let before = place.checked_sub(1).and_then(|place| self.0.get(place));
        let Token::Word(word) = &self.0[place] else { return None };
        let word = word.as_str();
        // "Provision de 75 €, régularisation annuelle": the amount is due every month all the same.
        if matches!(before, Some(Token::Word(before)) if SETTLEMENTS.contains(&before.as_str())) {
            return None;
        }
        let is_per_annum = word == "a"
            && match before {
                Some(Token::Symbol('/')) => true,
                // "p.a."
                Some(Token::Symbol('.')) => self.word_at(place.checked_sub(2)) == "p",
                _ => false,
            };
        let lists = [(YEARS, 1.0), (HALF_YEARS, 2.0), (QUARTERS, 4.0), (MONTHS, 12.0)];
        if SHORT_PERIODS.contains(&word) {
            Some(Period::Shorter)
        } else if is_per_annum {
            Some(Period::PerYear(1.0))
        } else {
            let (_, payments) = lists.into_iter().find(|(list, _)| list.contains(&word))?;
            Some(Period::PerYear(payments))
        }
    }

    /// Returns the rest of a text that gives a price beside a price per area: `295 000 € (4 917 €/m²)`.
    fn without_price_per_area(&self) -> Option<Self> {
        let area = self.0.iter().position(|token| matches!(token, Token::Word(word) if word == "m2"))?;
        let number = self.numbers().into_iter().rfind(|index| *index < area)?;
        let is_between = |token: &Token| match token {
            Token::Symbol(symbol) => *symbol == '/',
            Token::Word(word) => {
                matches!(word.as_str(), "eur" | "euro" | "euros" | "le" | "du" | "par" | "au")
            }
            Token::Number(_) => false,
        };
        let has_currency = |tokens: &[Token]| tokens.contains(&Token::Word("eur".to_owned()));
        let between = &self.0[number + 1..area];
        let is_price_per_area = between.iter().all(is_between) && has_currency(between);
        let rest: Vec<Token> = self.0[..number].iter().chain(&self.0[area + 1..]).cloned().collect();
        (is_price_per_area && has_currency(&rest)).then_some(Self(rest))
    }
}

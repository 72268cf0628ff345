//! Reads surfaces, floors and years.

use super::{NUMBERS_MAX, Reader, insert, is_ordinal, number_hash};

impl Reader<'_> {
    pub(super) fn square_metres(&mut self, position: usize, number: f32, is_title: bool) {
        let around = |offset: usize| position.checked_sub(offset).map_or("", |at| self.tokens.word_at(at));
        let after = (self.tokens.word_at(position + 2), self.tokens.word_at(position + 3));
        let is_ground = |word: &str| matches!(word, "terrain" | "parcelle" | "jardin" | "foncier");
        let is_apart =
            |offset: usize| position.checked_sub(offset).is_none_or(|at| self.tokens.list()[at].ends_clause);
        let before = (1..=5).take_while(|offset| !is_apart(*offset)).any(|offset| is_ground(around(offset)));
        let is_land = before || matches!(after, ("de", word) if is_ground(word));
        if is_land {
            self.reading.land.add(number);
            return;
        }
        let is_whole = matches!(after.0, "habitables" | "habitable" | "carrez")
            || matches!(after, ("loi", "carrez") | ("environ", _));
        if is_title || is_whole || matches!((around(2), around(1)), ("habitable" | "carrez", _)) {
            self.reading.surface.add(number);
        }
        insert(&mut self.reading.numbers, number_hash(1, number), NUMBERS_MAX);
    }

    pub(super) fn year(&mut self, position: usize, number: f32) {
        if !(1_600.0..=2_035.0).contains(&number) || number.fract() != 0.0 {
            return;
        }
        let (Some(before), Some(subject)) = (position.checked_sub(1), position.checked_sub(2)) else {
            return;
        };
        let (before, subject) = (self.tokens.word_at(before), self.tokens.word_at(subject));
        let is_building = ["constru", "bati", "edifi", "immeuble", "residence", "copropriete", "livre"]
            .iter()
            .any(|start| subject.starts_with(start))
            || matches!(subject, "maison" | "villa" | "pavillon" | "pied");
        let is_directly =
            before.starts_with("residence") || before.starts_with("immeuble") || before == "annee";
        if is_directly || is_building && matches!(before, "en" | "de") {
            self.reading.year.add(number);
        }
    }

    /// Reads "2e étage", "4e et dernier étage", "premier étage".
    pub(super) fn floor(&mut self, position: usize) {
        if let Some(floor) = self.ordinal_before(position) {
            self.reading.floor.add(floor);
        }
    }

    pub(super) fn ordinal_before(&self, position: usize) -> Option<f32> {
        let before = |offset: usize| position.checked_sub(offset);
        let mut at = before(1)?;
        if self.tokens.word_at(at) == "dernier" {
            at = before(2)?;
            if self.tokens.word_at(at) == "et" {
                at = before(3)?;
            }
        }
        if self.tokens.word_at(at) == "eme" {
            return self.tokens.number_at(at.checked_sub(1)?);
        }
        ordinal(self.tokens.word_at(at))
    }
}

/// Returns the value of "2e" or "deuxième".
fn ordinal(word: &str) -> Option<f32> {
    if is_ordinal(word) {
        return word[..word.len() - 1].parse().ok().filter(|floor| *floor <= 60.0);
    }
    Some(match word {
        "premier" | "1er" => 1.0,
        "deuxieme" | "second" => 2.0,
        "troisieme" => 3.0,
        "quatrieme" => 4.0,
        "cinquieme" => 5.0,
        "sixieme" => 6.0,
        "septieme" => 7.0,
        "huitieme" => 8.0,
        _ => return None,
    })
}

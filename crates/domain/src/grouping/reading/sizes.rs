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
        let word = |offset: usize| position.checked_sub(offset).map_or("", |at| self.tokens.word_at(at));
        let (before, subject) = (word(1), word(2));
        let is_building = ["constru", "bati", "edifi", "immeuble", "residence", "copropriete", "livre"]
            .iter()
            .any(|start| subject.starts_with(start))
            || matches!(subject, "maison" | "villa" | "pavillon" | "pied");
        let is_directly = ["residence", "immeuble", "construction", "copropriete"]
            .iter()
            .any(|start| before.starts_with(start))
            || matches!(before, "annee" | "maison" | "villa" | "pavillon");
        if is_directly || is_building && matches!(before, "en" | "de") || self.is_year_in_brackets(position) {
            self.reading.year.add(number);
        } else if self.words_before(position).any(is_work) {
            // "Toiture refaite en 2018": two homes seldom have the same work done in one year.
            insert(&mut self.reading.numbers, number_hash(5, number), NUMBERS_MAX);
        }
    }

    /// Reads "années 30", "années 1980", "années vingt".
    pub(super) fn decade(&mut self, position: usize) {
        let next = (self.tokens.word_at(position + 1), self.tokens.number_at(position + 1));
        let decade = match next {
            ("vingt", _) => 1_920.0,
            ("trente", _) => 1_930.0,
            ("quarante", _) => 1_940.0,
            ("cinquante", _) => 1_950.0,
            ("soixante", _) if self.tokens.number_at(position + 2) == Some(10.0) => 1_970.0,
            ("soixante", _) => 1_960.0,
            (_, Some(number)) if number % 10.0 != 0.0 => return,
            (_, Some(number @ 10.0..=90.0)) => 1_900.0 + number,
            (_, Some(number @ 1_800.0..=2_020.0)) => number,
            _ => return,
        };
        if !self.words_before(position).any(is_work) {
            self.reading.decade.add(decade);
        }
    }

    /// Returns the words shortly before a position, in its sentence.
    fn words_before(&self, position: usize) -> impl Iterator<Item = &str> {
        const WORDS: usize = 5;
        let before = self.tokens.list().get(position.saturating_sub(WORDS)..position).unwrap_or_default();
        let start = before.iter().rposition(|token| token.ends_sentence).map_or(0, |end| end + 1);
        before.get(start..).unwrap_or_default().iter().map(|token| self.tokens.text(token))
    }

    /// Reads "résidence Le Tissage (2011)"; not "toiture refaite (2019)".
    fn is_year_in_brackets(&self, position: usize) -> bool {
        let is_home = |word: &str| matches!(word, "residence" | "immeuble" | "villa" | "maison" | "pavillon");
        let ends = |at: usize| self.tokens.list().get(at).is_some_and(|token| token.ends_clause);
        position.checked_sub(1).is_some_and(ends)
            && ends(position)
            && self.words_before(position).any(is_home)
            && !self.words_before(position).any(is_work)
    }

    /// Reads "7,3 ares", "2,3 ha", "5 ha 12 a" and "1 ha 08".
    pub(super) fn ares(&mut self, position: usize, number: f32) {
        let is_hectare = |word: &str| matches!(word, "ha" | "hectare" | "hectares");
        let is_rest = position.checked_sub(1).is_some_and(|before| is_hectare(self.tokens.word_at(before)));
        if is_rest {
            return;
        }
        let (unit, rest) = if is_hectare(self.tokens.word_at(position + 1)) {
            let rest =
                self.tokens.number_at(position + 2).filter(|ares| *ares < 100.0 && ares.fract() == 0.0);
            let follows = self.tokens.word_at(position + 3);
            let is_other =
                matches!(follows, "m2" | "pieces" | "chambres" | "euros" | "km" | "min" | "minutes");
            (10_000.0, rest.filter(|_| !is_other && number.fract() == 0.0))
        } else {
            (100.0, None)
        };
        self.reading.land.add((number * unit + rest.unwrap_or_default() * 100.0).round());
    }

    /// Reads "2e étage", "4e et dernier étage", "premier étage".
    pub(super) fn floor(&mut self, position: usize) {
        if let Some(floor) = self.ordinal_before(position) {
            self.reading.floor.add(floor);
        }
        // "3e étage sur 5".
        if self.tokens.word_at(position + 1) == "sur" {
            self.floor_quantity(self.tokens.number_at(position + 2));
        }
    }

    /// Reads "immeuble de 6 étages", and "duplex aux 2e et 3e étages", which is on the lower one.
    pub(super) fn floors(&mut self, position: usize) {
        let at = |offset: usize| position.checked_sub(offset);
        let is_duplex = at(2).is_some_and(|at| self.tokens.word_at(at) == "et");
        if let (true, Some(upper), Some(first)) = (is_duplex, self.ordinal_before(position), at(3)) {
            if let Some(floor) = ordinal(self.tokens.word_at(first)).filter(|floor| *floor < upper) {
                self.reading.floor.add(floor);
            }
        } else {
            self.floor_quantity(at(1).and_then(|at| self.tokens.number_at(at)));
        }
    }

    fn floor_quantity(&mut self, floors: Option<f32>) {
        if let Some(floors) = floors.filter(|floors| (1.0..=60.0).contains(floors) && floors.fract() == 0.0) {
            self.reading.floor_quantity.add(floors);
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

/// Returns `true` for words about work that was done, and about parts that are replaced: their year is not that of the building.
fn is_work(word: &str) -> bool {
    [
        "renov",
        "refai",
        "rehab",
        "resta",
        "agran",
        "toiture",
        "couverture",
        "chaud",
        "fenetre",
        "facade",
        "raval",
    ]
    .iter()
    .any(|start| word.starts_with(start))
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

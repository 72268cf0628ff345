//! Reads charges, rents and energy values.

use super::Reader;

impl Reader<'_> {
    pub(super) fn charges(&mut self, position: usize) {
        let Some(at) = (position + 1..position + 6).find(|at| self.tokens.number_at(*at).is_some()) else {
            return;
        };
        let ends = |at: usize| self.tokens.list().get(at).is_some_and(|token| token.ends_sentence);
        if (position..at).any(ends) || self.tokens.word_at(at + 1) != "euros" {
            return;
        }
        let Some(amount) = self.tokens.number_at(at) else { return };
        let words = (position + 1..at + 5).map(|at| self.tokens.word_at(at));
        let is_monthly = words.clone().any(|word| word.starts_with("mois") || word.starts_with("mensue"));
        let is_yearly = words.clone().any(|word| matches!(word, "an" | "ans") || word.starts_with("annue"));
        match (is_monthly, is_yearly) {
            (true, false) => self.reading.charges.add(amount * 12.0),
            (false, true) => self.reading.charges.add(amount),
            _ => {}
        }
    }

    /// Reads "75 € charges", "85 € de provision sur charges" and "charges : 45 €"; not "805 € charges comprises".
    pub(super) fn rental_charges(&mut self, position: usize) {
        if self.tokens.word_at(position + 1).starts_with("compri") {
            return;
        }
        let is_between = |word: &str| matches!(word, "de" | "provision" | "provisions" | "sur" | "pour");
        let back = |offset: usize| position.checked_sub(offset);
        let currency =
            (1..=5).find(|offset| back(*offset).is_none_or(|at| !is_between(self.tokens.word_at(at))));
        let before =
            currency.filter(|offset| back(*offset).is_some_and(|at| self.tokens.word_at(at) == "euros"));
        let before = before.and_then(|offset| self.tokens.number_at(back(offset + 1)?));
        let after =
            (self.tokens.word_at(position + 2) == "euros").then(|| self.tokens.number_at(position + 1));
        if let Some(amount) = before.or(after.flatten()) {
            self.reading.rental_charges.add(amount);
        }
    }

    /// Reads "36 000 € HT HC l'an", "loyer annuel 28 200 €".
    pub(super) fn yearly_rent(&mut self, position: usize, number: f32) {
        let is_year = |word: &str| word == "an" || word.starts_with("annuel");
        let is_after = (position + 2..position + 7)
            .take_while(|at| self.tokens.list().get(at - 1).is_some_and(|token| !token.ends_sentence))
            .any(|at| is_year(self.tokens.word_at(at)));
        let is_before = (1..=2)
            .filter_map(|offset| position.checked_sub(offset))
            .any(|at| is_year(self.tokens.word_at(at)));
        if is_after || is_before {
            self.reading.yearly_rent.add(number);
        }
    }

    pub(super) fn amount_within(&self, from: usize, count: usize) -> Option<f32> {
        let at = (from..from + count).find(|at| self.tokens.number_at(*at).is_some())?;
        let amount = self.tokens.number_at(at).filter(|amount| *amount >= 10.0)?;
        (self.tokens.word_at(at + 1) == "euros").then_some(amount)
    }

    /// Reads "DPE D", "DPE : C (158)".
    pub(super) fn energy(&mut self, position: usize) {
        let Some((letter, value)) = self.rating(position) else { return };
        self.reading.energy_letter.get_or_insert(letter);
        if let Some(value) = value.filter(|value| (5.0..=1_500.0).contains(value)) {
            self.reading.energy.add(value);
        }
    }

    /// Reads "classe énergie D", "étiquette énergétique : E".
    pub(super) fn energy_class(&mut self, position: usize) {
        let before = position.checked_sub(1).map_or("", |before| self.tokens.word_at(before));
        if matches!(before, "classe" | "etiquette") {
            self.energy(position);
        }
    }

    /// Reads "GES B", "GES : D (42)".
    pub(super) fn gas(&mut self, position: usize) {
        let Some((letter, value)) = self.rating(position) else { return };
        self.reading.gas_letter.get_or_insert(letter);
        if let Some(value) = value.filter(|value| (1.0..=500.0).contains(value)) {
            self.reading.gas.add(value);
        }
    }

    /// Returns the letter after a word, from 0 to 6, and the value behind it.
    fn rating(&self, position: usize) -> Option<(u8, Option<f32>)> {
        let skipped = usize::from(matches!(self.tokens.word_at(position + 1), "classe" | "en" | "note"));
        let at = position + 1 + skipped;
        let &[letter @ b'a'..=b'g'] = self.tokens.word_at(at).as_bytes() else { return None };
        let value = self.tokens.number_at(at + 1);
        // "DPE à venir" names no class.
        let ends = self.tokens.list().get(at).is_some_and(|token| token.ends_clause);
        (letter != b'a' || value.is_some() || ends).then_some((letter - b'a', value))
    }
}

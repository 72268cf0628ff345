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
        let skipped = usize::from(matches!(self.tokens.word_at(position + 1), "classe" | "en" | "note"));
        let letter = self.tokens.word_at(position + 1 + skipped);
        let &[letter @ b'a'..=b'g'] = letter.as_bytes() else { return };
        self.reading.energy_letter.get_or_insert(letter - b'a');
        let value = self.tokens.number_at(position + 2 + skipped);
        if let Some(value) = value.filter(|value| (5.0..=1_500.0).contains(value)) {
            self.reading.energy.add(value);
        }
    }
}

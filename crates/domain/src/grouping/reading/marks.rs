//! Reads the numbers of units, and references of mandates.

use super::{Reader, insert, is_ordinal, is_room_code};
use crate::grouping::tokens::{Token, hash_bytes};
use crate::kinds::PropertyType;

/// What a mark numbers. Two marks of one kind contradict each other, those of two kinds do not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MarkKind {
    Lot = 1,
    Flat = 2,
    House = 3,
    Parking = 4,
    Building = 5,
}

const MARKS_MAX: usize = 4;
const REFERENCES_MAX: usize = 2;

/// Returns the kind of a mark, which [`MarkKind`] numbers.
pub const fn mark_kind(mark: u32) -> u32 {
    mark >> 28
}

impl Reader<'_> {
    /// Reads the reference after "réf." It is a code with a digit, which may have several parts: "ST-1180".
    pub(super) fn reference(&mut self, position: usize) {
        let mut at = position + 1;
        while matches!(self.tokens.word_at(at), "n" | "no" | "numero" | "interne" | "agence" | "mandat") {
            at += 1;
        }
        let tokens = self.tokens.list();
        let mut code = String::new();
        for part in tokens.iter().skip(at).take(3) {
            let text = self.tokens.text(part);
            let is_code = text.bytes().any(|byte| byte.is_ascii_digit()) || text.len() <= 3;
            if !is_code {
                break;
            }
            code.push_str(text);
            if part.ends_sentence || !part.ends_clause {
                break;
            }
        }
        if let Some(hash) = reference_hash(&code) {
            insert(&mut self.reading.references, hash, REFERENCES_MAX);
        }
    }

    pub(super) fn mark_word(&self, word: &str) -> Option<MarkKind> {
        Some(match word {
            "lot" | "lots" | "parcelle" | "terrain" => MarkKind::Lot,
            "appartement" | "appt" | "apt" | "appart" | "logement" | "studio" => MarkKind::Flat,
            _ if is_room_code(word) => MarkKind::Flat,
            "villa" | "maison" | "pavillon" => MarkKind::House,
            "box" | "garage" | "parking" | "place" | "emplacement" | "stationnement" => MarkKind::Parking,
            "batiment" | "bat" => MarkKind::Building,
            _ => return None,
        })
    }

    /// Reads the number or the code after the word: "lot n° 12", "appartement B304", "place de parking n° 45".
    pub(super) fn mark(&mut self, position: usize, kind: MarkKind) {
        // The space of a flat says nothing about which flat it is, unless it is what is sold.
        if kind == MarkKind::Parking && self.property_type != PropertyType::Parking {
            return;
        }
        let mut at = position + 1;
        // "Place de parking n° 45", "garage individuel fermé n° 27".
        let numbered =
            (at..at + 4).find(|at| matches!(self.tokens.word_at(*at), "n" | "no" | "numero" | "num"));
        let ends = |at: usize| self.tokens.list().get(at).is_none_or(|token| token.ends_clause);
        if let Some(numbered) = numbered.filter(|numbered| !(position..*numbered).any(ends)) {
            at = numbered;
        }
        let is_numbered = matches!(self.tokens.word_at(at), "n" | "no" | "numero" | "num");
        at += usize::from(is_numbered);
        while let Some(token) = self.tokens.list().get(at) {
            if !self.is_mark(at, token, kind, is_numbered) {
                return;
            }
            let hash = hash_bytes(self.tokens.text(token).trim_start_matches('0').as_bytes());
            insert(&mut self.reading.marks, (kind as u32) << 28 | hash >> 4, MARKS_MAX);
            // "Lots n° 12 et 45".
            if self.tokens.word_at(at + 1) != "et" || self.tokens.number_at(at + 2).is_none() {
                return;
            }
            at += 2;
        }
    }

    pub(super) fn is_mark(&self, at: usize, token: &Token, kind: MarkKind, is_numbered: bool) -> bool {
        let text = self.tokens.text(token);
        let has_digit = text.bytes().any(|byte| byte.is_ascii_digit());
        if token.number.is_none() {
            let is_letter = text.len() == 1 && (is_numbered || kind == MarkKind::Building) && text != "a";
            let is_code =
                has_digit && text.len() <= 5 && !is_room_code(text) && text != "m2" && !is_ordinal(text);
            return is_letter || is_code && text.starts_with(|letter: char| letter.is_ascii_alphabetic());
        }
        if !has_digit || token.number.is_some_and(|number| number.fract() != 0.0 || number > 9_999.0) {
            return false;
        }
        // "Appartement 3 pièces", "lot 450 m²", "villa 2003" are not marks.
        let is_unit = matches!(
            self.tokens.word_at(at + 1),
            "m2" | "m"
                | "pieces"
                | "p"
                | "pcs"
                | "ch"
                | "chambres"
                | "chambre"
                | "euros"
                | "faces"
                | "facades"
                | "min"
                | "mn"
                | "minutes"
                | "places"
                | "niveaux"
                | "voitures"
                | "vehicules"
                | "x"
        );
        let is_year = token.number.is_some_and(|number| (1_900.0..=2_035.0).contains(&number));
        let is_land = matches!(self.tokens.word_at(at - 1), "terrain" | "parcelle");
        let may_stand_alone = matches!(kind, MarkKind::Lot | MarkKind::Parking | MarkKind::Building)
            && !is_land
            || token.ends_clause && !is_year;
        !is_unit && (is_numbered || may_stand_alone && !is_year)
    }
}

/// Hashes the reference of a mandate without its punctuation. `None` if it is too short to be specific, or a word.
pub fn reference_hash(reference: &str) -> Option<u32> {
    let code: String = reference
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|letter| letter.to_ascii_lowercase())
        .collect();
    let digits = code.bytes().filter(u8::is_ascii_digit).count();
    (code.len() >= 4 && digits >= 2).then(|| hash_bytes(code.as_bytes()))
}

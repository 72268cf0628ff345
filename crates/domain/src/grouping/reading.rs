//! Reads facts from the text of an advert, for portals that put them nowhere else.
//!
//! A fact is read only where the text is unambiguous: two different values of one fact are no value.

use super::heating::Heating;
use super::tokens::{Token, Tokens, hash_bytes, mix};
use crate::kinds::PropertyType;

/// What a text says.
#[derive(Debug, Default, PartialEq)]
pub struct Reading {
    pub surface: Single,
    pub land: Single,
    pub room: Single,
    pub bedroom: Single,
    /// The floor of a flat; negative for a parking space below ground.
    pub floor: Single,
    pub year: Single,
    /// The charges of a condominium, per year.
    pub charges: Single,
    pub property_tax: Single,
    /// The rent of a year, as shops and offices give it.
    pub yearly_rent: Single,
    pub lots: Single,
    pub energy: Single,
    pub energy_letter: Option<u8>,
    pub elevator: Option<bool>,
    pub heating: Heating,
    /// Marks of a unit: "lot n° 12", "bâtiment B".
    pub marks: Vec<u32>,
    /// References of mandates: "Réf. ST-1180".
    pub references: Vec<u32>,
    /// Sizes of rooms and other numbers that few homes share.
    pub numbers: Vec<u32>,
}

/// A fact that has one value, or none, or too many.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Single {
    #[default]
    Unknown,
    One(f32),
    Ambiguous,
}

impl Single {
    pub fn get(self) -> Option<f32> {
        match self {
            Self::One(value) => Some(value),
            Self::Unknown | Self::Ambiguous => None,
        }
    }

    fn add(&mut self, value: f32) {
        *self = match *self {
            Self::Unknown => Self::One(value),
            Self::One(known) if known == value => *self,
            Self::One(_) | Self::Ambiguous => Self::Ambiguous,
        };
    }
}

/// What a mark numbers. Two marks of one kind contradict each other, those of two kinds do not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MarkKind {
    Lot = 1,
    Flat = 2,
    House = 3,
    Parking = 4,
    Building = 5,
}

const MARKS_MAX: usize = 4;
const REFERENCES_MAX: usize = 2;
const NUMBERS_MAX: usize = 8;

/// Returns the kind of a mark, which [`MarkKind`] numbers.
pub const fn mark_kind(mark: u32) -> u32 {
    mark >> 28
}

/// Reads the title and the description, already split into tokens. The title has the first `title` tokens.
pub fn read(tokens: &Tokens, title: usize, property_type: PropertyType) -> Reading {
    let mut reading = Reader { tokens, property_type, reading: Reading::default() };
    for position in 0..tokens.list().len() {
        reading.token(position, position < title);
    }
    reading.reading
}

struct Reader<'a> {
    tokens: &'a Tokens,
    property_type: PropertyType,
    reading: Reading,
}

impl Reader<'_> {
    fn token(&mut self, position: usize, is_title: bool) {
        let token = self.tokens.list()[position];
        if let Some(number) = token.number {
            self.number(position, number, is_title);
        } else {
            let word = self.tokens.text(&token);
            self.word(position, word);
            self.reading.heating.add(self.tokens, position, word);
        }
    }

    fn is_dwelling(&self) -> bool {
        matches!(self.property_type, PropertyType::Apartment | PropertyType::House)
    }

    /// A house has floors, and is not on one.
    fn is_on_a_floor(&self) -> bool {
        matches!(self.property_type, PropertyType::Apartment | PropertyType::Office | PropertyType::Shop)
    }

    fn word(&mut self, position: usize, word: &str) {
        let next = self.tokens.word_at(position + 1);
        match word {
            "etage" if self.is_on_a_floor() => self.floor(position),
            "sous" if self.property_type == PropertyType::Parking && next == "sol" => {
                if let Some(level) = self.ordinal_before(position) {
                    self.reading.floor.add(-level);
                }
            }
            "niveau" if self.property_type == PropertyType::Parking => {
                if let Some(level) = self.tokens.number_at(position + 1) {
                    self.reading.floor.add(-level);
                }
            }
            "rez" | "rdc" if self.is_on_a_floor() => {
                let before = position.checked_sub(1).map_or("", |before| self.tokens.word_at(before));
                if matches!(before, "en" | "au") {
                    self.reading.floor.add(0.0);
                }
            }
            "ascenseur" | "asc" if self.is_dwelling() => {
                let before = position.checked_sub(1).map_or("", |before| self.tokens.word_at(before));
                match before {
                    "sans" => self.reading.elevator = Some(false),
                    "avec" | "par" => self.reading.elevator = Some(true),
                    _ => {}
                }
            }
            "charges" => self.charges(position),
            "taxe" if next == "fonciere" => {
                if let Some(amount) = self.amount_within(position + 2, 4) {
                    self.reading.property_tax.add(amount);
                }
            }
            "dpe" => self.energy(position),
            "ref" | "reference" | "mandat" => self.reference(position),
            _ => {
                if self.is_dwelling() && is_room_code(word) {
                    // The second letter is a digit from 1 to 9.
                    self.reading.room.add(f32::from(word.as_bytes()[1] - b'0'));
                }
                if let Some(kind) = self.mark_word(word) {
                    self.mark(position, kind);
                }
            }
        }
    }

    fn number(&mut self, position: usize, number: f32, is_title: bool) {
        let next = self.tokens.word_at(position + 1);
        match next {
            "m2" => self.square_metres(position, number, is_title),
            "pieces" | "p" | "pcs" | "pces" if self.is_dwelling() && (1.0..=20.0).contains(&number) => {
                self.reading.room.add(number);
            }
            "chambres" | "ch" | "chbres" if self.is_dwelling() && (2.0..=12.0).contains(&number) => {
                self.reading.bedroom.add(number);
            }
            "lots" if (2.0..=2_000.0).contains(&number) => self.reading.lots.add(number),
            "euros" if number >= 100.0 => {
                if number % 50.0 != 0.0 {
                    insert(&mut self.reading.numbers, number_hash(2, number), NUMBERS_MAX);
                }
                self.yearly_rent(position, number);
            }
            _ => self.year(position, number),
        }
    }

    fn square_metres(&mut self, position: usize, number: f32, is_title: bool) {
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

    fn year(&mut self, position: usize, number: f32) {
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
    fn floor(&mut self, position: usize) {
        if let Some(floor) = self.ordinal_before(position) {
            self.reading.floor.add(floor);
        }
    }

    fn ordinal_before(&self, position: usize) -> Option<f32> {
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

    fn charges(&mut self, position: usize) {
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
    fn yearly_rent(&mut self, position: usize, number: f32) {
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

    fn amount_within(&self, from: usize, count: usize) -> Option<f32> {
        let at = (from..from + count).find(|at| self.tokens.number_at(*at).is_some())?;
        let amount = self.tokens.number_at(at).filter(|amount| *amount >= 10.0)?;
        (self.tokens.word_at(at + 1) == "euros").then_some(amount)
    }

    /// Reads "DPE D", "DPE : C (158)".
    fn energy(&mut self, position: usize) {
        let skipped = usize::from(matches!(self.tokens.word_at(position + 1), "classe" | "en" | "note"));
        let letter = self.tokens.word_at(position + 1 + skipped);
        let &[letter @ b'a'..=b'g'] = letter.as_bytes() else { return };
        self.reading.energy_letter.get_or_insert(letter - b'a');
        let value = self.tokens.number_at(position + 2 + skipped);
        if let Some(value) = value.filter(|value| (5.0..=1_500.0).contains(value)) {
            self.reading.energy.add(value);
        }
    }

    /// Reads the reference after "réf." It is a code with a digit, which may have several parts: "ST-1180".
    fn reference(&mut self, position: usize) {
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

    fn mark_word(&self, word: &str) -> Option<MarkKind> {
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
    fn mark(&mut self, position: usize, kind: MarkKind) {
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

    fn is_mark(&self, at: usize, token: &Token, kind: MarkKind, is_numbered: bool) -> bool {
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

/// Returns `true` for "t3" and "f4".
fn is_room_code(word: &str) -> bool {
    matches!(word.as_bytes(), [b't' | b'f', b'1'..=b'9'])
}

fn is_ordinal(word: &str) -> bool {
    word.ends_with('e') && word.len() > 1 && word[..word.len() - 1].bytes().all(|byte| byte.is_ascii_digit())
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

/// Hashes a number and its unit, to two decimals.
pub fn number_hash(unit: u32, number: f32) -> u32 {
    mix((number * 100.0).round().to_bits() ^ (unit << 1))
}

fn insert(list: &mut Vec<u32>, value: u32, count_max: usize) {
    if list.len() < count_max && !list.contains(&value) {
        list.push(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(text: &str, property_type: PropertyType) -> Reading {
        let mut tokens = Tokens::default();
        tokens.read(text);
        read(&tokens, 0, property_type)
    }

    fn flat(text: &str) -> Reading {
        reading(text, PropertyType::Apartment)
    }

    #[test]
    fn facts_are_read_where_they_are_unambiguous() {
        assert_eq!(flat("Bel appartement T3 traversant").room, Single::One(3.0));
        assert_eq!(flat("Appartement 3 pièces, T3").room, Single::One(3.0));
        assert_eq!(flat("T3 transformable en T4").room, Single::Ambiguous);
        assert_eq!(flat("au 2ème étage d'une copropriété").floor, Single::One(2.0));
        assert_eq!(flat("au 4e et dernier étage").floor, Single::One(4.0));
        assert_eq!(flat("au premier étage").floor, Single::One(1.0));
        assert_eq!(flat("Appartement en rez-de-chaussée").floor, Single::One(0.0));
        assert_eq!(flat("du 1er étage au 2e étage").floor, Single::Ambiguous);
        assert_eq!(reading("Chambres au 1er étage", PropertyType::House).floor, Single::Unknown);
        assert_eq!(flat("immeuble construit en 1974").year, Single::One(1_974.0));
        assert_eq!(flat("cuisine refaite en 2022").year, Single::Unknown);
        assert_eq!(flat("Surface loi Carrez 81,64 m².").surface, Single::Unknown);
        assert_eq!(flat("65,30 m² loi Carrez").surface, Single::One(65.3));
        assert_eq!(flat("Charges 168 €/mois").charges, Single::One(2_016.0));
        assert_eq!(flat("charges de copropriété 1 240 € par an").charges, Single::One(1_240.0));
        assert_eq!(flat("Copropriété de 22 lots").lots, Single::One(22.0));
        assert_eq!(flat("DPE : C (158)").energy, Single::One(158.0));
        assert_eq!(flat("sans ascenseur").elevator, Some(false));
        assert_eq!(reading("jardin de 212 m²", PropertyType::House).land, Single::One(212.0));
        assert_eq!(reading("580 m² de terrain", PropertyType::House).land, Single::One(580.0));
        assert_eq!(flat("Taxe foncière : 1 180 €").property_tax, Single::One(1_180.0));
    }

    #[test]
    fn marks_are_numbers_of_units() {
        let count = |text| flat(text).marks.len();
        assert_eq!(count("Lot n° 12"), 1);
        assert_eq!(count("Appartement n°304, bâtiment B"), 2);
        assert_eq!(count("appartement B12 au calme"), 1);
        assert_eq!(count("Lots n° 12 et 45"), 2);
        assert_eq!(count("T3 n° A103 au 1er étage"), 1);
        for none in [
            "Appartement 3 pièces",
            "appartement T3",
            "villa 110 m²",
            "lot 450 m²",
            "maison 2003,",
            "place 45",
        ] {
            assert_eq!(count(none), 0, "{none}");
        }
        let parking = |text| reading(text, PropertyType::Parking).marks;
        assert_eq!(parking("Box fermé n°7").len(), 1);
        assert_eq!(parking("Box n°7"), parking("box fermé n° 07"));
        assert_eq!(parking("garage individuel fermé n° 27").len(), 1);
        assert_eq!(reading("parcelle n°21 de 500 m²", PropertyType::Land).marks.len(), 1);
        assert_eq!(reading("terrain 500 m², parcelle 870 m²", PropertyType::Land).marks.len(), 0);
        assert_eq!(
            reading("Loyer 36 000 € HT HC l'an", PropertyType::Shop).yearly_rent,
            Single::One(36_000.0)
        );
        assert_ne!(parking("Place de parking n° 45"), parking("Place 46"));
        assert_eq!(reading("au 2ème sous-sol", PropertyType::Parking).floor, Single::One(-2.0));
    }

    #[test]
    fn references_are_specific() {
        assert_eq!(flat("Réf ST-1180.").references, [reference_hash("ST1180").unwrap()]);
        assert_eq!(flat("Réf. agence : 10277").references, [reference_hash("10277").unwrap()]);
        assert!(flat("Une référence du quartier").references.is_empty());
    }
}

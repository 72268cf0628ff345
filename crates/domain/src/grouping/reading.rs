//! Reads facts from the text of an advert, for portals that put them nowhere else.
//!
//! A fact is read only where the text is unambiguous: two different values of one fact are no value.

use std::sync::LazyLock;

mod costs;
mod marks;
mod sizes;
mod streets;

use super::heating::Heating;
use super::tokens::{Tokens, hash_bytes, mix};
use super::word_set::WordSet;
use crate::kinds::PropertyType;

pub use marks::{mark_kind, reference_hash};

/// What a text says.
#[derive(Debug, Default, PartialEq)]
pub struct Reading {
    pub surface: Single,
    pub land: Single,
    pub room: Single,
    pub bedroom: Single,
    /// The floor of a flat; negative for a parking space below ground.
    pub floor: Single,
    /// How many floors the building has.
    pub floor_quantity: Single,
    pub year: Single,
    /// The first year of the decade, for texts that name no year.
    pub decade: Single,
    /// The charges of a condominium, per year.
    pub charges: Single,
    /// The charges of a rental, per month.
    pub rental_charges: Single,
    pub deposit: Single,
    pub property_tax: Single,
    /// The rent of a year, as shops and offices give it.
    pub yearly_rent: Single,
    pub lots: Single,
    pub energy: Single,
    pub energy_letter: Option<u8>,
    pub gas: Single,
    pub gas_letter: Option<u8>,
    pub elevator: Option<bool>,
    pub heating: Heating,
    /// Whether the text is that of a new-building programme.
    pub is_new_building: bool,
    /// Marks of a unit: "lot n° 12", "bâtiment B".
    pub marks: Vec<u32>,
    /// References of mandates: "Réf. ST-1180".
    pub references: Vec<u32>,
    /// Sizes of rooms and other numbers that few homes share.
    pub numbers: Vec<u32>,
    /// Amounts in euros, in the order of the text.
    pub amounts: Vec<f32>,
    /// Names of streets and squares.
    pub streets: Vec<u32>,
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

const NUMBERS_MAX: usize = 8;
const AMOUNTS_MAX: usize = 8;

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
        } else if is_keyword(token.hash) {
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
            "annees" => self.decade(position),
            "etages" if self.is_on_a_floor() => self.floors(position),
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
            "charges" => {
                self.charges(position);
                self.rental_charges(position);
            }
            // "Quote-part annuelle 2 316 €" are the charges of a condominium.
            "quote" if next == "part" => self.charges(position),
            "depot" => {
                if let Some(amount) = self.amount_within(position + 1, 4) {
                    self.reading.deposit.add(amount);
                }
            }
            "tf" => {
                if let Some(amount) = self.amount_within(position + 1, 2) {
                    self.reading.property_tax.add(amount);
                }
            }
            "taxe" if next == "fonciere" => {
                if let Some(amount) = self.amount_within(position + 2, 4) {
                    self.reading.property_tax.add(amount);
                }
            }
            "dpe" => self.energy(position),
            "energie" | "energetique" => self.energy_class(position),
            "ges" => self.gas(position),
            "ref" | "reference" | "mandat" => self.reference(position),
            "programme" | "vefa" | "promoteur" | "livraison" | "re2020" | "defiscalisation" => {
                self.reading.is_new_building = true;
            }
            "neuf" | "neuve" | "neufs" | "neuves" => self.new_building(position),
            "rue" | "avenue" | "boulevard" | "bd" | "quai" | "impasse" | "allee" | "allees" | "faubourg" => {
                self.street(position);
            }
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

    /// Reads "appartement neuf", "T3 neuf" and "résidence neuve"; not "cuisine neuve" or "refait à neuf".
    fn new_building(&mut self, position: usize) {
        let before = position.checked_sub(1).map_or("", |before| self.tokens.word_at(before));
        let subject = before.trim_end_matches('s');
        self.reading.is_new_building |= is_room_code(before)
            || matches!(subject, "appartement" | "residence" | "logement" | "maison" | "villa" | "piece");
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
            // A window of 5.40 m, a ceiling of 3.20 m, a front of 24 m; not 50 m to the beach.
            "m" | "metres" | "ml" if number.fract() != 0.0 || number > 5.0 && number % 5.0 != 0.0 => {
                insert(&mut self.reading.numbers, number_hash(3, number), NUMBERS_MAX);
            }
            "ares" | "are" | "ha" | "hectare" | "hectares" => self.ares(position, number),
            "kwh" | "kwhep" if (5.0..=1_500.0).contains(&number) => self.reading.energy.add(number),
            "kgco2" | "kgeqco2" if (1.0..=500.0).contains(&number) => self.reading.gas.add(number),
            "lots" if (2.0..=2_000.0).contains(&number) => self.reading.lots.add(number),
            "euros" if number >= 100.0 => {
                if self.reading.amounts.len() < AMOUNTS_MAX && !self.reading.amounts.contains(&number) {
                    self.reading.amounts.push(number);
                }
                if number % 50.0 != 0.0 {
                    insert(&mut self.reading.numbers, number_hash(2, number), NUMBERS_MAX);
                }
                self.yearly_rent(position, number);
            }
            _ => self.year(position, number),
        }
    }
}

/// The words that facts are read from, besides the units after a number. All others are skipped, which is most of the time.
const KEYWORDS: &str = "\
    etage etages annees sous niveau rez rdc ascenseur asc charges quote depot taxe tf dpe energie energetique ges ref reference mandat \
    rue avenue boulevard bd quai impasse allee allees faubourg programme vefa promoteur livraison re2020 defiscalisation neuf neuve neufs neuves \
    lot lots parcelle terrain appartement appt apt appart logement studio villa maison pavillon \
    box garage parking place emplacement stationnement batiment bat \
    t1 t2 t3 t4 t5 t6 t7 t8 t9 f1 f2 f3 f4 f5 f6 f7 f8 f9 \
    gaz electrique electriques fioul fuel mazout pompe pac";

fn is_keyword(word: u32) -> bool {
    static WORDS: LazyLock<WordSet> =
        LazyLock::new(|| WordSet::new(KEYWORDS.split_whitespace().map(|word| hash_bytes(word.as_bytes()))));
    WORDS.contains(word)
}

/// Returns `true` for "t3" and "f4".
fn is_room_code(word: &str) -> bool {
    matches!(word.as_bytes(), [b't' | b'f', b'1'..=b'9'])
}

fn is_ordinal(word: &str) -> bool {
    word.ends_with('e') && word.len() > 1 && word[..word.len() - 1].bytes().all(|byte| byte.is_ascii_digit())
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
        assert_eq!(flat("TF 1 210 €").property_tax, Single::One(1_210.0));
        assert_eq!(flat("Quote-part annuelle 2 316 €").charges, Single::One(2_316.0));
    }

    #[test]
    fn buildings_have_years_and_floors() {
        assert_eq!(flat("résidence Le Tissage (2011), T4").year, Single::One(2_011.0));
        assert_eq!(flat("Petite résidence 2001.").year, Single::One(2_001.0));
        assert_eq!(flat("construction 1998").year, Single::One(1_998.0));
        assert_eq!(reading("Maison 1930 en briques", PropertyType::House).year, Single::One(1_930.0));
        for none in ["résidence rénovée (2019)", "chaudière gaz 2019", "immeuble, toiture (2015)", "RT 2012"]
        {
            assert_eq!(flat(none).year, Single::Unknown, "{none}");
        }
        assert_eq!(flat("immeuble des années 30").decade, Single::One(1_930.0));
        assert_eq!(flat("fin des années 1980").decade, Single::One(1_980.0));
        assert_eq!(flat("années soixante-dix").decade, Single::One(1_970.0));
        assert_eq!(flat("refaite dans les années 90").decade, Single::Unknown);
        assert_eq!(flat("toiture refaite en 2018").numbers, [number_hash(5, 2_018.0)]);
        assert_eq!(flat("au 3e étage sur 5").floor_quantity, Single::One(5.0));
        assert_eq!(flat("immeuble de 6 étages").floor_quantity, Single::One(6.0));
        assert_eq!(flat("duplex aux 2e et 3e étages").floor, Single::One(2.0));
    }

    #[test]
    fn land_is_given_in_ares_and_hectares() {
        let land = |text| reading(text, PropertyType::House).land;
        assert_eq!(land("terrain de 7,3 ares"), Single::One(730.0));
        assert_eq!(land("un parc de 2,3 hectares"), Single::One(23_000.0));
        assert_eq!(land("prairies sur 5 ha 12 a d'un seul tenant"), Single::One(51_200.0));
        assert_eq!(land("1 ha 08 avec mare"), Single::One(10_800.0));
        assert_eq!(land("4,45 ares, soit 445 m² de terrain"), Single::One(445.0));
        assert_eq!(land("2 ha 5 ares"), Single::One(20_500.0));
    }

    #[test]
    fn energy_is_given_in_several_ways() {
        let reading = flat("DPE D (214), GES B (8)");
        assert_eq!((reading.energy, reading.gas), (Single::One(214.0), Single::One(8.0)));
        assert_eq!((reading.energy_letter, reading.gas_letter), (Some(3), Some(1)));
        assert_eq!(flat("Classe énergie : E").energy_letter, Some(4));
        assert_eq!(flat("consommation 189 kWh/m²/an").energy, Single::One(189.0));
        assert_eq!(flat("classe énergie excellente").energy_letter, None);
        assert_eq!(flat("DPE A").energy_letter, Some(0));
        assert_eq!(flat("DPE à venir").energy_letter, None);
    }

    #[test]
    fn rentals_have_charges_and_a_deposit() {
        let charges = |text| flat(text).rental_charges;
        assert_eq!(charges("Loyer 695 € + 75 € charges"), Single::One(75.0));
        assert_eq!(charges("720 € + 85 € de provision sur charges"), Single::One(85.0));
        assert_eq!(charges("Provisions pour charges 40 €"), Single::One(40.0));
        assert_eq!(charges("Loyer 805 € charges comprises"), Single::Unknown);
        assert_eq!(charges("loyer 486 € hors charges"), Single::Unknown);
        assert_eq!(flat("Dépôt de garantie : 1 150 €").deposit, Single::One(1_150.0));
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
    fn new_buildings_are_recognised() {
        for text in ["T3 neuf", "Résidence neuve", "Programme Les Tilleuls", "livraison fin 2027", "RE2020"]
        {
            assert!(flat(text).is_new_building, "{text}");
        }
        for text in ["cuisine neuve", "refait à neuf", "à neuf minutes de la gare", "comme neuf"] {
            assert!(!flat(text).is_new_building, "{text}");
        }
    }

    #[test]
    fn streets_have_names() {
        let streets = |text| flat(text).streets;
        assert_eq!(streets("12 rue des Clefs"), streets("Proche de la rue des Clefs, calme"));
        assert_eq!(streets("rue des Clefs").len(), 1);
        assert_ne!(streets("avenue du Général Leclerc"), streets("avenue du Général de Gaulle"));
        assert_ne!(streets("rue Saint-Jean"), streets("rue Saint-Martin"));
        for none in ["rue calme", "rue passante", "rue piétonne", "au bout de la rue. Clefs"] {
            assert!(streets(none).is_empty(), "{none}");
        }
    }

    #[test]
    fn references_are_specific() {
        assert_eq!(flat("Réf ST-1180.").references, [reference_hash("ST1180").unwrap()]);
        assert_eq!(flat("Réf. agence : 10277").references, [reference_hash("10277").unwrap()]);
        assert!(flat("Une référence du quartier").references.is_empty());
    }
}

//! French titles and descriptions, from sentences written for this purpose.
//!
//! A description has an opening, the rooms, some amenities, the neighbourhood, the running costs and a contact. Sentences have
//! placeholders such as `{surface}`; a sentence is only chosen if all its placeholders have a value.

mod closings;
mod neighbourhood;
mod openings;
mod titles;

use std::fmt::Write;

use domain::{PropertyType, TransactionType};

use crate::home::Home;
use crate::random::Random;
use crate::towns::Place;

/// The values of the placeholders: the home as one portal shows it.
pub(crate) struct Subject<'a> {
    pub home: &'a Home,
    pub place: &'a Place,
    /// As rounded by the portal.
    pub surface: f64,
    /// How this portal spells rooms and floors.
    pub spelling: Spelling,
}

/// The spelling of rooms and floors. Several are in use; an advert keeps to one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spelling {
    /// `T3`, `RDC`.
    Short,
    /// `F3`, `rez-de-chaussée`.
    Old,
    /// `3 pièces`, `rez-de-chaussée`.
    Full,
}

impl Spelling {
    pub(crate) fn draw(random: &mut Random) -> Self {
        [Self::Short, Self::Old, Self::Full][random.weighted(&[45, 15, 40])]
    }
}

impl Subject<'_> {
    /// Writes a title.
    pub(crate) fn title(&self, random: &mut Random) -> String {
        let mut title = String::with_capacity(96);
        self.fill(titles::of(random, self), &mut title);
        let amenity = self.home.amenities.iter().filter_map(|amenity| amenity.title).next();
        let ends_with_amenity = random.chance(45.0);
        if let Some(amenity) = amenity.filter(|_| ends_with_amenity) {
            title.push(' ');
            title.push_str(amenity);
        }
        title
    }

    /// Writes the description without its last sentence: about 40 to 105 words.
    pub(crate) fn description(&self, random: &mut Random) -> String {
        let mut draft = Draft { subject: self, text: String::with_capacity(900), words: 0 };
        let wanted = 56 + random.below(40) as usize;
        let property_type = self.home.property_type;
        draft.say(random.pick::<&str>(openings::of(self.home)));
        if let Some(layouts) = openings::layouts(self.home) {
            draft.say(random.pick::<&str>(layouts));
        }
        if matches!(property_type, PropertyType::Apartment | PropertyType::House | PropertyType::Building) {
            draft.say(random.pick::<&str>(openings::conditions(self.home.build.condition)));
        }
        let mut middle = self.middle(random);
        // The order of the middle sentences varies.
        for position in (1..middle.len()).rev() {
            middle.swap(position, random.below(position as u64 + 1) as usize);
        }
        for sentence in middle {
            if draft.words >= wanted {
                break;
            }
            draft.say(sentence);
        }
        draft.text
    }

    /// Draws the last sentence, about the contact.
    pub(crate) fn closing(&self, random: &mut Random) -> &'static str {
        random.pick::<&str>(closings::of(self.home.seller, self.home.transaction_type))
    }

    /// Draws the sentences that may come in any order.
    fn middle(&self, random: &mut Random) -> Vec<&'static str> {
        let home = self.home;
        let mut middle: Vec<&'static str> = Vec::with_capacity(24);
        middle.extend(home.amenities.iter().map(|amenity| *random.pick(&amenity.sentences)));
        for group in neighbourhood::of(home.property_type, self.place) {
            middle.push(*random.pick(group));
        }
        if home.build.elevator == Some(true) {
            middle.push(*random.pick(&openings::WITH_ELEVATOR));
        }
        if home.audit.is_some() {
            middle.push(*random.pick(&closings::ENERGY));
        }
        if home.money.lots.is_some() && home.money.condominium_fees.is_some() {
            middle.push(*random.pick(&closings::CONDOMINIUM));
        }
        if home.money.property_tax.is_some() {
            middle.push(*random.pick(&closings::TAX));
        }
        if home.transaction_type == TransactionType::Rent {
            middle.push(*random.pick(&closings::RENT));
        }
        if home.build.furnished == Some(true) {
            middle.push(*random.pick(&closings::FURNISHED));
        }
        middle
    }

    /// Appends a sentence with its placeholders filled in.
    pub(crate) fn fill(&self, phrase: &str, text: &mut String) {
        // Braces are ASCII, so every position found is a character boundary.
        let mut rest = phrase;
        while let Some(open) = rest.bytes().position(|byte| byte == b'{') {
            let Some(length) = rest.as_bytes()[open..].iter().position(|byte| *byte == b'}') else { break };
            text.push_str(&rest[..open]);
            self.write(&rest[open + 1..open + length], text);
            rest = &rest[open + length + 1..];
        }
        text.push_str(rest);
    }

    fn write(&self, blank: &str, text: &mut String) {
        let Home { build, money, audit, .. } = self.home;
        match blank {
            "surface" => decimal(text, self.surface),
            "land" => decimal(text, build.land.unwrap_or_default()),
            "town" => text.push_str(&self.place.short_name),
            "at" => text.push_str(&self.place.at),
            "of" => text.push_str(&self.place.of),
            "zipcode" => text.push_str(self.place.town.zipcode.as_str()),
            "rooms" => self.rooms(text),
            "bedrooms" => bedrooms(text, build.bedrooms.unwrap_or_default()),
            "floor" => self.floor(text),
            "floors" => whole(text, build.floors),
            "year" => whole(text, build.year),
            "letter" => text.push(audit.map_or('D', |audit| audit.letter.letter())),
            "heating" => text.push_str(audit.map_or("chauffage", |audit| audit.heating.phrase())),
            "lots" => decimal(text, money.lots.unwrap_or_default()),
            "condominium" => decimal(text, money.condominium_fees.unwrap_or_default()),
            "tax" => decimal(text, money.property_tax.unwrap_or_default()),
            "charges" => decimal(text, money.rental_charges.unwrap_or_default()),
            "pledge" => decimal(text, money.rental_pledge.unwrap_or_default()),
            // An unknown placeholder is a mistake in a sentence. The tests look for leftover braces.
            unknown => _ = write!(text, "{{{unknown}}}"),
        }
    }

    fn rooms(&self, text: &mut String) {
        let rooms = self.home.build.rooms.unwrap_or(1);
        _ = match self.spelling {
            _ if rooms == 1 && self.home.property_type == PropertyType::Apartment => text.write_str("studio"),
            Spelling::Short => write!(text, "T{rooms}"),
            Spelling::Old => write!(text, "F{rooms}"),
            Spelling::Full if rooms == 1 => text.write_str("1 pièce"),
            Spelling::Full => write!(text, "{rooms} pièces"),
        };
    }

    fn floor(&self, text: &mut String) {
        _ = match (self.home.build.floor.unwrap_or_default(), self.spelling) {
            (0, Spelling::Short) => text.write_str("en RDC"),
            (0, _) => text.write_str("au rez-de-chaussée"),
            (1, _) => text.write_str("au 1er étage"),
            (floor, Spelling::Old) if floor > 1 => write!(text, "au {floor}ème étage"),
            (floor, _) if floor > 1 => write!(text, "au {floor}e étage"),
            (below, _) => write!(text, "au niveau {below}"),
        };
    }
}

/// A description under construction.
struct Draft<'a> {
    subject: &'a Subject<'a>,
    text: String,
    words: usize,
}

impl Draft<'_> {
    fn say(&mut self, phrase: &str) {
        if !self.text.is_empty() {
            self.text.push(' ');
        }
        let before = self.text.len();
        self.subject.fill(phrase, &mut self.text);
        // Sentences are separated by one space, like their words.
        self.words += 1 + self.text.as_bytes()[before..].iter().filter(|byte| **byte == b' ').count();
    }
}

/// Writes a number in French: `62`, `62,5`.
fn decimal(text: &mut String, number: f64) {
    let before = text.len();
    _ = write!(text, "{number}");
    if let Some(position) = text[before..].find('.') {
        text.replace_range(before + position..=before + position, ",");
    }
}

fn whole(text: &mut String, number: Option<i32>) {
    _ = write!(text, "{}", number.unwrap_or_default());
}

fn bedrooms(text: &mut String, count: i32) {
    const WORDS: [&str; 9] =
        ["un coin nuit", "une", "deux", "trois", "quatre", "cinq", "six", "sept", "huit"];
    _ = match (usize::try_from(count).ok().and_then(|count| WORDS.get(count)), count) {
        (Some(word), ..=0) => text.write_str(word),
        (Some(word), 1) => write!(text, "{word} chambre"),
        (Some(word), _) => write!(text, "{word} chambres"),
        (None, _) => write!(text, "{count} chambres"),
    };
}

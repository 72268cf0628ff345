//! The texts of the cases: a first agency's, a copy of it, another agency's own words, an owner's, and the closing page of an agency.

use domain::{PropertyType, TransactionType};

use super::particulars::{Particulars, Style};
use super::templates;
use crate::random::{Purpose, Random};
use crate::text::Subject;

/// A description, and a title if the writer chose one. Otherwise the portal's stays.
#[derive(Debug, Clone)]
pub(super) struct Text {
    pub title: Option<String>,
    pub description: String,
}

/// Writes about one home.
pub(super) struct Writer<'a> {
    pub subject: Subject<'a>,
    pub particulars: &'a Particulars,
}

impl Writer<'_> {
    /// Writes as the first agency: prose, then what is particular about the home.
    pub(super) fn first(&self, random: &mut Random) -> Text {
        let mut description = self.subject.description(random);
        let count = 2 + random.below(4) as usize;
        for fact in self.particulars.write(random, Style::Sentence, count) {
            description.push(' ');
            description.push_str(&fact);
        }
        description.push(' ');
        description.push_str(self.subject.closing(random));
        Text { title: None, description }
    }

    /// Writes a few sentences.
    pub(super) fn short(&self, random: &mut Random) -> Text {
        let opening = random.pick::<&str>(templates::letter_openings(self.subject.home));
        let mut description = self.filled(opening);
        for fact in self.particulars.write(random, Style::Sentence, 2) {
            description.push(' ');
            description.push_str(&fact);
        }
        Text { title: None, description }
    }

    /// Writes as another agency that has seen the home and not the first text.
    pub(super) fn rewritten(&self, random: &mut Random) -> Text {
        let title = Some(self.filled(random.pick::<&str>(templates::titles(self.subject.home))));
        let description = match random.below(3) {
            0 => self.list(random),
            1 => self.letter(random),
            _ => self.telegram(random),
        };
        Text { title, description }
    }

    /// Writes as the owner.
    pub(super) fn owner(&self, random: &mut Random) -> Text {
        let home = self.subject.home;
        let title = Some(self.filled(random.pick::<&str>(templates::owner_titles(home))));
        let mut description = self.filled(random.pick::<&str>(templates::owner_openings(home)));
        let count = 1 + random.below(3) as usize;
        for fact in self.particulars.write(random, Style::Note, count) {
            description.push(' ');
            description.push_str(&fact);
            description.push('.');
        }
        for _ in 0..2 {
            description.push(' ');
            description.push_str(&self.filled(random.pick::<&str>(&templates::OWNER_REMARKS)));
        }
        description.push(' ');
        description.push_str(self.subject.closing(random));
        Text { title, description }
    }

    /// Lines with dashes.
    fn list(&self, random: &mut Random) -> String {
        let home = self.subject.home;
        let mut lines = vec![self.filled(random.pick::<&str>(&templates::LIST_HEADS))];
        let mut notes: Vec<String> = self.facts().iter().map(|fact| self.filled(fact)).collect();
        let particulars = 2 + random.below(4) as usize;
        notes.extend(self.particulars.write(random, Style::Note, particulars));
        notes.extend(
            home.amenities.iter().filter(|_| random.chance(80.0)).map(|amenity| amenity.feature.to_owned()),
        );
        lines.extend(notes.into_iter().filter(|_| random.chance(90.0)).map(|note| format!("- {note}")));
        lines.push(random.pick::<&str>(&templates::LIST_ENDS).to_string());
        lines.join("\n")
    }

    /// Prose that addresses the reader.
    fn letter(&self, random: &mut Random) -> String {
        let home = self.subject.home;
        let mut text = self.filled(random.pick::<&str>(templates::letter_openings(home)));
        let mut sentences = Vec::new();
        for amenity in home.amenities.iter() {
            let frame = random.pick::<&str>(&templates::AMENITY_FRAMES);
            if random.chance(60.0) {
                sentences.push(frame.replace("{amenity}", &amenity.feature.to_lowercase()));
            }
        }
        let count = 2 + random.below(3) as usize;
        let notes = self.particulars.write(random, Style::Note, count);
        sentences.extend(notes.iter().map(|note| capitalised(note) + "."));
        sentences.push(self.filled(random.pick::<&str>(&templates::LETTER_MOODS)));
        sentences.push(random.pick::<&str>(&templates::LETTER_ENDS).to_string());
        for sentence in sentences {
            text.push(' ');
            text.push_str(&sentence);
        }
        text
    }

    /// Abbreviations between commas.
    fn telegram(&self, random: &mut Random) -> String {
        let home = self.subject.home;
        let mut parts: Vec<String> = self.facts().iter().map(|fact| self.filled(fact)).collect();
        let count = 1 + random.below(4) as usize;
        parts.extend(self.particulars.write(random, Style::Note, count));
        parts.extend(
            home.amenities.iter().filter(|_| random.chance(70.0)).map(|amenity| amenity.feature.to_owned()),
        );
        let head = self.filled(random.pick::<&str>(&templates::TELEGRAM_HEADS));
        format!("{head} {}. {}", parts.join(", "), random.pick::<&str>(&templates::LIST_ENDS))
    }

    /// The facts that the home has, as templates.
    fn facts(&self) -> Vec<&'static str> {
        let home = self.subject.home;
        let (build, money) = (&home.build, &home.money);
        let mut facts = vec!["{surface} m² env."];
        let mut add = |known: bool, fact: &'static str| {
            if known {
                facts.push(fact);
            }
        };
        add(build.bedrooms.is_some_and(|bedrooms| bedrooms > 0), "{bedrooms}");
        add(build.floor.is_some() && build.floors.is_some(), "{floor} sur {floors}");
        add(home.property_type == PropertyType::House && build.land.is_some(), "terrain {land} m²");
        add(build.year.is_some(), "construction {year}");
        add(home.audit.is_some(), "DPE {letter}, {heating}");
        add(
            money.condominium_fees.is_some() && money.lots.is_some(),
            "charges {condominium} €/an, {lots} lots",
        );
        add(money.property_tax.is_some(), "TF {tax} €");
        add(home.transaction_type == TransactionType::Rent, "DG {pledge} €, prov. charges {charges} €");
        facts
    }

    /// Fills in the placeholders of the market.
    pub(super) fn filled(&self, template: &str) -> String {
        let mut text = String::new();
        self.subject.fill(template, &mut text);
        text
    }
}

fn capitalised(note: &str) -> String {
    let mut letters = note.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// Copies most of a text, as an agency does that has the same home without an exclusive mandate.
pub(super) fn copied(random: &mut Random, original: &str) -> String {
    let sentences: Vec<&str> = original.split_inclusive(". ").map(str::trim).collect();
    let mut kept: Vec<&str> = sentences.iter().copied().filter(|_| !random.chance(12.0)).collect();
    if kept.is_empty() {
        kept = sentences;
    }
    if random.chance(40.0) {
        kept.insert(0, random.pick::<&str>(&templates::COPY_OPENINGS));
    }
    kept.push(random.pick::<&str>(&templates::LIST_ENDS));
    kept.join(" ")
}

/// Puts a remark before a text, as agencies do when they publish it again.
pub(super) fn refreshed(random: &mut Random, original: &str) -> String {
    format!("{} {original}", random.pick::<&str>(&templates::REFRESHED))
}

/// Returns the closing page of an agency: the same under all its adverts.
pub(super) fn boilerplate(seed: u64, town: usize, agency: u16) -> String {
    let mut random = Random::stream(seed, Purpose::Boilerplate, [town as u64, u64::from(agency)]);
    let paragraphs: Vec<&str> =
        templates::BOILERPLATE.iter().map(|choices| *random.pick::<&str>(choices)).collect();
    paragraphs.join(" ")
}

//! Portals, agencies and private sellers. All of them are invented, under `.example`.

use domain::{Contact, Publisher, PublisherType, ShortText, SiteKey};

use crate::random::{Purpose, Random, mix};
use crate::towns::{Place, TownSize, slug};

/// A site that publishes adverts.
#[derive(Debug)]
pub(crate) struct Portal {
    pub site: SiteKey,
    pub profile: &'static PortalProfile,
}

/// How a portal presents its adverts.
#[derive(Debug)]
pub(crate) struct PortalProfile {
    pub domain: &'static str,
    pub pictures: &'static str,
    /// The relative market share among agencies and among private sellers.
    pub share: [u32; 2],
    /// The percentage of optional values that are present.
    pub completeness: f64,
    pub surface: SurfaceStyle,
    pub reference: ReferenceStyle,
    /// Whether it also lists the URLs of the original pictures.
    pub originals: bool,
}

/// How a portal rounds a surface.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SurfaceStyle {
    Exact,
    OneDecimal,
    Rounded,
    RoundedDown,
}

/// How a portal numbers its adverts.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ReferenceStyle {
    Digits,
    Hexadecimal(&'static str),
    Hyphenated,
}

/// The portals, largest first.
#[rustfmt::skip]
const PROFILES: &[PortalProfile] = &[
    PortalProfile { domain: "toits-et-murs.example", pictures: "photos.toits-et-murs.example", share: [27, 8], completeness: 95.0,
        surface: SurfaceStyle::Exact, reference: ReferenceStyle::Digits, originals: false },
    PortalProfile { domain: "cles-en-poche.example", pictures: "img.cles-en-poche.example", share: [21, 5], completeness: 92.0,
        surface: SurfaceStyle::Rounded, reference: ReferenceStyle::Digits, originals: false },
    PortalProfile { domain: "le-coin-des-logis.example", pictures: "medias.le-coin-des-logis.example", share: [18, 52], completeness: 78.0,
        surface: SurfaceStyle::RoundedDown, reference: ReferenceStyle::Digits, originals: false },
    PortalProfile { domain: "belles-pierres.example", pictures: "cdn.belles-pierres.example", share: [12, 0], completeness: 94.0,
        surface: SurfaceStyle::OneDecimal, reference: ReferenceStyle::Hexadecimal("BP"), originals: true },
    PortalProfile { domain: "boussole-immobiliere.example", pictures: "images.boussole-immobiliere.example", share: [9, 0], completeness: 90.0,
        surface: SurfaceStyle::Rounded, reference: ReferenceStyle::Hyphenated, originals: false },
    PortalProfile { domain: "logis-du-clocher.example", pictures: "static.logis-du-clocher.example", share: [6, 3], completeness: 82.0,
        surface: SurfaceStyle::Rounded, reference: ReferenceStyle::Hexadecimal("LC"), originals: false },
    PortalProfile { domain: "de-voisin-a-voisin.example", pictures: "photos.de-voisin-a-voisin.example", share: [0, 32], completeness: 80.0,
        surface: SurfaceStyle::RoundedDown, reference: ReferenceStyle::Hyphenated, originals: false },
    PortalProfile { domain: "quatre-facades.example", pictures: "m.quatre-facades.example", share: [7, 0], completeness: 88.0,
        surface: SurfaceStyle::OneDecimal, reference: ReferenceStyle::Hexadecimal("QF"), originals: false },
];

/// Returns the domains of all portals.
pub fn portal_domains() -> impl Iterator<Item = &'static str> {
    PROFILES.iter().map(|profile| profile.domain)
}

pub(crate) fn portals() -> Vec<Portal> {
    let portal =
        |profile| SiteKey::parse(PortalProfile::domain(profile)).map(|site| Portal { site, profile });
    PROFILES.iter().filter_map(portal).collect()
}

impl PortalProfile {
    fn domain(&self) -> &str {
        self.domain
    }

    /// Returns the reference of an advert on this portal. A portal advertises a property at most once and the mapping from property
    /// to number is one to one, so references are unique.
    pub(crate) fn reference(&self, property: u64) -> String {
        // Each portal has its own mapping. Otherwise equal numbers would reveal which adverts belong together.
        let salt = mix(self.domain.bytes().fold(0, |sum: u64, byte| sum.rotate_left(8) ^ u64::from(byte)));
        // Odd, so that the multiplication is one to one modulo 2³⁶.
        let factor = salt | 1;
        let number = property.wrapping_mul(factor).wrapping_add(salt >> 20) & ((1 << 36) - 1);
        match self.reference {
            ReferenceStyle::Digits => format!("{number:011}"),
            ReferenceStyle::Hexadecimal(prefix) => format!("{prefix}-{number:09X}"),
            ReferenceStyle::Hyphenated => format!("{:06}-{:05}", number / 100_000, number % 100_000),
        }
    }
}

impl SurfaceStyle {
    pub(crate) fn write(self, surface: f64) -> f64 {
        match self {
            Self::Exact => surface,
            Self::OneDecimal => (surface * 10.0).round() / 10.0,
            Self::Rounded => surface.round(),
            Self::RoundedDown => surface.floor(),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Seller {
    Individual,
    /// The number of an agency of the town.
    Agency(u16),
}

impl Seller {
    pub(crate) fn draw(random: &mut Random, size: TownSize) -> Self {
        if random.chance(15.0) { Self::Individual } else { Self::agency(random, size) }
    }

    /// Draws an agency of a town of this size.
    pub(crate) fn agency(random: &mut Random, size: TownSize) -> Self {
        let agencies = match size {
            TownSize::Village => 2,
            TownSize::SmallTown => 6,
            TownSize::Town => 16,
            TownSize::City => 60,
        };
        Self::Agency(random.below(agencies) as u16)
    }
}

/// The publisher and the contact of an advert.
pub(crate) struct PublisherDetails {
    pub contact: Contact,
    pub publisher: Publisher,
}

impl PublisherDetails {
    /// Returns the details of a seller. An agency has the same name and telephone number in all its adverts.
    pub(crate) fn of(seed: u64, seller: Seller, place: &Place, town: usize, property: u64) -> Self {
        match seller {
            Seller::Agency(number) => Self::agency(seed, place, town, number, property),
            Seller::Individual => Self::individual(seed, property),
        }
    }

    fn agency(seed: u64, place: &Place, town: usize, number: u16, property: u64) -> Self {
        let mut random = Random::stream(seed, Purpose::Agency, [town as u64, u64::from(number)]);
        let name = format!("{} {}", random.pick(&AGENCY_KINDS), random.pick(&AGENCY_NAMES));
        let phone =
            format!("{} {:02} {:02}", place.phone_prefix, random.between(0, 99), random.between(0, 99));
        let email = format!("agence{number}@{}.example", place.slug);
        let mut person = Random::stream(seed, Purpose::Person, [property, 0]);
        let negotiator = format!("{} {}", person.pick(&FIRST_NAMES), person.pick(&LAST_NAMES));
        let name = text(&name);
        Self {
            contact: Contact {
                agency: name.clone(),
                email: text(&email),
                fax: if number.is_multiple_of(9) { text(&phone) } else { None },
                name: text(&negotiator),
                phone: text(&phone),
                reference: text(&format!("{}{:05}", 100 + number % 900, property % 100_000)),
            },
            publisher: Publisher { name, kind: Some(PublisherType::Professional) },
        }
    }

    fn individual(seed: u64, property: u64) -> Self {
        let mut person = Random::stream(seed, Purpose::Person, [property, 1]);
        let first_name = *person.pick(&FIRST_NAMES);
        let initial = (b'A' + person.below(26) as u8) as char;
        let number = person.between(1, 9_999);
        let email = format!("{}.{}{number}@courriel.example", slug(first_name), initial.to_ascii_lowercase());
        let phone = format!("06 39 98 {:02} {:02}", person.between(0, 99), person.between(0, 99));
        let shows_email = person.chance(40.0);
        let name = text(&format!("{first_name} {initial}."));
        Self {
            contact: Contact {
                email: if shows_email { text(&email) } else { None },
                name: name.clone(),
                phone: text(&phone),
                ..Contact::default()
            },
            publisher: Publisher { name, kind: Some(PublisherType::Individual) },
        }
    }
}

fn text(text: &str) -> Option<ShortText> {
    ShortText::new(text).ok().flatten()
}

const AGENCY_KINDS: [&str; 12] = [
    "Agence",
    "Immobilière",
    "Cabinet",
    "Étude",
    "Maison",
    "Comptoir immobilier",
    "Atelier immobilier",
    "Agence immobilière",
    "Transactions",
    "Bureau",
    "Conseil immobilier",
    "Société immobilière",
];

const AGENCY_NAMES: [&str; 40] = [
    "du Vieux Pont",
    "des Tilleuls",
    "de la Halle",
    "du Beffroi",
    "des Remparts",
    "de la Fontaine",
    "du Marronnier",
    "des Quatre Vents",
    "de la Tour Carrée",
    "du Lavoir",
    "des Lilas",
    "de la Grand-Rue",
    "du Moulin Neuf",
    "des Deux Rives",
    "de la Lanterne",
    "du Préau",
    "des Charmilles",
    "de la Passerelle",
    "du Belvédère",
    "des Peupliers",
    "de la Meulière",
    "du Cadran",
    "des Arcades",
    "de la Verrière",
    "du Pigeonnier",
    "des Glycines",
    "de la Porte Bleue",
    "du Chemin Vert",
    "des Coteaux",
    "de la Girouette",
    "du Pas-de-Porte",
    "des Hirondelles",
    "de la Clé de Voûte",
    "du Verger",
    "des Mansardes",
    "de la Treille",
    "du Rond-Point",
    "des Ardoises",
    "de la Courette",
    "du Soleil Levant",
];

const FIRST_NAMES: [&str; 30] = [
    "Camille",
    "Élodie",
    "Marc",
    "Nadia",
    "Thierry",
    "Sophie",
    "Karim",
    "Hélène",
    "Julien",
    "Aurélie",
    "Benoît",
    "Chloé",
    "Didier",
    "Émilie",
    "François",
    "Gaëlle",
    "Hugo",
    "Inès",
    "Jérôme",
    "Laure",
    "Mehdi",
    "Noémie",
    "Olivier",
    "Pauline",
    "Quentin",
    "Raphaël",
    "Sandrine",
    "Théo",
    "Valérie",
    "Yann",
];

const LAST_NAMES: [&str; 24] = [
    "Ardouin",
    "Belmas",
    "Carrière",
    "Delorge",
    "Esnault",
    "Fabregue",
    "Grosjean",
    "Hamelin",
    "Izard",
    "Jourdain",
    "Kermarec",
    "Lantier",
    "Mercadal",
    "Nogaret",
    "Ollivier",
    "Pruvost",
    "Quémener",
    "Roubaud",
    "Sarrazin",
    "Tissot",
    "Urvoy",
    "Vasseur",
    "Wattel",
    "Zeller",
];

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_portal_domain_is_valid() {
        assert_eq!(portals().len(), PROFILES.len());
        assert!(portal_domains().all(|domain| domain.ends_with(".example")));
    }

    #[test]
    fn references_of_a_portal_are_unique() {
        for profile in PROFILES {
            let numbers: HashSet<String> = (0..50_000).map(|property| profile.reference(property)).collect();
            assert_eq!(numbers.len(), 50_000, "{}", profile.domain);
        }
    }

    #[test]
    fn an_agency_has_the_same_details_in_all_its_adverts() {
        let towns = crate::towns::Towns::new(crate::sample::towns(), &crate::prices::Prices::embedded());
        let contact =
            |property| PublisherDetails::of(1, Seller::Agency(4), towns.place(3), 3, property).contact;
        assert_eq!((contact(1).agency, contact(1).phone), (contact(2).agency, contact(2).phone));
        assert!(contact(1).phone.unwrap().as_str().starts_with("01 99 00 "));
    }
}

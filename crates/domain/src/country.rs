//! Country codes, as adverts give them: a code or a name.
//!
//! The list of names is that of the countries whose homes are advertised in France. It is not complete, and need not be: a
//! code of two letters is taken as it is.

use std::fmt;

use crate::fold::fold;

/// The code of a country, ISO 3166 alpha-2: `FR`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CountryCode([u8; 2]);

/// Alpha-2 and alpha-3 codes, and folded names in French, English and the language of the country.
const COUNTRIES: &[(&str, &str, &[&str])] = &[
    ("AD", "AND", &["andorre", "andorra"]),
    ("AE", "ARE", &["emirats arabes unis", "united arab emirates", "dubai"]),
    ("AT", "AUT", &["autriche", "austria", "osterreich"]),
    ("BE", "BEL", &["belgique", "belgium", "belgie"]),
    ("BG", "BGR", &["bulgarie", "bulgaria"]),
    ("CA", "CAN", &["canada"]),
    ("CH", "CHE", &["suisse", "switzerland", "schweiz", "svizzera"]),
    ("CY", "CYP", &["chypre", "cyprus"]),
    ("CZ", "CZE", &["tchequie", "republique tcheque", "czechia", "czech republic"]),
    ("DE", "DEU", &["allemagne", "germany", "deutschland"]),
    ("DK", "DNK", &["danemark", "denmark", "danmark"]),
    ("DZ", "DZA", &["algerie", "algeria"]),
    ("ES", "ESP", &["espagne", "spain", "espana"]),
    ("FI", "FIN", &["finlande", "finland"]),
    ("FR", "FRA", &["france", "france metropolitaine", "republique francaise"]),
    (
        "GB",
        "GBR",
        &["royaume uni", "united kingdom", "grande bretagne", "great britain", "angleterre", "england"],
    ),
    ("GF", "GUF", &["guyane francaise", "french guiana"]),
    ("GP", "GLP", &["guadeloupe"]),
    ("GR", "GRC", &["grece", "greece"]),
    ("HR", "HRV", &["croatie", "croatia"]),
    ("HU", "HUN", &["hongrie", "hungary"]),
    ("IE", "IRL", &["irlande", "ireland"]),
    ("IL", "ISR", &["israel"]),
    ("IT", "ITA", &["italie", "italy", "italia"]),
    ("LU", "LUX", &["luxembourg", "grand duche de luxembourg", "luxemburg"]),
    ("MA", "MAR", &["maroc", "morocco"]),
    ("MC", "MCO", &["monaco", "principaute de monaco"]),
    ("MF", "MAF", &["saint martin antilles francaises"]),
    ("MQ", "MTQ", &["martinique"]),
    ("MT", "MLT", &["malte", "malta"]),
    ("MU", "MUS", &["ile maurice", "maurice", "mauritius"]),
    ("NC", "NCL", &["nouvelle caledonie", "new caledonia"]),
    ("NL", "NLD", &["pays bas", "netherlands", "the netherlands", "nederland", "hollande"]),
    ("NO", "NOR", &["norvege", "norway"]),
    ("PF", "PYF", &["polynesie francaise", "french polynesia"]),
    ("PL", "POL", &["pologne", "poland", "polska"]),
    ("PM", "SPM", &["saint pierre et miquelon"]),
    ("PT", "PRT", &["portugal"]),
    ("RE", "REU", &["reunion", "la reunion"]),
    ("RO", "ROU", &["roumanie", "romania"]),
    ("SE", "SWE", &["suede", "sweden"]),
    ("SN", "SEN", &["senegal"]),
    ("TH", "THA", &["thailande", "thailand"]),
    ("TN", "TUN", &["tunisie", "tunisia"]),
    ("TR", "TUR", &["turquie", "turkey"]),
    ("US", "USA", &["etats unis", "united states", "united states of america"]),
    ("WF", "WLF", &["wallis et futuna"]),
    ("YT", "MYT", &["mayotte"]),
];

/// The parts of France that have a code of their own, with the code of their department.
const OVERSEAS: [(&str, &str); 12] = [
    ("BL", "977"),
    ("GF", "973"),
    ("GP", "971"),
    ("MF", "978"),
    ("MQ", "972"),
    ("NC", "988"),
    ("PF", "987"),
    ("PM", "975"),
    ("RE", "974"),
    ("TF", "984"),
    ("WF", "986"),
    ("YT", "976"),
];

impl CountryCode {
    pub const FRANCE: Self = Self(*b"FR");
    pub const MONACO: Self = Self(*b"MC");

    /// Parses a code of two or three letters, or a name: `LU`, `fra`, `Luxembourg`, `Royaume-Uni`.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        match text.as_bytes() {
            // Common, but not the code of the standard.
            [b'u' | b'U', b'k' | b'K'] => Some(Self(*b"GB")),
            [first, second] if first.is_ascii_alphabetic() && second.is_ascii_alphabetic() => {
                Some(Self([first.to_ascii_uppercase(), second.to_ascii_uppercase()]))
            }
            [_, _, _] => COUNTRIES
                .iter()
                .find(|(_, long, _)| long.eq_ignore_ascii_case(text))
                .and_then(|(code, ..)| Self::parse(code)),
            _ => Self::named(&fold(text)),
        }
    }

    /// Returns the country with this folded name.
    pub fn named(folded: &str) -> Option<Self> {
        let (code, ..) = COUNTRIES.iter().find(|(.., names)| names.contains(&folded))?;
        Self::parse(code)
    }

    pub fn as_str(&self) -> &str {
        // Both bytes are ASCII letters.
        std::str::from_utf8(&self.0).unwrap_or_default()
    }

    /// Returns `true` for France and its overseas territories.
    pub fn is_french(self) -> bool {
        self == Self::FRANCE || self.overseas_department().is_some()
    }

    /// Returns the code of the department that has this code of a country.
    pub fn overseas_department(self) -> Option<&'static str> {
        OVERSEAS.iter().find(|(code, _)| *code == self.as_str()).map(|(_, department)| *department)
    }
}

impl fmt::Display for CountryCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn country_is_a_code_or_a_name() {
        for (text, expected) in [
            ("FR", Some("FR")),
            (" lu ", Some("LU")),
            ("UK", Some("GB")),
            ("fra", Some("FR")),
            ("LUX", Some("LU")),
            ("Luxembourg", Some("LU")),
            ("ROYAUME-UNI", Some("GB")),
            ("Pays-Bas", Some("NL")),
            ("La Réunion", Some("RE")),
            ("", None),
            ("F", None),
            ("33", None),
            ("XYZ", None),
            ("Atlantide", None),
        ] {
            assert_eq!(CountryCode::parse(text).map(|code| code.to_string()).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn every_country_of_the_list_is_found_by_its_codes_and_names() {
        for (code, long, names) in COUNTRIES {
            for text in [code, long].into_iter().chain(*names) {
                assert_eq!(CountryCode::parse(text).map(|found| found.to_string()).as_deref(), Some(*code));
            }
            assert!(names.iter().all(|name| fold(name) == **name), "{code}");
        }
    }

    #[test]
    fn overseas_territories_are_french() {
        for (code, expected) in [("FR", true), ("RE", true), ("PF", true), ("MC", false), ("LU", false)] {
            assert_eq!(CountryCode::parse(code).unwrap().is_french(), expected, "{code}");
        }
    }
}

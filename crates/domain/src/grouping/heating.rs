//! How a home is heated, as the text names it.

use super::tokens::Tokens;

/// A set of energies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Heating(pub u8);

impl Heating {
    /// Adds the energy that a word names.
    pub fn add(&mut self, tokens: &Tokens, position: usize, word: &str) {
        let before = || position.checked_sub(1).map_or("", |before| tokens.word_at(before));
        self.0 |= match word {
            // The gas of the heating, not that of the greenhouse.
            "gaz" if tokens.word_at(position + 1) != "a" && before() != "de" => 1,
            "electrique" | "electriques"
                if ["chauffage", "radiateur", "convecteur"]
                    .iter()
                    .any(|start| before().starts_with(start)) =>
            {
                2
            }
            "fioul" | "fuel" | "mazout" => 4,
            "pompe" if tokens.word_at(position + 2) == "chaleur" => 8,
            "pac" => 8,
            _ => 0,
        };
    }

    /// Reads what a portal gives as the heating: "Gaz individuel", "électrique".
    pub fn given(text: &str) -> Self {
        let mut tokens = Tokens::default();
        tokens.read(text);
        let energy = |word: &str| match word {
            "gaz" => 1,
            "electrique" | "electricite" | "convecteur" | "convecteurs" => 2,
            "fioul" | "fuel" | "mazout" => 4,
            "pompe" | "pac" | "aerothermie" => 8,
            _ => 0,
        };
        Self(tokens.list().iter().fold(0, |bits, token| bits | energy(tokens.text(token))))
    }

    pub const fn is_known(self) -> bool {
        self.0 != 0
    }

    /// Returns `true` if both name an energy, but not the same.
    pub const fn differs(self, other: Self) -> bool {
        self.0 != 0 && other.0 != 0 && self.0 & other.0 == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heating(text: &str) -> Heating {
        let mut tokens = Tokens::default();
        tokens.read(text);
        let mut heating = Heating::default();
        for (position, token) in tokens.list().iter().enumerate() {
            heating.add(&tokens, position, tokens.text(token));
        }
        heating
    }

    #[test]
    fn heating_differs_if_both_name_it() {
        let gas = heating("Chauffage gaz");
        assert!(gas.differs(heating("radiateurs électriques")));
        assert!(!gas.differs(heating("chauffage individuel au gaz")));
        assert!(!gas.differs(heating("cuisine équipée")));
        assert!(!gas.differs(heating("gaz à effet de serre")));
        assert!(heating("pompe à chaleur").differs(heating("chaudière fioul")));
        assert!(gas.differs(Heating::given("Électrique")));
        assert_eq!(Heating::given("individuel, gaz"), gas);
    }
}

//! Energy and greenhouse-gas ratings, on the scale of the French energy performance audit (DPE) in force since July 2021.

use domain::{Amount, EnergyLetter, PropertyType, Rating};

use super::measures::{Build, Condition};
use crate::random::Random;

/// The upper limits of the energy letters A to F, in kWh of primary energy per square metre and year (arrêté du 31 mars
/// 2021). Higher values are G.
const ENERGY_UP_TO: [f64; 6] = [70.0, 110.0, 180.0, 250.0, 330.0, 420.0];

/// The same for greenhouse gas, in kg of CO₂.
const GAS_UP_TO: [f64; 6] = [6.0, 11.0, 30.0, 50.0, 70.0, 100.0];

/// The results of an energy audit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Audit {
    pub energy: Rating,
    pub green_house_gas: Rating,
    pub letter: EnergyLetter,
    pub heating: Heating,
}

/// The heating system, which determines the emissions per unit of energy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Heating {
    Gas,
    Electric,
    HeatPump,
    Wood,
    District,
    Oil,
}

impl Heating {
    pub(super) fn draw(random: &mut Random, property_type: PropertyType) -> Self {
        const ALL: [Heating; 6] = [
            Heating::Gas,
            Heating::Electric,
            Heating::HeatPump,
            Heating::Wood,
            Heating::District,
            Heating::Oil,
        ];
        let shares = match property_type {
            PropertyType::House => [32, 26, 18, 12, 0, 12],
            _ => [40, 40, 4, 0, 16, 0],
        };
        ALL[random.weighted(&shares)]
    }

    /// Kilograms of CO₂ per kilowatt-hour.
    const fn gas_per_energy(self) -> f64 {
        match self {
            Self::Gas => 0.2,
            Self::Electric => 0.034,
            Self::HeatPump => 0.026,
            Self::Wood => 0.02,
            Self::District => 0.12,
            Self::Oil => 0.27,
        }
    }

    pub(crate) const fn phrase(self) -> &'static str {
        match self {
            Self::Gas => "chauffage individuel au gaz",
            Self::Electric => "chauffage électrique",
            Self::HeatPump => "pompe à chaleur récente",
            Self::Wood => "poêle à bois",
            Self::District => "chauffage collectif",
            Self::Oil => "chaudière au fioul",
        }
    }
}

impl Audit {
    /// Draws an audit; `None` for plots and parking spaces, which are not heated.
    pub(super) fn draw(
        random: &mut Random,
        property_type: PropertyType,
        build: &Build,
        heating: Heating,
    ) -> Option<Self> {
        let year = match property_type {
            PropertyType::Land | PropertyType::Parking => return None,
            _ => build.year?,
        };
        let shares = match year {
            ..1949 => [0, 1, 10, 30, 30, 16, 13],
            1949..1975 => [0, 2, 18, 38, 27, 10, 5],
            1975..1990 => [0, 3, 24, 42, 23, 6, 2],
            1990..2006 => [0, 6, 38, 40, 13, 3, 0],
            2006..2013 => [2, 16, 55, 24, 3, 0, 0],
            _ => [20, 55, 22, 3, 0, 0, 0],
        };
        let drawn = random.weighted(&shares);
        let class = match build.condition {
            Condition::ToRenovate => (drawn + 1).min(6),
            Condition::Renovated => drawn.saturating_sub(1).max(1),
            Condition::Good | Condition::New => drawn,
        };
        let low = if class == 0 { 28.0 } else { ENERGY_UP_TO[class - 1] + 1.0 };
        let high = ENERGY_UP_TO.get(class).copied().unwrap_or(640.0);
        let energy = random.uniform(low, high).round();
        // The official energy letter is the worse of the two. Emissions stay within the energy letter, so that letter and
        // value agree on either scale.
        let gas_most = GAS_UP_TO.get(class).copied().unwrap_or(170.0);
        let gas = (energy * heating.gas_per_energy() * random.log_normal(0.1)).round().clamp(1.0, gas_most);
        let letter = EnergyLetter::ALL[class];
        Some(Self {
            energy: Rating { category: Some(letter), value: Amount::new(energy) },
            green_house_gas: Rating { category: Some(gas_letter(gas)), value: Amount::new(gas) },
            letter,
            heating,
        })
    }
}

/// Returns the rating letter of an energy value.
pub fn energy_letter(value: f64) -> EnergyLetter {
    EnergyLetter::ALL[ENERGY_UP_TO.partition_point(|most| *most < value)]
}

/// Returns the rating letter of a greenhouse-gas value.
pub fn gas_letter(value: f64) -> EnergyLetter {
    EnergyLetter::ALL[GAS_UP_TO.partition_point(|most| *most < value)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_change_at_the_limits_of_the_scale() {
        assert_eq!(
            [70.0, 71.0, 250.0, 251.0, 420.0, 421.0].map(energy_letter).map(EnergyLetter::letter),
            ['A', 'B', 'D', 'E', 'F', 'G']
        );
        assert_eq!(
            [6.0, 7.0, 30.0, 31.0, 100.0, 101.0].map(gas_letter).map(EnergyLetter::letter),
            ['A', 'B', 'C', 'D', 'F', 'G']
        );
    }
}

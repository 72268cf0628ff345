//! The contract's enumerations and the numbers that stand for them.

macro_rules! coded {
    ($($(#[$doc:meta])* $name:ident { $($variant:ident = $code:literal),+ $(,)? })+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($variant = $code),+
        }

        impl $name {
            /// Every value, in the order of the codes.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The number that stands for the value in the contract.
            pub const fn code(self) -> u8 {
                self as u8
            }

            /// The value a number stands for.
            pub const fn from_code(code: u8) -> Option<Self> {
                match code {
                    $($code => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }
    )+};
}

coded! {
    /// What is offered.
    PropertyType { Apartment = 0, House = 1, Building = 2, Parking = 3, Office = 4, Land = 5, Shop = 6 }

    /// Who offers it.
    PublisherType { Individual = 0, Professional = 1 }

    /// Whether it is for sale or to let.
    TransactionType { Sell = 0, Rent = 1 }

    /// Who pays the agency's fees.
    FeesResponsibility { Seller = 0, Buyer = 1 }

    /// How precise the coordinates are.
    GeoAccuracy { HouseNumber = 1, Neighbourhood = 2 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_lead_back_to_their_value() {
        for kind in PropertyType::ALL {
            assert_eq!(PropertyType::from_code(kind.code()), Some(*kind));
        }
        assert_eq!(PropertyType::from_code(7), None);
        assert_eq!(GeoAccuracy::from_code(0), None);
    }
}

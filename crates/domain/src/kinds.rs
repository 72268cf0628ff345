//! The enumerations of the contract and their codes.

macro_rules! coded {
    ($($(#[$doc:meta])* $name:ident { $($variant:ident = $code:literal),+ $(,)? })+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($variant = $code),+
        }

        impl $name {
            /// All values, in the order of the codes.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Returns the code in the contract.
            pub const fn code(self) -> u8 {
                self as u8
            }

            /// Returns the value with this code.
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
    /// The type of a property.
    PropertyType { Apartment = 0, House = 1, Building = 2, Parking = 3, Office = 4, Land = 5, Shop = 6 }

    /// The type of a publisher.
    PublisherType { Individual = 0, Professional = 1 }

    /// For sale or to let.
    TransactionType { Sell = 0, Rent = 1 }

    /// Who pays the agency fees.
    FeesResponsibility { Seller = 0, Buyer = 1 }

    /// The accuracy of coordinates.
    GeoAccuracy { HouseNumber = 1, Neighbourhood = 2 }

    /// How often a rent is due. The contract does not have it: the codes are for stored records, the API uses words.
    RentPeriod { Month = 0, Week = 1, Day = 2, Season = 3, Year = 4 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_round_trip() {
        for kind in PropertyType::ALL {
            assert_eq!(PropertyType::from_code(kind.code()), Some(*kind));
        }
        assert_eq!(PropertyType::from_code(7), None);
        assert_eq!(GeoAccuracy::from_code(0), None);
    }
}

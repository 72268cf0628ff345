//! What speaks for or against two adverts being of one property.

use std::fmt;

/// One observation about two adverts, and its weight.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    pub kind: EvidenceKind,
    /// Positive if it speaks for one property.
    pub points: f32,
    /// The values, in a few words: "equal prices (339200)".
    pub detail: String,
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:+.2} {}: {}", self.points, self.kind.name(), self.detail)
    }
}

macro_rules! named {
    ($(#[$doc:meta])* $type:ident { $($(#[$variant_doc:meta])* $variant:ident => $name:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $type {
            $($(#[$variant_doc])* $variant,)+
        }

        impl $type {
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// Returns its name in explanations.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }
        }
    };
}

named! {
    /// What was observed.
    EvidenceKind {
        /// How many homes the place has: equal facts mean less in a big city.
        Place => "place",
        PropertyType => "propertyType",
        Price => "price",
        Surface => "surface",
        LandSurface => "landSurface",
        Rooms => "rooms",
        Bedrooms => "bedrooms",
        Floor => "floor",
        FloorQuantity => "floorQuantity",
        Year => "constructionYear",
        Energy => "energy",
        Charges => "charges",
        Deposit => "deposit",
        RenterFees => "renterFees",
        PropertyTax => "propertyTax",
        Lots => "lotCount",
        Elevator => "elevator",
        Furnished => "furnished",
        Heating => "heating",
        Coordinates => "coordinates",
        Phone => "phone",
        Agency => "agency",
        Mandate => "mandate",
        /// Both live on one site: a repost, or another property.
        Site => "site",
        Pictures => "pictures",
        Street => "street",
        Text => "text",
        Numbers => "numbers",
        Words => "words",
        /// What both texts say that the home has, in whatever words.
        Features => "features",
        Mark => "unitMark",
        /// The text of one agency with another price and surface, or another floor.
        AnotherUnit => "anotherUnit",
    }
}

named! {
    /// Why two adverts cannot be of one property, whatever else agrees.
    Veto {
        /// Another commune, transaction or kind of property.
        NotComparable => "notComparable",
        /// Both are live on one site under different references, with another price, surface, land, floor or energy value, or they
        /// are spaces or plots.
        BothLiveOnOneSite => "bothLiveOnOneSite",
        /// Their texts number different units: "lot 12" and "lot 14".
        UnitMarks => "unitMarks",
        /// Spaces or plots of one agency with two references of the agency.
        TwoMandates => "twoMandates",
        /// A programme of several units is none of its units.
        Programme => "programme",
        /// Their prices or their surfaces are far apart.
        FarApart => "farApart",
    }
}

/// Collects evidence.
pub trait EvidenceCollector {
    /// Adds points. The detail is computed only if it is kept.
    fn add(&mut self, kind: EvidenceKind, points: f32, detail: impl FnOnce() -> String);

    /// Returns the sum so far.
    fn sum(&self) -> f32;
}

/// Renders two values, the smaller one first, so that the order of the adverts does not show.
pub fn both(one: f32, other: f32) -> String {
    if one == other { format!("{one}") } else { format!("{} and {}", one.min(other), one.max(other)) }
}

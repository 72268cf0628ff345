//! What speaks for or against two adverts being of one property.

/// One observation about two adverts, and its weight.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    pub kind: EvidenceKind,
    /// Positive if it speaks for one property.
    pub points: f32,
}

/// What was observed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EvidenceKind {
    Price,
    Surface,
    Rooms,
    Text,
}

impl EvidenceKind {
    /// Returns its name in explanations.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Price => "price",
            Self::Surface => "surface",
            Self::Rooms => "rooms",
            Self::Text => "text",
        }
    }
}

/// Why two adverts cannot be of one property, whatever else agrees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Veto {
    /// Another commune, transaction or kind of property.
    NotComparable,
    /// Both are live on one site under different references, with another price or surface.
    BothLiveOnOneSite,
}

impl Veto {
    /// Returns its name in explanations.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NotComparable => "notComparable",
            Self::BothLiveOnOneSite => "bothLiveOnOneSite",
        }
    }
}

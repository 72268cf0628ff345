//! What was found amiss or remarkable about a given place, for its sender to read.

use std::fmt;

use domain::{Insee, Zipcode};

/// A finding about a given place. Nothing is corrected without one.
#[derive(Debug, Clone, PartialEq)]
pub enum PlaceWarning {
    /// No commune has or had this code.
    UnknownInsee { insee: Insee },
    /// The code is no longer in use; the commune that replaced it was taken.
    FormerInsee { given: Insee, taken: Insee },
    /// Zipcode and name agree on another commune than the code; they were believed.
    InseeElsewhere { given: Insee, taken: Insee },
    /// No commune has this zipcode.
    UnknownZipcode { zipcode: Zipcode },
    /// The zipcode is not one of the place's.
    ZipcodeElsewhere { zipcode: Zipcode, insee: Insee },
    /// Several communes have this zipcode, and nothing told which is meant.
    ZipcodeShared { zipcode: Zipcode, communes: usize },
    /// No commune is called so, nor nearly so.
    UnknownName { name: String },
    /// The name is not that of the place.
    NameElsewhere { name: String, insee: Insee },
    /// Several communes are called so, or nearly so, and nothing told which is meant.
    NameShared { name: String, communes: usize },
    /// The name was taken for this one.
    NameRepaired { given: String, taken: String },
    /// The name is that of a commune merged into this one.
    FormerName { given: String, taken: String },
    /// The commune is not in the department given with it.
    DepartmentElsewhere { name: String, department: String },
    /// The number can be that of a district or that of the department; the district was taken.
    NumberUnclear { number: String, insee: Insee },
    /// Zipcode and name lie in different parts of the country, and nothing told which is right.
    Contradiction { zipcode: Zipcode, name: String },
    /// The coordinates are far from the place.
    PointElsewhere { distance_km: f64, insee: Insee },
    /// No place is near the coordinates.
    PointNowhere,
}

/// The part of a given place a warning is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaceField {
    Insee,
    Zipcode,
    Name,
    Point,
}

impl PlaceWarning {
    pub const fn subject(&self) -> PlaceField {
        match self {
            Self::UnknownInsee { .. } | Self::FormerInsee { .. } | Self::InseeElsewhere { .. } => {
                PlaceField::Insee
            }
            Self::UnknownZipcode { .. }
            | Self::ZipcodeElsewhere { .. }
            | Self::ZipcodeShared { .. }
            | Self::Contradiction { .. } => PlaceField::Zipcode,
            Self::UnknownName { .. }
            | Self::NameElsewhere { .. }
            | Self::NameShared { .. }
            | Self::NameRepaired { .. }
            | Self::FormerName { .. }
            | Self::DepartmentElsewhere { .. }
            | Self::NumberUnclear { .. } => PlaceField::Name,
            Self::PointElsewhere { .. } | Self::PointNowhere => PlaceField::Point,
        }
    }

    /// Whether two parts of what was given exclude each other, so that at least one is wrong.
    pub const fn is_contradiction(&self) -> bool {
        matches!(
            self,
            Self::InseeElsewhere { .. }
                | Self::ZipcodeElsewhere { .. }
                | Self::NameElsewhere { .. }
                | Self::DepartmentElsewhere { .. }
                | Self::Contradiction { .. }
                | Self::PointElsewhere { .. }
        )
    }
}

impl fmt::Display for PlaceWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownInsee { insee } => write!(f, "No commune has the code {insee}."),
            Self::FormerInsee { given, taken } => {
                write!(f, "The code {given} is no longer in use; its commune is now part of {taken}.")
            }
            Self::InseeElsewhere { given, taken } => {
                write!(f, "Zipcode and name are those of {taken}, not of {given}; {taken} was taken.")
            }
            Self::UnknownZipcode { zipcode } => write!(f, "No commune has the zipcode {zipcode}."),
            Self::ZipcodeElsewhere { zipcode, insee } => {
                write!(f, "The zipcode {zipcode} is not one of {insee}'s.")
            }
            Self::ZipcodeShared { zipcode, communes } => {
                write!(f, "{communes} communes have the zipcode {zipcode}.")
            }
            Self::UnknownName { name } => write!(f, "No commune is called \"{name}\"."),
            Self::NameElsewhere { name, insee } => write!(f, "\"{name}\" is not the name of {insee}."),
            Self::NameShared { name, communes } => {
                write!(f, "{communes} communes may be meant by \"{name}\".")
            }
            Self::NameRepaired { given, taken } => write!(f, "\"{given}\" was taken for \"{taken}\"."),
            Self::FormerName { given, taken } => write!(f, "\"{given}\" is now part of \"{taken}\"."),
            Self::DepartmentElsewhere { name, department } => {
                write!(f, "No commune called \"{name}\" is in the department {department}.")
            }
            Self::NumberUnclear { number, insee } => {
                write!(f, "{number} may be a district or the department; the district {insee} was taken.")
            }
            Self::Contradiction { zipcode, name } => {
                write!(f, "The zipcode {zipcode} and the name \"{name}\" lie far apart.")
            }
            Self::PointElsewhere { distance_km, insee } => {
                write!(f, "The coordinates are {distance_km:.0} km from the centre of {insee}.")
            }
            Self::PointNowhere => write!(f, "No known place is near the coordinates."),
        }
    }
}

//! Warnings about a given place, returned to its sender.

use std::fmt;

use domain::{CountryCode, Insee, Zipcode};

/// A problem with a given place. Every correction is reported.
#[derive(Debug, Clone, PartialEq)]
pub enum PlaceWarning {
    /// No commune has or had this code.
    UnknownInsee { insee: Insee },
    /// The code is obsolete. The commune that replaced it was selected.
    FormerInsee { given: Insee, selected: Insee },
    /// Zipcode and name agree on another commune than the code, and were preferred.
    InseeElsewhere { given: Insee, selected: Insee },
    /// No commune has this zipcode.
    UnknownZipcode { zipcode: Zipcode },
    /// The zipcode does not belong to the selected place.
    ZipcodeElsewhere { zipcode: Zipcode, insee: Insee },
    /// Several communes have this zipcode, and nothing distinguishes them.
    ZipcodeShared { zipcode: Zipcode, communes: usize },
    /// No commune has this name or a similar one.
    UnknownName { name: String },
    /// The name is not that of the selected place.
    NameElsewhere { name: String, insee: Insee },
    /// Several communes have this name or a similar one, and nothing distinguishes them.
    NameShared { name: String, communes: usize },
    /// The name is that of the selected commune, and that of a department or region elsewhere.
    NameOfArea { name: String },
    /// The name was interpreted as this one.
    NameCorrected { given: String, selected: String },
    /// The name is that of a commune that was merged into the selected one.
    FormerName { given: String, selected: String },
    /// The name is that of a well-known place inside the selected commune.
    PlaceInside { given: String, selected: String },
    /// The city has no district with this number.
    UnknownDistrict { number: String, insee: Insee },
    /// The advert is from a country whose places are not known. No commune was selected by name or coordinates.
    Abroad { country: CountryCode },
    /// No commune with this name is in the given department.
    DepartmentElsewhere { name: String, department: String },
    /// The number can be that of a district or of the department. The district was selected.
    AmbiguousNumber { number: String, insee: Insee },
    /// Zipcode and name are in different parts of the country, and nothing decides between them.
    Contradiction { zipcode: Zipcode, name: String },
    /// The coordinates are far from the selected place.
    PointElsewhere { distance_km: f64, insee: Insee },
    /// No known place is near the coordinates.
    PointNowhere,
}

/// The part of a given place that a warning is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaceField {
    Insee,
    Zipcode,
    Name,
    Point,
    Country,
}

impl PlaceWarning {
    /// Returns the part of the place that the warning is about.
    pub const fn field(&self) -> PlaceField {
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
            | Self::NameOfArea { .. }
            | Self::NameCorrected { .. }
            | Self::FormerName { .. }
            | Self::PlaceInside { .. }
            | Self::UnknownDistrict { .. }
            | Self::DepartmentElsewhere { .. }
            | Self::AmbiguousNumber { .. } => PlaceField::Name,
            Self::PointElsewhere { .. } | Self::PointNowhere => PlaceField::Point,
            Self::Abroad { .. } => PlaceField::Country,
        }
    }

    /// Returns `true` if two parts of the place contradict each other, so that at least one is wrong.
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
            Self::UnknownInsee { insee } => write!(f, "No commune has the INSEE code {insee}."),
            Self::FormerInsee { given, selected } => {
                write!(f, "The INSEE code {given} is obsolete; its commune is now part of {selected}.")
            }
            Self::InseeElsewhere { given, selected } => {
                write!(f, "Zipcode and name belong to {selected}, not to {given}; {selected} was used.")
            }
            Self::UnknownZipcode { zipcode } => write!(f, "No commune has the zipcode {zipcode}."),
            Self::ZipcodeElsewhere { zipcode, insee } => {
                write!(f, "The zipcode {zipcode} does not belong to {insee}.")
            }
            Self::ZipcodeShared { zipcode, communes } => {
                write!(f, "The zipcode {zipcode} is shared by {communes} communes.")
            }
            Self::UnknownName { name } => write!(f, "No commune is called \"{name}\"."),
            Self::NameElsewhere { name, insee } => write!(f, "\"{name}\" is not the name of {insee}."),
            Self::NameShared { name, communes } => {
                write!(f, "The name \"{name}\" is ambiguous: {communes} communes.")
            }
            Self::NameOfArea { name } => {
                write!(f, "\"{name}\" is also the name of a department or region, which may be meant.")
            }
            Self::NameCorrected { given, selected } => {
                write!(f, "The name \"{given}\" was interpreted as \"{selected}\", which is a guess.")
            }
            Self::FormerName { given, selected } => write!(f, "\"{given}\" is now part of \"{selected}\"."),
            Self::PlaceInside { given, selected } => write!(f, "\"{given}\" is a place in \"{selected}\"."),
            Self::UnknownDistrict { number, insee } => write!(f, "{insee} has no district {number}."),
            Self::Abroad { country } => {
                write!(f, "The places of the country {country} are not known; no commune was selected.")
            }
            Self::DepartmentElsewhere { name, department } => {
                write!(f, "No commune called \"{name}\" is in the department {department}.")
            }
            Self::AmbiguousNumber { number, insee } => {
                write!(
                    f,
                    "The number {number} can be a district or the department; the district {insee} was used."
                )
            }
            Self::Contradiction { zipcode, name } => {
                write!(
                    f,
                    "The zipcode {zipcode} and the name \"{name}\" are in different parts of the country."
                )
            }
            Self::PointElsewhere { distance_km, insee } => {
                write!(f, "The coordinates are {distance_km:.0} km from the centre of {insee}.")
            }
            Self::PointNowhere => write!(f, "No known place is near the coordinates."),
        }
    }
}

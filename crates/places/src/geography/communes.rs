//! Reads the table of communes: communes (C), districts (A), delegated (D) and associated (S) communes.

use std::collections::HashSet;
use std::sync::Arc;

use domain::{City, GeoPoint, Insee, Zipcode};

use super::Departments;
use crate::files::SourceFile;
use crate::table::Column::Required;
use crate::table::{Column, DataError, Row, read};

/// The suffix of the official name of a district, omitted in its common name.
const DISTRICT_SUFFIX: &str = " Arrondissement";

/// A district or a former commune, and the error to return if its commune does not exist.
pub(super) struct CommunePart {
    pub insee: Insee,
    pub name: Box<str>,
    pub parent: Insee,
    pub error: DataError,
}

/// The rows of the table, before they are linked.
#[derive(Default)]
pub(super) struct Communes {
    /// Communes and districts with their ids, ordered by id.
    pub cities: Vec<(u64, Arc<City>)>,
    pub districts: Vec<CommunePart>,
    pub merged: Vec<CommunePart>,
}

const COLUMNS: [Column; 10] = [
    Required("insee"),
    Required("kind"),
    Required("parent"),
    Required("article"),
    Required("name"),
    Required("dept"),
    Required("zips"),
    Required("population"),
    Required("lat"),
    Required("lon"),
];
const INSEE: usize = 0;
const KIND: usize = 1;
const PARENT: usize = 2;
const ARTICLE: usize = 3;
const NAME: usize = 4;
const DEPARTMENT: usize = 5;
const ZIPCODES: usize = 6;
const POPULATION: usize = 7;
const LATITUDE: usize = 8;
const LONGITUDE: usize = 9;

impl Communes {
    pub fn read<'a>(
        files: impl Iterator<Item = &'a SourceFile>,
        departments: &Departments,
    ) -> Result<Self, DataError> {
        let mut communes = Self::default();
        let mut seen = HashSet::with_capacity(40_000);
        for file in files {
            read(file, COLUMNS, |row| communes.add(&row, departments, &mut seen))?;
        }
        communes.cities.sort_unstable_by_key(|(id, _)| *id);
        Ok(communes)
    }

    fn add(
        &mut self,
        row: &Row<'_, 10>,
        departments: &Departments,
        seen: &mut HashSet<u64>,
    ) -> Result<(), DataError> {
        let insee = row.value(INSEE, "a commune code", Insee::parse)?;
        let id = insee.id();
        if !seen.insert(id) {
            return Err(row.duplicate(INSEE));
        }
        let parent = row.optional(PARENT, "a commune code", Insee::parse)?;
        let part = |name: Box<str>, parent: &Insee| {
            let error = row.unknown_reference(PARENT, parent, "communes");
            CommunePart { insee: insee.clone(), name, parent: parent.clone(), error }
        };
        match (row.text(KIND), &parent) {
            ("C", None) => self.cities.push((id, Arc::new(city(row, insee, None, departments)?))),
            ("A", Some(of)) => {
                let district = city(row, insee.clone(), parent.clone(), departments)?;
                self.districts.push(part(district.name.clone(), of));
                self.cities.push((id, Arc::new(district)));
            }
            ("D" | "S", Some(of)) => self.merged.push(part(row.name(NAME)?, of)),
            ("A" | "D" | "S", None) => {
                return row.value(PARENT, "the code of the commune it belongs to", |_| None);
            }
            ("C", Some(_)) => return row.value(PARENT, "empty, as it is for a commune", |_| None),
            _ => return row.value(KIND, "C, A, D or S", |_| None),
        }
        Ok(())
    }
}

fn city(
    row: &Row<'_, 10>,
    insee: Insee,
    parent: Option<Insee>,
    departments: &Departments,
) -> Result<City, DataError> {
    let (department, country) = row
        .value(DEPARTMENT, "a department code", domain::place::code_as_number)
        .map(|department| departments.get(&department))?
        .ok_or_else(|| row.unknown_reference(DEPARTMENT, row.text(DEPARTMENT), "departments"))?;
    let zipcodes = row.value(ZIPCODES, "a list of zipcodes", |text| {
        text.split_ascii_whitespace().map(Zipcode::parse).collect::<Option<Vec<_>>>()
    })?;
    let latitude = row.optional(LATITUDE, "a latitude", degrees)?;
    let longitude = row.optional(LONGITUDE, "a longitude", degrees)?;
    let centre = match (latitude, longitude) {
        (Some(lat), Some(lon)) => Some(row.value(LATITUDE, "on the globe", |_| GeoPoint::new(lat, lon))?),
        (None, None) => None,
        _ => return row.value(LONGITUDE, "given together with the latitude", |_| None),
    };
    let official = row.name(NAME)?;
    let short = parent.as_ref().and_then(|_| official.strip_suffix(DISTRICT_SUFFIX));
    let (name, official_name) = match short {
        Some(short) => (short.into(), Some(official)),
        None => (official, None),
    };
    Ok(City {
        insee,
        parent,
        article: row.non_empty(ARTICLE).map(Into::into),
        name,
        official_name,
        zipcodes,
        population: row
            .optional(POPULATION, "a number of people", |text| text.parse().ok())?
            .unwrap_or_default(),
        centre,
        department: department.clone(),
        country: country.clone(),
        districts: Vec::new(),
        grouped_names: Vec::new(),
    })
}

fn degrees(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

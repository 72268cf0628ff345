//! Reads the administrative tables into the types of `domain` and links them.

mod communes;

use std::collections::HashMap;
use std::sync::Arc;

use domain::place::code_as_number;
use domain::{City, Country, Department, Insee, Region};

use crate::files::SourceFile;
use crate::table::{Column, DataError, read};
use Column::{Optional, Required};
use communes::{CommunePart, Communes};

/// A former commune, whose name is still in use.
pub(crate) struct FormerCommune {
    pub name: Box<str>,
    /// The index of the commune that replaced it.
    pub city: u32,
}

/// A place that people know by its name, inside a commune.
pub(crate) struct WellKnownPlace {
    pub name: Box<str>,
    /// The index of the commune or district it is in.
    pub city: u32,
}

/// The administrative divisions, each list ordered by id.
pub(crate) struct Geography {
    pub countries: Vec<Arc<Country>>,
    pub regions: Vec<Arc<Region>>,
    pub departments: Vec<Arc<Department>>,
    pub cities: Vec<Arc<City>>,
    /// The ids of the cities in a separate array, so that a look-up touches few cache lines.
    pub city_ids: Vec<u64>,
    /// Obsolete codes with the index of the city that replaced them, ordered by code.
    pub old_codes: Vec<(Insee, u32)>,
    pub former: Vec<FormerCommune>,
    pub well_known: Vec<WellKnownPlace>,
}

/// Returns the index of an id in a sorted list.
pub(crate) fn position(ids: &[u64], id: u64) -> Option<u32> {
    ids.binary_search(&id).ok().and_then(|position| u32::try_from(position).ok())
}

impl Geography {
    pub fn read(files: &[SourceFile]) -> Result<Self, DataError> {
        let tables = |table| files.iter().filter(move |file| file.table() == Some(table));
        for table in ["countries", "regions", "departments", "communes"] {
            if tables(table).next().is_none() {
                return Err(DataError::MissingTable { table });
            }
        }
        let countries = countries(tables("countries"))?;
        let regions = regions(tables("regions"), &countries)?;
        let departments = departments(tables("departments"), &regions)?;
        let communes = Communes::read(tables("communes"), &departments)?;
        let mut geography = Self {
            regions: sorted(regions.into_values().map(|(region, _)| region), |region| region.id),
            departments: sorted(departments.into_values().map(|(department, _)| department), |department| {
                department.id
            }),
            countries,
            cities: Vec::new(),
            city_ids: Vec::new(),
            old_codes: Vec::new(),
            former: Vec::new(),
            well_known: Vec::new(),
        };
        geography.link(communes)?;
        geography.read_old_codes(tables("old_codes"))?;
        geography.read_well_known(tables("well_known_places"))?;
        // A former commune may be in both tables. If they disagree, the table of communes, which is more current, wins.
        geography.old_codes.sort_by(|(a, _), (b, _)| a.cmp(b));
        geography.old_codes.dedup_by(|(a, _), (b, _)| a == b);
        Ok(geography)
    }

    /// Links districts and former communes to their communes.
    fn link(&mut self, communes: Communes) -> Result<(), DataError> {
        let Communes { cities, districts, merged } = communes;
        (self.city_ids, self.cities) = cities.into_iter().unzip();
        for CommunePart { insee, name, parent, error } in districts {
            let city = position(&self.city_ids, parent.id()).ok_or(error)?;
            // The city is not shared yet, so it can be modified.
            if let Some(city) = Arc::get_mut(&mut self.cities[city as usize]) {
                city.districts.push(insee);
                city.grouped_names.push(name);
            }
        }
        for CommunePart { insee, name, parent, error } in merged {
            let city = position(&self.city_ids, parent.id()).ok_or(error)?;
            if let Some(commune) = Arc::get_mut(&mut self.cities[city as usize]) {
                commune.grouped_names.push(name.clone());
            }
            self.former.push(FormerCommune { name, city });
            self.old_codes.push((insee, city));
        }
        Ok(())
    }

    fn read_old_codes<'a>(&mut self, files: impl Iterator<Item = &'a SourceFile>) -> Result<(), DataError> {
        for file in files {
            read(file, [Required("old_insee"), Required("insee")], |row| {
                let old = row.value(0, "a commune code", Insee::parse)?;
                let now = row.value(1, "a commune code", Insee::parse)?;
                let city = position(&self.city_ids, now.id())
                    .ok_or_else(|| row.unknown_reference(1, &now, "communes"))?;
                self.old_codes.push((old, city));
                Ok(())
            })?;
        }
        Ok(())
    }

    fn read_well_known<'a>(&mut self, files: impl Iterator<Item = &'a SourceFile>) -> Result<(), DataError> {
        for file in files {
            read(file, [Required("name"), Required("insee")], |row| {
                let insee = row.value(1, "a commune code", Insee::parse)?;
                let city = position(&self.city_ids, insee.id())
                    .ok_or_else(|| row.unknown_reference(1, &insee, "communes"))?;
                self.well_known.push(WellKnownPlace { name: row.name(0)?, city });
                Ok(())
            })?;
        }
        Ok(())
    }
}

fn sorted<T>(items: impl Iterator<Item = T>, id: impl Fn(&T) -> u64) -> Vec<T> {
    let mut items: Vec<T> = items.collect();
    items.sort_by_key(id);
    items
}

fn countries<'a>(files: impl Iterator<Item = &'a SourceFile>) -> Result<Vec<Arc<Country>>, DataError> {
    let mut countries: Vec<Arc<Country>> = Vec::new();
    for file in files {
        read(file, [Required("code"), Required("id"), Required("name")], |row| {
            let country = Country {
                code: row.name(0)?,
                id: row.value(1, "a number", |text| text.parse().ok())?,
                name: row.name(2)?,
            };
            if countries.iter().any(|other| other.id == country.id || other.code == country.code) {
                return Err(row.duplicate(0));
            }
            countries.push(Arc::new(country));
            Ok(())
        })?;
    }
    Ok(countries)
}

type Regions = HashMap<u64, (Arc<Region>, Arc<Country>)>;

fn regions<'a>(
    files: impl Iterator<Item = &'a SourceFile>,
    countries: &[Arc<Country>],
) -> Result<Regions, DataError> {
    let mut regions = Regions::new();
    for file in files {
        read(file, [Required("code"), Required("name"), Optional("country")], |row| {
            let id = row.value(0, "a region code", code_as_number)?;
            // The country is optional in data of a single country.
            let country = match row.non_empty(2) {
                None => countries.first(),
                Some(code) => countries.iter().find(|country| *country.code == *code),
            };
            let country = country.ok_or_else(|| row.unknown_reference(2, row.text(2), "countries"))?;
            let region = Arc::new(Region { id, code: row.text(0).into(), name: row.name(1)? });
            match regions.insert(id, (region, country.clone())) {
                Some(_) => Err(row.duplicate(0)),
                None => Ok(()),
            }
        })?;
    }
    Ok(regions)
}

type Departments = HashMap<u64, (Arc<Department>, Arc<Country>)>;

fn departments<'a>(
    files: impl Iterator<Item = &'a SourceFile>,
    regions: &Regions,
) -> Result<Departments, DataError> {
    let columns = [
        Required("code"),
        Required("name"),
        Required("name_clean"),
        Required("region"),
        Optional("chef_lieu"),
        Optional("chef_lieu_insee"),
    ];
    let mut departments = Departments::new();
    for file in files {
        read(file, columns, |row| {
            let id = row.value(0, "a department code", code_as_number)?;
            let (region, country) = row
                .value(3, "a region code", code_as_number)
                .map(|region| regions.get(&region))?
                .ok_or_else(|| row.unknown_reference(3, row.text(3), "regions"))?;
            let department = Arc::new(Department {
                id,
                code: row.text(0).to_ascii_uppercase().into(),
                name: row.name(1)?,
                name_clean: row.name(2)?,
                capital: row.non_empty(4).map(Into::into),
                capital_insee: row.optional(5, "a commune code", Insee::parse)?,
                region: region.clone(),
            });
            match departments.insert(id, (department, country.clone())) {
                Some(_) => Err(row.duplicate(0)),
                None => Ok(()),
            }
        })?;
    }
    Ok(departments)
}

//! The gazetteer: all places and the indices that find them. Immutable after construction.

use std::fmt;
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::Arc;
use std::thread;

use domain::{City, Country, Department, GeoPoint, Insee, Outline, Region, Station, Zipcode};

use crate::area_index::AreaIndex;
use crate::files::{self, SourceFile};
use crate::geography::{Geography, position};
use crate::grid::Grid;
use crate::name_index::NameIndex;
use crate::outlines::Outlines;
use crate::place_query;
use crate::prefix_index::PrefixIndex;
use crate::resolve::{NamedPlaces, REMEMBERED};
use crate::spelling::QUERY_MAX;
use crate::spelling_index::SpellingIndex;
use crate::stations::Stations;
use crate::table::DataError;
use crate::transit;
use crate::well_known::WellKnownPlaces;
use crate::zipcode_index::ZipcodeIndex;

/// All known places and the indices that find them.
pub struct Gazetteer {
    pub(crate) geography: Geography,
    pub(crate) prefixes: PrefixIndex,
    pub(crate) names: NameIndex,
    pub(crate) well_known: WellKnownPlaces,
    pub(crate) areas: AreaIndex,
    pub(crate) spellings: SpellingIndex,
    pub(crate) zipcodes: ZipcodeIndex,
    /// The centres of the communes; for communes with districts, those of the districts.
    pub(crate) centres: Grid,
    pub(crate) outlines: Outlines,
    pub(crate) named_places: NamedPlaces,
    stations: Stations,
}

impl Gazetteer {
    /// Loads the data embedded in the binary.
    pub fn embedded() -> Result<Self, DataError> {
        Self::from_files(&files::embedded()?)
    }

    /// Loads the CSV files of a directory with the layout of the project's `data/`.
    pub fn from_directory(directory: &Path) -> Result<Self, DataError> {
        Self::from_files(&files::in_directory(directory)?)
    }

    /// Loads these files.
    pub fn from_files(files: &[SourceFile]) -> Result<Self, DataError> {
        if let Some(unknown) = files.iter().find(|file| file.table().is_none()) {
            // Skipping it would silently lose the data of a file with a misspelled name.
            return Err(DataError::UnknownTable { file: unknown.name.clone() });
        }
        let geography = Geography::read(files)?;
        // Two more threads build what the critical path (prefix index, then name index) does not need.
        let (prefixes, names, others, outlines) = thread::scope(|scope| {
            let outlines = scope.spawn(|| Outlines::load(&geography.cities, &geography.departments));
            let others = scope.spawn(|| {
                let stations = transit::stations(files).map(Stations::new)?;
                let small = (WellKnownPlaces::new(&geography), AreaIndex::new(&geography));
                Ok((ZipcodeIndex::new(&geography.cities), centres(&geography), stations, small))
            });
            let prefixes = PrefixIndex::new(&geography);
            let names = (NameIndex::new(&geography, &prefixes), SpellingIndex::new(&prefixes));
            // Propagates a panic of the other threads.
            let others = others.join().unwrap_or_else(|panic| resume_unwind(panic));
            (prefixes, names, others, outlines.join().unwrap_or_else(|panic| resume_unwind(panic)))
        });
        let (zipcodes, centres, stations, (well_known, areas)) = others?;
        let (names, spellings) = names;
        Ok(Self {
            geography,
            prefixes,
            names,
            well_known,
            areas,
            spellings,
            zipcodes,
            centres,
            outlines: outlines?,
            named_places: NamedPlaces::new(REMEMBERED),
            stations,
        })
    }

    /// Returns all communes and districts, ordered by id.
    pub fn cities(&self) -> &[Arc<City>] {
        &self.geography.cities
    }

    /// Returns all departments, ordered by id.
    pub fn departments(&self) -> &[Arc<Department>] {
        &self.geography.departments
    }

    /// Returns all regions, ordered by id.
    pub fn regions(&self) -> &[Arc<Region>] {
        &self.geography.regions
    }

    /// Returns all countries, in file order.
    pub fn countries(&self) -> &[Arc<Country>] {
        &self.geography.countries
    }

    /// Returns all stations, ordered by id.
    pub fn stations(&self) -> &[Arc<Station>] {
        self.stations.all()
    }

    /// Returns the commune or district with this code. An obsolete code returns the commune that replaced it.
    pub fn city(&self, insee: &Insee) -> Option<&Arc<City>> {
        self.current(insee).or_else(|| self.successor(insee)).map(|index| self.at(index))
    }

    pub fn city_by_id(&self, id: u64) -> Option<&Arc<City>> {
        position(&self.geography.city_ids, id).map(|index| self.at(index))
    }

    pub fn department_by_id(&self, id: u64) -> Option<&Arc<Department>> {
        find_by_id(&self.geography.departments, id, |department| department.id)
    }

    pub fn region_by_id(&self, id: u64) -> Option<&Arc<Region>> {
        find_by_id(&self.geography.regions, id, |region| region.id)
    }

    pub fn country_by_id(&self, id: u64) -> Option<&Arc<Country>> {
        self.geography.countries.iter().find(|country| country.id == id)
    }

    /// Returns the obsolete codes, each with the commune that replaced it.
    pub fn old_codes(&self) -> impl Iterator<Item = (&Insee, &Arc<City>)> {
        self.geography.old_codes.iter().map(|(insee, index)| (insee, self.at(*index)))
    }

    /// Returns the communes and districts with this zipcode.
    pub fn cities_with_zipcode(&self, zipcode: &Zipcode) -> impl Iterator<Item = &Arc<City>> {
        self.zipcodes.cities_with(zipcode.as_str()).map(|index| self.at(index))
    }

    pub fn station_by_id(&self, id: u32) -> Option<&Arc<Station>> {
        let stations = self.stations();
        stations.binary_search_by_key(&id, |station| station.id).ok().map(|index| &stations[index])
    }

    /// Suggests at most `limit` stations for a partial name. Typing errors are not forgiven.
    pub fn complete_stations(&self, query: &str, limit: usize) -> Vec<Arc<Station>> {
        let query: String = query.chars().take(10 * QUERY_MAX).collect();
        self.stations.complete(&place_query::normalize_query(&query), limit)
    }

    /// Returns the stations within walking distance, nearest first.
    pub fn stations_near(&self, point: GeoPoint) -> Vec<Arc<Station>> {
        self.stations.near(point)
    }

    /// Returns the outlines of all places.
    pub fn outlines(&self) -> &Outlines {
        &self.outlines
    }

    /// Returns the commune or district whose outline contains a point.
    pub fn city_at(&self, point: GeoPoint) -> Option<&Arc<City>> {
        self.outlines.city_at(point).map(|index| self.at(index))
    }

    /// Returns the commune or district whose centre is nearest to a point, within a distance.
    pub fn nearest_city(&self, point: GeoPoint, radius_km: f64) -> Option<&Arc<City>> {
        self.centres.nearest(point, radius_km).map(|(_, index)| self.at(index))
    }

    pub fn has_city_outline(&self, city: &City) -> bool {
        position(&self.geography.city_ids, city.id()).is_some_and(|index| self.outlines.has_city(index))
    }

    pub fn has_department_outline(&self, department: &Department) -> bool {
        self.department_index(department).is_some_and(|index| self.outlines.has_department(index))
    }

    /// Returns the outline of a city. `None` for most overseas territories.
    pub fn city_outline(&self, city: &City) -> Option<Outline> {
        self.outlines.of_city(position(&self.geography.city_ids, city.id())?)
    }

    /// Returns the outline of a department. `None` for most overseas territories.
    pub fn department_outline(&self, department: &Department) -> Option<Outline> {
        self.outlines.of_department(self.department_index(department)?)
    }

    fn department_index(&self, department: &Department) -> Option<u32> {
        let index = self.departments().binary_search_by_key(&department.id, |it| it.id).ok()?;
        u32::try_from(index).ok()
    }

    pub(crate) fn at(&self, index: u32) -> &Arc<City> {
        &self.geography.cities[index as usize]
    }

    /// Returns the name of a former commune. In the prefix index, the names of former communes follow those of the cities and
    /// the departments.
    pub(crate) fn former_name(&self, name: u32) -> &str {
        &self.geography.former[name as usize - self.cities().len() - self.departments().len()].name
    }

    /// Returns the index of the city that currently has this code.
    pub(crate) fn current(&self, insee: &Insee) -> Option<u32> {
        // A spreadsheet drops the zero of 01001. But 201004, the id of 2A004, is not a code.
        let without_zeros = |insee: &Insee| insee.as_str().trim_start_matches('0').to_owned();
        position(&self.geography.city_ids, insee.id())
            .filter(|index| without_zeros(&self.at(*index).insee) == without_zeros(insee))
    }

    /// Returns the index of the city that replaced the one with this code.
    pub(crate) fn successor(&self, insee: &Insee) -> Option<u32> {
        let old = &self.geography.old_codes;
        old.binary_search_by(|(code, _)| code.cmp(insee)).ok().map(|index| old[index].1)
    }
}

impl fmt::Debug for Gazetteer {
    /// Prints the number of places only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gazetteer")
            .field("cities", &self.cities().len())
            .field("departments", &self.departments().len())
            .field("stations", &self.stations().len())
            .finish_non_exhaustive()
    }
}

/// The centres of the communes; for communes with districts, those of the districts.
fn centres(geography: &Geography) -> Grid {
    let smallest = (0..).zip(&geography.cities).filter(|(_, city)| city.districts.is_empty());
    Grid::new(smallest.filter_map(|(index, city)| Some((index, city.centre?))))
}

fn find_by_id<T>(sorted: &[Arc<T>], id: u64, key: impl Fn(&T) -> u64) -> Option<&Arc<T>> {
    sorted.binary_search_by_key(&id, |item| key(item)).ok().map(|index| &sorted[index])
}

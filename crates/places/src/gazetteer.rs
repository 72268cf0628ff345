//! The reference geography as a whole: built once, then only read.

use std::fmt;
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::Arc;
use std::thread;

use domain::{City, Country, Department, GeoPoint, Insee, Region, Station, Zipcode};

use crate::complete::{self, Exclusions, Suggestion};
use crate::files::{self, SourceFile};
use crate::geography::{Geography, position};
use crate::grid::Grid;
use crate::labels::PrefixIndex;
use crate::postal::ZipcodeIndex;
use crate::resolve::NameIndex;
use crate::stations::Stations;
use crate::table::DataError;
use crate::transit;

/// Every place the service knows, and the indices that find them.
pub struct Gazetteer {
    pub(crate) geography: Geography,
    pub(crate) labels: PrefixIndex,
    pub(crate) names: NameIndex,
    pub(crate) zipcodes: ZipcodeIndex,
    /// The centres of the communes, or of their districts where they have some.
    pub(crate) centres: Grid,
    stations: Stations,
}

impl Gazetteer {
    /// The geography this binary carries.
    pub fn embedded() -> Result<Self, DataError> {
        Self::from_files(&files::embedded()?)
    }

    /// The geography of the CSV files of a folder, laid out like the project's `data/`.
    pub fn from_directory(directory: &Path) -> Result<Self, DataError> {
        Self::from_files(&files::in_directory(directory)?)
    }

    /// The geography of these files.
    pub fn from_files(files: &[SourceFile]) -> Result<Self, DataError> {
        if let Some(stranger) = files.iter().find(|file| file.table().is_none()) {
            // Passing over it would lose the data of a file whose name has a typing error.
            return Err(DataError::UnknownTable { file: stranger.name.clone() });
        }
        let geography = Geography::read(files)?;
        // A second thread takes what the longest chain (the names, then their index) does not need.
        let (labels, names, others) = thread::scope(|scope| {
            let others = scope.spawn(|| {
                let stations = transit::stations(files).map(Stations::new)?;
                Ok((ZipcodeIndex::new(&geography.cities), centres(&geography), stations))
            });
            let labels = PrefixIndex::new(&geography);
            let names = NameIndex::new(&geography, &labels);
            // A panic over there goes on here.
            (labels, names, others.join().unwrap_or_else(|panic| resume_unwind(panic)))
        });
        let (zipcodes, centres, stations) = others?;
        Ok(Self { geography, labels, names, zipcodes, centres, stations })
    }

    /// All communes and districts, in the order of their ids.
    pub fn cities(&self) -> &[Arc<City>] {
        &self.geography.cities
    }

    /// All departments, in the order of their ids.
    pub fn departments(&self) -> &[Arc<Department>] {
        &self.geography.departments
    }

    /// All regions, in the order of their ids.
    pub fn regions(&self) -> &[Arc<Region>] {
        &self.geography.regions
    }

    /// All countries, in the order of their file.
    pub fn countries(&self) -> &[Arc<Country>] {
        &self.geography.countries
    }

    /// All stations, in the order of their ids.
    pub fn stations(&self) -> &[Arc<Station>] {
        self.stations.all()
    }

    /// The commune or district with this code; a code no longer in use leads to the commune that replaced it.
    pub fn city(&self, insee: &Insee) -> Option<&Arc<City>> {
        self.current(insee).or_else(|| self.successor(insee)).map(|place| self.at(place))
    }

    pub fn city_by_id(&self, id: u64) -> Option<&Arc<City>> {
        position(&self.geography.city_ids, id).map(|place| self.at(place))
    }

    pub fn department_by_id(&self, id: u64) -> Option<&Arc<Department>> {
        found(&self.geography.departments, id, |department| department.id)
    }

    pub fn region_by_id(&self, id: u64) -> Option<&Arc<Region>> {
        found(&self.geography.regions, id, |region| region.id)
    }

    pub fn country_by_id(&self, id: u64) -> Option<&Arc<Country>> {
        self.geography.countries.iter().find(|country| country.id == id)
    }

    /// The codes no longer in use, each with the commune that stands for it now.
    pub fn old_codes(&self) -> impl Iterator<Item = (&Insee, &Arc<City>)> {
        self.geography.old_codes.iter().map(|(insee, place)| (insee, self.at(*place)))
    }

    /// The communes and districts with this zipcode.
    pub fn cities_with_zipcode(&self, zipcode: &Zipcode) -> impl Iterator<Item = &Arc<City>> {
        self.zipcodes.holders(zipcode.as_str()).map(|place| self.at(place))
    }

    /// The stations in walking distance, nearest first.
    pub fn stations_near(&self, point: GeoPoint) -> Vec<Arc<Station>> {
        self.stations.near(point)
    }

    /// The cities and departments somebody may mean who has typed so far; see [`complete`].
    pub fn complete(&self, query: &str, limit: usize, exclusions: &Exclusions) -> Vec<Suggestion> {
        complete::complete(self, query, limit, exclusions)
    }

    pub(crate) fn at(&self, place: u32) -> &Arc<City> {
        &self.geography.cities[place as usize]
    }

    /// The name behind a label of a former commune; those come after the cities and the departments.
    pub(crate) fn former_name(&self, label: u32) -> &str {
        &self.geography.former[label as usize - self.cities().len() - self.departments().len()].name
    }

    /// The position of the city that has this code today.
    pub(crate) fn current(&self, insee: &Insee) -> Option<u32> {
        // A spreadsheet drops the zero of 01001; but 201004, the id of 2A004, is no code.
        let bare = |insee: &Insee| insee.as_str().trim_start_matches('0').to_owned();
        position(&self.geography.city_ids, insee.id())
            .filter(|place| bare(&self.at(*place).insee) == bare(insee))
    }

    /// The position of the city that replaced the one with this code.
    pub(crate) fn successor(&self, insee: &Insee) -> Option<u32> {
        let old = &self.geography.old_codes;
        old.binary_search_by(|(code, _)| code.cmp(insee)).ok().map(|place| old[place].1)
    }
}

impl fmt::Debug for Gazetteer {
    /// How much there is, not what: the whole would fill a book.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gazetteer")
            .field("cities", &self.cities().len())
            .field("departments", &self.departments().len())
            .field("stations", &self.stations().len())
            .finish_non_exhaustive()
    }
}

/// The centres of the communes, or of their districts where they have some.
fn centres(geography: &Geography) -> Grid {
    let smallest = (0..).zip(&geography.cities).filter(|(_, city)| city.districts.is_empty());
    Grid::new(smallest.filter_map(|(place, city)| Some((place, city.centre?))))
}

fn found<T>(sorted: &[Arc<T>], id: u64, key: impl Fn(&T) -> u64) -> Option<&Arc<T>> {
    sorted.binary_search_by_key(&id, |item| key(item)).ok().map(|place| &sorted[place])
}

//! Mistakes in the prices of a generated market: how many are found, and how many sound prices are refused.
//!
//! The statistics come from the market with the mistakes in it, as those of a service do.

#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test and names the line")]

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use domain::merge;
use domain::price::{self, PricePlace, PriceProblem, PriceSample, PriceSubject};
use domain::{Advert, AdvertId, Amount, City, PriceStatistics, PropertyType, TransactionType};
use places::Gazetteer;
use testkit::Random;
use world::{Settings, Town, World};

const SEED: u64 = 14;

/// Enough for the communes of the sample to have statistics of their own, apart from the hamlets.
const PROPERTIES: u64 = 12_000;

/// One advert in this many has a mistake.
const MISTAKE_ONCE_IN: u64 = 12;

/// A mistake that feeds make.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Mistake {
    ShiftedColumns,
    Placeholder,
    Tenfold,
    Tenth,
    Hundredfold,
    Hundredth,
    RentInSale,
    SalePriceInRent,
    YearlyRent,
    NightlyRent,
    SurfaceWithoutComma,
    SurfaceTenfold,
}

use Mistake::{
    Hundredfold, Hundredth, NightlyRent, Placeholder, RentInSale, SalePriceInRent, ShiftedColumns,
    SurfaceTenfold, SurfaceWithoutComma, Tenfold, Tenth, YearlyRent,
};

const SALE_MISTAKES: &[Mistake] = &[
    ShiftedColumns,
    Placeholder,
    Tenfold,
    Tenth,
    Hundredfold,
    Hundredth,
    RentInSale,
    SurfaceWithoutComma,
    SurfaceTenfold,
];

const RENT_MISTAKES: &[Mistake] = &[
    ShiftedColumns,
    Placeholder,
    Tenfold,
    Tenth,
    Hundredfold,
    Hundredth,
    SalePriceInRent,
    YearlyRent,
    NightlyRent,
    SurfaceWithoutComma,
    SurfaceTenfold,
];

/// How many months of rent a home costs, and how many nights a month of rent: around what the market yields.
const MONTHS_PER_PRICE: f64 = 230.0;
const NIGHTS_PER_MONTH: f64 = 15.0;

impl Mistake {
    /// Makes the mistake. Returns `false` if the advert cannot have it.
    fn make(self, advert: &mut Advert, random: &mut Random) -> bool {
        let details = &mut advert.details;
        let dwelling = matches!(advert.property_type, PropertyType::Apartment | PropertyType::House);
        // A field costs a tenth of the plot beside it, and a parking space has no surface that counts.
        let by_surface = !matches!(advert.property_type, PropertyType::Land | PropertyType::Parking);
        let (price, surface) = (details.price.unwrap().get(), details.surface.unwrap().get());
        let amount = |number: f64| Amount::new((number * 100.0).round() / 100.0);
        match self {
            ShiftedColumns => details.price = amount(3.0 + random.below(6) as f64),
            Placeholder => details.price = amount(random.below(2) as f64),
            Tenfold => details.price = amount(price * 10.0),
            Tenth => details.price = amount(price / 10.0),
            Hundredfold => details.price = amount(price * 100.0),
            Hundredth => details.price = amount(price / 100.0),
            RentInSale => details.price = amount(price / MONTHS_PER_PRICE),
            SalePriceInRent => details.price = amount(price * MONTHS_PER_PRICE),
            YearlyRent => {
                details.price = amount(price * 12.0);
                details.rent_period = None;
            }
            NightlyRent => {
                details.price = amount(price / NIGHTS_PER_MONTH);
                details.rent_period = None;
                return dwelling;
            }
            SurfaceWithoutComma => {
                details.surface = amount(surface * 100.0);
                return by_surface;
            }
            SurfaceTenfold => {
                details.surface = amount(surface * 10.0);
                return by_surface;
            }
        }
        true
    }
}

fn gazetteer() -> &'static Gazetteer {
    static PLACES: LazyLock<Gazetteer> = LazyLock::new(|| Gazetteer::embedded().unwrap());
    &PLACES
}

/// Draws a market. Every draft becomes an advert.
fn adverts(seed: u64, towns: Vec<Town>, properties: u64) -> Vec<Advert> {
    let start = "2026-03-02T09:00:00Z".parse().unwrap();
    let world = World::new(seed, towns, Settings::new(properties, start)).unwrap();
    let mut random = Random::new(seed);
    let advert = |draft: domain::AdvertDraft| {
        let mut id = [0; 16];
        id[..8].copy_from_slice(&random.next_u64().to_be_bytes());
        let placement = gazetteer().resolve(draft.patch.place.value().unwrap()).placement;
        merge::create(AdvertId::from_bytes(id), draft, placement, start).advert
    };
    world.drafts().map(advert).collect()
}

fn statistics<'a>(adverts: impl IntoIterator<Item = &'a Advert>) -> PriceStatistics {
    let mut statistics = PriceStatistics::default();
    adverts.into_iter().filter_map(PriceSample::of).for_each(|sample| statistics.add(&sample));
    statistics
}

#[derive(Debug, Default)]
struct Row {
    adverts: u32,
    incoherent: u32,
    problems: BTreeMap<PriceProblem, u32>,
}

impl Row {
    fn count(&mut self, problem: Option<PriceProblem>) {
        self.adverts += 1;
        if let Some(problem) = problem {
            self.incoherent += 1;
            *self.problems.entry(problem).or_default() += 1;
        }
    }

    fn percent(&self) -> f64 {
        100.0 * f64::from(self.incoherent) / f64::from(self.adverts.max(1))
    }

    fn print(&self, name: &str) {
        let Self { adverts, incoherent, problems } = self;
        println!("{name:>22} {adverts:>8} {incoherent:>10} {:>7.2}  {problems:?}", self.percent());
    }
}

/// What is found in a market.
#[derive(Debug, Default)]
struct Table {
    sound: Row,
    mistakes: Row,
    /// By mistake, of flats and houses.
    of_dwellings: BTreeMap<Mistake, Row>,
    of_others: Row,
}

/// Puts mistakes into a market, and checks all its prices.
fn table(title: &str, seed: u64, towns: Vec<Town>) -> Table {
    let mut adverts = adverts(seed, towns, PROPERTIES);
    let mut random = Random::new(seed + 1);
    let mut mistakes = BTreeMap::new();
    for advert in &mut adverts {
        // Life annuities are coherent at any price.
        if advert.details.life_annuity.is_given() || random.below(MISTAKE_ONCE_IN) > 0 {
            continue;
        }
        let mistake = *random.pick(match advert.transaction_type {
            TransactionType::Sell => SALE_MISTAKES,
            TransactionType::Rent => RENT_MISTAKES,
        });
        let mut wrong = advert.clone();
        if mistake.make(&mut wrong, &mut random) {
            *advert = wrong;
            mistakes.insert(advert.id, mistake);
        }
    }
    let statistics = statistics(&adverts);
    let mut table = Table::default();
    for advert in &adverts {
        let problem = price::check(&PriceSubject::of(advert), &statistics).err().map(|found| found.problem);
        let Some(mistake) = mistakes.get(&advert.id) else {
            table.sound.count(problem);
            continue;
        };
        table.mistakes.count(problem);
        match advert.property_type {
            PropertyType::Apartment | PropertyType::House => {
                table.of_dwellings.entry(*mistake).or_default().count(problem);
            }
            _ => table.of_others.count(problem),
        }
    }
    println!("{title}, seed {seed}: {} adverts", adverts.len());
    println!("{:>22} {:>8} {:>10} {:>7}", "", "adverts", "incoherent", "percent");
    table.sound.print("sound");
    table.mistakes.print("mistakes");
    for (mistake, row) in &table.of_dwellings {
        row.print(&format!("{mistake:?}"));
    }
    table.of_others.print("not of dwellings");
    table
}

fn check(table: &Table, seed: u64) {
    let (refused, found) = (table.sound.percent(), table.mistakes.percent());
    assert!(refused <= 1.0, "seed {seed}: {refused:.2} % of the sound prices are refused");
    assert!(found >= 95.0, "seed {seed}: {found:.2} % of the mistakes are found");
    assert_eq!(table.of_dwellings.len(), 12, "seed {seed}");
}

#[test]
fn mistakes_are_found_and_sound_prices_accepted() {
    let table = table("Sixty towns", SEED, world::sample::towns());
    check(&table, SEED);
    for (mistake, row) in &table.of_dwellings {
        let found = row.percent();
        assert!(row.adverts >= 20 && found >= 95.0, "seed {SEED}: {found:.1} % of {mistake:?}, {row:?}");
    }
}

/// Most communes have too few adverts here, so the prices of the department and the country decide.
#[test]
fn mistakes_are_found_with_few_adverts_per_commune() {
    check(&table("The whole country", SEED, all_towns()), SEED);
}

fn all_towns() -> Vec<Town> {
    let towns = gazetteer().cities().iter().filter(|city| city.districts.is_empty() && city.is_open());
    let town = |city: &Arc<City>| {
        Some(Town {
            insee: city.insee.clone(),
            name: city.name.to_string(),
            zipcode: city.main_zipcode()?.clone(),
            population: city.population,
            point: city.centre?,
        })
    };
    towns.filter_map(town).collect()
}

/// A million adverts, spread over the communes by population and over the types as markets are.
#[test]
fn statistics_of_a_million_adverts_are_small() {
    const ADVERTS: u64 = 1_000_000;
    const TYPES: [PropertyType; 10] = {
        use PropertyType::{Apartment, House, Land, Parking, Shop};
        [Apartment, Apartment, Apartment, Apartment, House, House, House, Parking, Land, Shop]
    };
    const BYTES_MAX: usize = 32 * 1024 * 1024;
    let towns = all_towns();
    let mut random = Random::new(SEED);
    let mut cumulated = Vec::with_capacity(towns.len());
    let mut population = 0;
    for town in &towns {
        population += u64::from(town.population.max(1));
        cumulated.push(population);
    }
    let mut statistics = PriceStatistics::default();
    let mut samples = 0;
    for _ in 0..ADVERTS {
        let drawn = random.below(population);
        let insee = &towns[cumulated.partition_point(|sum| *sum <= drawn)].insee;
        // Half of the prices within a factor of 1.3 of the usual one, and few beyond three.
        let factor = (0..4).map(|_| random.below(1_000) as f64 / 1_000.0 - 0.5).sum::<f64>().exp();
        let transaction_type =
            if random.below(3) == 0 { TransactionType::Rent } else { TransactionType::Sell };
        let property_type = *random.pick(&TYPES);
        let usual = if transaction_type == TransactionType::Sell { 180_000.0 } else { 800.0 };
        let subject = PriceSubject {
            transaction_type,
            property_type,
            price: Amount::new(usual * factor),
            surface: Amount::new(60.0),
            place: PricePlace::Commune { commune: insee.id(), department: insee.department() },
            rent_period: None,
            life_annuity: false,
            new_building: false,
        };
        if let Some(sample) = PriceSample::of_subject(&subject) {
            statistics.add(&sample);
            samples += 1;
        }
    }
    let bytes = statistics.approximate_bytes();
    println!("{samples} prices of {ADVERTS} adverts in {} communes: {bytes} bytes", towns.len());
    assert!(samples > ADVERTS * 9 / 10 && bytes < BYTES_MAX, "seed {SEED}: {samples} prices, {bytes} bytes");
}

#[test]
fn unknown_surfaces_refuse_no_sound_price() {
    let mut adverts = adverts(SEED, world::sample::towns(), 3_000);
    let statistics = statistics(&adverts);
    let mut random = Random::new(SEED);
    let mut refused = Row::default();
    for advert in &mut adverts {
        advert.details.surface = Amount::new(1.0 + random.below(5) as f64);
        let finding = price::check(&PriceSubject::of(advert), &statistics).err();
        refused.count(finding.map(|finding| finding.problem));
    }
    println!("seed {SEED}: {refused:?}");
    assert!(refused.percent() <= 1.0, "seed {SEED}: {refused:?}");
}

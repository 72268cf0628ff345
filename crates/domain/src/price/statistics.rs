//! What homes cost: robust statistics of the stock by transaction, type and place.
//!
//! Each combination has a histogram, so a price is added and removed without reading the others again, and a few wrong prices move
//! the median little. All prices within the bounds are counted, also those found incoherent: otherwise the first adverts of a place
//! would decide which of the next ones count.
//!
//! A million adverts, spread over the communes of France by population, take 17 MB: `statistics_of_a_million_adverts_are_small`.

use foldhash::HashMap;

use super::histogram::{Bin, Histogram, bin_of};
use super::{PricePlace, PriceSubject};
use crate::advert::Advert;
use crate::kinds::{PropertyType, TransactionType};

/// The areas whose prices are compared, in the order of preference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PriceLevel {
    Commune,
    Department,
    Country,
}

impl PriceLevel {
    /// Returns how many prices are enough to tell what is usual. A larger area varies more, so it takes more.
    pub const fn count_min(self) -> u64 {
        match self {
            Self::Commune => 15,
            Self::Department => 30,
            Self::Country => 200,
        }
    }
}

/// What is usual around a property.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UsualPrice {
    /// Euros per square metre; euros for a parking space.
    pub median: f64,
    /// The standard deviation of the natural logarithm, estimated from the quartiles.
    pub spread: f64,
    pub level: PriceLevel,
    pub count: u64,
}

impl UsualPrice {
    /// Returns the natural logarithm of the factor between a price and the median.
    pub(super) fn deviation(self, value: f64) -> f64 {
        (value / self.median).ln()
    }
}

/// One price of the stock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PriceSample {
    transaction_type: TransactionType,
    property_type: PropertyType,
    place: PricePlace,
    bin: Bin,
}

impl PriceSample {
    /// Returns `None` if the price cannot be compared with others: it is missing, beyond the bounds, that of a life annuity, a rent
    /// for a stay, or without a surface.
    pub fn of(advert: &Advert) -> Option<Self> {
        Self::of_subject(&PriceSubject::of(advert))
    }

    pub fn of_subject(subject: &PriceSubject) -> Option<Self> {
        let PriceSubject { transaction_type, property_type, place, life_annuity, .. } = *subject;
        if life_annuity || place == PricePlace::Abroad {
            return None;
        }
        super::check(subject, &PriceStatistics::default()).ok()?;
        let bin = bin_of(subject.unit_price()?);
        Some(Self { transaction_type, property_type, place, bin })
    }
}

/// A combination that has a histogram.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Segment {
    area: Area,
    transaction_type: TransactionType,
    property_type: PropertyType,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Area {
    Commune(u64),
    Department(u64),
    Country,
}

impl Area {
    /// Returns the areas of a place, the smallest first.
    fn of(place: PricePlace) -> impl Iterator<Item = Self> {
        let areas = match place {
            PricePlace::Commune { commune, department } => {
                [Some(Self::Commune(commune)), department.map(Self::Department), Some(Self::Country)]
            }
            PricePlace::Unknown => [None, None, Some(Self::Country)],
            PricePlace::Abroad => [None; 3],
        };
        areas.into_iter().flatten()
    }

    const fn level(self) -> PriceLevel {
        match self {
            Self::Commune(_) => PriceLevel::Commune,
            Self::Department(_) => PriceLevel::Department,
            Self::Country => PriceLevel::Country,
        }
    }
}

/// The prices of the stock.
#[derive(Debug, Clone, Default)]
pub struct PriceStatistics {
    segments: HashMap<Segment, Histogram>,
}

impl PriceStatistics {
    pub fn add(&mut self, sample: &PriceSample) {
        for segment in segments(sample) {
            self.segments.entry(segment).or_default().add(sample.bin);
        }
    }

    /// Removes a price that was added before.
    pub fn remove(&mut self, sample: &PriceSample) {
        for segment in segments(sample) {
            if let Some(histogram) = self.segments.get_mut(&segment) {
                histogram.remove(sample.bin);
                if histogram.is_empty() {
                    self.segments.remove(&segment);
                }
            }
        }
    }

    /// Returns what is usual now, for many questions.
    pub fn usual_prices(&self) -> UsualPrices {
        let usual = |(segment, histogram): (&Segment, &Histogram)| {
            Some((*segment, usual_in(segment.area.level(), histogram)?))
        };
        UsualPrices { segments: self.segments.iter().filter_map(usual).collect() }
    }

    /// Returns the approximate memory in bytes.
    pub fn approximate_bytes(&self) -> usize {
        let bins: usize = self.segments.values().map(Histogram::bytes).sum();
        self.segments.capacity() * (size_of::<(Segment, Histogram)>() + 1) + bins
    }
}

/// What prices are compared with.
pub trait Market {
    /// Returns what is usual in the smallest area that has enough prices. `None` if none has.
    fn usual(&self, subject: &PriceSubject) -> Option<UsualPrice>;
}

impl Market for PriceStatistics {
    fn usual(&self, subject: &PriceSubject) -> Option<UsualPrice> {
        segments_of(subject).find_map(|segment| usual_in(segment.area.level(), self.segments.get(&segment)?))
    }
}

/// What is usual everywhere at one moment.
#[derive(Debug, Clone, Default)]
pub struct UsualPrices {
    /// Those that have enough prices.
    segments: HashMap<Segment, UsualPrice>,
}

impl Market for UsualPrices {
    fn usual(&self, subject: &PriceSubject) -> Option<UsualPrice> {
        segments_of(subject).find_map(|segment| self.segments.get(&segment).copied())
    }
}

/// Returns what is usual in an area. `None` if it has too few prices.
fn usual_in(level: PriceLevel, histogram: &Histogram) -> Option<UsualPrice> {
    let count = histogram.count();
    if count < level.count_min() {
        return None;
    }
    let [lower, middle, upper] = histogram.quartiles()?;
    // The quartiles of a normal distribution are 1.349 standard deviations apart.
    let spread = (upper - lower) / 1.349;
    Some(UsualPrice { median: middle.exp(), spread, level, count })
}

/// Returns the segments that a price is compared with, in the order of preference.
fn segments_of(subject: &PriceSubject) -> impl Iterator<Item = Segment> {
    let PriceSubject { transaction_type, property_type, place, .. } = *subject;
    Area::of(place).map(move |area| Segment { area, transaction_type, property_type })
}

fn segments(sample: &PriceSample) -> impl Iterator<Item = Segment> {
    let PriceSample { transaction_type, property_type, place, bin: _ } = *sample;
    Area::of(place).map(move |area| Segment { area, transaction_type, property_type })
}

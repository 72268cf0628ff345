//! What of an advert is compared.

use super::features::Features;
use super::heating::Heating;
use super::pictures::picture_names;
use super::reading::{self, Reading, reference_hash};
use super::sketch::sketch;
use super::tokens::{Tokens, hash_bytes};
use super::words::words;
use crate::advert::Advert;
use crate::advert_event::EventSubject;
use crate::advert_fields::{AdvertDetails, AdvertField};
use crate::fold::fold;
use crate::kinds::{GeoAccuracy, PropertyType, PublisherType, RentPeriod, TransactionType};
use crate::place::{City, GeoPoint};
use crate::special_sale::NewBuilding;
use crate::value::{Amount, ShortText};

/// The version of the encoding and of the values. Signatures of another version are computed again.
pub const SIGNATURE_VERSION: u8 = 6;

/// What the gazetteer knows about the commune of an advert.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CommuneFacts {
    /// The commune or district, by its id.
    pub commune: u32,
    /// The commune that a district belongs to; the same as `commune` otherwise.
    pub city: u32,
    /// Of the commune or district.
    pub population: u32,
}

impl CommuneFacts {
    pub fn of(city: &City) -> Self {
        // The longest code, of a commune in Corsica, has six digits.
        let id = |id: u64| u32::try_from(id).unwrap_or_default();
        let commune = id(city.id());
        Self { commune, city: city.parent_id().map_or(commune, id), population: city.population }
    }
}

/// The facts and the text of an advert, in a form that is quick to compare.
///
/// A signature takes 56 bytes, and on the heap the known facts, short lists of hashes, and the sketch of the text. `bench grouping` prints
/// the memory per advert.
#[derive(Debug, Clone, PartialEq)]
pub struct Signature {
    pub commune: CommuneFacts,
    pub transaction_type: TransactionType,
    pub property_type: PropertyType,
    pub is_live: bool,
    flags: u16,
    /// The number of shingles of the text, of which the sketch has some.
    shingle_count: u16,
    /// The number of uncommon words, of which the list has some.
    word_count: u8,
    /// Which facts are known, by their bits.
    known: u32,
    /// Where each list ends in `words`.
    ends: [u8; LISTS],
    /// The known facts in the order of their bits, then the lists.
    words: Box<[u32]>,
}

/// A number or a hash that an advert may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fact {
    Price,
    PriceExcludingFees,
    FeesPercentage,
    Surface,
    LandSurface,
    /// Of the condominium, per year.
    Charges,
    RentalCharges,
    Deposit,
    RenterFees,
    PropertyTax,
    Lots,
    Room,
    Bedroom,
    Floor,
    /// As the text says it, which is right more often.
    TextFloor,
    FloorQuantity,
    Year,
    Energy,
    /// The letter as a number from 0 to 6.
    EnergyLetter,
    Gas,
    GasLetter,
    Latitude,
    Longitude,
    /// Days since 1970.
    FirstDay,
    LastDay,
    // Hashes.
    Site,
    Reference,
    Agency,
    Phone,
    /// The energies of the heating, as a set.
    Heating,
    /// The features of the home, as a set of 64 bits in two halves.
    FeaturesLow,
    FeaturesHigh,
}

/// A list of hashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum List {
    FormerPrices,
    /// Other amounts of about the price that the text names: without fees, or with charges.
    NamedPrices,
    Mandates,
    Pictures,
    Marks,
    Numbers,
    Streets,
    Words,
    Sketch,
}

const LISTS: usize = 9;
const FORMER_PRICES_MAX: usize = 4;
const NAMED_PRICES_MAX: usize = 3;
/// A year with this fraction stands for its decade: "années 30" is 1930.5.
const DECADE: f32 = 0.5;

const SECONDS_PER_DAY: i64 = 86_400;

/// Yes or no, if known: two bits each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flag {
    Elevator = 0,
    Furnished = 2,
    /// Whether the coordinates are those of the house.
    ExactPoint = 4,
    /// Whether the contact is a person: an individual, or an agent with a mobile telephone.
    Person = 6,
    /// Whether it is a programme of several units.
    Programme = 8,
    /// Whether it is new, and sold from a price list.
    NewBuilding = 10,
}

impl Signature {
    /// Returns `None` for an advert without a commune, which is compared with no other.
    pub fn of(advert: &Advert, commune: Option<CommuneFacts>) -> Option<Self> {
        let commune = commune?;
        let details = &advert.details;
        let title = details.title.as_ref().map_or("", |text| text.as_str());
        let description = details.description.as_ref().map_or("", |text| text.as_str());
        let district = details.district.as_ref().map_or("", |text| text.as_str());
        let mut tokens = Tokens::with_room_for(title.len() + description.len() + district.len());
        tokens.read(title);
        let title = tokens.list().len();
        tokens.read(description);
        let reading = reading::read(&tokens, title, advert.property_type);
        let (hashes, shingle_count) = sketch(&tokens);
        let mut builder = Builder::default();
        builder.facts(advert, &reading);
        builder.features(advert, &tokens);
        let mandates = mandates(details, &reading);
        let named_prices = named_prices(advert, &reading);
        let Reading { marks, numbers, streets, .. } = reading;
        tokens.read(district);
        let names = [&details.place.city_name, &details.contact.agency, &details.publisher.name];
        let names: Vec<&str> = names.into_iter().flatten().map(ShortText::as_str).collect();
        let (words, word_count) = words(&tokens, &names);
        let pictures = picture_names(details.pictures.iter().chain(&*details.pictures_remote));
        let lists: [Vec<u32>; LISTS] =
            [former_prices(advert), named_prices, mandates, pictures, marks, numbers, streets, words, hashes];
        let (known, ends, words) = builder.finish(&lists);
        Some(Self {
            commune,
            transaction_type: advert.transaction_type,
            property_type: advert.property_type,
            is_live: !advert.is_expired(),
            flags: builder.flags,
            shingle_count: u16::try_from(shingle_count).unwrap_or(u16::MAX),
            word_count: u8::try_from(word_count).unwrap_or(u8::MAX),
            known,
            ends,
            words,
        })
    }

    /// Returns the same with another lifecycle: an expiry changes nothing else.
    #[must_use]
    pub fn with_live(self, is_live: bool) -> Self {
        Self { is_live, ..self }
    }

    pub fn price(&self) -> Option<f32> {
        self.number(Fact::Price)
    }

    pub fn surface(&self) -> Option<f32> {
        self.number(Fact::Surface)
    }

    /// Returns the sketch of the text: hashes of shingles, in ascending order.
    pub fn shingles(&self) -> &[u32] {
        self.list(List::Sketch)
    }

    /// Returns the hashes that are counted to know how rare they are: streets, words and shingles.
    pub fn counted(&self) -> impl Iterator<Item = u32> {
        let streets = self.list(List::Streets).iter();
        streets.chain(self.list(List::Words)).chain(self.shingles()).copied()
    }

    /// Reads one word of every cache line of the signature, so that a comparison soon after does not wait for memory.
    pub fn touch(&self) -> u32 {
        const WORDS_PER_CACHE_LINE: usize = 16;
        self.words.iter().step_by(WORDS_PER_CACHE_LINE).fold(0, |all, word| all ^ word)
    }

    /// Returns the memory that it takes besides its own size.
    pub fn heap_bytes(&self) -> usize {
        size_of_val(&*self.words)
    }

    pub(super) fn number(&self, fact: Fact) -> Option<f32> {
        self.hash(fact).map(f32::from_bits)
    }

    pub(super) fn hash(&self, fact: Fact) -> Option<u32> {
        let bit = 1_u32 << fact as u32;
        let position = (self.known & (bit - 1)).count_ones() as usize;
        (self.known & bit != 0).then(|| self.words.get(position).copied()).flatten()
    }

    pub(super) fn list(&self, list: List) -> &[u32] {
        let place = list as usize;
        let end = usize::from(self.ends[place]);
        let start = match place {
            0 => self.known.count_ones() as usize,
            _ => usize::from(self.ends[place - 1]),
        };
        self.words.get(start..end).unwrap_or_default()
    }

    pub(super) fn flag(&self, flag: Flag) -> Option<bool> {
        let bits = self.flags >> flag as u16;
        (bits & 1 != 0).then_some(bits & 2 != 0)
    }

    pub(super) fn heating(&self) -> Heating {
        Heating(self.hash(Fact::Heating).and_then(|bits| u8::try_from(bits).ok()).unwrap_or_default())
    }

    pub(super) fn features(&self) -> Features {
        let half = |fact| u64::from(self.hash(fact).unwrap_or_default());
        Features(half(Fact::FeaturesHigh) << 32 | half(Fact::FeaturesLow))
    }

    pub(super) fn point(&self) -> Option<GeoPoint> {
        let (latitude, longitude) = (self.number(Fact::Latitude)?, self.number(Fact::Longitude)?);
        GeoPoint::new(latitude.into(), longitude.into())
    }

    pub(super) fn shingle_count(&self) -> usize {
        self.shingle_count.into()
    }

    pub(super) fn word_count(&self) -> usize {
        self.word_count.into()
    }

    /// Encodes it for the store.
    pub fn encode(&self) -> Vec<u8> {
        let Self {
            commune,
            transaction_type,
            property_type,
            is_live,
            flags,
            shingle_count,
            word_count,
            known,
            ends,
            words,
        } = self;
        /// The part of fixed length, and what callers append.
        const REST: usize = 64;
        let mut bytes = Vec::with_capacity(REST + 4 * words.len());
        bytes.push(SIGNATURE_VERSION);
        let CommuneFacts { commune, city, population } = commune;
        for number in [commune, city, population, known] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend([transaction_type.code(), property_type.code(), u8::from(*is_live), *word_count]);
        bytes.extend(flags.to_le_bytes());
        bytes.extend(shingle_count.to_le_bytes());
        bytes.extend(ends);
        for word in words {
            bytes.extend(word.to_le_bytes());
        }
        bytes
    }

    /// Returns `None` for bytes of another version, or damaged ones.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut bytes = bytes.strip_prefix(&[SIGNATURE_VERSION])?;
        let commune = take(&mut bytes).map(u32::from_le_bytes)?;
        let city = take(&mut bytes).map(u32::from_le_bytes)?;
        let population = take(&mut bytes).map(u32::from_le_bytes)?;
        let known = take(&mut bytes).map(u32::from_le_bytes)?;
        let [transaction_type, property_type, is_live, word_count] = take(&mut bytes)?;
        let flags = take(&mut bytes).map(u16::from_le_bytes)?;
        let shingle_count = take(&mut bytes).map(u16::from_le_bytes)?;
        let ends: [u8; LISTS] = take(&mut bytes)?;
        let (words, []) = bytes.as_chunks::<4>() else { return None };
        let last = ends.last().map(|end| usize::from(*end));
        let is_ordered = ends.is_sorted() && known.count_ones() <= u32::from(ends[0]);
        if !is_ordered || last != Some(words.len()) {
            return None;
        }
        Some(Self {
            commune: CommuneFacts { commune, city, population },
            transaction_type: TransactionType::from_code(transaction_type)?,
            property_type: PropertyType::from_code(property_type)?,
            is_live: is_live == 1,
            flags,
            shingle_count,
            word_count,
            known,
            ends,
            words: words.iter().map(|word| u32::from_le_bytes(*word)).collect(),
        })
    }
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, rest) = bytes.split_first_chunk::<N>()?;
    *bytes = rest;
    Some(*taken)
}

/// Collects the facts of an advert.
#[derive(Default)]
struct Builder {
    facts: [Option<u32>; 32],
    flags: u16,
}

impl Builder {
    fn facts(&mut self, advert: &Advert, reading: &Reading) {
        let details = &advert.details;
        let is_dwelling = matches!(advert.property_type, PropertyType::Apartment | PropertyType::House);
        let is_land = advert.property_type == PropertyType::Land;
        self.prices(advert, reading);
        // A dwelling of 1 to 5 m² is one whose surface is unknown.
        let surface = amount(details.surface).filter(|surface| !is_dwelling || *surface > 5.0);
        let land = amount(details.land_surface).or_else(|| reading.land.get());
        // Some portals give the size of a plot as its surface, others as its land.
        let (surface, land) = if is_land {
            (land.or(surface).or_else(|| reading.surface.get()), None)
        } else {
            (surface.or_else(|| reading.surface.get()), land)
        };
        self.number(Fact::Surface, surface.filter(|surface| *surface > 0.0));
        self.number(Fact::LandSurface, land.filter(|land| *land > 0.0));
        self.number(Fact::Charges, amount(details.condominium_fees).or_else(|| reading.charges.get()));
        self.number(Fact::RentalCharges, charges_of_rental(advert, reading));
        self.number(Fact::Deposit, amount(details.rental_pledge).or_else(|| reading.deposit.get()));
        self.number(Fact::RenterFees, amount(details.renter_fees));
        self.number(Fact::PropertyTax, amount(details.property_tax).or_else(|| reading.property_tax.get()));
        self.number(Fact::Lots, amount(details.lot_count).or_else(|| reading.lots.get()));
        self.number(Fact::Room, integer(details.room).or_else(|| reading.room.get()));
        self.number(Fact::Bedroom, integer(details.bedroom).or_else(|| reading.bedroom.get()));
        self.number(Fact::Floor, details.floor.map(|floor| floor as f32));
        self.number(Fact::TextFloor, reading.floor.get());
        self.number(
            Fact::FloorQuantity,
            integer(details.floor_quantity).or_else(|| reading.floor_quantity.get()),
        );
        let decade = reading.decade.get().map(|decade| decade + DECADE);
        self.number(Fact::Year, integer(details.construction_year).or_else(|| reading.year.get()).or(decade));
        let letter =
            |rating: crate::advert_fields::Rating| rating.category.map(|letter| f32::from(letter as u8));
        self.number(Fact::Energy, amount(details.energy.value).or_else(|| reading.energy.get()));
        let energy_letter = letter(details.energy).or_else(|| reading.energy_letter.map(f32::from));
        self.number(Fact::EnergyLetter, energy_letter);
        let gas = details.green_house_gas.value.map(|value| value.get() as f32);
        self.number(Fact::Gas, gas.or_else(|| reading.gas.get()));
        let gas_letter = letter(details.green_house_gas).or_else(|| reading.gas_letter.map(f32::from));
        self.number(Fact::GasLetter, gas_letter);
        self.place(advert);
        let day = |second: i64| Some(second.div_euclid(SECONDS_PER_DAY) as f32);
        self.number(Fact::FirstDay, day(advert.created_at.as_second()));
        self.number(Fact::LastDay, day(advert.expired_at.unwrap_or(advert.last_crawled_at).as_second()));
        self.contact(details);
        self.flag(Flag::Elevator, details.elevator.or(reading.elevator));
        self.flag(Flag::Furnished, details.furnished);
        let NewBuilding { price_min, price_max, surface_min, surface_max, .. } = details.new_building;
        let is_programme = price_min != price_max || surface_min != surface_max;
        self.flag(Flag::Programme, is_programme.then_some(true));
        self.flag(Flag::NewBuilding, is_new_building(advert, reading).then_some(true));
        let given = details.heating.as_ref().map(|text| Heating::given(text.as_str())).unwrap_or_default();
        let Heating(energies) = if given.is_known() { given } else { reading.heating };
        self.hash(Fact::Heating, Some(energies.into()).filter(|bits| *bits != 0));
    }

    fn prices(&mut self, advert: &Advert, reading: &Reading) {
        let details = &advert.details;
        // The price of a life annuity is its bouquet on one portal, and the value of the home on another.
        let price = amount(details.price).filter(|_| !details.life_annuity.is_given());
        // The rents of shops are given by the year as often as by the month.
        let is_sale = advert.transaction_type == TransactionType::Sell;
        let is_yearly = details.rent_period == Some(RentPeriod::Year)
            || !is_sale && price.is_some() && reading.yearly_rent.get() == price;
        let price = price.map(|price| if is_yearly { price / 12.0 } else { price });
        self.number(Fact::Price, price.filter(|price| *price >= if is_sale { PRICE_MIN } else { RENT_MIN }));
        self.number(Fact::PriceExcludingFees, amount(details.price_excluding_fees));
        self.number(Fact::FeesPercentage, amount(details.fees_percentage).filter(|percent| *percent < 30.0));
    }

    /// Some portals list the features beside the text. A shop has a shop window, and a space is a parking space: their features say
    /// nothing.
    fn features(&mut self, advert: &Advert, text: &Tokens) {
        use PropertyType::{Apartment, Building, House};
        if !matches!(advert.property_type, Apartment | Building | House) {
            return;
        }
        let names = advert.details.features.iter();
        let mut listed = Tokens::with_room_for(names.clone().map(|feature| feature.as_str().len()).sum());
        names.for_each(|feature| listed.read(feature.as_str()));
        let Features(bits) = Features::read(text).and(Features::read(&listed));
        let halves = [(Fact::FeaturesLow, bits & u64::from(u32::MAX)), (Fact::FeaturesHigh, bits >> 32)];
        for (fact, half) in halves {
            self.hash(fact, u32::try_from(half).ok().filter(|half| *half != 0));
        }
    }

    fn place(&mut self, advert: &Advert) {
        let place = &advert.details.place;
        let centre = advert.placement.as_ref().and_then(|placement| placement.centre);
        // The centre of the commune is no place of a home.
        let is_centre = |point: &GeoPoint| centre.is_some_and(|centre| centre.distance_km(*point) < 0.05);
        if let Some(point) = place.point.filter(|point| !is_centre(point)) {
            self.number(Fact::Latitude, Some(point.lat() as f32));
            self.number(Fact::Longitude, Some(point.lon() as f32));
            self.flag(Flag::ExactPoint, Some(place.accuracy == Some(GeoAccuracy::HouseNumber)));
        }
    }

    fn contact(&mut self, details: &AdvertDetails) {
        let name = |text: &ShortText| hash_bytes(fold(text.as_str()).as_bytes());
        self.hash(Fact::Site, details.site.as_ref().map(|site| hash_bytes(site.as_str().as_bytes())));
        self.hash(
            Fact::Reference,
            details.reference.as_ref().map(|text| hash_bytes(text.as_str().as_bytes())),
        );
        let agency = details.contact.agency.as_ref().or(details.publisher.name.as_ref());
        self.hash(Fact::Agency, agency.map(name));
        let phone = details.contact.phone.as_ref().and_then(|phone| national_digits(phone.as_str()));
        let is_individual = details.publisher.kind == Some(PublisherType::Individual);
        let is_mobile = phone.as_ref().is_some_and(|phone| phone.starts_with(['6', '7']));
        self.hash(Fact::Phone, phone.map(|phone| hash_bytes(phone.as_bytes())));
        self.flag(Flag::Person, Some(is_individual || is_mobile));
    }

    fn number(&mut self, fact: Fact, value: Option<f32>) {
        self.hash(fact, value.map(f32::to_bits));
    }

    fn hash(&mut self, fact: Fact, value: Option<u32>) {
        self.facts[fact as usize] = value;
    }

    fn flag(&mut self, flag: Flag, value: Option<bool>) {
        self.flags |= value.map_or(0, |value| 1 | u16::from(value) << 1) << flag as u16;
    }

    fn finish(&self, lists: &[Vec<u32>; LISTS]) -> (u32, [u8; LISTS], Box<[u32]>) {
        let mut words: Vec<u32> = self.facts.iter().flatten().copied().collect();
        let known = self
            .facts
            .iter()
            .enumerate()
            .fold(0, |bits, (bit, fact)| bits | u32::from(fact.is_some()) << bit);
        let ends = lists.each_ref().map(|list| {
            words.extend(list);
            // 32 facts and 96 elements of lists at most.
            u8::try_from(words.len()).unwrap_or(u8::MAX)
        });
        (known, ends, words.into())
    }
}

/// Returns `true` for a home that is sold before or soon after it is built.
fn is_new_building(advert: &Advert, reading: &Reading) -> bool {
    let Advert { details, created_at, transaction_type, .. } = advert;
    let year = f64::from(details.construction_year.unwrap_or_default());
    let published = 1_970.0 + created_at.as_second() as f64 / (365.2425 * SECONDS_PER_DAY as f64);
    *transaction_type == TransactionType::Sell
        && (reading.is_new_building || details.new_building.is_given() || year >= published.floor() - 1.0)
}

/// Cheaper sales are columns that shifted, or placeholders.
const PRICE_MIN: f32 = 500.0;
const RENT_MIN: f32 = 10.0;

fn amount(amount: Option<Amount>) -> Option<f32> {
    amount.map(|amount| amount.get() as f32).filter(|amount| *amount > 0.0)
}

fn integer(number: Option<i32>) -> Option<f32> {
    number.filter(|number| *number > 0).map(|number| number as f32)
}

/// Returns the nine significant digits of a French telephone number.
fn national_digits(phone: &str) -> Option<String> {
    let digits: String = phone.chars().filter(char::is_ascii_digit).collect();
    let start = digits.len().checked_sub(9)?;
    matches!(&digits[..start], "" | "0" | "33" | "0033" | "330").then(|| digits[start..].into())
}

fn mandates(details: &AdvertDetails, reading: &Reading) -> Vec<u32> {
    let given = details.contact.reference.as_ref().and_then(|text| reference_hash(text.as_str()));
    let mut mandates: Vec<u32> = given.into_iter().collect();
    for hash in &reading.references {
        if !mandates.contains(hash) {
            mandates.push(*hash);
        }
    }
    mandates
}

/// Returns the charges of a rental per month.
fn charges_of_rental(advert: &Advert, reading: &Reading) -> Option<f32> {
    let is_rental = advert.transaction_type == TransactionType::Rent;
    let read = reading.rental_charges.get().filter(|_| is_rental);
    amount(advert.details.rental_charges).or(read)
}

/// Returns the amounts in the text that may be the price on another site.
fn named_prices(advert: &Advert, reading: &Reading) -> Vec<u32> {
    /// Fees, charges and price cuts are less than a third of the price.
    const RANGE: std::ops::Range<f32> = 0.7..1.4;
    let Some(price) = amount(advert.details.price) else { return Vec::new() };
    let named =
        reading.amounts.iter().filter(|amount| **amount != price && RANGE.contains(&(*amount / price)));
    named.take(NAMED_PRICES_MAX).map(|amount| amount.to_bits()).collect()
}

/// Returns the last prices before the current one, the latest first.
fn former_prices(advert: &Advert) -> Vec<u32> {
    let current = advert.details.price;
    let mut prices: Vec<u32> = Vec::new();
    for event in advert.events.iter().rev() {
        if event.subject != EventSubject::Field(AdvertField::Price) || prices.len() >= FORMER_PRICES_MAX {
            continue;
        }
        let old = event.old_value.as_deref().and_then(|text| text.trim().parse().ok()).and_then(Amount::new);
        let bits =
            old.filter(|old| Some(*old) != current).and_then(|old| amount(Some(old))).map(f32::to_bits);
        if let Some(bits) = bits.filter(|bits| !prices.contains(bits)) {
            prices.push(bits);
        }
    }
    prices
}

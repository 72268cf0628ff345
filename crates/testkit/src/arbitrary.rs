//! Property-test strategies for properties and saved searches of every shape the domain allows.
//!
//! Values come from the domain's constructors, so every legal value can occur, however odd. Strategies are boxed,
//! because an unboxed one for a whole property is larger than a test's stack. Structs are built without `..`, so a
//! new field of the domain breaks the build until it is drawn here.

mod search;

use domain::advert_event::{AdvertEvent, EventSubject};
use domain::timeline::{Crawl, CrawlSource, Slot};
use domain::{
    Advert, AdvertDetails, AdvertField, AdvertId, Amount, Contact, CountryCode, EnergyLetter,
    FeesResponsibility, GeoAccuracy, GeoPoint, GivenPlace, Insee, LifeAnnuity, Lifecycle, LongText,
    NewBuilding, PercentVariation, Placement, PriceCheck, PriceProblem, Property, PropertyId, PropertyType,
    Publisher, PublisherType, Rating, RentPeriod, ShortText, SiteKey, Timeline, Timestamp, TransactionType,
    WebAddress, Zipcode,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

pub use search::{criterion, saved_search};

pub fn property() -> BoxedStrategy<Property> {
    (any::<[u8; 16]>(), vec(advert(), 0..4))
        .prop_map(|(id, adverts)| Property { id: PropertyId::from_bytes(id), adverts })
        .boxed()
}

pub fn advert() -> BoxedStrategy<Advert> {
    let kinds = (any::<[u8; 16]>(), select(TransactionType::ALL), select(PropertyType::ALL));
    let dates = (timestamp(), timestamp(), timestamp(), option::of(timestamp()));
    let derived = (option::of(placement()), price_check());
    (kinds, dates, details(), derived, (vec(event(), 0..5), timeline()))
        .prop_map(|((id, transaction_type, property_type), dates, details, derived, history)| {
            let (placement, price_check) = derived;
            let (created_at, updated_at, last_crawled_at, expired_at) = dates;
            let (events, timeline) = history;
            Advert {
                id: AdvertId::from_bytes(id),
                transaction_type,
                property_type,
                details,
                placement,
                price_check,
                created_at,
                updated_at,
                last_crawled_at,
                expired_at,
                events,
                timeline,
            }
        })
        .boxed()
}

/// Draws a timeline of any shape. Its crawls need not belong to the advert.
pub fn timeline() -> BoxedStrategy<Timeline> {
    (vec(crawl(), 0..5), vec(event(), 0..3), option::of(timestamp()))
        .prop_map(|(crawls, given, created_at)| Timeline { crawls, given, created_at })
        .boxed()
}

fn crawl() -> BoxedStrategy<Crawl> {
    let slots = || vec(select(Slot::all().collect::<Vec<_>>()), 0..6);
    let source = select(&[CrawlSource::Dated, CrawlSource::Received, CrawlSource::Summary]);
    let lifecycle = prop_oneof![
        Just(Lifecycle::Seen),
        Just(Lifecycle::Live),
        option::of(timestamp()).prop_map(|at| Lifecycle::Expired { at }),
    ];
    let dates = (timestamp(), option::of(timestamp()), option::of(timestamp()));
    let values = vec((select(Slot::all().collect::<Vec<_>>()), any::<u64>()), 0..4);
    (dates, source, lifecycle, slots(), slots(), values)
        .prop_map(|((at, crawled_at, updated_at), source, lifecycle, given, current, values)| Crawl {
            at,
            source,
            crawled_at,
            updated_at,
            lifecycle,
            given: given.into_iter().collect(),
            current: current.into_iter().collect(),
            values,
        })
        .boxed()
}

pub fn event() -> BoxedStrategy<AdvertEvent> {
    let subject = prop_oneof![
        Just(EventSubject::Created),
        Just(EventSubject::Expired),
        select(AdvertField::ALL).prop_map(EventSubject::Field),
        ".{0,12}".prop_map(|name| EventSubject::Foreign(name.into())),
    ];
    let value = || option::of(".{0,12}").prop_map(|text| text.map(Into::into));
    let percent = option::of(any::<f64>()).prop_map(|number| number.and_then(PercentVariation::new));
    (timestamp(), subject, value(), value(), percent)
        .prop_map(|(at, subject, old_value, new_value, percent_variation)| AdvertEvent {
            at,
            subject,
            old_value,
            new_value,
            percent_variation,
        })
        .boxed()
}

pub fn details() -> BoxedStrategy<AdvertDetails> {
    let found_by = (option::of(site()), option::of(short_text()), option::of(web_address()));
    let words = (option::of(short_text()), option::of(long_text()), contact(), publisher());
    let money = (amounts::<5>(), option::of(select(FeesResponsibility::ALL)), amounts::<7>());
    let numbers = [(); 5].map(|()| option::of(any::<i32>()));
    let lists = (vec(short_text(), 0..3), vec(web_address(), 0..3), vec(web_address(), 0..3));
    let rest = (any::<[Option<bool>; 2]>(), rating(), rating(), option::of(web_address()), given_place());
    let flags = any::<[Option<bool>; 2]>();
    let names = [(); 2].map(|()| option::of(short_text()));
    let parking_count = option::of(any::<i32>());
    let rent_period = option::of(select(RentPeriod::ALL));
    let later = (flags, names, parking_count, rent_period, life_annuity(), new_building());
    (found_by, words, money, numbers, lists, rest, later)
        .prop_map(|(found_by, words, money, numbers, lists, rest, later)| {
            let (site, reference, url) = found_by;
            let (title, description, contact, publisher) = words;
            let (prices, fees_responsibility, amounts) = money;
            let [price, price_excluding_fees, fees_percentage, condominium_fees, inventory_price] = prices;
            let [property_tax, rental_charges, rental_pledge, renter_fees, lot_count, surface, land_surface] =
                amounts;
            let [room, bedroom, floor, floor_quantity, construction_year] = numbers;
            let (features, pictures, pictures_remote) = lists;
            let ([elevator, furnished], energy, green_house_gas, virtual_tour, place) = rest;
            let (flags, names, parking_count, rent_period, life_annuity, new_building) = later;
            let ([exclusive_mandate, occupied], [district, heating]) = (flags, names);
            AdvertDetails {
                site,
                reference,
                url,
                title,
                description,
                contact,
                publisher,
                price,
                price_excluding_fees,
                fees_percentage,
                fees_responsibility,
                condominium_fees,
                inventory_price,
                property_tax,
                rental_charges,
                rental_pledge,
                renter_fees,
                lot_count,
                surface,
                land_surface,
                room,
                bedroom,
                floor,
                floor_quantity,
                construction_year,
                elevator,
                furnished,
                energy,
                green_house_gas,
                features: features.into(),
                pictures: pictures.into(),
                pictures_remote: pictures_remote.into(),
                virtual_tour,
                place,
                district,
                exclusive_mandate,
                parking_count,
                heating,
                life_annuity,
                occupied,
                rent_period,
                new_building,
            }
        })
        .boxed()
}

/// Draws any representable second, recent ones more often.
pub fn timestamp() -> BoxedStrategy<Timestamp> {
    let (first, last) = (Timestamp::MIN.as_second(), Timestamp::MAX.as_second());
    prop_oneof![4 => 0_i64..2_000_000_000, 1 => first..=last]
        .prop_filter_map("no such date", |second| Timestamp::from_second(second).ok())
        .boxed()
}

pub fn amount() -> BoxedStrategy<Amount> {
    let number = prop_oneof![
        (0_u32..2_000_000).prop_map(f64::from),
        0.0..=Amount::MAX,
        Just(0.0),
        Just(Amount::MAX),
        Just(f64::MIN_POSITIVE),
    ];
    number.prop_filter_map("out of bounds", Amount::new).boxed()
}

/// Draws a site key from a domain, a URL or an arbitrary name.
pub fn site() -> BoxedStrategy<SiteKey> {
    let text = prop_oneof![
        "(www\\.){0,2}[a-z]{1,8}\\.(fr|com)",
        "https://(www\\.){0,2}[A-Z]{1,8}\\.fr/[a-z]{0,4}",
        "www\\. ?[a-z]{1,4}\\.[a-z]{1,4}",
        ".{1,20}",
    ];
    text.prop_filter_map("not a site", |text| SiteKey::parse(&text)).boxed()
}

pub fn short_text() -> BoxedStrategy<ShortText> {
    "\\PC{1,24}"
        .prop_filter_map("blank or with control characters", |text| ShortText::new(&text).ok().flatten())
        .boxed()
}

pub fn long_text() -> BoxedStrategy<LongText> {
    "[\\PC\\n\\t]{1,200}"
        .prop_filter_map("blank or with control characters", |text| LongText::new(&text).ok().flatten())
        .boxed()
}

pub fn web_address() -> BoxedStrategy<WebAddress> {
    "(HTTPS|http)://[a-zA-Z]{1,8}\\.(fr|example)(:443)?/[a-z0-9é/]{0,12}(\\?[a-z]=[0-9])?(#[a-z]{0,3})?"
        .prop_filter_map("not an address", |text| WebAddress::parse(&text).ok())
        .boxed()
}

fn amounts<const COUNT: usize>() -> BoxedStrategy<[Option<Amount>; COUNT]> {
    [(); COUNT].map(|()| option::of(amount())).boxed()
}

fn contact() -> BoxedStrategy<Contact> {
    [(); 6]
        .map(|()| option::weighted(0.3, short_text()))
        .prop_map(|[agency, email, fax, name, phone, reference]| Contact {
            agency,
            email,
            fax,
            name,
            phone,
            reference,
        })
        .boxed()
}

fn publisher() -> BoxedStrategy<Publisher> {
    (option::of(short_text()), option::of(select(PublisherType::ALL)))
        .prop_map(|(name, kind)| Publisher { name, kind })
        .boxed()
}

fn rating() -> BoxedStrategy<Rating> {
    (option::of(select(EnergyLetter::ALL)), option::of(amount()))
        .prop_map(|(category, value)| Rating { category, value })
        .boxed()
}

/// Draws a life annuity, or none in most cases.
fn life_annuity() -> BoxedStrategy<LifeAnnuity> {
    let given = amounts::<2>().prop_map(|[bouquet, rent]| LifeAnnuity { bouquet, rent });
    prop_oneof![2 => Just(LifeAnnuity::default()), 1 => given].boxed()
}

/// Draws the ranges of a programme, or none in most cases.
fn new_building() -> BoxedStrategy<NewBuilding> {
    let rooms = [(); 2].map(|()| option::of(any::<i32>()));
    let given = (amounts::<4>(), rooms).prop_map(|(amounts, [room_min, room_max])| {
        let [price_min, price_max, surface_min, surface_max] = amounts;
        NewBuilding { price_min, price_max, surface_min, surface_max, room_min, room_max }
    });
    prop_oneof![2 => Just(NewBuilding::default()), 1 => given].boxed()
}

fn given_place() -> BoxedStrategy<GivenPlace> {
    let codes = (option::of(insee()), option::of(zipcode()), option::of(short_text()));
    let country = option::of("[A-Z]{2}".prop_filter_map("a country", |code| CountryCode::parse(&code)));
    (codes, option::of(point()), option::of(select(GeoAccuracy::ALL)), country)
        .prop_map(|((insee, zipcode, city_name), point, accuracy, country)| GivenPlace {
            insee,
            zipcode,
            city_name,
            point,
            accuracy,
            country,
        })
        .boxed()
}

fn price_check() -> BoxedStrategy<PriceCheck> {
    let problem = select(PriceProblem::ALL).prop_map(PriceCheck::Incoherent);
    let taken_over = option::of(select(PriceProblem::ALL)).prop_map(PriceCheck::TakenOver);
    prop_oneof![Just(PriceCheck::Unchecked), Just(PriceCheck::Coherent), problem, taken_over].boxed()
}

fn placement() -> BoxedStrategy<Placement> {
    (insee(), option::of(zipcode()), option::of(point()))
        .prop_map(|(insee, zipcode, centre)| Placement {
            department: insee.department(),
            insee,
            zipcode,
            centre,
        })
        .boxed()
}

fn insee() -> BoxedStrategy<Insee> {
    "(2[ABab][0-9]{3}|[0-9]{1,10})".prop_filter_map("not a code", |text| Insee::parse(&text)).boxed()
}

fn zipcode() -> BoxedStrategy<Zipcode> {
    "[0-9a-zA-Z -]{2,10}".prop_filter_map("not a zipcode", |text| Zipcode::parse(&text)).boxed()
}

fn point() -> BoxedStrategy<GeoPoint> {
    (-90.0..=90.0, -180.0..=180.0)
        .prop_filter_map("not on the globe", |(lat, lon)| GeoPoint::new(lat, lon))
        .boxed()
}

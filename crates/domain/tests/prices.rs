//! Labelled prices: what a person who knows the market says about each, and what the check says.

#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test and names the line")]

use domain::price::{self, PricePlace, PriceSample, PriceSubject};
use domain::{Amount, Insee, PriceStatistics, PropertyType, RentPeriod, TransactionType};

const CASES: &str = include_str!("prices.tsv");

/// A transaction and a type in a commune: the median, the spread of the logarithm, the number of adverts.
type Stock = (TransactionType, PropertyType, &'static str, f64, f64, u32);

use PropertyType::{Apartment, Building, House, Land, Office, Parking, Shop};
use TransactionType::{Rent, Sell};

/// Paris 11e, Tours, Loches, Guéret and Bordeaux, with the prices of recent years.
#[rustfmt::skip]
const STOCK: &[Stock] = &[
    (Sell, Apartment, "75111", 9_800.0, 0.22, 150), (Rent, Apartment, "75111", 33.0, 0.20, 100),
    (Sell, Parking, "75111", 28_000.0, 0.30, 40), (Rent, Parking, "75111", 130.0, 0.30, 40),
    (Sell, Shop, "75111", 9_000.0, 0.45, 40), (Rent, Shop, "75111", 38.0, 0.40, 40),
    (Rent, Office, "75111", 36.0, 0.30, 40),
    (Sell, Apartment, "37261", 2_900.0, 0.25, 120), (Rent, Apartment, "37261", 13.5, 0.20, 90),
    (Sell, House, "37261", 3_100.0, 0.28, 60), (Rent, House, "37261", 11.5, 0.20, 30),
    (Sell, Parking, "37261", 14_000.0, 0.30, 30), (Rent, Parking, "37261", 65.0, 0.30, 30),
    (Sell, House, "37132", 1_650.0, 0.32, 60), (Sell, Land, "37132", 45.0, 0.60, 40),
    (Sell, House, "23096", 950.0, 0.38, 50), (Sell, Apartment, "23096", 900.0, 0.35, 30),
    (Rent, Apartment, "23096", 7.5, 0.18, 30),
    (Sell, House, "33063", 5_000.0, 0.25, 60), (Rent, Apartment, "33063", 16.0, 0.20, 60),
];

fn place(code: &str) -> PricePlace {
    if code == "abroad" {
        return PricePlace::Abroad;
    }
    let insee = Insee::parse(code).unwrap();
    PricePlace::Commune { commune: insee.id(), department: insee.department() }
}

fn statistics() -> PriceStatistics {
    let mut statistics = PriceStatistics::default();
    for &(transaction_type, property_type, commune, median, spread, count) in STOCK {
        for number in 0..count {
            // The quantiles of a logistic distribution, whose tails are heavier than those of the normal one.
            let share = (f64::from(number) + 0.5) / f64::from(count);
            let unit_price = median * (spread * 0.55 * (share / (1.0 - share)).ln()).exp();
            let surface = if property_type == Land { 900.0 } else { 60.0 };
            let units = if property_type == Parking { 1.0 } else { surface };
            let subject = PriceSubject {
                transaction_type,
                property_type,
                price: Amount::new(unit_price * units),
                surface: Amount::new(surface),
                place: place(commune),
                rent_period: None,
                life_annuity: false,
                new_building: false,
            };
            // The cheapest parking spaces are below the bounds.
            if let Some(sample) = PriceSample::of_subject(&subject) {
                statistics.add(&sample);
            }
        }
    }
    statistics
}

/// Returns the subject, the expected result and the reason of a line.
fn parse(line: &str) -> (PriceSubject, &str, &str) {
    let cells: Vec<&str> = line.split('\t').collect();
    let [transaction, kind, price, surface, commune, period, other, expected, why] = cells[..] else {
        panic!("{line:?} does not have nine cells");
    };
    let number = |cell: &str| (!cell.is_empty()).then(|| Amount::new(cell.parse().unwrap()).unwrap());
    let subject = PriceSubject {
        transaction_type: match transaction {
            "sell" => Sell,
            "rent" => Rent,
            _ => panic!("{line:?}"),
        },
        property_type: match kind {
            "apartment" => Apartment,
            "house" => House,
            "building" => Building,
            "parking" => Parking,
            "office" => Office,
            "land" => Land,
            "shop" => Shop,
            _ => panic!("{line:?}"),
        },
        price: number(price),
        surface: number(surface),
        place: place(commune),
        rent_period: match period {
            "" => None,
            "month" => Some(RentPeriod::Month),
            "week" => Some(RentPeriod::Week),
            "day" => Some(RentPeriod::Day),
            "season" => Some(RentPeriod::Season),
            "year" => Some(RentPeriod::Year),
            _ => panic!("{line:?}"),
        },
        life_annuity: other == "annuity",
        new_building: other == "new",
    };
    (subject, expected, why)
}

/// Returns the name in the table: `tenfold` for `Tenfold`.
fn name(problem: domain::PriceProblem) -> String {
    let name = format!("{problem:?}");
    name[..1].to_lowercase() + &name[1..]
}

#[test]
fn labelled_prices_are_told_apart() {
    let statistics = statistics();
    let lines = CASES.lines().filter(|line| !line.starts_with('#'));
    let mut mistakes = Vec::new();
    let mut counts = [0; 2];
    for line in lines {
        let (subject, expected, why) = parse(line);
        let finding = price::check(&subject, &statistics).err();
        let found = finding.map_or_else(|| "coherent".to_owned(), |finding| name(finding.problem));
        let sentence = finding.map(|finding| finding.to_string()).unwrap_or_default();
        println!("{found:16} {line}\n                 {sentence}");
        counts[usize::from(expected != "coherent")] += 1;
        if found != expected {
            mistakes.push(format!("{line:?} ({why}) is {found}: {sentence}"));
        }
    }
    let [sound, wrong] = counts;
    println!("{sound} sound and {wrong} wrong prices");
    assert!(sound >= 30 && wrong >= 30, "{sound} sound and {wrong} wrong prices");
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
}

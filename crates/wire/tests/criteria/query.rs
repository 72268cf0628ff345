//! Every filter round-trips through a query.

use domain::criteria::{Presence, RawCriterion, References};
use domain::filter::{Codes, Kind};
use domain::{EnergyLetter, FILTERS, Filter, Insee, SortMode, Strictness};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use proptest::prelude::*;
use proptest::sample::select;
use wire::filters::{ParseContext, parse_one};
use wire::query::{Parameters, RawQuery};

use crate::raw::{SITES, criterion, paris};

/// Returns the query pairs of a criterion.
fn pairs(filter: &Filter, name: &str, criterion: &RawCriterion) -> Vec<(String, String)> {
    let list = |values: Vec<String>| -> Vec<(String, String)> {
        values.into_iter().map(|value| (format!("{name}[]"), value)).collect()
    };
    let one = |value: String| vec![(name.to_owned(), value)];
    match criterion {
        // With an exponent where there are hundreds of digits.
        RawCriterion::Number(number) => one(format!("{number:?}")),
        RawCriterion::Timestamp(at) => one(wire::date::format(*at, &paris())),
        RawCriterion::Codes(codes) => list(
            codes
                .iter()
                .map(|code| match filter.kind {
                    Kind::Choice(_, Codes::EnergyLetter) => {
                        EnergyLetter::ALL[usize::from(*code)].letter().to_string()
                    }
                    _ => code.to_string(),
                })
                .collect(),
        ),
        RawCriterion::Flag(flag) => one(flag.to_string()),
        RawCriterion::Cities(ids) => list(ids.iter().map(|id| wire::iri::city(*id)).collect()),
        RawCriterion::Departments(ids) => list(ids.iter().map(|id| wire::iri::department(*id)).collect()),
        RawCriterion::Communes(codes) => list(codes.iter().map(ToString::to_string).collect()),
        RawCriterion::SiteCategories(ids) => {
            list(ids.iter().map(|id| wire::iri::site_category(*id)).collect())
        }
        RawCriterion::Zipcodes(codes) => list(codes.iter().map(ToString::to_string).collect()),
        RawCriterion::Sites(sites) => list(sites.iter().map(|site| site.as_str().to_owned()).collect()),
        RawCriterion::Features(phrases) => {
            list(phrases.iter().map(|phrase| phrase.text().to_owned()).collect())
        }
        RawCriterion::Properties(ids) => list(ids.iter().map(|id| wire::iri::property(*id)).collect()),
        RawCriterion::SortMode(SortMode::Property) => one("property".to_owned()),
        RawCriterion::SortMode(SortMode::Advert) => one("advert".to_owned()),
        RawCriterion::Polygons(polygons) => {
            let mut pairs = Vec::new();
            for (shape, polygon) in polygons.iter().enumerate() {
                for (point, corner) in polygon.corners().iter().enumerate() {
                    pairs.push((format!("{name}[{shape}][{point}][0]"), corner.lon().to_string()));
                    pairs.push((format!("{name}[{shape}][{point}][1]"), corner.lat().to_string()));
                }
            }
            pairs
        }
        RawCriterion::Expressions(groups) => {
            let mut pairs = Vec::new();
            for (number, group) in groups.iter().enumerate() {
                for (place, entry) in group.iter().enumerate() {
                    let path = format!("{name}[{number}][{place}]");
                    let (includes, strict) = (entry.presence == Presence::Present, entry.phrase.strictness());
                    pairs.push((format!("{path}[word]"), entry.phrase.text().to_owned()));
                    pairs.push((format!("{path}[options][includes]"), includes.to_string()));
                    pairs.push((
                        format!("{path}[options][strict]"),
                        (strict == Strictness::Exact).to_string(),
                    ));
                }
            }
            pairs
        }
    }
}

fn drawn() -> impl Strategy<Value = (&'static Filter, &'static str, RawCriterion)> {
    select(FILTERS.iter().collect::<Vec<_>>()).prop_flat_map(|filter| {
        let names: Vec<&'static str> =
            std::iter::once(filter.name).chain(filter.aliases.iter().copied()).collect();
        (Just(filter), select(names), criterion(filter.kind))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn filters_round_trip_through_a_query((filter, name, criterion) in drawn(), encoded in any::<bool>()) {
        let encode = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
        let written: Vec<String> = pairs(filter, name, &criterion)
            .into_iter()
            .map(|(key, value)| format!("{}={}", if encoded { encode(&key) } else { key }, encode(&value)))
            .collect();
        let query = RawQuery::parse(&written.join("&")).unwrap();
        let mut parameters = Parameters::new(&query);
        let (city, insee) = (|id: u64| vec![id], |insee: &Insee| vec![insee.id()]);
        let zone = paris();
        let references = References { city: &city, commune: &insee, sites: &SITES };
        let context = ParseContext { references, zone: &zone };
        let read = parse_one(&mut parameters, filter, &context);
        prop_assert_eq!(&parameters.violations, &[]);
        prop_assert_eq!(parameters.ignored(&[]), [""; 0]);
        prop_assert_eq!(read, Some(criterion), "{}", written.join("&"));
    }
}

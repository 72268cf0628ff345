//! A written saved search parses back into the same search.

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use domain::criteria::{RawCriteria, RawCriterion, References};
use domain::search::SearchDraft;
use domain::{
    Alerts, City, Country, Department, EmailAddress, Endpoint, EventName, Filter, Insee, Region, SavedSearch,
    SearchId, SearchToken, ShortText, Timestamp, UserId,
};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::Value;
use wire::search::{ParseContext, ParsedSearch, Places, Purpose, SearchInput, criteria, parse, search};

use crate::raw::{SITES, criterion, paris};

/// Knows every place.
fn city(id: u64) -> Option<Arc<City>> {
    static DEPARTMENT: LazyLock<Arc<Department>> = LazyLock::new(|| department(37).unwrap());
    let country = Arc::new(Country { id: 250, code: "FR".into(), name: "France".into() });
    let insee = Insee::parse(&id.to_string())?;
    Some(Arc::new(City {
        insee,
        parent: None,
        article: None,
        name: "Ville".into(),
        official_name: None,
        zipcodes: Vec::new(),
        department: Arc::clone(&DEPARTMENT),
        country,
        centre: None,
        population: 1,
        grouped_names: Vec::new(),
        districts: Vec::new(),
    }))
}

fn department(id: u64) -> Option<Arc<Department>> {
    Some(Arc::new(Department {
        id,
        code: id.to_string().into(),
        name: "Département".into(),
        name_clean: "departement".into(),
        capital: None,
        capital_insee: None,
        region: Arc::new(Region { id: 24, code: "24".into(), name: "Région".into() }),
    }))
}

const PLACES: Places<'static> =
    Places { city: &city, commune: &|insee| city(insee.id()), department: &department };

fn context() -> ParseContext<'static> {
    let references = References { city: &|id| vec![id], commune: &|insee| vec![insee.id()], sites: &SITES };
    ParseContext { references, places: PLACES, check_endpoint: &|_| Ok(()) }
}

/// Draws the two required criteria and any of the others.
fn raw_criteria() -> impl Strategy<Value = RawCriteria> {
    let is_required = |filter: &Filter| matches!(filter.name, "transactionType" | "propertyTypes");
    let (always, others): (Vec<_>, Vec<_>) = criteria().partition(|filter| is_required(filter));
    let count = others.len();
    let chosen = prop_oneof![3 => subsequence(others.clone(), 0..8), 1 => subsequence(others, count)];
    chosen.prop_flat_map(move |chosen: Vec<&'static Filter>| {
        let drawn = always.iter().copied().chain(chosen).map(|filter| (Just(filter), criterion(filter.kind)));
        drawn.collect::<Vec<_>>().prop_map(canonical)
    })
}

/// Returns criteria as the parser would: no duplicates, a single value where only one is allowed, no explicit
/// default, and no contradictions.
fn canonical(drawn: Vec<(&'static Filter, RawCriterion)>) -> RawCriteria {
    fn once<T: Ord + Clone>(list: Vec<T>) -> Vec<T> {
        let mut seen = BTreeSet::new();
        list.into_iter().filter(|item| seen.insert(item.clone())).collect()
    }
    let mut raw_criteria = RawCriteria::default();
    for (filter, criterion) in drawn {
        let criterion = match criterion {
            RawCriterion::Flag(true) if filter.name == "withCoherentPrice" => continue,
            RawCriterion::Codes(codes)
                if matches!(filter.name, "transactionType" | "feesResponsibility" | "geoAccuracy") =>
            {
                RawCriterion::Codes(codes[..1].to_vec())
            }
            RawCriterion::Codes(list) => RawCriterion::Codes(once(list)),
            RawCriterion::Cities(list) => RawCriterion::Cities(once(list)),
            RawCriterion::Communes(list) => RawCriterion::Communes(once(list)),
            RawCriterion::Departments(list) => RawCriterion::Departments(once(list)),
            RawCriterion::Zipcodes(list) => RawCriterion::Zipcodes(once(list)),
            RawCriterion::Sites(list) => RawCriterion::Sites(once(list)),
            RawCriterion::SiteCategories(list) => RawCriterion::SiteCategories(once(list)),
            RawCriterion::Properties(list) => RawCriterion::Properties(once(list)),
            RawCriterion::Features(list) => RawCriterion::Features(once(list)),
            criterion @ (RawCriterion::Number(_)
            | RawCriterion::Timestamp(_)
            | RawCriterion::Flag(_)
            | RawCriterion::Polygons(_)
            | RawCriterion::SortMode(_)
            | RawCriterion::Expressions(_)) => criterion,
        };
        raw_criteria.put(filter, criterion);
    }
    while let Err(violations) = raw_criteria.criteria(&context().references) {
        for violation in violations {
            raw_criteria.clear(Filter::named(&violation.path).unwrap());
        }
    }
    raw_criteria
}

fn alerts() -> impl Strategy<Value = Alerts> {
    let endpoint = || {
        let address = select(vec!["https://hook.example/a?b=%20é#c", "https://10.0.0.1:8443/"]);
        proptest::option::of(address.prop_map(|text| Endpoint::parse(text).unwrap()))
    };
    let email =
        proptest::option::of(Just("a.b+c@exemple.fr").prop_map(|text| EmailAddress::parse(text).unwrap()));
    let events = subsequence(EventName::ALL.to_vec(), 0..=EventName::ALL.len());
    (any::<bool>(), any::<bool>(), email, endpoint(), endpoint(), events).prop_map(
        |(enabled, hide_contact, email, endpoint, event_endpoint, events)| Alerts {
            enabled,
            hide_contact,
            email,
            endpoint,
            event_endpoint,
            events: events.into_iter().collect(),
        },
    )
}

fn draft() -> impl Strategy<Value = SearchDraft> {
    ("[a-zA-Zé0-9 '\"\\\\-]{0,20}[a-zé]", raw_criteria(), alerts()).prop_map(
        |(title, raw_criteria, alerts)| SearchDraft {
            title: ShortText::new(&title).unwrap().unwrap(),
            raw_criteria,
            alerts,
        },
    )
}

/// Writes a search as its owner reads it.
fn written(draft: &SearchDraft) -> Value {
    let saved = SavedSearch {
        id: SearchId::from_bytes([1; 16]),
        owner: UserId::from_bytes([2; 16]),
        token: SearchToken::new([3; SearchToken::BYTES]),
        created_at: Timestamp::UNIX_EPOCH,
        updated_at: Timestamp::UNIX_EPOCH,
        draft: draft.clone(),
    };
    let zone = paris();
    let input = SearchInput {
        search: &saved,
        last_alert_at: None,
        places: PLACES,
        sites: &SITES,
        zone: &zone,
        ignored: &[],
    };
    // Through text, as a client gets it: this catches numbers that lose digits.
    serde_json::from_str(&serde_json::to_string(&search(input)).unwrap()).unwrap()
}

fn read_back(body: &Value, purpose: Purpose<'_>) -> SearchDraft {
    let ParsedSearch { draft, ignored } = parse(body, purpose, &context());
    let draft = draft.unwrap_or_else(|violations| panic!("{violations:?} {body}"));
    let given = |name: &str| body.get(name).is_some_and(|value| !value.is_null());
    let has_radius = body["radius"].as_f64().is_some_and(|km| km > 0.0);
    // A radius without a centre is kept, and reported because it has no effect.
    let expected: &[&str] = if has_radius && !(given("lat") && given("lon")) { &["radius"] } else { &[] };
    assert_eq!(ignored, expected, "{body}");
    draft
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn written_search_parses_back(draft in draft(), other in draft()) {
        let body = written(&draft);
        prop_assert_eq!(&read_back(&body, Purpose::Create), &draft);
        prop_assert_eq!(&read_back(&body, Purpose::Update(&draft)), &draft);
        // Applied to another search: keys that are always written are replaced; the others keep their value if
        // unset. The two searches may contradict each other.
        if let Ok(over) = parse(&body, Purpose::Update(&other), &context()).draft {
            for filter in criteria() {
                let source = if body.get(filter.name).is_some() { &draft } else { &other };
                prop_assert_eq!(over.raw_criteria.get(filter), source.raw_criteria.get(filter), "{}", filter.name);
            }
            prop_assert_eq!((over.title, over.alerts), (draft.title, draft.alerts));
        }
    }
}

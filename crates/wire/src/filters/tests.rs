use domain::criteria::AdvertScope;
use domain::{
    Key, PropertyAttribute, Site, SiteCategory, SiteCategoryId, SiteCategoryName, SiteDirectory, SiteId,
    SiteKey,
};

use super::*;
use crate::query::RawQuery;

const ID: &str = "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";

struct Read {
    finished: BuiltCriteria,
    order: Order,
    messages: Vec<String>,
    ignored: Vec<String>,
}

fn read_query(query: &str) -> Read {
    let raw = RawQuery::parse(query).unwrap();
    let mut parameters = Parameters::new(&raw);
    let site = |id, key, category| Site {
        id: SiteId::new(id).unwrap(),
        key: SiteKey::parse(key).unwrap(),
        name: None,
        category: SiteCategoryId::new(category),
    };
    let category = |id, name| SiteCategory {
        id: SiteCategoryId::new(id).unwrap(),
        name: SiteCategoryName::parse(name).unwrap(),
    };
    let sites = vec![site(1, "portail.fr", 4), site(2, "Office du Lac", 0), site(3, "autre.fr", 4)];
    let sites = SiteDirectory::new(1, sites, vec![category(4, "Portails"), category(5, "Notaires")]);
    let zone = TimeZone::get("Europe/Paris").unwrap();
    let districts = |id: u64| if id == 75_056 { vec![75_056, 75_101, 75_102] } else { vec![id] };
    let by_code = |insee: &Insee| districts(insee.id());
    let references = References { city: &districts, commune: &by_code, sites: &sites };
    let context = ParseContext { references, zone: &zone };
    let finished = super::parse(&mut parameters, &context);
    let order = parse_order(&mut parameters, &finished);
    let messages = parameters.violations.iter().map(|v| format!("{}: {}", v.path, v.message)).collect();
    let ignored = parameters.ignored(&order_names());
    Read { finished, order, messages, ignored }
}

/// Asserts that two queries mean the same and that neither has violations or unknown parameters.
fn same(query: &str, other: &str) {
    let (read, other_read) = (read_query(query), read_query(other));
    assert_eq!((&read.messages, &read.ignored), (&Vec::new(), &Vec::new()), "{query}");
    assert_eq!(read.finished, other_read.finished, "{query} {other}");
    assert_eq!(read.order, other_read.order, "{query} {other}");
}

fn differ(query: &str, other: &str) {
    assert_ne!(read_query(query).finished, read_query(other).finished, "{query} {other}");
}

fn check_rejected(query: &str, expected: &[&str]) {
    assert_eq!(read_query(query).messages, expected, "{query}");
}

#[test]
fn lists_have_four_notations_and_filters_have_aliases() {
    for query in [
        "propertyTypes[]=0&propertyTypes[]=1",
        "propertyTypes[0]=0&propertyTypes[1]=1",
        "propertyTypes=1&propertyTypes=0",
    ] {
        same(query, "propertyTypes%5B%5D=0&propertyTypes%5B%5D=1");
    }
    same("transactionType=0", "transactionType[]=0");
    same("isExpired=true", "expired=1");
    same("includedZipcodesInsee[]=37261", "includedInseeCodes[]=37261");
    same(
        "includedZipcodesInsee[]=37261&includedInseeCodes=37050",
        "includedInseeCodes[]=37261&includedInseeCodes[]=37050",
    );
    same("energyCategories[]=a&energyCategories[]=B", "energyCategories=B&energyCategories=A");
}

#[test]
fn names_of_the_official_assistant_server_are_aliases() {
    same("priceMin=1&priceMax=2", "budgetMin=1&budgetMax=2");
    same(
        "ghgCategories[]=A&ghgValueMin=1&ghgValueMax=9",
        "greenHouseGasCategories=A&greenHouseGasValueMin=1&greenHouseGasValueMax=9",
    );
    same("ghgLetters[]=A", "greenHouseGasCategories[]=A");
    same("floorsMin=1&floorsMax=3", "floorQuantityMin=1&floorQuantityMax=3");
    for (event, kind) in [("priceEvent", "eventPriceVariation"), ("surfaceEvent", "eventSurfaceVariation")] {
        let bounds =
            format!("{kind}Min=-9&{kind}Max=-1&{kind}FromCreatedAt=2026-01-01&{kind}ToCreatedAt=2026-02-01");
        same(
            &format!(
                "{event}Min=-9&{event}Max=-1&{event}FromCreatedAt=2026-01-01&{event}ToCreatedAt=2026-02-01"
            ),
            &bounds,
        );
        same(
            &format!(
                "{event}VariationMin=-9&{event}VariationMax=-1&{event}FromDate=2026-01-01&{event}ToDate=2026-02-01"
            ),
            &bounds,
        );
    }
    same("geocodingAccuracy[]=1&withResolvedLocation=true", "geoAccuracy=1&withLocation=1");
    same(
        "includedSources[]=portail.fr&excludedSources[]=agence.fr",
        "includedSites=portail.fr&excludedSites=agence.fr",
    );
    same("excludeCities[]=/cities/37261", "excludedCities=37261");
}

#[test]
fn orders_have_aliases() {
    same(
        "orderUpdatedAt=asc&order[price]=desc&orderCreatedAt=desc",
        "order[updatedAt]=asc&order[price]=desc&order[createdAt]=desc",
    );
    same("orderByPrice=asc", "order[price]=asc");
    check_rejected("orderCreatedAt=up", &["orderCreatedAt: \"up\" is not asc or desc."]);
    assert_eq!(read_query("orderColor=asc").ignored, ["orderColor"]);
}

#[test]
fn empty_and_null_are_absent() {
    same(
        "budgetMin=&budgetMax=null&propertyTypes[]=&expired=null&fromDate=&sortMode=&expressions[]=&lat=",
        "",
    );
    same("withVirtualTour=null&withLocation=false&furnished=", "");
    same("withCoherentPrice=true", "");
    same("withCoherentPrice=", "");
    // `null` disables the default.
    same("withCoherentPrice=null", "withCoherentPrice=false");
    differ("withCoherentPrice=null", "");
    same("budgetMax=0&surfaceMax=0&roomMin=2&roomMax=0", "roomMin=2");
    same("budgetMin=0&budgetMax=0", "budgetMin=0");
    differ("eventPriceVariationMin=-10&eventPriceVariationMax=0", "eventPriceVariationMin=-10");
}

#[test]
fn boolean_forms() {
    for query in ["expired=false", "expired=False", "expired=0", "expired[]=FALSE", "isExpired=0"] {
        same(query, "expired=false");
        assert_eq!(read_query(query).finished.criteria.advert_scope, AdvertScope::Live);
    }
    check_rejected(
        "expired=non&furnished=2",
        &["furnished: \"2\" is not true or false.", "expired: \"non\" is not true or false."],
    );
}

#[test]
fn numbers_are_compared_exactly() {
    same("surfaceMin=62.50", "surfaceMin=62.5");
    differ("surfaceMin=62.5", "surfaceMin=62");
    same("eventPriceVariationMax=-2.81", "eventPriceVariationMax=-2.810");
    check_rejected(
        "budgetMin=12%20000&surfaceMax=inf&roomMin=NaN&radius=1e999&bedroomMax=0x10",
        &[
            "budgetMin: \"12 000\" is not a number.",
            "surfaceMax: \"inf\" is not a number.",
            "roomMin: \"NaN\" is not a number.",
            "bedroomMax: \"0x10\" is not a number.",
            "radius: \"1e999\" is not a number.",
        ],
    );
    check_rejected(
        "budgetMin=3&budgetMax=2",
        &["budgetMin: The lower bound budgetMin, 3, is greater than the upper bound budgetMax, 2."],
    );
    same("budgetMin=2&budgetMax=2", "budgetMin=2.0&budgetMax=2.0");
}

#[test]
fn dates_use_the_service_zone_and_bounds_cover_the_day() {
    same("fromDate=2026-03-29", "fromDate=2026-03-28T23:00:00Z");
    same("toDate=2026-03-29", "toDate=2026-03-29T21:59:59Z");
    same("toDate=2026-10-25", "toDate=2026-10-25T22:59:59Z");
    same("toUpdatedAt=2026-03-29%2010:00:00", "toUpdatedAt=2026-03-29T10:00:00%2B02:00");
    same("toUpdatedAt=2026-03-29T10:00:00+02:00", "toUpdatedAt=2026-03-29T08:00:00Z");
    same("fromDate=2026-01-01T00:00:00.5Z", "fromDate=2026-01-01T00:00:01Z");
    same("toDate=2026-01-01T00:00:00.5Z", "toDate=2026-01-01T00:00:00Z");
    same("fromDate=2026-03-29&toDate=2026-03-29", "fromDate=2026-03-29T00:00:00&toDate=2026-03-29T23:59:59");
    check_rejected(
        "fromDate=yesterday&toCrawledAt=2026-02-30",
        &[
            "fromDate: \"yesterday\" is not a date such as 2026-03-02, 2026-03-02 14:30:00 or 2026-03-02T14:30:00+01:00.",
            "toCrawledAt: \"2026-02-30\" is not a date such as 2026-03-02, 2026-03-02 14:30:00 or 2026-03-02T14:30:00+01:00.",
        ],
    );
    check_rejected(
        "fromDate=2026-01-02&toDate=2026-01-01",
        &[
            "fromDate: The lower bound fromDate, 2026-01-01T23:00:00Z, is greater than the upper bound toDate, \
           2026-01-01T22:59:59Z.",
        ],
    );
    differ("fromDate=2026-01-01&sortMode=advert", "fromDate=2026-01-01");
    check_rejected("sortMode=newest", &["sortMode: \"newest\" is not property or advert."]);
}

#[test]
fn references_are_paths_or_ids() {
    for query in ["includedCities[]=/cities/75056", "includedCities=75056", "includedInseeCodes=75056"] {
        same(query, "includedCities[]=75056&includedCities[]=75101&includedCities[]=/cities/75102");
    }
    same("includedDepartments[]=/departments/2A", "includedDepartments=201");
    same("excludedZipcodes[]=37000", "excludedZipcodes=37000");
    same(&format!("excludedProperties[]=/documents/properties/{ID}"), &format!("excludedProperties={ID}"));
    for query in ["includedSites[]=/sites/1", "includedSites=1", "includedSites=https://www.portail.fr/x"] {
        same(query, "includedSites[]=portail.fr");
    }
    same("includedSites=office+du+lac", "includedSites=2");
    // Well-formed but unknown: an inclusion matches nothing, an exclusion excludes nothing.
    assert_eq!(
        read_query("includedSites=9&includedSites=inconnu.fr").finished.criteria.advert.sites,
        Some([].into())
    );
    same("excludedSites=9", "");
    for query in ["/site_categories/4", "site_categories/4", "4", "PORTAILS"] {
        same(
            &format!("includedSiteCategories[]={query}"),
            "includedSites[]=portail.fr&includedSites[]=autre.fr",
        );
        same(&format!("excludedSiteCategories={query}"), "excludedSites=1&excludedSites=3");
    }
    same("includedSiteCategories=4&includedSites=2", "includedSites=1&includedSites=2&includedSites=3");
    // A category without sites, and an unknown one.
    for query in ["5", "9", "Inconnue"] {
        let read = read_query(&format!("includedSiteCategories={query}"));
        assert_eq!(read.finished.criteria.advert.sites, Some([].into()), "{query}");
        same(&format!("excludedSiteCategories={query}"), "");
    }
    check_rejected(
        "includedSiteCategories=/sites/1",
        &[&format!("includedSiteCategories: \"/sites/1\" is not {}.", accepted::SITE_CATEGORY)],
    );
    check_rejected(
        &format!(
            "includedCities[]=Paris&includedDepartments=/cities/37&excludedProperties=1&includedSites=/sites/x&propertyTypes[]=7&publisherTypes=-1&energyCategories=H&excludedInseeCodes={ID}"
        ),
        &[
            "propertyTypes: \"7\" is not one of 0 Apartment, 1 House, 2 Building, 3 Parking, 4 Office, 5 Land, 6 Shop.",
            "includedCities: \"Paris\" is not a reference to a city, such as /cities/37261 (GET /cities?name=… finds it).",
            &format!("includedDepartments: \"/cities/37\" is not {}.", accepted::DEPARTMENT),
            &format!("excludedInseeCodes: \"{ID}\" is not {}.", accepted::INSEE),
            "excludedProperties: \"1\" is not a reference to a property.",
            &format!("includedSites: \"/sites/x\" is not {}.", accepted::SITE),
            "publisherTypes: \"-1\" is not one of 0 Individual, 1 Professional.",
            "energyCategories: \"H\" is not one of A, B, C, D, E, F, G.",
        ],
    );
}

#[test]
fn circles_and_polygons() {
    assert_eq!(read_query("lat=48.8&lon=2.3").finished.criteria, read_query("").finished.criteria);
    assert!(read_query("lat=48.8&lon=2.3").finished.origin.is_some());
    assert_eq!(
        read_query("lat=48.8&lon=2.3&radius=0.2").finished.criteria.places.circle.map(|c| c.radius_km),
        Some(0.2)
    );
    check_rejected("lat=91&lon=2", &["lat: 91 is not between -90 and 90."]);
    let triangle = "geoShapes[0][0][0]=2&geoShapes[0][0][1]=48&geoShapes[0][1][0]=3&geoShapes[0][1][1]=48\
                    &geoShapes[0][2][0]=2.5&geoShapes[0][2][1]=49";
    let places = read_query(triangle).finished.criteria.places;
    assert_eq!(places.polygons[0].corners()[2], GeoPoint::new(49.0, 2.5).unwrap());
    same(triangle, "geoShapes=[[[2,48],[3,48],[2.5,49]]]");
    // Corners are sorted by index.
    let shuffled: Vec<&str> = triangle.split('&').rev().collect();
    same(&shuffled.join("&"), triangle);
    check_rejected(
        "geoShapes[0][0][0]=2&geoShapes[0][0][1]=48",
        &["geoShapes[0]: A polygon must have 3 to 1000 corners, 1 given."],
    );
    check_rejected(
        "geoShapes[0][0][0]=2",
        &[
            "geoShapes[0][0]: \"{\"0\":\"2\"}\" is not a corner such as [2.35,48.85]: a longitude [0] and a latitude [1].",
        ],
    );
    check_rejected(
        "geoShapes[0][0][0]=2&geoShapes[0][0][1]=98",
        &[
            "geoShapes[0][0]: \"{\"0\":\"2\",\"1\":\"98\"}\" is not a point on the globe: longitude [0], then latitude [1].",
        ],
    );
    check_rejected(
        "geoShapes=round",
        &[
            "geoShapes: \"round\" is not a list of polygons such as [[[2.2,48.8],[2.4,48.8],[2.3,48.9]]], each corner a longitude and a latitude.",
        ],
    );
    check_rejected(
        "geoShapes[0][0][0]=a&geoShapes[0]=b",
        &["geoShapes[0]: This key has both a value and nested keys."],
    );
}

#[test]
fn expressions_in_a_query() {
    let nested = "expressions[0][0][word]=vis-%C3%A0-vis&expressions[0][0][options][includes]=false\
                  &expressions[0][0][options][strict]=true";
    let encoded: String =
        percent_encoding::utf8_percent_encode(nested, percent_encoding::NON_ALPHANUMERIC).collect();
    same(&format!("expressions={encoded}"), nested);
    same(&nested.replace("[word]", "[value]"), nested);
    same(&nested.replace("[0][0]", "[0]"), nested);
    same(&nested.replace("[0][0]", "[12][7]"), nested);
    let json = "[[{\"word\":\"vis-à-vis\",\"options\":{\"includes\":false,\"strict\":true}}]]";
    same(&format!("expressions={json}"), nested);
    same(
        "expressions[]=balcon&expressions[]=terrasse",
        "expressions[0][0][word]=balcon&expressions[1][0][word]=terrasse",
    );
    same("expressions=balcon", "expressions[]=balcon");
    check_rejected("expressions[0][0][options][strict]=1", &["expressions[0][0]: This entry has no word."]);
    let many: Vec<String> = (0..51).map(|number| format!("expressions[{number}][0][word]=a")).collect();
    check_rejected(&many.join("&"), &["expressions: Too many groups: 51 given, at most 50 allowed."]);
    check_rejected(
        "expressions[0][0][word]=a&expressions[0][0][options][incldes]=false",
        &["expressions[0][0][options][incldes]: This option is not known; the options are includes, strict."],
    );
}

#[test]
fn orders_replace_the_default() {
    let by = |query: &str| read_query(query).order.by;
    assert_eq!(by(""), Order::default().by);
    assert_eq!(by("order[price]="), Order::default().by);
    let (price, surface) =
        ((OrderBy::Price, Direction::Ascending), (OrderBy::Surface, Direction::Descending));
    assert_eq!(by("order[surface]=DESC&order[price]=asc"), [surface, price]);
    assert_eq!(by("order[price]=desc&order[surface]=desc&order[price]=asc"), [price, surface]);
    assert_eq!(by("lat=1&lon=2&order[distance]=asc"), [(OrderBy::Distance, Direction::Ascending)]);
    check_rejected(
        "order[distance]=asc&lat=1",
        &["order[distance]: Sorting by distance requires \"lat\" and \"lon\"."],
    );
    check_rejected("order[price]=up", &["order[price]: \"up\" is not asc or desc."]);
    assert_eq!(
        read_query("order[prcie]=asc&budgetmin=3&budgetMin[a][b]=3").ignored,
        ["budgetMin[a][b]", "budgetmin", "order[prcie]"]
    );
    assert_eq!(read_query("sortMode=advert").order.mode, SortMode::Advert);
}

#[test]
fn bounds_apply_to_their_attribute() {
    let criteria = read_query("budgetMin=100.5&withCoherentPrice=0").finished.criteria;
    assert_eq!(criteria.property.len(), 1);
    assert_eq!(criteria.property[0].attribute, PropertyAttribute::Price);
    assert!(criteria.property[0].predicate.holds(Some(Key::number(100.5))));
    assert!(!criteria.property[0].predicate.holds(Some(Key::number(100.499))));
}

#[test]
fn docs_page_names_every_filter_and_order() {
    let page = include_str!("../../../../docs/search.md");
    for filter in FILTERS {
        for name in names(filter) {
            assert!(page.contains(&format!("`{name}`")), "docs/search.md does not name {name}");
        }
        assert!(page.contains(filter.description), "docs/search.md does not describe {}", filter.name);
    }
    for name in order_names() {
        assert!(page.contains(&format!("`order[{name}]`")), "docs/search.md does not name order[{name}]");
    }
}

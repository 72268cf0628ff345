//! The table of search fields: valid values, what is read back, and what is rejected.

use serde_json::{Value, json};

/// One field.
pub struct Row {
    pub name: &'static str,
    /// Value read back when the field is unset; `None` if the key is absent then.
    pub unset: Option<Value>,
    pub need: Need,
    /// Valid input, and the value read back.
    pub good: Vec<(Value, Value)>,
    /// Values of a wrong type.
    pub wrong_type: Vec<Value>,
    /// Values that violate a rule, or unknown references.
    pub refused: Vec<Refusal>,
    pub shown: Shown,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    Required,
    Optional,
}

/// How a value is compared with the expected one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    AsItIs,
    /// By `@id` of the objects.
    ById,
}

pub struct Refusal {
    pub fields: Value,
    pub status: u16,
    pub path: &'static str,
    /// Part of the message.
    pub message: &'static str,
}

impl Row {
    fn new(name: &'static str, good: &[(Value, Value)]) -> Self {
        Self {
            name,
            unset: Some(Value::Null),
            need: Need::Optional,
            good: good.to_vec(),
            wrong_type: Vec::new(),
            refused: Vec::new(),
            shown: Shown::AsItIs,
        }
    }

    fn unset(self, unset: Option<Value>) -> Self {
        Self { unset, ..self }
    }

    fn wrong(self, wrong_type: &[Value]) -> Self {
        Self { wrong_type: wrong_type.to_vec(), ..self }
    }

    fn refused(mut self, status: u16, fields: Value, path: &'static str, message: &'static str) -> Self {
        self.refused.push(Refusal { fields, status, path, message });
        self
    }

    /// Adds a valid value.
    fn also(mut self, sent: Value, shown: Value) -> Self {
        self.good.push((sent, shown));
        self
    }

    /// Adds a rejected value of the field itself.
    fn invalid(self, value: &Value, path: &'static str, message: &'static str) -> Self {
        let fields = json!({self.name: value});
        self.refused(422, fields, path, message)
    }

    fn malformed(self, value: &Value, path: &'static str, message: &'static str) -> Self {
        let fields = json!({self.name: value});
        self.refused(400, fields, path, message)
    }
}

/// Pairs of bounds, and whether they are shown when unset.
const BOUNDS: &[(&str, &str, bool)] = &[
    ("budgetMin", "budgetMax", true),
    ("pricePerMeterMin", "pricePerMeterMax", true),
    ("surfaceMin", "surfaceMax", true),
    ("landSurfaceMin", "landSurfaceMax", true),
    ("roomMin", "roomMax", true),
    ("bedroomMin", "bedroomMax", true),
    ("advertPriceMin", "advertPriceMax", true),
    ("priceExcludingFeesMin", "priceExcludingFeesMax", false),
    ("feesPercentageMin", "feesPercentageMax", false),
    ("condominiumFeesMin", "condominiumFeesMax", false),
    ("inventoryPriceMin", "inventoryPriceMax", false),
    ("rentalChargesMin", "rentalChargesMax", false),
    ("rentalPledgeMin", "rentalPledgeMax", false),
    ("renterFeesMin", "renterFeesMax", false),
    ("lotCountMin", "lotCountMax", false),
    ("floorQuantityMin", "floorQuantityMax", false),
    ("constructionYearMin", "constructionYearMax", false),
    ("parkingCountMin", "parkingCountMax", false),
    ("energyValueMin", "energyValueMax", false),
    ("greenHouseGasValueMin", "greenHouseGasValueMax", false),
    ("eventPriceVariationMin", "eventPriceVariationMax", false),
    ("eventSurfaceVariationMin", "eventSurfaceVariationMax", false),
];

/// Returns the table.
pub fn rows() -> Vec<Row> {
    let bounds = BOUNDS
        .iter()
        .flat_map(|(low, high, always)| [bound(low, low, high, *always), bound(high, low, high, *always)]);
    bounds
        .chain(choices())
        .chain(flags())
        .chain(places())
        .chain(references())
        .chain(texts())
        .chain(settings())
        .collect()
}

fn numbers() -> [(Value, Value); 5] {
    [
        (json!(20), json!(20)),
        (json!("20"), json!(20)),
        (json!("48.86"), json!(48.86)),
        (json!(20.0), json!(20)),
        (json!(0), json!(0)),
    ]
}

fn no_numbers() -> [Value; 5] {
    [json!("vingt"), json!(true), json!([1]), json!({"a": 1}), json!("1 000")]
}

fn bound(name: &'static str, low: &'static str, high: &'static str, always: bool) -> Row {
    Row::new(name, &numbers()).unset(always.then_some(Value::Null)).wrong(&no_numbers()).refused(
        422,
        json!({low: 3, high: "2"}),
        low,
        "is greater than the upper bound",
    )
}

fn list(name: &'static str, good: &[(Value, Value)]) -> Row {
    Row::new(name, good).unset(Some(json!([])))
}

/// Fields with a list of codes, and fields with one code.
fn choices() -> Vec<Row> {
    let one = |name, code: u8| {
        let sent = [json!(code), json!(code.to_string()), json!([code]), json!([code.to_string()])];
        let row = Row::new(name, &sent.map(|sent| (sent, json!(code))));
        row.wrong(&[json!("x"), json!(true), json!([code, code]), json!({"a": 1})])
            .invalid(&json!(9), name, "The value 9 is not a valid choice")
            .invalid(&json!(0.5), name, "The value 0.5 is not a valid choice")
    };
    let some = |name| {
        let good = [
            (json!([1, 0]), json!([1, 0])),
            (json!(1), json!([1])),
            (json!("1"), json!([1])),
            (json!(["0", 1, 1]), json!([0, 1])),
        ];
        let row = list(name, &good);
        row.wrong(&[json!("x"), json!(true), json!({"a": 1}), json!([[1]]), json!([null])])
    };
    let letters = |name| {
        let good = [(json!(["B", "a"]), json!(["B", "A"])), (json!("c"), json!(["C"]))];
        list(name, &good).unset(None).wrong(&[json!(1), json!([true]), json!({"a": 1})])
    };
    vec![
        Row { need: Need::Required, ..one("transactionType", 1) },
        Row {
            need: Need::Required,
            ..some("propertyTypes").invalid(
                &json!([1, 7]),
                "propertyTypes[1]",
                "The value 7 is not a valid choice",
            )
        },
        some("publisherTypes").invalid(
            &json!(2),
            "publisherTypes",
            "the choices are 0 Individual, 1 Professional",
        ),
        one("feesResponsibility", 1).unset(None),
        one("geoAccuracy", 2),
        letters("energyCategories").invalid(&json!(["A", "H"]), "energyCategories[1]", "A, B, C, D, E, F, G"),
        letters("greenHouseGasCategories").invalid(
            &json!("AA"),
            "greenHouseGasCategories",
            "\"AA\" is not a valid choice",
        ),
    ]
}

fn flags() -> Vec<Row> {
    let flag = |name, unset: Option<Value>| {
        let good = [
            (json!(true), json!(true)),
            (json!(false), json!(false)),
            (json!(1), json!(true)),
            (json!(0), json!(false)),
            (json!("TRUE"), json!(true)),
            (json!("0"), json!(false)),
        ];
        Row::new(name, &good).unset(unset).wrong(&[
            json!("oui"),
            json!(2),
            json!([]),
            json!({}),
            json!([true]),
        ])
    };
    vec![
        flag("furnished", Some(Value::Null)),
        flag("withVirtualTour", Some(Value::Null)),
        flag("withLocation", None),
        flag("priceOnRequest", None),
        flag("lifeAnnuity", None),
        flag("newBuilding", None),
        flag("exclusiveMandate", None),
        flag("occupied", None),
        flag("withCoherentPrice", Some(json!(true))).also(json!(null), json!(false)),
        flag("hidePropertyContact", Some(json!(false))),
        flag("notificationEnabled", Some(json!(false))),
    ]
}

fn places() -> Vec<Row> {
    let number = |name| Row::new(name, &numbers()).wrong(&no_numbers());
    let triangle = json!([[[2, 48], [3, 48], [2.5, 49]]]);
    let shapes = [
        (triangle.clone(), triangle.clone()),
        (json!([[["2", "48"], ["3", "48"], ["2.5", "49"]]]), triangle.clone()),
        (json!("[[[2,48],[3,48],[2.5,49]]]"), triangle),
    ];
    vec![
        number("lat").invalid(&json!(91), "lat", "91 is not between -90 and 90"),
        number("lon").invalid(&json!("-180.5"), "lon", "-180.5 is not between -180 and 180"),
        number("radius").invalid(&json!(-1), "radius", "-1 is not between 0 and 20040 kilometres").invalid(
            &json!(30000),
            "radius",
            "30000 is not between 0 and 20040 kilometres",
        ),
        list("geoShapes", &shapes)
            .wrong(&[json!(5), json!("rond"), json!(true), json!({"a": 1})])
            .malformed(&json!([[[2, 98], [3, 48], [2.5, 49]]]), "geoShapes[0][0]", "a point on the globe")
            .invalid(&json!([[[2, 48], [3, 48]]]), "geoShapes[0]", "3 to 1000 corners"),
    ]
}

fn references() -> Vec<Row> {
    let by_id = |row: Row| Row { shown: Shown::ById, ..row };
    let cities = |name, unknown_path, wrong_path| {
        let tours = json!(["/cities/37261"]);
        let good = [
            (json!(["/cities/37261", "75056"]), json!(["/cities/37261", "/cities/75056"])),
            (json!(["cities/37261"]), tours.clone()),
            (json!([37261, "37261"]), tours.clone()),
            (json!("/cities/37261"), tours.clone()),
            (json!({"@id": "/cities/37261", "name": "Tours"}), tours.clone()),
            (json!([{"@id": "/cities/37261"}]), tours),
        ];
        by_id(list(name, &good))
            .wrong(&[json!([true]), json!({"name": "Tours"}), json!([[37261]]), json!([null]), json!(1.5)])
            .malformed(&json!([37261, "Tours"]), wrong_path, "\"Tours\" is not a reference to a city")
            .malformed(&json!([37261, "/departments/37"]), wrong_path, "is not a reference to a city")
            .malformed(&json!(["/cities/9"]), unknown_path, "Item not found for \"/cities/9\".")
    };
    let departments = [
        (json!(["/departments/37", "2A"]), json!(["/departments/37", "/departments/201"])),
        (json!("/departments/06"), json!(["/departments/6"])),
        (json!([{"@id": "/departments/37"}]), json!(["/departments/37"])),
    ];
    let sites = |name, unknown_path, wrong_path| {
        let good = [
            (json!(["/sites/1", "agence.fr"]), json!(["/sites/1", "/sites/2"])),
            (json!(1), json!(["/sites/1"])),
            (json!("https://www.portail.fr/x"), json!(["/sites/1"])),
            (json!([{"@id": "/sites/2"}]), json!(["/sites/2"])),
            (json!(["pas-encore.fr"]), json!(["pas-encore.fr"])),
        ];
        list(name, &good)
            .wrong(&[json!([true]), json!({"name": "portail.fr"}), json!([[1]])])
            .malformed(&json!([1, "/sites/portail.fr"]), wrong_path, "is not a reference to a site")
            .malformed(&json!(["/sites/99"]), unknown_path, "Item not found for \"/sites/99\".")
    };
    let categories = |name, unknown_path, wrong_path| {
        let good = [
            (json!(["/site_categories/1"]), json!(["/site_categories/1"])),
            (json!(1), json!(["/site_categories/1"])),
            (json!("portails"), json!(["/site_categories/1"])),
            (json!([{"@id": "/site_categories/1"}]), json!(["/site_categories/1"])),
        ];
        by_id(list(name, &good))
            .wrong(&[json!([true]), json!({"name": "Portails"}), json!([[1]])])
            .malformed(&json!([1, "/sites/1"]), wrong_path, "is not a reference to a category of sites")
            .malformed(
                &json!(["/site_categories/9"]),
                unknown_path,
                "Item not found for \"/site_categories/9\".",
            )
    };
    let zipcodes = |name, wrong_path| {
        let good = [
            (json!(["37000", 6000]), json!(["37000", "06000"])),
            (json!(37000), json!(["37000"])),
            (json!("37000"), json!(["37000"])),
            (json!(["99999"]), json!(["99999"])),
        ];
        list(name, &good).wrong(&[json!([true]), json!({"a": 1}), json!([["37000"]])]).malformed(
            &json!(["37000", "Tours!"]),
            wrong_path,
            "\"Tours!\" is not a zipcode",
        )
    };
    let codes = |name, unknown_path, wrong_path, always: bool| {
        let good = [
            (json!(["37261", "2a004"]), json!(["37261", "2A004"])),
            (json!(37261), json!(["37261"])),
            (json!("37261"), json!(["37261"])),
        ];
        list(name, &good)
            .unset(always.then(|| json!([])))
            .wrong(&[json!([true]), json!({"a": 1}), json!([["37261"]])])
            .malformed(&json!(["37261", "Tours"]), wrong_path, "\"Tours\" is not an INSEE code")
            .malformed(&json!(["99999"]), unknown_path, "Item not found for \"99999\".")
    };
    let property = "/properties/0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";
    let properties = [
        (json!([property]), json!([property])),
        (json!(&property[12..]), json!([property])),
        (json!([format!("/documents{property}"), property]), json!([property])),
    ];
    vec![
        cities("includedCities", "includedCities[0]", "includedCities[1]"),
        cities("excludedCities", "excludedCities[0]", "excludedCities[1]"),
        by_id(list("includedDepartments", &departments))
            .wrong(&[json!([true]), json!({"name": "Indre-et-Loire"}), json!([[37]])])
            .malformed(&json!(["/cities/37"]), "includedDepartments[0]", "is not a reference to a department")
            .malformed(
                &json!([37, "/departments/99"]),
                "includedDepartments[1]",
                "Item not found for \"/departments/99\".",
            ),
        zipcodes("includedZipcodes", "includedZipcodes[1]"),
        zipcodes("excludedZipcodes", "excludedZipcodes[1]"),
        codes("includedInseeCodes", "includedInseeCodes[0]", "includedInseeCodes[1]", true),
        codes("excludedInseeCodes", "excludedInseeCodes[0]", "excludedInseeCodes[1]", false),
        sites("includedSites", "includedSites[0]", "includedSites[1]"),
        sites("excludedSites", "excludedSites[0]", "excludedSites[1]"),
        categories("includedSiteCategories", "includedSiteCategories[0]", "includedSiteCategories[1]"),
        categories("excludedSiteCategories", "excludedSiteCategories[0]", "excludedSiteCategories[1]"),
        list("excludedProperties", &properties)
            .unset(None)
            .wrong(&[json!([true]), json!({"a": 1}), json!([[1]])])
            .malformed(
                &json!(["/properties/1"]),
                "excludedProperties[0]",
                "is not a reference to a property",
            ),
    ]
}

fn texts() -> Vec<Row> {
    let title = Row::new("title", &[(json!("Maison"), json!("Maison")), (json!("  Été \n"), json!("Été"))]);
    let long = "é".repeat(1_001);
    let balcony = json!([[{"word": "balcon", "options": {"includes": true, "strict": false}}]]);
    let both = json!([
        [{"word": "vis-à-vis", "options": {"includes": false, "strict": true}}],
        [{"word": "balcon", "options": {"includes": true, "strict": false}}],
    ]);
    let query = "expressions[0][0][word]=vis-%C3%A0-vis&expressions[0][0][options][includes]=false\
                 &expressions[0][0][options][strict]=true&expressions[1][0][value]=balcon";
    let forms = [
        (both.clone(), both.clone()),
        (json!(query), both.clone()),
        (json!(both.to_string()), both),
        (json!("balcon"), balcony.clone()),
        (json!(["balcon"]), balcony.clone()),
        (json!([{"value": "balcon"}]), balcony.clone()),
        (json!({"0": {"0": {"word": "balcon"}}}), balcony),
    ];
    let groups = vec![json!([{"word": "balcon"}]); 51];
    vec![
        Row { need: Need::Required, ..title }
            .wrong(&[json!(5), json!(true), json!(["Maison"]), json!({"a": 1})])
            .invalid(&json!(long), "title", "too long: 1001 characters given, at most 1000 allowed")
            .invalid(&json!("a\u{0}b"), "title", "control character")
            .invalid(&json!("a\nb"), "title", "line breaks")
            .invalid(&json!("a\r\nBcc: c@d.example"), "title", "line breaks")
            .invalid(&json!("a\tb"), "title", "line breaks")
            .invalid(&json!("a\u{85}b"), "title", "control character")
            .invalid(&json!("a\u{2028}b"), "title", "line breaks"),
        list(
            "features",
            &[
                (json!(["Place de parking", "cave"]), json!(["Place de parking", "cave"])),
                (json!("cave"), json!(["cave"])),
                (json!([" cave ", "cave"]), json!(["cave"])),
                (json!(["60m2", 3]), json!(["60m2", "3"])),
            ],
        )
        .unset(None)
        .wrong(&[json!(true), json!({"a": 1}), json!([["cave"]])])
        .invalid(&json!(["cave", "!!!"]), "features[1]", "\"!!!\" has no letters or digits")
        .invalid(&json!("é".repeat(201)), "features", "201 characters given, at most 200 allowed")
        .invalid(
            &json!((0..21).map(|number| format!("f{number}")).collect::<Vec<_>>()),
            "features",
            "Too many features: 21",
        ),
        list("expressions", &forms)
            .wrong(&[json!(5), json!(true), json!({"a": "b"})])
            .malformed(&json!([[{"word": {}}]]), "expressions[0][0][word]", "must be a string")
            .invalid(&json!(groups), "expressions", "Too many groups: 51 given, at most 50 allowed")
            .invalid(&json!([[{"options": {}}]]), "expressions[0][0]", "no word")
            .invalid(&json!("!!!"), "expressions", "no letters or digits"),
    ]
}

fn settings() -> Vec<Row> {
    let address = "https://Hook.example:8443/a%20b?token=X%2Fy&z=é";
    let endpoint = |name| {
        Row::new(
            name,
            &[(json!(address), json!(address)), (json!(" https://a.example "), json!("https://a.example"))],
        )
        .wrong(&[json!(5), json!(true), json!(["https://a.example"]), json!({"a": 1})])
        .invalid(&json!("http://a.example/"), name, "https://. Given: \"http://a.example/\".")
        .invalid(&json!("pas une adresse"), name, "not a valid URL. Given: \"pas une adresse\".")
        .invalid(&json!("https://user:pass@a.example/"), name, "user name or a password")
        .invalid(&json!(format!("https://a.example/{}", "x".repeat(2_048))), name, "too long")
    };
    let events = [
        (json!(["property.ad.update", "ad.update.price"]), json!(["ad.update.price", "property.ad.update"])),
        (json!("ad.update.expired"), json!(["ad.update.expired"])),
        (json!(["ad.update.price", "ad.update.price"]), json!(["ad.update.price"])),
    ];
    let mail = json!("jean.dupont+biens@agence.example");
    vec![
        Row::new("notificationRecipient", &[(mail.clone(), mail)])
            .wrong(&[json!(5), json!(["a@b.fr"]), json!({"a": 1})])
            .invalid(&json!("jean"), "notificationRecipient", "not a valid email address. Given: \"jean\".")
            .invalid(&json!("a@b.fr, c@d.fr"), "notificationRecipient", "not a valid email address"),
        endpoint("endpointRecipient"),
        endpoint("eventEndpoint"),
        list("subscribedEvents", &events).wrong(&[json!(5), json!([true]), json!({"a": 1})]).invalid(
            &json!(["ad.update.price", "ad.sold"]),
            "subscribedEvents[1]",
            "\"ad.sold\" is not a valid event",
        ),
    ]
}

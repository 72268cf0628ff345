//! OpenImmo 1.2.7: the XML of German agency software, in use in Alsace, Switzerland, Luxembourg and Austria as well.

use serde_json::{Map, Value};

use crate::advert::{is_yes, push_text, put, put_text};
use crate::xml::{Node, XmlFormat};

/// The sender of the adverts that follow it.
#[derive(Default)]
pub(crate) struct OpenImmo {
    company: Option<String>,
}

/// The kinds of properties: elements below `objektart`, with their code.
const TYPES: &[(&str, u8)] = &[
    ("zimmer", 0),
    ("wohnung", 0),
    ("haus", 1),
    ("zinshaus_renditeobjekt", 2),
    ("parken", 3),
    ("buero_praxen", 4),
    ("grundstueck", 5),
    ("land_und_forstwirtschaft", 5),
    ("einzelhandel", 6),
    ("gastgewerbe", 6),
    ("hallen_lager_prod", 6),
    ("freizeitimmobilie_gewerblich", 6),
];

/// Elements whose text becomes a field as it is. Among those of one field, the first that has a text counts.
const TEXTS: &[(&str, &str)] = &[
    ("geo/plz", "zipcode"),
    ("geo/ort", "cityName"),
    ("geo/regionaler_zusatz", "district"),
    ("geo/etage", "floor"),
    ("geo/anzahl_etagen", "floorQuantity"),
    ("kontaktperson/firma", "contact.agency"),
    ("kontaktperson/email_direkt", "contact.email"),
    ("kontaktperson/email_zentrale", "contact.email"),
    ("kontaktperson/tel_durchw", "contact.phone"),
    ("kontaktperson/tel_handy", "contact.phone"),
    ("kontaktperson/tel_zentrale", "contact.phone"),
    ("kontaktperson/tel_fax", "contact.fax"),
    ("flaechen/wohnflaeche", "surface"),
    ("flaechen/bueroflaeche", "surface"),
    ("flaechen/ladenflaeche", "surface"),
    ("flaechen/verkaufsflaeche", "surface"),
    ("flaechen/nutzflaeche", "surface"),
    ("flaechen/gesamtflaeche", "surface"),
    ("flaechen/grundstuecksflaeche", "landSurface"),
    ("flaechen/anzahl_zimmer", "room"),
    ("flaechen/anzahl_schlafzimmer", "bedroom"),
    ("flaechen/anzahl_stellplaetze", "parkingCount"),
    ("flaechen/anzahl_wohneinheiten", "lotCount"),
    ("zustand_angaben/baujahr", "constructionYear"),
    ("zustand_angaben/energiepass/wertklasse", "energy.category"),
    ("zustand_angaben/energiepass/endenergiebedarf", "energy.value"),
    ("zustand_angaben/energiepass/energieverbrauchkennwert", "energy.value"),
    ("freitexte/objekttitel", "title"),
    ("verwaltung_techn/openimmo_obid", "reference"),
    ("verwaltung_techn/objektnr_extern", "reference"),
    ("verwaltung_techn/objektnr_intern", "reference"),
    ("verwaltung_techn/objektnr_extern", "contact.reference"),
    ("verwaltung_techn/stand_vom", "updatedAt"),
    ("verwaltung_objekt/vermietet", "occupied"),
];

/// Fields that are counts. The format writes them with decimals, and knows half rooms; an advert has whole ones.
const COUNTS: &[&str] = &["floor", "floorQuantity", "room", "bedroom", "parkingCount", "lotCount"];

/// The texts of an advert, which together are its description.
const DESCRIPTION: &[&str] = &[
    "freitexte/dreizeiler",
    "freitexte/objektbeschreibung",
    "freitexte/ausstatt_beschr",
    "freitexte/lage",
    "freitexte/sonstige_angaben",
];

/// Elements of `ausstattung` that say yes or no about a feature, with its French name.
const FEATURES: &[(&str, &str)] = &[
    ("kamin", "cheminée"),
    ("klimatisiert", "climatisation"),
    ("gartennutzung", "jardin"),
    ("swimmingpool", "piscine"),
    ("sauna", "sauna"),
    ("wintergarten", "véranda"),
    ("rollstuhlgerecht", "accès handicapés"),
    ("barrierefrei", "accès handicapés"),
    ("abstellraum", "débarras"),
    ("dachboden", "grenier"),
    ("gaestewc", "toilettes séparées"),
];

/// Attributes of `heizungsart` and `befeuerung`, in French.
const HEATING: &[(&str, &str)] = &[
    ("OFEN", "poêle"),
    ("ETAGE", "individuel"),
    ("ZENTRAL", "central"),
    ("FERN", "réseau de chaleur"),
    ("FUSSBODEN", "sol"),
    ("OEL", "fioul"),
    ("GAS", "gaz"),
    ("ELEKTRO", "électrique"),
    ("ALTERNATIV", "énergie renouvelable"),
    ("SOLAR", "solaire"),
    ("ERDWAERME", "géothermie"),
    ("LUFTWP", "pompe à chaleur"),
    ("PELLET", "granulés"),
    ("HOLZ", "bois"),
    ("BLOCK", "cogénération"),
    ("KOHLE", "charbon"),
    ("FLUESSIGGAS", "gaz liquide"),
    ("WASSER-ELEKTRO", "électrique"),
];

/// Attachments that are pictures. Others are documents, films and the logo of the agency.
const PICTURES: &[&str] =
    &["TITELBILD", "BILD", "INNENANSICHTEN", "AUSSENANSICHTEN", "GRUNDRISS", "PANORAMA"];

impl XmlFormat for OpenImmo {
    const NAMES: &'static [&'static str] = &["immobilie", "firma"];

    fn context(&mut self, node: &Node) {
        self.company = Some(node.peek().to_owned());
    }

    fn advert(&self, node: &Node) -> Map<String, Value> {
        let mut advert = Map::new();
        for (path, field) in TEXTS {
            if crate::advert::get(&advert, field).is_none()
                && let Some(text) = node.text(path, field)
            {
                put(&mut advert, field, if COUNTS.contains(field) { count(text) } else { Value::from(text) });
            }
        }
        category(node, &mut advert);
        prices(node, &mut advert);
        self.publisher(node, &mut advert);
        if let Some(point) = node.find("geo/geokoordinaten") {
            for (name, field) in [("breitengrad", "locations.lat"), ("laengengrad", "locations.lon")] {
                put_text(&mut advert, field, point.attribute(name, field).unwrap_or_default());
            }
        }
        if let Some(country) = node.find("geo/land").and_then(|land| land.attribute("iso_land", "country")) {
            put_text(&mut advert, "country", country);
        }
        let texts: Vec<&str> = DESCRIPTION.iter().filter_map(|path| node.text(path, "description")).collect();
        put_text(&mut advert, "description", &texts.join("\n\n"));
        equipment(node, &mut advert);
        attachments(node, &mut advert);
        if is_gone(node) {
            put(&mut advert, "expired", Value::from(true));
        }
        advert
    }
}

impl OpenImmo {
    fn publisher(&self, node: &Node, advert: &mut Map<String, Value>) {
        let person = node.find("kontaktperson");
        let names = ["vorname", "name"];
        let parts: Vec<&str> = names.iter().filter_map(|name| person?.text(name, "contact.name")).collect();
        put_text(advert, "contact.name", &parts.join(" "));
        if let Some(company) = &self.company {
            put_text(advert, "publisher.name", company);
            if crate::advert::get(advert, "contact.agency").is_none() {
                put_text(advert, "contact.agency", company);
            }
        }
        put(advert, "publisher.type", Value::from(1));
    }
}

fn count(text: &str) -> Value {
    match text.replace(',', ".").parse::<f64>() {
        Ok(number) if number.abs() < 100_000.0 => Value::from(number.floor() as i64),
        _ => Value::from(text),
    }
}

/// Returns `true` if the advert is deleted, or shown only as a reference of the agency, or if the property is sold.
fn is_gone(node: &Node) -> bool {
    let action = node.find("verwaltung_techn/aktion").and_then(|it| it.attribute("aktionart", "expired"));
    let state = node.find("zustand_angaben/verkaufstatus").and_then(|it| it.attribute("stand", "expired"));
    let is = |value: Option<&str>, word: &str| value.is_some_and(|value| value.eq_ignore_ascii_case(word));
    is(action, "DELETE") || is(action, "REFERENZ") || is(state, "VERKAUFT")
}

fn category(node: &Node, advert: &mut Map<String, Value>) {
    let marketing = node.find("objektkategorie/vermarktungsart");
    let kinds = marketing.map(|it| it.flags("transactionType")).unwrap_or_default();
    let is = |name: &str| kinds.iter().any(|kind| kind.eq_ignore_ascii_case(name));
    let transaction = match (is("KAUF") || is("ERBPACHT"), is("MIETE_PACHT") || is("LEASING")) {
        (true, false) => Some(0),
        (false, true) => Some(1),
        // Offered for both: the price tells which one is meant.
        (true, true) => {
            Some(u8::from(node.find("preise/kaufpreis").is_none_or(|price| price.peek().is_empty())))
        }
        (false, false) => None,
    };
    if let Some(transaction) = transaction {
        put(advert, "transactionType", Value::from(transaction));
    }
    let kind = node.find("objektkategorie/objektart").and_then(|kinds| kinds.children().first());
    if let Some(kind) = kind {
        let code = TYPES.iter().find(|(name, _)| *name == kind.name());
        let value =
            code.map_or_else(|| Value::String(kind.name().to_owned()), |(_, code)| Value::from(*code));
        // An apartment building is a kind of house in this format.
        let building = kind.attribute("haustyp", "propertyType").is_some_and(|it| it == "MEHRFAMILIENHAUS");
        put(advert, "propertyType", if building { Value::from(2) } else { value });
    }
}

/// Reads the prices. Prices in other currencies are left out: an advert has euros.
fn prices(node: &Node, advert: &mut Map<String, Value>) {
    let currency = node.find("preise/waehrung").and_then(|it| it.attribute("iso_waehrung", "price"));
    if currency.is_some_and(|code| !code.eq_ignore_ascii_case("eur")) {
        return;
    }
    let rented = advert.get("transactionType").and_then(Value::as_u64) == Some(1);
    // The rent is what the tenant pays in total, where that is given.
    let prices: &[&str] = if rented {
        &[
            "preise/warmmiete",
            "preise/gesamtmietenetto",
            "preise/kaltmiete",
            "preise/nettokaltmiete",
            "preise/pauschalmiete",
        ]
    } else {
        &["preise/kaufpreis", "preise/kaufpreisbrutto", "preise/kaufpreisnetto"]
    };
    if let Some(price) = prices.iter().find_map(|path| node.text(path, "price")) {
        put_text(advert, "price", price);
    }
    let rest: &[(&str, &str)] = if rented {
        &[("preise/nebenkosten", "rentalCharges"), ("preise/kaution", "rentalPledge")]
    } else {
        &[]
    };
    for (path, field) in rest {
        if let Some(text) = node.text(path, field) {
            put_text(advert, field, text);
        }
    }
    // Paid by month here, by year in an advert.
    if !rented && let Some(text) = node.text("preise/hausgeld", "condominiumFees") {
        match text.replace(',', ".").parse::<f64>() {
            Ok(month) => put(advert, "condominiumFees", Value::from((month * 1_200.0).round() / 100.0)),
            Err(_) => put_text(advert, "condominiumFees", text),
        }
    }
}

fn equipment(node: &Node, advert: &mut Map<String, Value>) {
    let Some(equipment) = node.find("ausstattung") else { return };
    for (name, feature) in FEATURES {
        let known = advert
            .get("features")
            .and_then(Value::as_array)
            .is_some_and(|it| it.iter().any(|it| it == feature));
        if equipment.text(name, "features").is_some_and(is_yes) && !known {
            push_text(advert, "features", feature);
        }
    }
    if equipment.find("unterkellert").is_some_and(|it| it.attribute("keller", "features") == Some("JA")) {
        push_text(advert, "features", "cave");
    }
    let count = |name: &str| node.text(name, "features").and_then(|text| text.parse::<f64>().ok());
    for (name, feature) in [("flaechen/anzahl_balkone", "balcon"), ("flaechen/anzahl_terrassen", "terrasse")]
    {
        if count(name).is_some_and(|count| count > 0.0) {
            push_text(advert, "features", feature);
        }
    }
    if let Some(elevator) = equipment.find("fahrstuhl") {
        let has_one = !elevator.flags("elevator").is_empty();
        // Software writes the element for every advert: without the attribute for persons, it does not say that there is none.
        if has_one || elevator.peek_attribute("PERSONEN").is_some_and(|text| !text.is_empty()) {
            put(advert, "elevator", Value::from(has_one));
        }
    }
    if let Some(furnished) = equipment.find("moebliert").and_then(|it| it.attribute("moeb", "furnished")) {
        put(advert, "furnished", Value::from(furnished.eq_ignore_ascii_case("voll")));
    }
    let heating = ["befeuerung", "heizungsart"].into_iter().filter_map(|name| equipment.find(name));
    let words: Vec<&str> = heating
        .flat_map(|it| it.flags("heating"))
        .filter_map(|flag| HEATING.iter().find(|(name, _)| *name == flag).map(|(_, word)| *word))
        .collect();
    put_text(advert, "heating", &words.join(" "));
}

/// Reads the addresses of pictures. The names of files that were sent beside the document are reported as not used.
fn attachments(node: &Node, advert: &mut Map<String, Value>) {
    for attachment in node.all("anhaenge/anhang") {
        let group = attachment.attribute("gruppe", "pictures").unwrap_or("BILD").to_uppercase();
        let Some(path) = attachment.find("daten/pfad") else { continue };
        let address = path.peek().to_ascii_lowercase();
        if !address.starts_with("http://") && !address.starts_with("https://") {
            continue;
        }
        if PICTURES.contains(&group.as_str()) {
            push_text(advert, "pictures", path.own_text("pictures").unwrap_or_default());
        } else if group == "FILMLINK" || group == "PANORAMA_LINK" {
            put_text(advert, "virtualTour", path.own_text("virtualTour").unwrap_or_default());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elevator_is_unknown_unless_the_feed_says_so() {
        let check = |element: &str, expected: Option<bool>| {
            let text = format!("<immobilie><ausstattung>{element}</ausstattung></immobilie>");
            let advert = OpenImmo::default().advert(&Node::parse(&text).unwrap());
            assert_eq!(advert.get("elevator").and_then(Value::as_bool), expected, "{element}");
        };
        check("", None);
        check("<fahrstuhl/>", None);
        check("<fahrstuhl PERSONEN=\"\"/>", None);
        check("<fahrstuhl LASTEN=\"false\"/>", None);
        check("<fahrstuhl PERSONEN=\"false\"/>", Some(false));
        check("<fahrstuhl PERSONEN=\"true\" LASTEN=\"false\"/>", Some(true));
        check("<fahrstuhl LASTEN=\"1\"/>", Some(true));
    }
}

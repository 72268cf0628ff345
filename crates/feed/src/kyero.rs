//! Kyero 3: the XML of portals for property in Spain, France, Portugal and Italy.

use serde_json::{Map, Value};

use crate::advert::{is_yes, push_text, put, put_text};
use crate::mapping::fold;
use crate::xml::{Node, XmlFormat};

pub(crate) struct Kyero;

/// The languages of texts, in the order in which we take them.
const LANGUAGES: &[&str] = &["fr", "en"];

/// Nouns of English, with the code of their kind. The last noun of a name counts: an apartment building is a building.
const NOUNS: &[(&str, u8)] = &[
    ("apartment", 0),
    ("condo", 0),
    ("condominium", 0),
    ("duplex", 0),
    ("flat", 0),
    ("loft", 0),
    ("maisonette", 0),
    ("penthouse", 0),
    ("studio", 0),
    ("triplex", 0),
    ("bungalow", 1),
    ("cabin", 1),
    ("castle", 1),
    ("chalet", 1),
    ("chateau", 1),
    ("château", 1),
    ("conversion", 1),
    ("cottage", 1),
    ("farm", 1),
    ("farmhouse", 1),
    ("guesthouse", 1),
    ("home", 1),
    ("house", 1),
    ("manor", 1),
    ("mansion", 1),
    ("mill", 1),
    ("palace", 1),
    ("ruin", 1),
    ("townhouse", 1),
    ("villa", 1),
    ("windmill", 1),
    ("barn", 2),
    ("block", 2),
    ("building", 2),
    ("garage", 3),
    ("parking", 3),
    ("storage", 3),
    ("office", 4),
    ("farmland", 5),
    ("land", 5),
    ("plot", 5),
    ("vineyard", 5),
    ("b&b", 6),
    ("bar", 6),
    ("business", 6),
    ("café", 6),
    ("cafe", 6),
    ("campsite", 6),
    ("factory", 6),
    ("hostel", 6),
    ("hotel", 6),
    ("pub", 6),
    ("restaurant", 6),
    ("shop", 6),
    ("store", 6),
    ("warehouse", 6),
];

/// Nouns of Spanish, French, Portuguese and Italian, which stand before the words that describe them: the first one counts.
const ROMANCE_NOUNS: &[(&str, u8)] = &[
    ("apartamento", 0),
    ("appartamento", 0),
    ("appartement", 0),
    ("atico", 0),
    ("ático", 0),
    ("estudio", 0),
    ("estúdio", 0),
    ("piso", 0),
    ("bastide", 1),
    ("casa", 1),
    ("casale", 1),
    ("cortijo", 1),
    ("cueva", 1),
    ("ferme", 1),
    ("finca", 1),
    ("gite", 1),
    ("gîte", 1),
    ("longere", 1),
    ("longère", 1),
    ("maison", 1),
    ("manoir", 1),
    ("mas", 1),
    ("masia", 1),
    ("masía", 1),
    ("molino", 1),
    ("moradia", 1),
    ("moulin", 1),
    ("pavillon", 1),
    ("quinta", 1),
    ("ruina", 1),
    ("ruína", 1),
    ("ruine", 1),
    ("edificio", 2),
    ("edifício", 2),
    ("grange", 2),
    ("immeuble", 2),
    ("prédio", 2),
    ("estacionamento", 3),
    ("garagem", 3),
    ("garaje", 3),
    ("trastero", 3),
    ("bureau", 4),
    ("bureaux", 4),
    ("escritório", 4),
    ("oficina", 4),
    ("ufficio", 4),
    ("parcela", 5),
    ("parcelle", 5),
    ("solar", 5),
    ("terrain", 5),
    ("terreno", 5),
    ("vignoble", 5),
    ("viñedo", 5),
    ("almacen", 6),
    ("almacén", 6),
    ("armazém", 6),
    ("boutique", 6),
    ("commerce", 6),
    ("entrepôt", 6),
    ("hôtel", 6),
    ("local", 6),
    ("loja", 6),
    ("nave", 6),
    ("negozio", 6),
    ("tienda", 6),
];

/// Words that describe a kind, and mean it if no noun is there: `Semi-detached`, `Commercial property`.
const ADJECTIVES: &[(&str, u8)] = &[
    ("adosado", 1),
    ("detached", 1),
    ("estate", 1),
    ("pareado", 1),
    ("quad", 1),
    ("terraced", 1),
    ("commercial", 6),
    ("industrial", 6),
    ("premises", 6),
    ("retail", 6),
];

/// Words before what comes with the property, or is near it. What follows says nothing about its kind.
const EXTRAS: &[&str] = &[
    "with",
    "con",
    "avec",
    "com",
    "and",
    "y",
    "et",
    "e",
    "&",
    "+",
    "plus",
    "including",
    "incl",
    "in",
    "near",
    "for",
    "to",
    "en",
    "pour",
    "para",
    "sur",
    "on",
    "at",
    "without",
    "w",
];

/// Words and characters between two names of the kind, or between a part and the whole: `Block of flats`, `Villa / House`.
/// The first part that is known counts.
const ALTERNATIVES: &[&str] =
    &["/", ",", ";", "-", "(", ")", "or", "of", "de", "del", "des", "du", "da", "do", "di"];

/// What `country` says of France, folded. An element without a text says nothing.
const FRANCE: &[&str] = &["", "france", "fr", "fra"];

impl XmlFormat for Kyero {
    const NAMES: &'static [&'static str] = &["property"];

    fn context(&mut self, _node: &Node) {}

    fn advert(&self, node: &Node) -> Map<String, Value> {
        let mut advert = Map::new();
        for (path, field) in [
            ("id", "reference"),
            ("ref", "contact.reference"),
            ("date", "updatedAt"),
            ("town", "cityName"),
            ("postcode", "zipcode"),
            ("country", "country"),
            ("location_detail", "district"),
            ("location/latitude", "locations.lat"),
            ("location/longitude", "locations.lon"),
            ("beds", "bedroom"),
            ("surface_area/built", "surface"),
            ("surface_area/plot", "landSurface"),
            ("virtual_tour_url", "virtualTour"),
            ("email", "contact.email"),
        ] {
            if let Some(text) = node.text(path, field) {
                put_text(&mut advert, field, text);
            }
        }
        add_province(node, &mut advert);
        transaction(node, &mut advert);
        if let Some(text) = node.text("type", "propertyType") {
            put(&mut advert, "propertyType", property_type(text));
        }
        for (path, value, category) in [
            ("energy_rating/consumption", "energy.value", "energy.category"),
            ("energy_rating/emissions", "greenHouseGas.value", "greenHouseGas.category"),
        ] {
            // The format asks for the class, but agencies send the measured value as well.
            let measured = node.find(path).is_some_and(|node| is_number(node.peek()));
            let field = if measured { value } else { category };
            if let Some(text) = node.text(path, field) {
                put_text(&mut advert, field, text);
            }
        }
        for field in ["url", "description"] {
            let name = if field == "url" { "url" } else { "desc" };
            if let Some(text) = node.find(name).and_then(|node| in_language(node, field)) {
                put_text(&mut advert, field, text);
            }
        }
        for feature in node.all("features/feature").filter_map(|feature| feature.own_text("features")) {
            push_text(&mut advert, "features", feature);
        }
        for (path, feature) in [("pool", "piscine"), ("new_build", "neuf")] {
            if node.text(path, "features").is_some_and(is_yes) {
                push_text(&mut advert, "features", feature);
            }
        }
        for image in images(node) {
            if let Some(address) = image.text("url", "pictures") {
                push_text(&mut advert, "pictures", address);
            }
        }
        put(&mut advert, "publisher.type", Value::from(1));
        advert
    }
}

/// Adds the province to the name of a town without a zipcode: many communes of France have the name of another one, and the
/// province is their department. Abroad, there is nothing to tell apart, and the name stays as it is.
fn add_province(node: &Node, advert: &mut Map<String, Value>) {
    let in_france = node.find("country").is_none_or(|node| FRANCE.contains(&fold(node.peek()).as_str()));
    let has_zipcode = node.find("postcode").is_some_and(|node| !node.peek().is_empty());
    let (Some(town), Some(province)) = (node.find("town"), node.find("province")) else { return };
    let said = town.peek().is_empty()
        || town.peek().contains([',', '('])
        || fold(town.peek()) == fold(province.peek());
    if in_france
        && !has_zipcode
        && !said
        && let Some(name) = province.own_text("cityName")
    {
        put_text(advert, "cityName", &format!("{}, {name}", town.peek()));
    }
}

/// Returns the pictures by their numbers if all of them have one, otherwise as they are written.
fn images(node: &Node) -> Vec<&Node> {
    let images: Vec<&Node> = node.all("images/image").collect();
    let number = |image: &&Node| image.peek_attribute("id")?.parse::<u64>().ok();
    let Some(numbers) = images.iter().map(number).collect::<Option<Vec<u64>>>() else { return images };
    let mut numbered: Vec<(u64, &Node)> = numbers.into_iter().zip(images).collect();
    numbered.sort_by_key(|(number, _)| *number);
    numbered
        .into_iter()
        .map(|(_, image)| {
            image.attribute("id", "pictures");
            image
        })
        .collect()
}

/// Reads whether it is a sale, and the price. Prices in other currencies are left out: an advert has euros.
fn transaction(node: &Node, advert: &mut Map<String, Value>) {
    let frequency = node.text("price_freq", "transactionType").unwrap_or("sale").to_lowercase();
    let period = match frequency.as_str() {
        "sale" => None,
        "day" | "week" | "month" | "year" => Some(frequency.as_str()),
        _ => {
            put_text(advert, "transactionType", &frequency);
            return;
        }
    };
    put(advert, "transactionType", Value::from(u8::from(period.is_some())));
    if let Some(period) = period {
        node.text("price_freq", "rentPeriod");
        put_text(advert, "rentPeriod", period);
    }
    let in_euros = node
        .find("currency")
        .is_none_or(|node| node.own_text("price").is_none_or(|code| code.eq_ignore_ascii_case("eur")));
    if in_euros && let Some(price) = node.text("price", "price") {
        put_text(advert, "price", price);
    }
}

fn property_type(text: &str) -> Value {
    match kind(text) {
        Some(code) => Value::from(code),
        None => Value::String(text.to_owned()),
    }
}

/// Returns the code of the kind that a name means, by its head noun: a house with a garage is a house.
fn kind(text: &str) -> Option<u8> {
    let mut spaced = fold(text);
    for separator in ["/", ",", ";", "(", ")", "+", "&"] {
        spaced = spaced.replace(separator, &format!(" {separator} "));
    }
    let mut tokens = spaced.split_whitespace().collect::<Vec<_>>();
    // The only kind whose name has a word of `EXTRAS` inside.
    while let Some(at) = tokens.windows(3).position(is_bed_and_breakfast) {
        tokens.splice(at..at + 3, ["b&b"]);
    }
    let name = tokens.split(|token| EXTRAS.contains(token)).next()?;
    name.split(|token| ALTERNATIVES.contains(token)).find_map(|part| {
        let is_separator = |character: char| !character.is_alphanumeric() && character != '&';
        let words = || part.iter().flat_map(|token| token.split(is_separator));
        words()
            .find_map(|word| code(ROMANCE_NOUNS, word))
            .or_else(|| words().filter_map(|word| code(NOUNS, word)).next_back())
            .or_else(|| words().find_map(|word| code(ADJECTIVES, word)))
    })
}

fn is_bed_and_breakfast(words: &[&str]) -> bool {
    matches!(words, ["bed" | "b", "and" | "&", "breakfast" | "b"])
}

/// Returns the code of a word, which may be a plural.
fn code(codes: &[(&str, u8)], word: &str) -> Option<u8> {
    let forms = [Some(word), word.strip_suffix('s'), word.strip_suffix("es")];
    let known = |form: &str| codes.iter().find(|(known, _)| *known == form).map(|(_, code)| *code);
    forms.into_iter().flatten().find_map(known)
}

/// Returns the text in the first language that there is, or the text of the element itself.
fn in_language<'a>(node: &'a Node, field: &'static str) -> Option<&'a str> {
    let preferred = LANGUAGES.iter().find_map(|language| node.text(language, field));
    preferred
        .or_else(|| node.children().iter().find_map(|child| child.own_text(field)))
        .or_else(|| node.own_text(field))
}

fn is_number(text: &str) -> bool {
    text.starts_with(|character: char| character.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(expected: Option<u8>, names: &[&str]) {
        for name in names {
            let expected = expected.map_or_else(|| Value::from(*name), Value::from);
            assert_eq!(property_type(name), expected, "{name}");
        }
    }

    #[test]
    fn head_noun_decides_the_kind() {
        check(
            Some(0),
            &[
                "Apartment",
                "Apartments",
                "Ground floor apartment",
                "Apartment with garage",
                "Studio flat",
                "PENTHOUSE",
            ],
        );
        check(
            Some(1),
            &[
                "Town House",
                "Country house / Villa",
                "Semi-detached villa",
                "House with garage",
                "Villa with pool and garage",
                "Villa, pool, garage",
                "House & garage",
                "House&garage",
                "Farm house",
                "Barn conversion",
                "Wooden home",
                "Mobile home",
                "Log cabin",
                "Water mill",
                "Ruin",
                "Ruins",
                "House (detached)",
            ],
        );
        check(
            Some(2),
            &[
                "Apartment building",
                "Block of flats",
                "Building",
                "Building with land",
                "Barn",
                "Office building",
            ],
        );
        check(
            Some(3),
            &["Parking space", "Garage", "Underground parking", "Storage room", "Place de parking"],
        );
        check(Some(4), &["Office", "Offices", "Office space"]);
        check(
            Some(5),
            &[
                "Land",
                "Land / Plot",
                "Building plot",
                "Building land",
                "Farm land",
                "Land with house",
                "Land for building",
                "Piece of land",
                "Commercial land",
                "Vineyard",
            ],
        );
        check(
            Some(6),
            &[
                "Commercial",
                "Commercial property",
                "Shop",
                "Bar",
                "Bar and restaurant",
                "Warehouse",
                "B&B",
                "B & B / Hotel",
            ],
        );
        check(Some(6), &["Bed and Breakfast", "Retail unit", "Industrial estate"]);
    }

    #[test]
    fn first_noun_decides_in_romance_languages() {
        check(Some(0), &["piso", "Ático dúplex", "Apartamento con garaje"]);
        check(
            Some(1),
            &["casa", "Casa de campo", "Finca rústica con almacén", "Maison de village avec garage", "Mas"],
        );
        check(Some(2), &["Edificio de oficinas", "Immeuble"]);
        check(Some(3), &["Plaza de garaje", "Garaje"]);
        check(Some(5), &["Parcela", "Terreno urbano", "Terrain à bâtir", "Solar"]);
        check(Some(6), &["Local comercial", "Nave industrial", "Locales"]);
    }

    #[test]
    fn words_are_matched_as_a_whole() {
        check(None, &["Igloo", "Igloo with garage", "Houseboat", "Barge", "Landing", "", "with garage"]);
    }

    #[test]
    fn province_tells_towns_without_a_zipcode_apart() {
        let check = |elements: &str, expected: Option<&str>| {
            let node = Node::parse(&format!("<property>{elements}</property>")).unwrap();
            let advert = Kyero.advert(&node);
            assert_eq!(advert.get("cityName").and_then(Value::as_str), expected, "{elements}");
        };
        let town = "<town>Saint-Denis</town><province>Seine-Saint-Denis</province>";
        check(town, Some("Saint-Denis, Seine-Saint-Denis"));
        check(&format!("{town}<country>France</country><postcode/>"), Some("Saint-Denis, Seine-Saint-Denis"));
        check(&format!("{town}<postcode>93200</postcode>"), Some("Saint-Denis"));
        check("<town>Ronda</town><province>Málaga</province><country>Spain</country>", Some("Ronda"));
        check("<town>Nice (06)</town><province>Alpes-Maritimes</province>", Some("Nice (06)"));
        check("<town>Paris</town><province>Paris</province>", Some("Paris"));
        check("<town>Nice</town><province/>", Some("Nice"));
        check("<province>Var</province>", None);
    }

    #[test]
    fn pictures_are_in_the_order_of_their_numbers() {
        let check = |images: &str, expected: &[&str]| {
            let node = Node::parse(&format!("<property><images>{images}</images></property>")).unwrap();
            assert_eq!(Kyero.advert(&node)["pictures"], Value::from(expected), "{images}");
        };
        let image = |id: &str, url: &str| format!("<image{id}><url>{url}</url></image>");
        let numbered = [image(" id=\"10\"", "j"), image(" id=\"2\"", "b"), image(" id=\"1\"", "a")];
        check(&numbered.concat(), &["a", "b", "j"]);
        check(&[image(" id=\"2\"", "b"), image("", "a")].concat(), &["b", "a"]);
        check(&[image(" id=\"2\"", "b"), image(" id=\"x\"", "a")].concat(), &["b", "a"]);
    }
}

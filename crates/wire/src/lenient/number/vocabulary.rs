//! Words that stand beside numbers, folded: in lower case, without accents.

/// Words that say that a number is rounded. The number is the best that the sender has.
#[rustfmt::skip]
pub const APPROXIMATE: &[&str] = &[
    "environ", "env", "approx", "approximativement", "about", "circa", "ca", "vers", "around", "presque",
];

/// Words of a price that is not published.
#[rustfmt::skip]
pub const ON_REQUEST: &[&str] = &[
    "demande", "consulter", "request", "debattre", "poa", "negocier", "encheres", "enchere", "communiquer",
    "contacter", "appeler", "application",
];

/// Words that may stand beside an amount without a currency.
#[rustfmt::skip]
pub const MONEY_WORDS: &[&str] = &[
    "prix", "price", "loyer", "rent", "charges", "charge", "comprises", "comprise", "cc", "tcc", "hc", "hors",
    "fai", "hai", "hni", "ttc", "ht", "net", "vendeur", "frais", "agence", "d", "inclus", "incluses",
    "honoraires", "mois", "mensuel", "mensuels", "mensuelle", "month", "monthly", "pcm", "par", "de", "des",
    "a", "partir", "from", "k", "m", "kilo", "mille", "millier", "milliers", "mio", "mln", "million", "millions", "eur", "euro",
    "euros", "an", "annuel", "annuelle", "annuels", "year", "trimestre", "semestre", "e", "depot", "garantie", "taxe",
    "fonciere", "provision", "provisions", "sur", "dont", "seulement",
];

/// Currencies that are not converted.
#[rustfmt::skip]
pub const OTHER_CURRENCIES: &[&str] = &[
    "usd", "dollar", "dollars", "gbp", "livres", "chf", "franc", "francs", "ff", "cfa", "xpf",
];

/// Words of something that costs nothing.
#[rustfmt::skip]
pub const FREE: &[&str] = &[
    "gratuit", "gratuite", "gratuits", "offert", "offerts", "aucun", "aucune", "aucuns", "neant", "sans",
];

/// Thousands and millions of euros in one word.
#[rustfmt::skip]
pub const MULTIPLES_OF_EUROS: &[&str] = &[
    "ke", "keur", "keuros", "me", "meur", "meuros",
];

/// Periods shorter than a month.
#[rustfmt::skip]
pub const SHORT_PERIODS: &[&str] = &[
    "semaine", "semaines", "sem", "week", "weekly", "hebdomadaire", "hebdo", "quinzaine", "jour", "jours", "day", "daily",
    "nuit", "nuits", "nuitee", "nuitees", "night",
];

/// What is done once in a period, whenever the amount is due.
#[rustfmt::skip]
pub const SETTLEMENTS: &[&str] = &[
    "regularisation", "regul", "revision", "indexation", "revisable", "regularisable", "regularisables",
];

/// Words of a month.
#[rustfmt::skip]
pub const MONTHS: &[&str] = &[
    "mois", "mensuel", "mensuels", "mensuelle", "mensuelles", "mensuellement", "month", "months", "monthly", "pcm",
];

/// Words of a quarter of a year.
#[rustfmt::skip]
pub const QUARTERS: &[&str] = &[
    "trimestre", "trimestres", "trim", "trimestriel", "trimestriels", "trimestrielle", "quarter", "quarterly",
];

/// Words of half a year.
#[rustfmt::skip]
pub const HALF_YEARS: &[&str] = &[
    "semestre", "semestres", "semestriel", "semestriels", "semestrielle",
];

/// Words of a year.
#[rustfmt::skip]
pub const YEARS: &[&str] = &[
    "an", "ans", "annee", "annuel", "annuels", "annuelle", "annuelles", "annuellement", "year", "yearly", "annum",
];

/// Words that may stand beside a percentage without its sign.
#[rustfmt::skip]
pub const PERCENT_WORDS: &[&str] = &[
    "ttc", "ht", "pourcent", "pour", "cent", "du", "de", "prix", "percent", "pct",
];

/// Units of area that are not converted.
#[rustfmt::skip]
pub const OTHER_AREAS: &[&str] = &[
    "ft", "ft2", "sqft", "feet", "pied", "pieds", "acre", "acres", "yards",
];

/// Spellings of the square metre.
#[rustfmt::skip]
pub const SQUARE_METRES: &[&str] = &[
    "m2", "m", "mq", "qm", "sqm", "metres", "metre", "mc",
];

/// Words that may stand beside a surface without a unit.
#[rustfmt::skip]
pub const SURFACE_WORDS: &[&str] = &[
    "surface", "superficie", "terrain", "habitable", "habitables", "hab", "carrez", "loi", "carres", "carre",
    "utile", "utiles", "de", "du", "au", "sol", "total", "totale", "jardin",
];

/// Units of the values of ratings.
#[rustfmt::skip]
pub const RATING_UNITS: &[&str] = &[
    "kwh", "kwhep", "kwhef", "kw", "kg", "kgco2", "kgeqco2", "kgeq", "kgc", "co2",
];

/// Words that may stand beside the value of a rating without a unit.
#[rustfmt::skip]
pub const RATING_WORDS: &[&str] = &[
    "a", "b", "c", "d", "e", "f", "g", "m2", "an", "ep", "co2", "eqco2", "eq", "classe", "dpe", "ges", "par",
    "et",
];

/// Things that are counted.
#[rustfmt::skip]
pub const COUNTED: &[&str] = &[
    "lot", "lots", "place", "places", "parking", "parkings", "garage", "garages", "box", "appartement",
    "appartements", "logement", "logements",
];

/// What stands before the number of rooms: `T3`, `Type 3`.
#[rustfmt::skip]
pub const HOME_TYPES: &[&str] = &[
    "t", "f", "type",
];

/// Spellings of bedrooms.
#[rustfmt::skip]
pub const BEDROOMS: &[&str] = &[
    "chambre", "chambres", "ch", "chb", "chbre", "chbres", "bed", "beds", "bedroom", "bedrooms",
];

/// Spellings of rooms.
#[rustfmt::skip]
pub const ROOMS: &[&str] = &[
    "piece", "pieces", "p", "pp", "pce", "pces", "pcs", "room", "rooms",
];

/// Words that may stand beside the number of a floor.
#[rustfmt::skip]
pub const FLOOR_WORDS: &[&str] = &[
    "e", "er", "ere", "eme", "ieme", "me", "nd", "nde", "d", "o", "st", "rd", "th", "etage", "etages", "etg",
    "niveau", "floor", "et", "dernier", "au", "le", "sur", "of", "avec", "sans", "ascenseur",
];

/// Spellings of the ground floor.
#[rustfmt::skip]
pub const GROUND_FLOOR: &[&str] = &[
    "rdc", "rez", "rc", "rch", "rdj", "rezdechaussee", "ground", "plainpied",
];

/// Words of a period that is not one year.
#[rustfmt::skip]
pub const VAGUE_YEARS: &[&str] = &[
    "avant", "apres", "siecle", "annees", "decennie", "debut", "fin", "before", "after", "entre",
];

/// Words that may stand beside a year.
#[rustfmt::skip]
pub const YEAR_WORDS: &[&str] = &[
    "construction", "construit", "construite", "en", "de", "annee", "an", "built", "livraison", "livre",
];

/// Spellings of storeys.
#[rustfmt::skip]
pub const LEVELS: &[&str] = &[
    "etage", "etages", "niveau", "niveaux", "floors", "floor", "etg",
];

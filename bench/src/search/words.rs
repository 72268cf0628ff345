//! The words of the queries.

/// Folded words of the generated texts, most frequent first: from two properties in three to one in sixty, so that some pairs are
/// common and some never occur.
#[rustfmt::skip]
pub const WORDS: [&str; 60] = [
    "cuisine", "sejour", "chambres", "etage", "bains", "calme", "entree", "double", "jardin", "lumineux",
    "terrasse", "commerces", "ecoles", "secteur", "travaux", "garage", "gare", "vitrage", "cave", "rangements",
    "parking", "balcon", "fenetres", "parcelle", "renove", "stationnement", "charme", "cellier", "fibre", "parquet",
    "buanderie", "ascenseur", "pavillon", "isolation", "velos", "creche", "studio", "cheminee", "interphone", "lycee",
    "verdoyant", "boulangerie", "piscine", "fruitiers", "grenier", "foret", "riviere", "climatisation", "dressing", "metro",
    "constructible", "pharmacie", "potager", "portail", "impasse", "alarme", "atelier", "mezzanine", "veranda", "poutres",
];

//! The words people are made to ask for.

/// Words of the generated texts as [`domain::fold()`] leaves them, the most frequent first: from two properties in three to
/// one in sixty, so that some pairs are everywhere and some nowhere.
#[rustfmt::skip]
pub const WORDS: [&str; 60] = [
    "cuisine", "sejour", "chambres", "etage", "bains", "calme", "entree", "double", "jardin", "lumineux",
    "terrasse", "commerces", "ecoles", "secteur", "travaux", "garage", "gare", "vitrage", "cave", "rangements",
    "parking", "balcon", "fenetres", "parcelle", "renove", "stationnement", "charme", "cellier", "fibre", "parquet",
    "buanderie", "ascenseur", "pavillon", "isolation", "velos", "creche", "studio", "cheminee", "interphone", "lycee",
    "verdoyant", "boulangerie", "piscine", "fruitiers", "grenier", "foret", "riviere", "climatisation", "dressing", "metro",
    "constructible", "pharmacie", "potager", "portail", "impasse", "alarme", "atelier", "mezzanine", "veranda", "poutres",
];

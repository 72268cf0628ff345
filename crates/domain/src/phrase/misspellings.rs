//! Frequent misspellings of the words of adverts.
//!
//! Each line is the stem of a word, then its misspellings, all folded. Plurals and feminines follow from the endings:
//! "haussmanienne" loses its ending first. A misspelling is listed only if it is not a word itself: "cartier" for "quartier"
//! and "sale" for "salle" are not listed. Misspellings of several words are in [`super::abbreviations`].

#[rustfmt::skip]
pub(super) const MISSPELLED: &[&str] = &[
    // Doubled letters, too many or too few.
    "haussmannien haussmanien hausmannien hausmanien", "appartement apartement appartment apartment appartemment",
    "terrasse terasse terrase", "balcon ballcon", "mezzanine mezanine mezzannine", "loggia logia", "cellier celier",
    "immeuble imeuble", "parking parcking", "garage garrage", "piscine picine pissine", "terrain terain",
    "carrelage carelage carellage", "chauffage chaufage", "chaudiere chaudierre", "dressing dresing",
    "exceptionnel exceptionel", "traditionnel traditionel", "fonctionnel fonctionel", "professionnel professionel",
    "personnel personel", "additionnel additionel", "environnement environement", "stationnement stationement",
    "developpement developement", "lotissement lotisement", "investissement investisement", "commerce comerce",
    "commodite comodite", "opportunite oportunite", "agreable aggreable", "amenage ammenage", "equipe equippe", "equipee equippee",
    "renove rennove", "renovation rennovation", "ensoleille ensoleile", "interieur interrieur", "exterieur exterrieur",
    "toilette toillette toilete", "volet vollet", "chaussee chausee",
    // Letters that sound alike, or are left out.
    "ascenseur assenseur ascensseur ascenceur assenceur acenseur", "veranda verenda", "residence residance",
    "dependance dependence depandance", "placard placart plaquard", "baignoire baignoir", "buanderie buandrie",
    "grenier grenie", "emplacement amplacement", "proximite proximiter", "duplex duplexe", "lumineux luminieux luminueux",
    "spacieux spatieux", "climatisation climatization", "rangement rangment", "logement logment", "interphone interfone",
    "exclusivite exlusivite", "copropriete copropiete", "propriete propiete",
];

//! Stemming, phrases and abbreviations.

use super::*;
use crate::fold;

fn matches(expression: &str, text: &str, strictness: Strictness) -> bool {
    Phrase::new(expression, strictness).unwrap().occurs_in(&tokenize(text))
}

fn matches_inflected(expression: &str, text: &str) -> bool {
    matches(expression, text, Strictness::Inflected)
}

/// Each line lists the forms of one word. Every form must match every other.
#[rustfmt::skip]
const MEET: &[&str] = &[
    // Plurals.
    "terrasse terrasses", "balcon balcons", "pièce pièces PIÈCES", "lit lits", "vue vues", "mur murs", "toit toits", "quai quais",
    "port ports", "porte portes", "cour", "clé clés clef", "loi lois", "paroi parois", "chai chais", "vélo vélos", "an ans", "bain bains",
    "entrée entrées", "allée allées", "cheminée cheminées", "lycée lycées", "commune communes", "prise prises", "remise remises",
    "château châteaux", "bureau bureaux", "rideau rideaux", "eau eaux", "niveau niveaux", "hameau hameaux", "plateau plateaux",
    "local locaux locale locales", "cheval chevaux", "vitrail vitraux", "bail baux", "matériau matériaux",
    "lieu lieux", "jeu jeux", "tuyau tuyaux", "appartement appartements",
    // Feminines with an unambiguous ending.
    "rénové rénovée rénovés rénovées", "meublé meublée meublés", "équipé équipée équipées", "clôturé clôturée", "arboré arborée",
    "situé située", "carrelé carrelée", "exposé exposée", "orienté orientée", "boisé boisée", "créé créée", "vitré vitrée", "livré livrée", "loué louées",
    "lumineux lumineuse lumineuses", "spacieux spacieuse", "nombreux nombreuses", "chaleureux chaleureuse", "implanté implantée",
    "privatif privative privatifs privatives", "exclusif exclusive", "locatif locative", "massif massive", "actif active",
    "principal principale principaux", "familial familiale familiaux", "parental parentale", "idéal idéale idéaux", "central centrale",
    "municipal municipaux", "exceptionnel exceptionnelle", "individuel individuelle individuels", "naturel naturelle", "annuel annuelle",
    "ancien ancienne anciens anciennes", "mitoyen mitoyenne", "haussmannien haussmannienne", "gardien gardienne", "moyen moyenne",
    "extérieur extérieure extérieurs", "supérieur supérieure", "indépendant indépendante indépendants", "traversant traversante",
    "attenant attenante attenants", "charmant charmante", "important importante",
    // Feminines listed as exceptions.
    "grand grande grands grandes", "petit petite petites", "haut haute", "vert verte verts", "ouvert ouverte", "couvert couverte",
    "plein pleine", "sain saine", "plat plate", "froid froide", "clair claire", "direct directe", "récent récente récents",
    "apparent apparente apparentes", "construit construite", "refait refaite refaits", "repeint repeinte", "clos close", "gris grise",
    "compris comprise comprises", "mauvais mauvaise", "voisin voisine", "américain américaine", "bourgeois bourgeoise", "joli jolie jolis",
    "fleuri fleurie", "desservi desservie", "prévu prévue", "vendu vendue", "entretenu entretenue", "tenu tenue", "nu nue nus nues", "vu vus",
    "beau bel belle beaux belles", "nouveau nouvel nouvelle nouveaux", "vieux vieil vieille", "neuf neuve neufs neuves", "blanc blanches",
    "bas basse", "gros grosse", "long longue", "bon bonne bonnes", "premier première premières", "dernier dernière", "entier entière",
    "foncier foncière", "particulier particulière particuliers", "léger légère", "viager viagère", "public publique", "tout toute tous toutes",
    // Abbreviations of one word.
    "appartement appt appts appart", "pièce pces pce", "copropriété copro", "climatisation clim", "grand gde gd", "ascenseur asc",
    "chambre chb chbre", "boulevard bd", "saint st", "double dble",
    // Words that are others without their last accent.
    "placé placée placés placées", "centré centrée centrés", "groupé groupées", "basé basée", "pensé pensée", "fenêtré fenêtrée",
    "équipé équipée équipés équipées", "meublé meublées", "fermé fermée fermés", "classé classée", "chargé chargée", "réservé réservée",
    "signé signée", "taxé taxée", "plaqué plaquée", "visité visitée", "dallé dallée", "voûté voûtée voûtées", "vitré vitrée",
    "usagé usagées", "garé garée", "coulé coulée", "tourné tournée", "complété complétée", "été étés", "pré prés",
    "complet complète complets complètes", "concret concrète", "désuet désuète",
    // Without accents they are found as well.
    "placé PLACÉ place PLACE", "placée PLACEE", "équipée EQUIPEE équipé", "équipé EQUIPE", "meublé MEUBLE", "meublées MEUBLEES",
    "étés ETES ÉTÉS", "êtes ETES etes", "prés PRES", "près PRES",
    // A participle whose form without accent is no other word is also found in the other gender.
    "rénovée renove RENOVE RENOVEE rénovés", "située SITUE situes", "aménagée amenage", "été ete ETE", "complète COMPLETE complété",
    // Ordinals.
    "1er 1ère 1re 1ᵉʳ premier première premiers", "2e 2ème 2EME 2ième 2nd 2nde second seconde deuxième", "3e 3ème troisième",
    "15e 15ème quinzième", "20ème vingtième", "117e 117ème",
    // Misspellings.
    "haussmannien haussmannienne haussmanien haussmanienne hausmannien", "appartement appartment apartements appt",
    "terrasse terasse terasses", "exceptionnel exceptionelle exceptionels", "ensoleillé ensoleilée", "rénovée rénnovés",
    "lumineux luminieuse", "aucun aucune",
];

/// Each line lists different words. None may match another.
#[rustfmt::skip]
const APART: &[&str] = &[
    // Words that only look plural, and the bare -e.
    "terrasse terre terrain terrassement", "port porte portée portail", "cour cours course court", "vent vente", "plan plane plante",
    "parc parce parcelle", "bas base", "bois boisé boiserie", "mas ma mat", "pas passe", "sous sou", "vis vie vue", "fond fonds fonte",
    "salon sale salle", "mois moi", "fois foi foie", "vers ver verre vert", "mais mai maison", "près pré prêt", "plus plu pluie",
    "après âpre", "mars mare marée mar", "paris pari", "tour tours tournée", "canne cannes", "renne rennes", "vanne vannes",
    "environ environs environnement", "abord abords", "travail travaux", "vacance vacances vacant", "fil fils fille file", "été êtes", "tapis tapi",
    "prix prise", "deux deuil", "hors or", "bus but", "gaz gazon", "sol sole soleil", "mur mûre", "bar barre", "hall halle", "ville villa",
    "rue ru", "champ champagne", "lac lacet", "sel selle", "loft lot loti", "chêne chenal", "grain graine", "plain plaine", "ton tonne",
    "colon colonne", "don donne", "bal balle", "pin pinède", "cap cape", "mer mère", "pot poteau", "marbre arbre", "toit toi",
    // Nouns in -ée, and participles whose masculine looks feminine without its accent.
    "entre entrée", "contre contrée", "donne donnée", "monte montée", "pense pensée", "rose rosée", "dure durée", "arme armée",
    "place placée", "chambre chambrée", "fenêtre fenêtrée", "groupe groupée", "centre centrée", "poigne poignée", "range rangée", "gare garée garage", "muse musée", "anne année",
    "usage usagée", "étage étagée étagère", "cuisine cuisinée cuisinier cuisinière", "pur purée", "val vallée",
    "ciment cimenté", "orient orienté", "agrément agrémenté", "règlement réglementé", "argent argenté", "accident accidenté",
    "signal signalé", "motif motivé", "implant implanté",
    // Feminines with a meaning of their own.
    "commun commune", "droit droite", "remis remise", "pris prise", "surpris surprise", "entrepris entreprise", "conduit conduite",
    "réduit réduite", "point pointe", "parti partie part", "sorti sortie sort", "mari marie mairie", "sur sûre sûrs", "fin fine",
    "mort morte mortier", "capital capitale", "moral morale", "creux creuse", "frais fraise fraîche", "sec sèche", "complet complété complément", "complet complétée",
    "présent présente", "garant garantie", "revenu revenue", "issu issue", "avenue avenant", "vu vue",
    // Letters that only look like an ending.
    "verrier verrière verre", "panier panière", "manier manière", "gravier gravière", "portier portière", "jardin jardinier jardinière",
    "appel appelle", "chapelle chapeau", "person personne", "heure heureux", "demeure demeurant", "taux total", "chaux chaud chal",
    "faux fal", "meuse meux", "vienne viens", "plant plante", "rente rentable", "attente attenant", "pente pendant",
    "domaine domanial", "eau au", "peau peu", "lot lotissement", "cave caveau", "marche marchand", "loge loggia", "pied pièce",
    // Ambiguous abbreviations, and names.
    "apt appartement", "ch chambre", "terr terrasse", "imm immeuble", "env environ", "sam samedi",
    // Words without the accent that makes them participles.
    "équipe équipée", "équipes équipée", "équipe équipées", "meuble meublée", "meubles meublée", "ferme fermée", "fermes fermée",
    "classe classée", "charge chargée", "charges chargée", "réserve réservée", "signe signée", "taxe taxée", "plaque plaquée",
    "plaques plaquée", "visite visitée", "visites visitée", "dalle dallée", "dalles dallée", "étés êtes", "prés près",
    "agence agencée", "borne bornée", "demande demandée", "voûte voûtée", "vitre vitrée", "livre livrée", "prise prisée",
    "recherche recherchée", "niche nichée", "rêve rêvée", "clôture clôturée", "paysage paysagée",
    "base basée", "coule coulée couler", "tourne tournée tour", "pense pensée penser", "été êtes",
    "concret béton", "côté coteau", "pêche pêcher pécheresse", "marché marchand marchepied", "tâche tacheté", "complet complètement",
    // Ordinals are no other numbers, and no letters.
    "2e 2 deux 3e 12e 22e 20e e eme nd", "1er 1 un une er 11e", "second secondes secondaire seconder", "premier prime premièrement",
    "20e 20 vingt", "dernier premier", "2er 2e",
    // Numbers and units.
    "m2 m3 m 2", "2m m2", "t3 t 3 t33", "3t t3", "60 6 600 0",
    // Misspellings are no other words.
    "terasse terre tasse", "logia logis logement", "celier sellier", "parcking parc", "picine pipi", "garrage garer", "terain train",
    "personel personne", "grenie grenat", "toilete toile", "equippe équipage", "dependence indépendance", "aucun commun",
];

#[test]
fn forms_of_a_word_match_each_other() {
    for line in MEET {
        for (one, other) in pairs(line) {
            assert!(matches_inflected(one, &format!("ici {other} là")), "{one} does not match {other}");
        }
    }
}

#[test]
fn different_words_do_not_match() {
    let met: Vec<_> = APART
        .iter()
        .flat_map(|line| pairs(line))
        .filter(|(one, other)| matches_inflected(one, other))
        .collect();
    assert!(met.is_empty(), "{met:?}");
}

#[test]
fn exact_word_matches_no_other_form() {
    for line in MEET {
        for (one, other) in pairs(line) {
            assert_eq!(matches(one, other, Strictness::Exact), fold(one) == fold(other), "{one} {other}");
        }
    }
}

/// Returns all ordered pairs of different words of a line.
fn pairs(line: &str) -> impl Iterator<Item = (&str, &str)> {
    let words = || line.split(' ').enumerate();
    words().flat_map(move |(position, one)| {
        words().filter(move |(other, _)| *other != position).map(move |(_, other)| (one, other))
    })
}

#[test]
fn stems_are_as_expected() {
    for (word, expected) in [
        ("lumineuses", "lumineux"),
        ("renovees", "renove"),
        ("chateaux", "chateau"),
        ("familiaux", "familial"),
        ("exceptionnelles", "exceptionnel"),
        ("gdes", "grand"),
        ("prix", "prix"),
        ("les", "les"),
        ("express", "express"),
        ("t3", "t3"),
        ("2pieces", "2pieces"),
        ("2eme", "2e"),
        ("2nds", "2e"),
        ("3nd", "3nd"),
        ("1ers", "1e"),
        ("premieres", "1e"),
        ("haussmaniennes", "haussmannien"),
        ("placés", "placé"),
        ("etés", "etés"),
        ("αθηνας", "αθηνας"),
        ("s", "s"),
        ("", ""),
    ] {
        assert_eq!(stem(word), expected, "{word}");
    }
}

#[test]
fn shortened_word_is_not_copied() {
    for word in ["terrasse", "terrasses", "renovees", "anciennes", "principale", "appt", "entree"] {
        assert!(matches!(stem(word), std::borrow::Cow::Borrowed(_)), "{word}");
    }
}

#[test]
fn stemming_is_idempotent() {
    let words = MEET.iter().chain(APART).chain(ADVERTS).flat_map(|line| line.split(' ')).map(tokenize);
    for word in words {
        let once = stem(&word);
        assert_eq!(stem(&once), once, "{word}");
    }
}

proptest::proptest! {
    #[test]
    fn stemming_is_idempotent_for_any_word(
        root in "[a-zß-ÿα-ω0-9]{0,6}",
        endings in "(s|x|e|ee|euse|aux|eaux|tive|ale|nelle|ienne|ante|ieure){0,3}",
    ) {
        let word = format!("{root}{endings}");
        let once = stem(&word).into_owned();
        proptest::prop_assert_eq!(&*stem(&once), &*once);
        proptest::prop_assert_eq!(once.is_empty(), word.is_empty());
    }

    #[test]
    fn phrase_occurs_in_its_own_text(text in "([A-Za-zÀ-ÿ0-9' -]{0,9}(t3|rdc|3 pièces| sdb |type 2)){0,4}") {
        for strictness in [Strictness::Exact, Strictness::Inflected] {
            if let Some(phrase) = Phrase::new(&text, strictness) {
                proptest::prop_assert!(phrase.occurs_in(&tokenize(&text)));
                proptest::prop_assert!(phrase.alternatives().len() <= Phrase::ALTERNATIVES_MAX);
                proptest::prop_assert!(phrase.alternatives().iter().all(|words| !words.is_empty()));
            }
        }
    }
}

#[test]
fn words_of_a_phrase_must_be_adjacent_and_in_order() {
    let text = "Grandes terrasses sans vis-à-vis, cuisine équipée au rez-de-chaussée.";
    for (expression, exact, inflected) in [
        ("sans vis-à-vis", true, true),
        ("SANS VIS A VIS", true, true),
        ("vis sans vis", false, false),
        ("sans vis vis", false, false),
        ("grande terrasse", false, true),
        ("terrasse grande", false, false),
        ("grandes terrasses", true, true),
        ("grandes sans", false, false),
        ("terrasses sans", true, true),
        ("grandes terrasses sans vis à vis cuisine équipée au rez de chaussée", true, true),
        ("chaussée grandes", false, false),
        ("équipée", true, true),
        ("équip", false, false),
        ("rdc", false, true),
        ("cuisines équipées en rdc", false, false),
        ("cuisines équipées au rdc", false, true),
    ] {
        assert_eq!(matches(expression, text, Strictness::Exact), exact, "exactly {expression}");
        assert_eq!(matches_inflected(expression, text), inflected, "{expression}");
    }
}

#[test]
fn abbreviations_match_their_long_form_and_vice_versa() {
    for (one, other) in [
        ("rdc", "rez-de-chaussée"),
        ("rdj", "rez-de-jardin"),
        ("t3", "f3"),
        ("T3", "3 pièces"),
        ("F3", "3P"),
        ("3 pièces", "trois pièces"),
        ("3 pces", "t3"),
        ("type 3", "F3"),
        ("sdb", "salle de bain"),
        ("SdB", "salles de bains"),
        ("sde", "salle d'eau"),
        ("grand t3", "grand 3 pièces"),
        ("gd F3", "grand trois pièces"),
        ("appt t2 rdc", "appartement 2 pièces rez-de-chaussée"),
        ("t3 avec sdb en rdc", "3 pièces avec salle de bains en rez-de-chaussée"),
        ("2 chambres", "deux chambres"),
        ("3 ch", "trois chambres"),
        ("2ème étage", "deuxième étage"),
        ("1er étage", "premier étage"),
        ("t3 1er étage", "3 pièces premier étage"),
        ("sous-sol", "s/sol"),
        ("plain-pied", "plein pied"),
        ("80 m²", "80 mètres carrés"),
        ("dpe", "diagnostic de performance énergétique"),
        ("second étage", "2ème étage"),
        ("2nd étage", "deuxième étage"),
        ("sans vis-à-vis", "sans aucun vis-à-vis"),
        ("sans vis à vis", "sans visavis"),
        ("sans travaux à prévoir", "sans aucuns travaux à prévoir"),
        ("sans aucune nuisance", "sans nuisances"),
        ("3pieces", "T3"),
        ("3p", "3 pièces"),
        ("2ch", "2 chambres"),
        ("60m2", "60 mètres carrés"),
        ("bien placé au centre", "bien placée au centre"),
        ("cuisine équipée", "cuisine équipé"),
        ("2ème étage", "2° étage"),
        ("deuxième étage", "2 ème étage"),
        ("premier étage", "1° étage"),
        ("3 pièces", "T 3"),
        ("à 5 min", "à 5 mn"),
        ("5 minutes", "5 mn"),
        ("Sainte-Anne", "Ste Anne"),
        ("lmnp", "loueur meublé non professionnel"),
    ] {
        assert!(matches_inflected(one, &format!("Beau {other}.")), "{one} does not match {other}");
        assert!(matches_inflected(other, &format!("Beau {one}.")), "{other} does not match {one}");
        assert!(!matches(one, other, Strictness::Exact), "{one} matches {other} exactly");
    }
}

#[test]
fn abbreviations_match_nothing_else() {
    for (one, other) in [
        ("t3", "t2"),
        ("t3", "3 chambres"),
        ("t3", "13 pièces"),
        ("t1", "une pièce à vivre"),
        ("t1", "studio"),
        ("3 pièces", "3 belles pièces"),
        ("rdc", "chaussée"),
        ("sdb", "salle d'eau"),
        ("sde", "salle de douche"),
        ("2e", "deux"),
        ("neuf", "9"),
        ("t3", "3 places"),
        ("t3", "3 m2"),
        ("2 ch", "2 charges"),
        ("sans vis-à-vis", "aucun vis-à-vis"),
        ("sans vis-à-vis", "avec vis-à-vis"),
        ("2ème étage", "2 étages"),
        ("second étage", "seconde entrée"),
        ("équipée", "notre équipe est à votre disposition"),
        ("meublée", "meubles de rangement"),
        ("ferme", "résidence fermée"),
        ("classée", "classe énergie D"),
        ("charges", "négociatrice chargée du bien"),
        ("réserve", "place réservée"),
        ("étés", "vous êtes"),
        ("prés", "près des commerces"),
        ("500 m²", "1 500 m²"),
        ("500 m²", "1\u{a0}500 m²"),
        ("9 m²", "62,9 m²"),
        ("31 m2", "85,31 m²"),
        ("62 m²", "62,9 m²"),
        ("Saint-Anne", "Ste Anne"),
    ] {
        assert!(!matches_inflected(one, other), "{one} matches {other}");
        assert!(!matches_inflected(other, one), "{other} matches {one}");
    }
}

/// Splitting is no matter of inflection, so it applies to strict phrases too.
#[test]
fn number_is_apart_from_what_follows_it() {
    for (text, expected) in [
        ("60m2", "60 m2"),
        ("60 M²", "60 m2"),
        ("60m²hab", "60 m2 hab"),
        ("3pieces", "3 pieces"),
        ("3pièces", "3 pieces"),
        ("2CH", "2 ch"),
        ("60,5m2", "60ˌ5 m2"),
        ("T3bis", "t3 bis"),
        ("t3", "t3"),
        ("D952", "d952"),
        ("2e", "2e"),
        ("2ème", "2eme"),
        ("Paris12ème", "paris12eme"),
        ("1ᵉʳ", "1er"),
        ("2èmes", "2emes"),
        ("3e5", "3 e5"),
        ("2eurs", "2 eurs"),
        ("12", "12"),
        ("12αθ", "12αθ"),
    ] {
        assert_eq!(tokenize(text), expected, "{text}");
        assert_eq!(tokenize(&tokenize(text)), expected, "{text} twice");
    }
    for (one, other) in [
        ("60m2", "60 m²"),
        ("60 m2", "60m²"),
        ("3pieces", "3 pièces"),
        ("2ch", "2 ch"),
        ("1 500 m²", "1500 m²"),
        ("1 500 m²", "1.500m2"),
        ("1\u{202f}500", "1 500"),
        ("62,9 m²", "62.90 m2"),
        ("62 m²", "62,00 m²"),
        ("2 ème étage", "2EME ETAGE"),
        ("1 er étage", "1er etage"),
        ("T 3", "t3"),
    ] {
        for strictness in [Strictness::Exact, Strictness::Inflected] {
            assert!(matches(one, &format!("Un {other}."), strictness), "{one} does not match {other}");
            assert!(matches(other, &format!("Un {one}."), strictness), "{other} does not match {one}");
        }
    }
}

/// A strict phrase ignores accents, also the ones that a text keeps.
#[test]
fn strict_phrase_ignores_the_accents_that_are_kept() {
    for (one, other) in [("placé", "PLACE"), ("étés", "êtes"), ("complète", "complété"), ("prés", "près")]
    {
        assert!(matches(one, other, Strictness::Exact), "{one} does not match {other}");
        assert!(matches(other, one, Strictness::Exact), "{other} does not match {one}");
    }
    assert!(!matches("placé", "placés", Strictness::Exact));
}

#[test]
fn accents_never_hide_a_word() {
    for word in MEET.iter().chain(APART).chain(ADVERTS).flat_map(|line| line.split(' ')) {
        for (one, other) in [(word, &*fold(word)), (&*fold(word), word)] {
            for strictness in [Strictness::Exact, Strictness::Inflected] {
                assert!(matches(one, other, strictness), "{one} does not match {other}");
            }
        }
    }
}

#[test]
fn misspelling_matches_the_word() {
    let lines = misspellings::MISSPELLED.iter();
    let pairs: Vec<(&str, &str)> = lines.flat_map(|line| pairs(line)).collect();
    for (one, other) in &pairs {
        assert!(matches_inflected(one, other), "{one} does not match {other}");
        assert!(!matches(one, other, Strictness::Exact), "{one} matches {other} exactly");
    }
    let misspelled = misspellings::MISSPELLED.iter().flat_map(|line| line.split(' ').skip(1));
    assert!((30..=90).contains(&misspelled.count()), "a short list of frequent ones");
}

#[test]
fn many_abbreviations_stay_within_the_limit_and_match_themselves() {
    let text = "t1 t2 t3 t4 rdc sdb sde";
    let phrase = Phrase::new(text, Strictness::Inflected).unwrap();
    assert!(phrase.alternatives().len() <= Phrase::ALTERNATIVES_MAX);
    assert!(phrase.occurs_in(text));
    assert!(phrase.occurs_in("f1 t2 t3 t4 rez de chaussee salle de bain sde"));
}

#[test]
fn phrase_needs_a_word() {
    assert_eq!(Phrase::new("", Strictness::Exact), None);
    assert_eq!(Phrase::new(" – ! ", Strictness::Inflected), None);
    let phrase = Phrase::new("  Grandes Terrasses ", Strictness::Exact).unwrap();
    assert_eq!(phrase.text(), "Grandes Terrasses");
    assert_eq!(phrase.strictness(), Strictness::Exact);
    assert_eq!(spelled(&phrase), ["grandes terrasses"]);
    let phrase = Phrase::new("Grandes Terrasses en RDC", Strictness::Inflected).unwrap();
    assert_eq!(spelled(&phrase), ["grand terrasse en rdc", "grand terrasse en rez de chaussee"]);
    assert!(!phrase.occurs_in(""));
}

fn spelled(phrase: &Phrase) -> Vec<String> {
    phrase.alternatives().iter().map(|words| words.join(" ")).collect()
}

/// Words of adverts, for the property tests.
#[rustfmt::skip]
const ADVERTS: &[&str] = &[
    "abri absolu abstenir accès accessible accordé accueil acheter achever acquéreur activités adresse âges agence agencement agencés agréable",
    "agrémente aisé alarme alentour ambiance américaine aménageable aménagée amovibles angle animée annuelle appareils apparentes appelez",
    "appréciée arborée arbres architecte arrêt arrivée arrière ascenseur assainissement associations assure assurée atelier attenants attend",
    "attitrée aucun aucune authenticité automatique autorise autoroute avocat axes badge baie baigné bail balcon bar barème barrot basculante",
    "bâtir beaux belle bénéficie berline béton bienvenue blindée bloc bois bordure bornée bouche boulangerie bourg bout bouteilles boutique box",
    "brute buanderie bureaux bus cabinet câblés cadre café calme caméras campagne caractère carrefour carrelée cave cellier central centre cents",
    "certificat chaleureuse chambres champs charges charme charmante chaudière chauffage chaufferie chaussée chemin cheminée chênes cinéma",
    "classé climatisés cloisonnés cloisons clos clôturé cœur coiffure coin collège combles commence commerçante commerciaux commodités communale",
    "communes communique complément complémentaire complète comprennent comprises compteurs conditions confidentielle confort connexion",
    "conseiller conservées consommation constructible construite consultables contactez convenant convenir convient convivial copropriété corniches",
    "côtés couchage coule couloir couple cour cours couvert crèche créer cuisine curieux cyclables décennale découvrir dégagée dégagement demande",
    "départ dépendance déplacement déposer dépôt dernières derrière desservant desservi dessert développant diagnostics difficile digicode",
    "dînatoire direct disponibilité disponibles dispose disposition distribue divisible dix dizaine domotique donne dossier double douce douche",
    "dressing droit dynamique eau éclairage éclairée écoles écrin édifiée effectué électricité électroménager élevé emplacement emprise encore",
    "énergétique enfants enfilade ensemble ensoleillée entièrement entourée entre entrée entreprise entretenir entretien environ environnante envies",
    "épicerie époque équipe équipée escalier espaces esprit estimation étage étiquette étude étudiant euros excellente exclusivité exposition",
    "extérieur extraction façade face facile facultés faible familiale faux fenêtrée fermé fibre filant fin fleuri flux fois foncière fonctionnel",
    "forêt fort four fournis frais fruitiers gainable garage garantie gardienne gare garer général généreuse goudronnée goût grâce grandes gratuite",
    "grenier groupées habitable hall halles hameau hauteur heure hiver honoraires hors hotte idéalement idées îlot imaginer immédiate immeuble",
    "impasse impayés impeccables importants inondable insert installer intact intérieur intermédiaire interphone investisseurs isolation isolés issue",
    "jardin jeune joli journée kitchenette largeur lavabo légal légèrement libérale librairie ligne limite linéaire literie livré locataire locative",
    "logements loin lotissement loué loyers luminosité maison manger manœuvre manque marbre marche marché massif matériaux matin médecins médiathèque",
    "menuiseries mérite message métallique mètres métro meublée mezzanine minutes mobilier modulable moins mois montant moquette motorisés moulures",
    "municipale murs naturellement négociable neuves niché nichée niveaux nombreux normes notaire nuisances nuit numéro occupants offrant opère",
    "opportunité optimisé ordures organiser oriental orienté origine outils ouvrant paisible parcelle parentale parents parfait parking parquets",
    "particuliers partagent parties passante pavillonnaire peintures pente performance périphérique perte pharmacie pièces pied pierres piétonne piscine",
    "pistes placard placé plafonds plage plaque plateau plomberie plusieurs poêle poncés portail porte positif possibilités potager poussettes",
    "poutres pratique premières preneur présence préservé prestations prêt prévoir principale prisé privatifs procédure prochain proches produit",
    "profession projet prolongée propose propres protège provisions quartier quelques quotidien raccordés rafraîchissement rampe rangements rapport",
    "rare récentes recharge recherché réduits refaits régularisation régulière rendez rénovées renouvelable rentabilité repas réponds répartis réputés",
    "réseaux réserve résidence résidentiel restaurants réunion révisée rez rideau risques rivière rocade roulants routier rues saine saisir salles salon",
    "samedi sanitaires scolaire secteur sécurisé séduira séjour semaine sentiers séparés sérieux services simple situés soignée soirées sols sonore",
    "sortie soumis sous standing stationnement stockage studio suite supérette supermarché supplémentaire surfaces surprise surveillance tarder taxe",
    "télécommande télétravail tenue terrasse terrains tertiaire toilettes toitures tomettes totale tournez tranquille transports travaux traversant",
    "tramway trimestre trois tuiles urbanisme vaisselle valises vaste véhicule vélos vente ventile véranda verdoyant verdure viabilisé village ville",
    "virtuelle visibilité visiophone visites vitrage vitrée vitrifiés vitrine vivre voie voisin voitures volets volontiers volumes voûtée vue week zone",
];

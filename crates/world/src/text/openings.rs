//! Opening sentences, and sentences on layout and condition.

use domain::{PropertyType, TransactionType};

use crate::home::{Condition, Home};

/// First sentences.
pub(super) fn of(home: &Home) -> &'static [&'static str] {
    let studio = home.build.rooms == Some(1);
    match (home.property_type, home.transaction_type) {
        (PropertyType::Apartment, TransactionType::Sell) if studio => &STUDIO,
        (PropertyType::Apartment, TransactionType::Rent) if studio => &STUDIO_TO_LET,
        (PropertyType::Apartment, TransactionType::Sell) => &APARTMENT,
        (PropertyType::Apartment, TransactionType::Rent) => &APARTMENT_TO_LET,
        (PropertyType::House, TransactionType::Sell) => &HOUSE,
        (PropertyType::House, TransactionType::Rent) => &HOUSE_TO_LET,
        (PropertyType::Building, _) => &BUILDING,
        (PropertyType::Parking, _) => &PARKING,
        (PropertyType::Office, _) => &OFFICE,
        (PropertyType::Land, _) => &LAND,
        (PropertyType::Shop, _) => &SHOP,
    }
}

/// Sentences on the layout of homes.
pub(super) fn layouts(home: &Home) -> Option<&'static [&'static str]> {
    match (home.property_type, home.build.rooms) {
        (PropertyType::Apartment, Some(1)) => Some(&ONE_ROOM),
        (PropertyType::Apartment, Some(2)) => Some(&TWO_ROOMS),
        (PropertyType::Apartment, _) => Some(&MORE_ROOMS),
        (PropertyType::House, Some(1 | 2)) => Some(&SMALL_HOUSE),
        (PropertyType::House, _) => Some(&LARGE_HOUSE),
        _ => None,
    }
}

pub(super) const fn conditions(condition: Condition) -> &'static [&'static str] {
    match condition {
        Condition::ToRenovate => &TO_RENOVATE,
        Condition::Good => &GOOD,
        Condition::Renovated => &RENOVATED,
        Condition::New => &NEW,
    }
}

#[rustfmt::skip]
const APARTMENT: [&str; 12] = [
    "Situé {at}, {floor} d'un immeuble de {floors} étages, cet appartement de {surface} m² vous séduira par sa luminosité.",
    "Au cœur {of}, nous vous proposons en exclusivité un {rooms} de {surface} m², {floor}.",
    "Découvrez {at} ce bel appartement de {surface} m² situé {floor} d'une copropriété bien tenue.",
    "Rare sur le secteur : appartement {rooms} de {surface} m², idéalement placé {at}.",
    "À saisir {at} : un {rooms} d'environ {surface} m², {floor}, dans un environnement calme.",
    "Dans une rue tranquille {of}, appartement {rooms} offrant {surface} m² bien agencés.",
    "Coup de cœur assuré pour ce {rooms} lumineux de {surface} m², {floor}.",
    "Vous cherchez un {rooms} {at} ? Cet appartement de {surface} m², {floor}, mérite une visite.",
    "Dans un immeuble de {year}, {floor}, appartement {rooms} d'une surface de {surface} m².",
    "En plein centre {of}, venez visiter cet appartement de {surface} m², {floor}.",
    "Quartier recherché {of} : {rooms} de {surface} m² au plan optimisé, {floor}.",
    "Nouveauté {at} ! Appartement {rooms} développant {surface} m², {floor}, proche de tout.",
];
#[rustfmt::skip]
const STUDIO: [&str; 5] = [
    "Idéal premier achat ou investissement locatif : studio de {surface} m² situé {at}, {floor}.",
    "Au cœur {of}, studio de {surface} m² bien agencé, {floor} d'un immeuble de {floors} étages.",
    "À saisir {at} : un studio d'environ {surface} m², {floor}, dans un environnement calme.",
    "Dans une rue tranquille {of}, studio lumineux de {surface} m², {floor}.",
    "Proche des facultés et du centre {of}, studio de {surface} m² vendu libre.",
];
#[rustfmt::skip]
const STUDIO_TO_LET: [&str; 4] = [
    "À louer {at}, studio de {surface} m² situé {floor} d'un immeuble calme.",
    "Idéal pour un étudiant ou un jeune actif, studio de {surface} m² {at}, {floor}.",
    "Disponible de suite : studio d'environ {surface} m², {floor}, au centre {of}.",
    "Nous proposons à la location ce studio de {surface} m², {floor}, {at}.",
];
#[rustfmt::skip]
const APARTMENT_TO_LET: [&str; 8] = [
    "À louer {at}, {rooms} de {surface} m² situé {floor} d'un immeuble calme.",
    "Nous proposons à la location ce {rooms} de {surface} m², {floor}, {at}.",
    "Disponible de suite : appartement {rooms} d'environ {surface} m², {floor}.",
    "Idéal pour un étudiant ou un jeune couple, {rooms} de {surface} m² {at}.",
    "Dans une résidence récente {of}, {rooms} à louer de {surface} m², {floor}.",
    "Location {at} : appartement {rooms} lumineux de {surface} m², {floor}.",
    "Proche de toutes les commodités, {rooms} de {surface} m² libre le mois prochain.",
    "Au centre {of}, {floor}, appartement {rooms} de {surface} m² proposé à la location.",
];
#[rustfmt::skip]
const HOUSE: [&str; 11] = [
    "Située {at}, cette maison de {surface} m² sur une parcelle de {land} m² séduira toute la famille.",
    "À quelques minutes du centre {of}, maison {rooms} de {surface} m² sur {land} m² de terrain.",
    "Découvrez cette maison de {year}, d'une surface habitable de {surface} m², implantée {at}.",
    "Rare {at} : maison familiale de {surface} m² édifiée sur un terrain de {land} m².",
    "Au calme d'une impasse, maison {rooms} offrant {surface} m² habitables et {land} m² de terrain.",
    "Nous vous présentons {at} une maison pleine de charme, de {surface} m² environ.",
    "Idéale pour une première acquisition, maison de {surface} m² {at}, sur {land} m².",
    "Dans un quartier résidentiel {of}, venez découvrir ce pavillon de {surface} m².",
    "Coup de cœur pour cette maison {rooms} de {surface} m², nichée dans un écrin de verdure de {land} m².",
    "Maison indépendante de {surface} m² construite en {year}, sur une parcelle de {land} m² {at}.",
    "En exclusivité {at}, maison {rooms} aux beaux volumes, {surface} m² habitables.",
];
#[rustfmt::skip]
const HOUSE_TO_LET: [&str; 5] = [
    "À louer {at}, maison {rooms} de {surface} m² avec terrain de {land} m².",
    "Belle maison de {surface} m² proposée à la location {at}, au calme.",
    "Disponible rapidement : maison {rooms} d'environ {surface} m² sur {land} m² clos.",
    "Dans un quartier pavillonnaire {of}, maison à louer de {surface} m².",
    "Location d'une maison familiale de {surface} m² {at}, secteur résidentiel.",
];
#[rustfmt::skip]
const BUILDING: [&str; 4] = [
    "Immeuble de rapport de {surface} m² situé {at}, élevé sur {floors} niveaux, avec plusieurs logements déjà loués.",
    "Investisseurs, à saisir {at} : immeuble entier de {surface} m² construit en {year}, bonne rentabilité.",
    "Vente en bloc d'un immeuble de {floors} niveaux pour {surface} m² environ, au cœur {of}.",
    "Bel immeuble ancien {of}, {surface} m² répartis en plusieurs appartements avec compteurs individuels.",
];
#[rustfmt::skip]
const PARKING: [&str; 5] = [
    "Place de stationnement de {surface} m² située {at}, {floor} d'une résidence sécurisée avec accès par télécommande.",
    "Box fermé d'environ {surface} m² {at}, idéal pour une voiture, une moto ou du rangement.",
    "Ne tournez plus en rond pour vous garer {at} : emplacement privatif {floor}, facile d'accès.",
    "Parking en sous-sol, {floor}, dans une copropriété surveillée {of}, rampe large et bien éclairée.",
    "Garage fermé de {surface} m² à deux pas du centre {of}, porte basculante, sol béton.",
];
#[rustfmt::skip]
const OFFICE: [&str; 5] = [
    "Bureaux de {surface} m² situés {at}, {floor}, dans un immeuble de bon standing avec accueil.",
    "Plateau de {surface} m² divisible {at}, convenant à une profession libérale ou à une petite équipe.",
    "Au centre {of}, local professionnel de {surface} m², {floor}, lumineux et fonctionnel.",
    "Espace de travail d'environ {surface} m² {at} : accueil, bureaux cloisonnés, salle de réunion et sanitaires.",
    "Immeuble tertiaire {of} : {surface} m² de bureaux câblés et climatisés, {floor}.",
];
#[rustfmt::skip]
const LAND: [&str; 6] = [
    "Beau terrain à bâtir de {land} m² situé {at}, dans un environnement verdoyant et sans vis-à-vis.",
    "À quelques minutes du centre {of}, parcelle constructible de {land} m² hors lotissement.",
    "Terrain plat et viabilisé d'une surface de {land} m² {at}, façade de belle largeur.",
    "Votre projet de construction {at} sur cette parcelle de {land} m², libre de constructeur.",
    "Rare {at} : terrain de {land} m² exposé plein sud, eau et électricité en bordure.",
    "Parcelle de {land} m² issue d'une division, accès par chemin privé, proche du bourg {of}.",
];
#[rustfmt::skip]
const SHOP: [&str; 5] = [
    "Local commercial de {surface} m² situé {at}, en rez-de-chaussée d'un immeuble d'angle, belle vitrine.",
    "Emplacement numéro un {at} : boutique de {surface} m² avec réserve et arrière-cour.",
    "Murs commerciaux de {surface} m² dans une rue passante {of}, tous commerces sauf nuisances.",
    "Boutique d'environ {surface} m² {at}, linéaire de vitrine important, rideau métallique électrique.",
    "Au centre {of}, commerce de {surface} m² avec point d'eau, sanitaires et cave en sous-sol.",
];

#[rustfmt::skip]
const ONE_ROOM: [&str; 6] = [
    "Il se compose d'une pièce principale avec coin cuisine et d'une salle d'eau avec WC.",
    "Entrée avec placard, pièce de vie lumineuse, kitchenette équipée, salle d'eau.",
    "Pièce principale avec coin nuit, cuisine indépendante et salle de bains.",
    "Vous y trouverez une pièce à vivre, une kitchenette et une salle de douche récente.",
    "Bien agencé, il offre un séjour, un coin cuisine et une salle d'eau fenêtrée.",
    "Un espace de vie optimisé, des rangements, une salle d'eau et des WC séparés.",
];
#[rustfmt::skip]
const TWO_ROOMS: [&str; 6] = [
    "Il comprend une entrée, un séjour, une cuisine, {bedrooms}, une salle d'eau et des WC.",
    "Entrée, séjour lumineux avec cuisine ouverte, {bedrooms} au calme, salle de bains.",
    "Vous découvrirez un salon agréable, une cuisine séparée, {bedrooms} avec placard et une salle de douche.",
    "La pièce de vie donne sur la rue, {bedrooms} sur cour ; salle de bains et WC indépendants.",
    "Séjour, cuisine aménagée, {bedrooms}, salle d'eau avec fenêtre, nombreux rangements.",
    "Le plan est simple : une entrée, un séjour, {bedrooms}, une salle de bains.",
];
#[rustfmt::skip]
const MORE_ROOMS: [&str; 8] = [
    "Il se compose d'une entrée, d'un séjour double, d'une cuisine, de {bedrooms}, d'une salle de bains et de WC séparés.",
    "Entrée avec placards, vaste séjour, cuisine indépendante, {bedrooms}, salle de bains, WC.",
    "L'espace nuit comprend {bedrooms} et une salle d'eau ; l'espace jour, un séjour traversant.",
    "Vous profiterez d'une belle pièce de vie, de {bedrooms}, d'une salle de bains et d'un cellier.",
    "Séjour lumineux, cuisine dînatoire, {bedrooms}, deux salles d'eau, buanderie.",
    "Le couloir dessert {bedrooms}, une salle de bains, des toilettes et un grand placard.",
    "Salon et salle à manger en enfilade, cuisine, {bedrooms}, salle de douche.",
    "On y trouve un séjour de belle taille, {bedrooms} avec rangements et une cuisine séparée.",
];
#[rustfmt::skip]
const SMALL_HOUSE: [&str; 4] = [
    "Elle offre une pièce de vie avec cuisine ouverte, un coin nuit et une salle d'eau.",
    "Au rez-de-chaussée, un séjour et une cuisine ; à l'étage, une chambre et une salle de bains.",
    "Petite maison facile à vivre : séjour, cuisine, couchage, salle d'eau, dépendance.",
    "Elle comprend un séjour avec poêle, une cuisine simple et une salle de douche.",
];
#[rustfmt::skip]
const LARGE_HOUSE: [&str; 8] = [
    "Au rez-de-chaussée : entrée, séjour, cuisine et WC ; à l'étage : {bedrooms} et une salle de bains.",
    "Elle se compose d'un vaste séjour, d'une cuisine aménagée, de {bedrooms}, d'une salle d'eau et d'un bureau.",
    "Vous y découvrirez une pièce de vie traversante, une cuisine, {bedrooms} dont une suite parentale.",
    "L'étage dessert {bedrooms}, une salle de bains et un dégagement pouvant servir de bureau.",
    "Salon, salle à manger, cuisine indépendante, {bedrooms}, deux salles d'eau, cellier et chaufferie.",
    "Elle offre {bedrooms}, un double séjour ouvert sur l'extérieur et une grande cuisine familiale.",
    "Entrée, séjour avec baie vitrée, cuisine, {bedrooms}, salle de bains, WC séparés, sous-sol.",
    "Le niveau principal réunit séjour et cuisine ; {bedrooms} se partagent le reste de la maison.",
];

#[rustfmt::skip]
const TO_RENOVATE: [&str; 7] = [
    "Travaux à prévoir, beau potentiel.", "À rénover entièrement, à imaginer selon vos envies.",
    "Prévoir un rafraîchissement complet : électricité, sols et peintures.", "Bien à rénover, idéal pour un projet personnel ou locatif.",
    "Des travaux de rénovation permettront d'en révéler tout le charme.", "Vendu en l'état, travaux à prévoir.",
    "La toiture est saine, l'intérieur est à rénover.",
];
#[rustfmt::skip]
const GOOD: [&str; 7] = [
    "L'ensemble est en bon état général.", "Pas de travaux à prévoir dans l'immédiat.", "Bien entretenu par ses occupants.",
    "Quelques rafraîchissements suffiront pour le mettre à votre goût.", "Les prestations sont de qualité et bien conservées.",
    "Bien sain, sans mauvaise surprise.", "Habitable tout de suite, en bon état.",
];
#[rustfmt::skip]
const RENOVATED: [&str; 7] = [
    "Entièrement rénové avec goût, il n'y a plus qu'à poser vos valises.", "Rénovation complète et soignée, matériaux de qualité.",
    "Refait à neuf : électricité, plomberie, peintures.", "Rénové récemment par un architecte.",
    "Les travaux de rénovation viennent de s'achever.", "Isolation, fenêtres et chauffage ont été refaits.",
    "Bien rénové, prêt à habiter.",
];
#[rustfmt::skip]
const NEW: [&str; 5] = [
    "Construction récente aux dernières normes.", "Livré récemment, encore sous garantie décennale.",
    "Prestations neuves : domotique, volets électriques, isolation renforcée.", "Programme récent, frais de notaire réduits selon conditions.",
    "Normes RE 2020, faible consommation d'énergie.",
];

#[rustfmt::skip]
pub(super) const WITH_ELEVATOR: [&str; 4] = [
    "L'immeuble dispose d'un ascenseur.", "Accès par ascenseur.", "Ascenseur desservant tous les niveaux.",
    "Immeuble avec ascenseur récent.",
];

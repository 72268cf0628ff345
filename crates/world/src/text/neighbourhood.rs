//! Sentences on the neighbourhood, and on plots, shops, offices and parking spaces.

use domain::PropertyType;

use crate::towns::{Place, TownSize};

type Group = &'static [&'static str];

/// Returns groups of sentences; a description takes one of each.
pub(super) const fn of(property_type: PropertyType, place: &Place) -> &'static [Group] {
    match (property_type, place.size) {
        (PropertyType::Apartment | PropertyType::House, _) if place.has_metro => {
            &[&METRO, &CITY_SHOPS, &SCHOOLS, &MOOD, &URGENCY]
        }
        (PropertyType::Apartment | PropertyType::House, TownSize::City) => {
            &[&CITY_TRANSPORT, &CITY_SHOPS, &SCHOOLS, &MOOD, &URGENCY]
        }
        (PropertyType::Apartment | PropertyType::House, TownSize::Town) => {
            &[&TOWN_TRANSPORT, &TOWN_SHOPS, &SCHOOLS, &MOOD, &URGENCY]
        }
        (PropertyType::Apartment | PropertyType::House, TownSize::SmallTown) => {
            &[&TOWN_TRANSPORT, &TOWN_SHOPS, &SCHOOLS, &NATURE, &MOOD]
        }
        (PropertyType::Apartment | PropertyType::House, TownSize::Village) => {
            &[&VILLAGE, &NATURE, &SCHOOLS, &MOOD, &URGENCY]
        }
        (PropertyType::Building, _) => &[&BUILDING, &BUILDING_RETURN, &TOWN_SHOPS, &URGENCY],
        (PropertyType::Parking, _) => &[&PARKING, &PARKING_USE, &PARKING_ACCESS, &URGENCY],
        (PropertyType::Office, _) => &[&OFFICE, &OFFICE_ACCESS, &OFFICE_USE, &URGENCY],
        (PropertyType::Land, _) => &[&LAND, &LAND_RULES, &LAND_ACCESS, &NATURE, &URGENCY],
        (PropertyType::Shop, _) => &[&SHOP, &SHOP_USE, &SHOP_FLOW, &URGENCY],
    }
}

#[rustfmt::skip]
const METRO: [&str; 7] = [
    "Proche métro et bus, tout se fait à pied.", "Le métro est à cinq minutes à pied.", "Emplacement central, proche métro.",
    "Proche gare, métro et pistes cyclables.", "Métro, commerces et marché à proximité immédiate.",
    "Très bien desservi par les transports en commun.", "Deux lignes de métro à moins de dix minutes.",
];
#[rustfmt::skip]
const CITY_TRANSPORT: [&str; 6] = [
    "À deux pas du tramway et des grands axes.", "Très bien desservi par les transports en commun.",
    "Arrêt de bus au pied de l'immeuble, centre à dix minutes.", "Station de tramway à trois cents mètres.",
    "Accès rapide au périphérique et à la gare.", "Proche gare et pistes cyclables, tout se fait à pied.",
];
#[rustfmt::skip]
const CITY_SHOPS: [&str; 8] = [
    "Tous commerces en bas de chez vous.", "Marché deux fois par semaine, boulangerie et pharmacie dans la rue.",
    "Quartier vivant, cafés et restaurants alentour.", "Les commerces de bouche du quartier sont réputés.",
    "Supérette, crèche et cinéma dans un rayon de trois cents mètres.", "Le parc voisin offre une respiration bienvenue.",
    "Au cœur d'un quartier prisé, entre parc et commerces.", "Toutes les commodités se trouvent à proximité.",
];
#[rustfmt::skip]
const TOWN_TRANSPORT: [&str; 7] = [
    "La gare est accessible en dix minutes à pied.", "Proche gare et accès autoroute.",
    "Ligne de bus régulière à deux rues.", "Accès rapide à la rocade.",
    "À proximité de la gare et du centre-ville.", "Le centre-ville se rejoint à pied ou à vélo.",
    "Bien desservi, à mi-chemin de la gare et des écoles.",
];
#[rustfmt::skip]
const TOWN_SHOPS: [&str; 7] = [
    "Commerces, médecins et services à proximité.", "À deux pas des halles et du marché couvert.",
    "Boulangerie, pharmacie et supermarché à moins de cinq minutes.", "Centre-ville et ses commerces accessibles à pied.",
    "Toutes les commodités sont proches.", "Proche commerces, médiathèque et piscine municipale.",
    "Le marché du samedi se tient au bout de la rue.",
];
#[rustfmt::skip]
const VILLAGE: [&str; 7] = [
    "Au cœur d'un village avec école et commerces.", "Dans un hameau paisible, à dix minutes de toutes commodités.",
    "Le bourg et sa boulangerie sont accessibles à pied.", "Village dynamique : école, café, associations.",
    "Vous aimerez la tranquillité de la campagne.", "À un quart d'heure de la ville la plus proche.",
    "Au bout d'un chemin, loin des nuisances.",
];
#[rustfmt::skip]
const NATURE: [&str; 6] = [
    "Départ de sentiers de randonnée à proximité.", "Environnement verdoyant, entre bois et champs.",
    "La rivière coule à quelques centaines de mètres.", "Cadre naturel préservé.",
    "Belle vue sur la campagne environnante.", "La forêt commence au bout du chemin.",
];
#[rustfmt::skip]
const SCHOOLS: [&str; 6] = [
    "Écoles, collège et lycée à proximité.", "Groupe scolaire accessible à pied.",
    "Crèche et école maternelle dans le quartier.", "Secteur scolaire recherché.",
    "Les écoles se trouvent à moins de cinq minutes.", "Le bus scolaire s'arrête à deux pas.",
];
#[rustfmt::skip]
const MOOD: [&str; 9] = [
    "Lumineux et calme, c'est un lieu où l'on se sent bien.", "L'agencement est fonctionnel, sans perte de place.",
    "Beaux volumes et belle luminosité.", "Calme, lumineux, agréable à vivre.",
    "Le charme opère dès l'entrée.", "Une adresse confidentielle, à découvrir sans attendre.",
    "Grandes fenêtres, lumière toute la journée.", "Un cadre de vie rare dans le secteur.",
    "Ambiance chaleureuse et volumes bien pensés.",
];
#[rustfmt::skip]
const URGENCY: [&str; 7] = [
    "À visiter sans tarder.", "Produit rare, à saisir rapidement.", "Premières visites cette semaine.",
    "Disponibilité immédiate.", "Dossier complet sur demande.", "Opportunité à ne pas manquer.",
    "Visite virtuelle possible avant tout déplacement.",
];
#[rustfmt::skip]
const BUILDING: [&str; 4] = [
    "La toiture a été révisée et la façade ravalée il y a moins de dix ans.", "Les parties communes sont propres, les compteurs individuels.",
    "Chaque logement dispose de sa cave ; une cour commune sert de stationnement.", "Possibilité de créer un logement supplémentaire sous les combles.",
];
#[rustfmt::skip]
const BUILDING_RETURN: [&str; 4] = [
    "Tous les lots sont loués, les baux sont à jour.", "Rentabilité brute intéressante, état locatif sur demande.",
    "Un logement est libre et peut être occupé par l'acquéreur.", "Loyers réguliers, locataires en place depuis plusieurs années.",
];
#[rustfmt::skip]
const PARKING: [&str; 4] = [
    "L'accès se fait par une porte automatique avec télécommande et badge.", "Le sous-sol est éclairé, propre et surveillé par caméras.",
    "L'emplacement convient à une berline ou à un véhicule familial.", "La hauteur sous barrot est de deux mètres.",
];
#[rustfmt::skip]
const PARKING_USE: [&str; 4] = [
    "Parfait pour un habitant du quartier ou pour un premier investissement locatif.", "Possibilité d'installer une borne de recharge pour véhicule électrique.",
    "Idéal pour stationner une moto, un scooter ou ranger du matériel.", "La demande locative est forte dans ce secteur où se garer est difficile.",
];
#[rustfmt::skip]
const PARKING_ACCESS: [&str; 4] = [
    "Accès facile depuis la rue, de jour comme de nuit.", "Ascenseur direct entre le sous-sol et le hall.",
    "La rampe est large et la manœuvre aisée.", "Sortie piétonne à deux pas des commerces et des transports.",
];
#[rustfmt::skip]
const OFFICE: [&str; 4] = [
    "Les locaux sont climatisés, câblés et raccordés à la fibre.", "Accueil, salle de réunion, cuisine et sanitaires privatifs complètent l'ensemble.",
    "Le plateau est modulable grâce à des cloisons amovibles.", "Sols en moquette neuve, faux plafonds et éclairage récent.",
];
#[rustfmt::skip]
const OFFICE_ACCESS: [&str; 4] = [
    "Deux places de stationnement peuvent être proposées en complément.", "Accès aux personnes à mobilité réduite, parties communes rénovées.",
    "La gare et les lignes de bus sont à quelques minutes à pied.", "L'axe routier principal est tout proche, le stationnement aisé.",
];
#[rustfmt::skip]
const OFFICE_USE: [&str; 4] = [
    "Convient à un cabinet médical, un avocat, un architecte ou une jeune entreprise.", "Bail professionnel ou commercial, conditions à convenir.",
    "Libre à la fin du trimestre, visite sur rendez-vous uniquement.", "Possibilité de louer ou d'acheter une partie seulement de la surface.",
];
#[rustfmt::skip]
const LAND: [&str; 5] = [
    "Les réseaux d'eau, d'électricité et de télécommunication passent en limite de propriété.", "La parcelle est plate, bornée et libre de tout constructeur.",
    "Le terrain, en pente douce, offre une belle vue dégagée.", "Terrain arboré de chênes et de fruitiers, clôturé sur trois côtés.",
    "L'assainissement est individuel, l'étude de sol est disponible.",
];
#[rustfmt::skip]
const LAND_RULES: [&str; 4] = [
    "Certificat d'urbanisme positif, emprise au sol de trente pour cent.", "Le règlement autorise une maison de plain-pied ou à un étage.",
    "Zone constructible du plan local d'urbanisme, hors secteur inondable.", "Permis de construire accordé, plans consultables à l'agence ou chez le vendeur.",
];
#[rustfmt::skip]
const LAND_ACCESS: [&str; 4] = [
    "Accès par une voie communale goudronnée, façade de plus de vingt mètres.", "À deux pas des écoles, au calme d'un chemin sans issue.",
    "Le bourg et ses commerces se rejoignent à pied ou à vélo.", "Arrêt de car scolaire à proximité, gare à une dizaine de minutes.",
];
#[rustfmt::skip]
const SHOP: [&str; 4] = [
    "La surface de vente est prolongée par une réserve, un bureau et des sanitaires.", "Belle hauteur sous plafond, sol carrelé, éclairage refait.",
    "La cave voûtée, accessible par un escalier intérieur, sert de stockage.", "La vitrine d'angle assure une excellente visibilité depuis le carrefour.",
];
#[rustfmt::skip]
const SHOP_USE: [&str; 4] = [
    "Toutes activités étudiées, extraction possible sous réserve de l'accord de la copropriété.", "Convient à un salon de coiffure, une épicerie fine ou un cabinet.",
    "Bail commercial trois, six, neuf ; pas de droit d'entrée.", "Actuellement occupé par une librairie, libre au départ du preneur.",
];
#[rustfmt::skip]
const SHOP_FLOW: [&str; 4] = [
    "Flux piéton important, proximité des halles et d'un parking public.", "Rue commerçante animée toute l'année, marché deux fois par semaine.",
    "Proche gare, écoles et bureaux alentour.", "Stationnement en épi devant la vitrine, arrêt de bus en face.",
];

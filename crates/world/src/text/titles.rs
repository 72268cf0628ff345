//! Titles.

use domain::{PropertyType, TransactionType};

use super::Subject;
use crate::home::Condition;
use crate::random::Random;

/// Draws a title that suits the home.
pub(super) fn of(random: &mut Random, subject: &Subject<'_>) -> &'static str {
    let home = subject.home;
    let to_let = home.transaction_type == TransactionType::Rent;
    let studio = home.build.rooms == Some(1);
    let titles: &[&'static str] = match (home.property_type, to_let) {
        (PropertyType::Apartment, false) if home.build.condition == Condition::ToRenovate => &TO_RENOVATE,
        (PropertyType::Apartment, false) if studio => &STUDIO,
        (PropertyType::Apartment, true) if studio && home.build.furnished == Some(true) => &STUDIO_FURNISHED,
        (PropertyType::Apartment, true) if studio => &STUDIO_TO_LET,
        (PropertyType::Apartment, false) => &APARTMENT,
        (PropertyType::Apartment, true) if home.build.furnished == Some(true) => &APARTMENT_FURNISHED,
        (PropertyType::Apartment, true) => &APARTMENT_TO_LET,
        (PropertyType::House, false) if home.build.condition == Condition::ToRenovate => &HOUSE_TO_RENOVATE,
        (PropertyType::House, false) => &HOUSE,
        (PropertyType::House, true) => &HOUSE_TO_LET,
        (PropertyType::Building, _) => &BUILDING,
        (PropertyType::Parking, _) => &PARKING,
        (PropertyType::Office, _) => &OFFICE,
        (PropertyType::Land, _) => &LAND,
        (PropertyType::Shop, _) => &SHOP,
    };
    random.pick::<&str>(titles)
}

const APARTMENT: [&str; 10] = [
    "Appartement {rooms} de {surface} m² {at}",
    "Vente appartement {rooms} {town} {zipcode}",
    "{town} : {rooms} lumineux de {surface} m²",
    "Bel appartement {rooms} {floor}",
    "Appartement {surface} m² proche commodités",
    "Coup de cœur, {rooms} au calme {at}",
    "Appartement {rooms} {surface} m² – {town} ({zipcode})",
    "À vendre : {rooms} de {surface} m²",
    "{town} centre, appartement {rooms}",
    "Exclusivité appartement {rooms} {surface} m²",
];
const TO_RENOVATE: [&str; 4] = [
    "Appartement {rooms} à rénover {at}",
    "{town} : {rooms} de {surface} m² à rafraîchir",
    "Fort potentiel, appartement {surface} m² avec travaux",
    "Appartement {rooms} {surface} m² à rénover",
];
const STUDIO: [&str; 4] = [
    "Studio de {surface} m² {at}",
    "Idéal investisseur : studio {surface} m² {town}",
    "Studio lumineux {floor}, {surface} m²",
    "Vente studio {town} {zipcode}",
];
const STUDIO_TO_LET: [&str; 3] = [
    "Studio à louer {at}, {surface} m²",
    "Location studio {town} {zipcode}",
    "À louer : studio de {surface} m² {floor}",
];
const STUDIO_FURNISHED: [&str; 3] = [
    "Studio meublé {surface} m² {at}",
    "Location studio meublé {town}, {surface} m²",
    "À louer, studio meublé et équipé de {surface} m²",
];
const APARTMENT_TO_LET: [&str; 5] = [
    "Location appartement {rooms} {at}",
    "À louer : {rooms} de {surface} m² {at}",
    "Appartement {rooms} vide, {surface} m² – {town}",
    "{town} : {rooms} à louer {floor}",
    "Bel appartement {rooms} à louer, {surface} m²",
];
const APARTMENT_FURNISHED: [&str; 4] = [
    "Appartement meublé {rooms} {at}",
    "Location meublée {rooms} {surface} m² {town}",
    "À louer meublé : {rooms} de {surface} m²",
    "{rooms} meublé et équipé, {town} ({zipcode})",
];
const HOUSE: [&str; 8] = [
    "Maison {rooms} de {surface} m² {at}",
    "Maison familiale {surface} m² – {town}",
    "Vente maison {rooms} {town} {zipcode}",
    "Maison {surface} m² sur {land} m² de terrain",
    "{town} : maison {rooms} au calme",
    "Charmante maison de {surface} m²",
    "Maison {rooms}, terrain de {land} m²",
    "Pavillon {rooms} {surface} m² {at}",
];
const HOUSE_TO_RENOVATE: [&str; 4] = [
    "Maison à rénover {at}, {surface} m²",
    "Maison {surface} m² avec travaux sur {land} m²",
    "Belle bâtisse à restaurer – {town}",
    "Maison {rooms} à rafraîchir {at}",
];
const HOUSE_TO_LET: [&str; 4] = [
    "Maison à louer {at}, {surface} m²",
    "Location maison {rooms} {town} {zipcode}",
    "À louer : maison {rooms} et jardin de {land} m²",
    "Maison {rooms} {surface} m² à louer",
];
const BUILDING: [&str; 4] = [
    "Immeuble de rapport {surface} m² {at}",
    "Investisseurs : immeuble entier {town}",
    "Immeuble de {surface} m², {floors} niveaux",
    "Vente immeuble {town} {zipcode}",
];
const PARKING: [&str; 5] = [
    "Place de parking {at}",
    "Parking sécurisé {town} {zipcode}",
    "Box fermé {surface} m² {at}",
    "Stationnement en sous-sol – {town}",
    "Garage fermé {surface} m², {town}",
];
const OFFICE: [&str; 4] = [
    "Bureaux de {surface} m² {at}",
    "Plateau de bureaux {surface} m² – {town}",
    "Local professionnel {surface} m² {at}",
    "Bureaux lumineux {floor}, {town} {zipcode}",
];
const LAND: [&str; 5] = [
    "Terrain à bâtir de {land} m² {at}",
    "Terrain constructible {land} m² – {town}",
    "Belle parcelle de {land} m² {at}",
    "Vente terrain {town} {zipcode}",
    "Terrain viabilisé {land} m²",
];
const SHOP: [&str; 4] = [
    "Local commercial {surface} m² {at}",
    "Boutique de {surface} m² – {town}",
    "Murs commerciaux {town} {zipcode}",
    "Commerce {surface} m² avec vitrine {at}",
];

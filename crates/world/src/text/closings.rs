//! Sentences on running costs and contact.

use domain::TransactionType;

use crate::market::Seller;

/// Last sentences.
pub(super) const fn of(seller: Seller, transaction_type: TransactionType) -> &'static [&'static str] {
    match (seller, transaction_type) {
        (Seller::Agency(_), TransactionType::Sell) => &AGENCY,
        (Seller::Agency(_), TransactionType::Rent) => &AGENCY_TO_LET,
        (Seller::Individual, TransactionType::Sell) => &INDIVIDUAL,
        (Seller::Individual, TransactionType::Rent) => &INDIVIDUAL_TO_LET,
    }
}

#[rustfmt::skip]
const AGENCY: [&str; 7] = [
    "Contactez-nous pour organiser une visite.", "Notre équipe se tient à votre disposition pour toute information complémentaire.",
    "Les informations sur les risques sont disponibles sur le site Géorisques.", "Visite sur rendez-vous, y compris le samedi.",
    "Barème d'honoraires consultable à l'agence.", "Appelez votre conseiller pour en savoir plus.",
    "Estimation gratuite de votre bien sur simple demande.",
];
#[rustfmt::skip]
const AGENCY_TO_LET: [&str; 5] = [
    "Dossier à déposer en ligne, visites sur rendez-vous.", "Garant ou assurance loyers impayés demandés.",
    "Contactez l'agence pour planifier une visite.", "Honoraires à la charge du locataire selon barème légal.",
    "Bail de trois ans, visites groupées le samedi.",
];
#[rustfmt::skip]
const INDIVIDUAL: [&str; 5] = [
    "Vente entre particuliers, agences s'abstenir.", "Visites le soir et le week-end, appelez-moi.",
    "Je réponds volontiers à vos questions.", "Prix légèrement négociable, pas d'intermédiaire.",
    "Curieux s'abstenir, merci de me contacter par téléphone.",
];
#[rustfmt::skip]
const INDIVIDUAL_TO_LET: [&str; 4] = [
    "Location sans frais d'agence.", "Dossier sérieux demandé, visites ce week-end.",
    "Je loue en direct, merci de vous présenter dans votre message.", "Libre de suite, contactez-moi pour visiter.",
];

#[rustfmt::skip]
pub(super) const ENERGY: [&str; 6] = [
    "DPE : classe {letter}.", "Classe énergie {letter}, {heating}.", "Le diagnostic de performance énergétique est classé {letter}.",
    "Diagnostic énergétique {letter}, {heating}.", "Côté confort, {heating} ; étiquette énergie {letter}.", "DPE {letter}, diagnostics à jour.",
];
#[rustfmt::skip]
pub(super) const CONDOMINIUM: [&str; 4] = [
    "Copropriété de {lots} lots, charges annuelles d'environ {condominium} €.", "Charges de copropriété : {condominium} € par an ({lots} lots).",
    "Bien soumis au statut de la copropriété, {lots} lots, sans procédure en cours.", "La quote-part annuelle de charges s'élève à {condominium} €.",
];
#[rustfmt::skip]
pub(super) const TAX: [&str; 4] = [
    "Taxe foncière : {tax} €.", "La taxe foncière est de {tax} € par an.", "Taxe foncière annuelle : {tax} €.",
    "Montant de la taxe foncière : {tax} euros.",
];
#[rustfmt::skip]
pub(super) const RENT: [&str; 4] = [
    "Loyer charges comprises, dont {charges} € de provisions.", "Dépôt de garantie de {pledge} €, charges {charges} € par mois.",
    "Provision sur charges de {charges} € avec régularisation annuelle.", "Dépôt de garantie : {pledge} €.",
];
#[rustfmt::skip]
pub(super) const FURNISHED: [&str; 4] = [
    "Loué meublé : literie, vaisselle et électroménager fournis.", "Mobilier récent, il ne manque que vos valises.",
    "Location meublée, bail d'un an renouvelable.", "Meublé avec soin, bureau et connexion internet compris.",
];

//! Sentences of the cases, with the placeholders of [`Subject`](crate::text::Subject).

use domain::{PropertyType, TransactionType};

use crate::home::Home;

pub(super) const fn titles(home: &Home) -> &'static [&'static str] {
    match (home.property_type, home.transaction_type) {
        (PropertyType::House, TransactionType::Sell) => &HOUSE_TITLES,
        (PropertyType::House, TransactionType::Rent) => &HOUSE_TO_LET_TITLES,
        (_, TransactionType::Sell) => &FLAT_TITLES,
        (_, TransactionType::Rent) => &FLAT_TO_LET_TITLES,
    }
}

pub(super) const fn letter_openings(home: &Home) -> &'static [&'static str] {
    match (home.property_type, home.transaction_type) {
        (PropertyType::House, TransactionType::Sell) => &HOUSE_LETTERS,
        (PropertyType::House, TransactionType::Rent) => &HOUSE_TO_LET_LETTERS,
        (_, TransactionType::Sell) => &FLAT_LETTERS,
        (_, TransactionType::Rent) => &FLAT_TO_LET_LETTERS,
    }
}

pub(super) const fn owner_titles(home: &Home) -> &'static [&'static str] {
    match home.property_type {
        PropertyType::House => {
            &["Vends maison {town}", "Maison {rooms} sans agence", "PAP maison {surface} m²"]
        }
        _ => &[
            "Vends {rooms} {town}",
            "Appartement sans frais d'agence",
            "{rooms} {surface} m² de particulier",
        ],
    }
}

pub(super) const fn owner_openings(home: &Home) -> &'static [&'static str] {
    match home.property_type {
        PropertyType::House => &HOUSE_OWNERS,
        _ => &FLAT_OWNERS,
    }
}

#[rustfmt::skip]
const FLAT_TITLES: [&str; 8] = [
    "{rooms} – {surface} m² – {town}", "{town} : à visiter sans tarder", "Un {rooms} comme on les aime", "Belle opportunité {at}",
    "{rooms} en étage {at}", "Nouvelle exclusivité {of}", "Appartement familial ou investissement, {town}", "{surface} m² au cœur {of}",
];
#[rustfmt::skip]
const FLAT_TO_LET_TITLES: [&str; 5] = [
    "LOUE {rooms} {town}", "{rooms} disponible {at}", "{town} – {surface} m² en location", "Votre futur chez-vous {at}", "Libre : {rooms}, {surface} m²",
];
#[rustfmt::skip]
const HOUSE_TITLES: [&str; 6] = [
    "Maison avec extérieur {at}", "{town} – maison {surface} m²", "Une maison à vivre {at}", "Villa {rooms} et son terrain de {land} m²",
    "À visiter : maison {rooms}", "Belle opportunité, maison {at}",
];
#[rustfmt::skip]
const HOUSE_TO_LET_TITLES: [&str; 3] = ["LOUE maison {town}", "Maison disponible {at}, {surface} m²", "{town} – maison {rooms} en location"];

#[rustfmt::skip]
const FLAT_LETTERS: [&str; 8] = [
    "Votre agence vous ouvre les portes d'un {rooms} ({surface} m²) {at}.",
    "Envie de changer d'air ? Voici un logement de {surface} m², {floor}, avec {bedrooms}.",
    "Notre coup de cœur de la semaine se trouve {at} : {surface} m², {bedrooms}.",
    "On pousse la porte, et l'on découvre {surface} m² répartis intelligemment, {floor}.",
    "Pour les amateurs de beaux volumes : {rooms} {floor}, {town}.",
    "Ce logement construit en {year} propose {bedrooms} et une vraie pièce à vivre.",
    "Un plan bien pensé, {bedrooms}, {surface} m² : tout y est.",
    "Première visite {at} d'un {rooms} qui ne restera pas longtemps sur le marché.",
];
#[rustfmt::skip]
const FLAT_TO_LET_LETTERS: [&str; 5] = [
    "Votre gestionnaire vous propose un {rooms} ({surface} m²) {at}.", "Bail disponible pour ce logement de {surface} m², {floor}.",
    "Vous cherchez à vous loger {at} ? Voici {surface} m² prêts à vous accueillir.", "Un {rooms} bien tenu se libère {floor}.",
    "À deux ou en solo, ces {surface} m² {at} vous attendent.",
];
#[rustfmt::skip]
const HOUSE_LETTERS: [&str; 6] = [
    "Votre agence vous ouvre les portes d'une maison {rooms} ({surface} m²) {at}.",
    "Derrière le portail, {land} m² de terrain et une maison de {surface} m² avec {bedrooms}.",
    "La famille s'agrandit ? Voici {bedrooms} et {surface} m² {at}.",
    "Bâtie en {year}, cette maison a gardé son âme et gagné en confort.",
    "On pousse le portail, et l'on oublie la ville : {surface} m² habitables, {land} m² dehors.",
    "Une adresse recherchée {at}, une maison de {rooms}, du calme.",
];
#[rustfmt::skip]
const HOUSE_TO_LET_LETTERS: [&str; 3] = [
    "Votre gestionnaire vous propose une maison {rooms} ({surface} m²) {at}.", "Une maison avec {bedrooms} se libère {at}.",
    "Du terrain ({land} m²) et {surface} m² pour vivre au large.",
];

#[rustfmt::skip]
const FLAT_OWNERS: [&str; 5] = [
    "Je vends mon appartement {rooms} de {surface} m² {at}, {floor}.", "Mutation oblige, nous nous séparons de notre {rooms} {at}.",
    "Particulier vend {rooms}, {surface} m², {floor}.", "Bonjour, je mets en vente l'appartement où j'ai vécu dix ans : {surface} m², {floor}.",
    "Vends appartement {at}, {bedrooms}, {surface} m² loi Carrez.",
];
#[rustfmt::skip]
const HOUSE_OWNERS: [&str; 4] = [
    "Je vends ma maison {rooms} de {surface} m² {at}, terrain de {land} m².", "Nous vendons la maison familiale : {bedrooms}, {surface} m², jardin.",
    "Particulier vend maison {at}, {land} m² de terrain.", "Bonjour, maison de {year} à vendre, bien entretenue, {surface} m².",
];
#[rustfmt::skip]
pub(super) const OWNER_REMARKS: [&str; 8] = [
    "Taxe foncière {tax} €.", "Voisins charmants.", "DPE fait cette année.", "Photos sur demande.", "Écoles et bus tout près.",
    "Pas de travaux.", "Libre à convenir.", "Visite possible même en semaine.",
];

#[rustfmt::skip]
pub(super) const LIST_HEADS: [&str; 5] = [
    "{town} ({zipcode}) – descriptif :", "LES + DU BIEN :", "Fiche du bien, {town}", "Points forts :", "Ce qu'il faut savoir sur ce bien {at} :",
];
#[rustfmt::skip]
pub(super) const LIST_ENDS: [&str; 8] = [
    "Renseignements à l'agence ou par messagerie.", "Honoraires inclus, barème sur notre site.", "Dossier complet sur demande.",
    "Visite virtuelle possible.", "Contact par téléphone de préférence.", "Bien présenté par un agent commercial indépendant.",
    "Photos non contractuelles.", "Réactivité conseillée.",
];
#[rustfmt::skip]
pub(super) const TELEGRAM_HEADS: [&str; 5] = ["{town}, {rooms} :", "SECTEUR PRISÉ –", "{zipcode} {town} –", "RARE.", "À VOIR :"];
#[rustfmt::skip]
pub(super) const AMENITY_FRAMES: [&str; 7] = [
    "Parmi les atouts : {amenity}.", "À noter aussi : {amenity}.", "Côté confort, {amenity}.", "Petit plus : {amenity}.",
    "Vous aimerez : {amenity}.", "S'y ajoute : {amenity}.", "On apprécie : {amenity}.",
];
#[rustfmt::skip]
pub(super) const LETTER_MOODS: [&str; 6] = [
    "Ici, on vit au rythme {of}.", "Étiquette énergie {letter} et {heating}.", "Le quartier se découvre à pied.",
    "Les beaux jours y sont particulièrement doux.", "Une visite vaut mieux qu'un long discours.", "Idéal pour poser ses cartons avant la rentrée.",
];
#[rustfmt::skip]
pub(super) const LETTER_ENDS: [&str; 6] = [
    "À très vite pour la visite !", "Votre conseillère vous attend.", "Écrivez-nous, réponse dans la journée.", "Un bien à découvrir avec notre équipe.",
    "Et si c'était le bon ?", "On vous en dit plus au téléphone.",
];
#[rustfmt::skip]
pub(super) const COPY_OPENINGS: [&str; 5] = [
    "Nouveau à l'agence !", "En mandat simple.", "Bien proposé par notre réseau.", "Sélection de la semaine.", "Sous compromis chez personne, faites vite.",
];
#[rustfmt::skip]
pub(super) const REFRESHED: [&str; 5] = ["De nouveau disponible.", "Nouvelles photos !", "Prix revu.", "Remise en ligne.", "Suite à un refus de prêt, ce bien revient."];

/// An agency takes one of each: together about 200 words.
#[rustfmt::skip]
pub(super) const BOILERPLATE: [&[&str]; 6] = [
    &[
        "Notre agence, présente depuis plus de trente ans, vous accompagne dans tous vos projets de vente, d'achat, de location et de gestion, avec une équipe à l'écoute et des outils de diffusion performants.",
        "Membre d'un réseau national de conseillers indépendants, notre cabinet met à votre service sa connaissance du secteur, ses partenaires courtiers et ses artisans de confiance pour mener à bien votre projet.",
        "Spécialistes de l'immobilier local de père en fille, nous estimons gratuitement votre bien sous quarante-huit heures et nous le diffusons sur plus de cinquante sites partenaires en France et à l'étranger.",
        "Parce que chaque projet est unique, notre étude vous propose un suivi personnalisé de la première visite à la remise des clés, et reste joignable six jours sur sept par téléphone, messagerie ou visioconférence.",
    ],
    &[
        "Les honoraires sont à la charge du vendeur, sauf mention contraire, et notre barème complet est consultable en vitrine ainsi que sur notre site.",
        "Le prix affiché comprend les honoraires de négociation, hors frais de notaire et de publicité foncière, conformément à l'arrêté du 10 janvier 2017.",
        "Prix honoraires inclus, honoraires à la charge de l'acquéreur selon le barème en vigueur affiché à l'agence et remis sur simple demande.",
    ],
    &[
        "Les informations sur les risques auxquels ce bien est exposé, y compris l'obligation légale de débroussaillement, sont disponibles sur le site Géorisques.",
        "Conformément à l'article L. 125-5 du code de l'environnement, l'état des risques et pollutions est tenu à la disposition de toute personne intéressée et consultable sur le site Géorisques.",
        "Ce bien peut se trouver dans une zone de bruit, de sismicité ou d'inondation : consultez le site Géorisques pour connaître les risques auxquels il est exposé.",
    ],
    &[
        "Annonce rédigée et publiée par un agent mandataire immatriculé au registre spécial des agents commerciaux, titulaire d'une attestation de collaborateur délivrée par la chambre de commerce.",
        "Carte professionnelle de transaction et de gestion délivrée par la chambre de commerce, garantie financière de 120 000 euros, sans détention de fonds, assurance de responsabilité civile professionnelle souscrite.",
        "Notre société par actions simplifiée au capital de 10 000 euros est titulaire de la carte de transaction sur immeubles et fonds de commerce, et adhère à un syndicat de la profession.",
    ],
    &[
        "Vous avez un bien à vendre pour acheter celui-ci ? Nous l'estimons gratuitement et sans engagement, et nous étudions avec vous un prêt relais auprès de nos partenaires.",
        "Pour financer votre acquisition, notre courtier partenaire vous reçoit dans nos locaux et recherche pour vous les meilleures conditions de prêt et d'assurance emprunteur.",
        "Retrouvez tous nos biens, nos visites virtuelles et nos conseils sur notre site, et abonnez-vous à notre lettre pour recevoir les nouveautés avant tout le monde.",
    ],
    &[
        "Les photographies, plans et surfaces sont donnés à titre indicatif et n'ont pas de valeur contractuelle ; une pièce d'identité sera demandée avant toute visite.",
        "Vos données sont traitées pour répondre à votre demande et conservées trois ans ; vous pouvez y accéder, les corriger ou vous opposer au démarchage téléphonique.",
        "Document non contractuel, sous réserve d'erreur ou d'omission, et sous réserve de l'acceptation du vendeur et de la disponibilité du bien au jour de la demande.",
    ],
];

/// Names of programmes, residences and subdivisions.
#[rustfmt::skip]
pub(super) const RESIDENCES: [&str; 20] = [
    "Les Jardins d'Alba", "Carré Saint-Roch", "Villa Belombre", "L'Orée du Canal", "Les Terrasses de Maïa", "Cœur Magnolia", "Le Clos Verlhac",
    "Horizon Sud", "Résidence Pélican", "Les Allées d'Hestia", "Domaine des Sitelles", "Le Patio d'Elsa", "Nouvel Air", "Le Hameau du Tilleul",
    "Rive Douce", "Les Hauts de Sauvagine", "Le Verger Royal", "Panorama", "L'Écrin des Capucins", "Square Colette",
];

/// Texts of programmes. `[name]` is the programme.
#[rustfmt::skip]
pub(super) const PROGRAMMES: [&str; 4] = [
    "Au sein de la résidence neuve [name], {at}, découvrez des appartements du studio au cinq pièces prolongés de balcons, loggias ou jardins privatifs. Architecture contemporaine, façades en pierre et enduit clair, cœur d'îlot planté. Prestations : carrelage grand format, volets roulants électriques, salles de bains équipées, chauffage par pompe à chaleur, accès par badge et vidéophone. Résidence conforme à la RE 2020, livraison au deuxième trimestre de l'an prochain. Frais de notaire réduits, prêt à taux zéro selon conditions. Stationnement en sous-sol en option.",
    "[name] : une adresse confidentielle {of}, à quelques minutes des commerces et des transports. Le promoteur a imaginé une copropriété à taille humaine, trois bâtiments bas autour d'un jardin commun de mille mètres carrés, avec local à vélos et conciergerie. Chaque logement profite d'un espace extérieur et d'une double orientation. Matériaux soignés, isolation biosourcée, domotique de série. Garantie décennale, parfait achèvement et biennale. Plans et disponibilités sur demande auprès du bureau de vente.",
    "Investissez ou habitez dans le programme [name] {at}. TVA réduite sous conditions de ressources, frais de notaire offerts pour les dix premiers réservataires. Des logements lumineux, bien distribués, aux séjours ouverts sur de larges terrasses. Ascenseur, parkings boxables, fibre, panneaux photovoltaïques en toiture. Travaux en cours, livraison prévue dans dix-huit mois. Notre espace de vente vous accueille du mardi au samedi.",
    "Nouveau {at} ! La résidence [name] s'inscrit dans un quartier en plein renouveau, entre parc et futur tramway. Du deux au quatre pièces, des appartements pensés pour durer : parquet dans les chambres, faïence toute hauteur, menuiseries mixtes bois et aluminium, placards aménagés. Label environnemental visé, consommation maîtrisée. Dispositif de défiscalisation possible. Brochure, plans et grille de prix sur simple appel.",
];

/// Texts of parking series. `[name]` is the residence, `[number]` the sentence that names the space, if any.
#[rustfmt::skip]
pub(super) const PARKINGS: [&str; 4] = [
    "Résidence [name], {at} : emplacement de stationnement en sous-sol, accès par télécommande, éclairage automatique, caméra à l'entrée.[number] Hauteur maximale 1,90 m. Idéal investisseur ou résident du quartier. Charges faibles. Plusieurs places disponibles.",
    "Place de parking couverte dans la copropriété [name], au cœur {of}.[number] Portail motorisé, rampe large, manœuvre facile, surface de {surface} m². Possibilité d'installer une borne de recharge.",
    "À saisir {at}, parkings sécurisés dans un immeuble récent ([name]).[number] Accès jour et nuit par badge, ascenseur jusqu'aux étages, sol peint, faible taxe foncière. Rentabilité intéressante.",
    "Box et emplacements au sous-sol de la résidence [name].[number] Environ {surface} m², accès véhicules par la rue arrière, gardien sur place. Vente ou location par lots, nous consulter pour plusieurs unités.",
];

/// Texts of subdivisions. `[name]` is the subdivision, `[number]` the sentence that names the plot, if any.
#[rustfmt::skip]
pub(super) const SUBDIVISIONS: [&str; 3] = [
    "Lotissement [name], {at} : terrains à bâtir viabilisés, libres de constructeur.[number] Eau, électricité, fibre et tout-à-l'égout en limite de parcelle. Étude de sol réalisée, voirie et éclairage achevés. Commerces et école du bourg accessibles à pied. Bornage effectué.",
    "Votre terrain dans le domaine [name].[number] Un cadre champêtre à quelques minutes du centre {of}, des parcelles plates aux façades larges, un règlement souple. Permis d'aménager purgé de tout recours. Frais de notaire réduits.",
    "Derniers lots disponibles au [name] ({zipcode} {town}).[number] Parcelles entièrement viabilisées, exposition sud, assainissement collectif, sans vis-à-vis à l'arrière. Réalisez la maison de votre choix avec le constructeur de votre choix.",
];

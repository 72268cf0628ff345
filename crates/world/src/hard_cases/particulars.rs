//! What makes one home unlike another: the sizes of its rooms, its street, works, an unusual feature.
//!
//! They are facts of the home, so every writer takes them from here. Each is written as a full sentence or as a note, because one
//! agency writes prose and the next a list.

use crate::home::Home;
use crate::random::Random;

/// How a writer puts a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Sentence,
    Note,
}

#[derive(Debug, Clone)]
pub(super) struct Particulars {
    /// Square metres of the living room.
    living_room: i32,
    /// Square metres of the first two bedrooms.
    bedrooms: [i32; 2],
    exposure: &'static str,
    street: &'static str,
    works: (&'static str, i32),
    unusual: [(&'static str, &'static str); 2],
    landmark: (&'static str, i32),
    has_bedrooms: bool,
}

impl Particulars {
    pub(super) fn draw(random: &mut Random, home: &Home) -> Self {
        let surface = home.build.surface;
        let rooms = f64::from(home.build.rooms.unwrap_or(1).max(1));
        // The living room takes more than its share, and bedrooms less.
        let share = surface / (rooms + 1.0);
        let size =
            |random: &mut Random, middle: f64| (middle * random.uniform(0.8, 1.2)).round().max(7.0) as i32;
        let living_room = size(random, share * 1.3);
        let bedrooms = [size(random, share * 0.75), size(random, share * 0.7)];
        let first = random.below(UNUSUAL.len() as u64) as usize;
        let second = (first + 1 + random.below(UNUSUAL.len() as u64 - 1) as usize) % UNUSUAL.len();
        Self {
            living_room,
            bedrooms,
            exposure: *random.pick(&EXPOSURES),
            street: *random.pick(&STREETS),
            works: (*random.pick(&WORKS), random.between(2008, 2024)),
            unusual: [UNUSUAL[first], UNUSUAL[second]],
            landmark: (*random.pick(&LANDMARKS), random.between(2, 15)),
            has_bedrooms: home.build.rooms.is_some_and(|rooms| rooms >= 3),
        }
    }

    /// Writes some of the facts, in an order of the writer's own.
    pub(super) fn write(&self, random: &mut Random, style: Style, count: usize) -> Vec<String> {
        let mut facts = self.all(style);
        for position in (1..facts.len()).rev() {
            facts.swap(position, random.below(position as u64 + 1) as usize);
        }
        facts.truncate(count);
        facts
    }

    /// Writes what all flats of a building share.
    pub(super) fn of_building(&self) -> String {
        let Self { street, works: (work, year), landmark: (landmark, minutes), .. } = self;
        format!(
            "L'adresse, {street}, est appréciée pour son calme. Il faut noter {work} en {year}. Pour les promenades, {landmark} se \
             trouve à {minutes} minutes."
        )
    }

    fn all(&self, style: Style) -> Vec<String> {
        let Self {
            living_room, bedrooms: [first, second], exposure, street, works, unusual, landmark, ..
        } = self;
        let ((work, year), (landmark, minutes)) = (works, landmark);
        let mut facts = match style {
            Style::Sentence => vec![
                format!("Le séjour de {living_room} m² est exposé {exposure}."),
                format!("L'adresse, {street}, est appréciée pour son calme."),
                format!("Il faut noter {work} en {year}."),
                format!("Pour les promenades, {landmark} se trouve à {minutes} minutes."),
            ],
            Style::Note => vec![
                format!("Séjour {living_room} m² ({exposure})"),
                format!("Adresse : {street}"),
                format!("Travaux : {work} ({year})"),
                format!("{landmark} à {minutes} min"),
            ],
        };
        facts.extend(unusual.iter().map(|(sentence, note)| match style {
            Style::Sentence => (*sentence).to_owned(),
            Style::Note => (*note).to_owned(),
        }));
        if self.has_bedrooms {
            facts.push(match style {
                Style::Sentence => format!("Les chambres font {first} et {second} m²."),
                Style::Note => format!("Chambres de {first} m² et {second} m²"),
            });
        }
        facts
    }
}

const EXPOSURES: [&str; 6] = ["plein sud", "sud-ouest", "sud-est", "à l'ouest", "à l'est", "nord-sud"];

#[rustfmt::skip]
const STREETS: [&str; 36] = [
    "rue des Lavandières", "rue du Four Banal", "allée des Érables", "rue Neuve-Saint-Martin", "impasse du Puits", "rue des Cordiers",
    "avenue du Parc", "rue de la Tannerie", "chemin des Vignes", "rue des Capucins", "place du Marché au Blé", "rue du Vieux Collège",
    "boulevard de la Corderie", "rue des Trois Maures", "rue du Château d'Eau", "quai des Mariniers", "rue de l'Abreuvoir", "rue des Jardiniers",
    "allée du Petit Bois", "rue de la Poste aux Chevaux", "rue du Faubourg Vert", "rue des Tonneliers", "cours des Platanes", "rue de la Fonderie",
    "rue des Maraîchers", "rue de l'Écluse", "venelle du Couvent", "rue de la Glacière", "square des Acacias", "rue du Grand Puits",
    "rue des Chaudronniers", "rue de la Barre", "sentier des Meuniers", "rue de l'Observatoire", "rue des Filatures", "rue du Pont Suspendu",
];

#[rustfmt::skip]
const WORKS: [&str; 8] = [
    "la toiture refaite", "l'électricité reprise", "le ravalement voté et payé", "la chaudière remplacée",
    "la salle d'eau rénovée", "les fenêtres changées", "la cage d'escalier repeinte", "l'isolation des combles",
];

#[rustfmt::skip]
const LANDMARKS: [&str; 14] = [
    "le jardin botanique", "la médiathèque", "le canal", "la place du marché", "le conservatoire", "la piscine municipale", "le lac",
    "le théâtre", "la voie verte", "le parc des sports", "la cathédrale", "le port de plaisance", "l'hôpital", "la forêt domaniale",
];

/// A sentence and a note for each.
#[rustfmt::skip]
const UNUSUAL: [(&str, &str); 26] = [
    ("Un ancien monte-plats a été conservé dans la cuisine.", "Monte-charge d'époque côté cuisine"),
    ("La salle de bains conserve ses mosaïques des années trente.", "Mosaïques 1930 dans la SDB"),
    ("Une alcôve vitrée sert de bureau.", "Coin bureau sous verrière"),
    ("Le plafond de l'entrée est peint d'un décor floral.", "Décor peint au plafond du hall"),
    ("Un escalier en colimaçon mène à une pièce d'appoint.", "Petite pièce en plus par escalier hélicoïdal"),
    ("La porte d'entrée donne sur un passage couvert.", "Accès par passage couvert"),
    ("Un atelier d'artiste au nord profite d'une lumière constante.", "Atelier lumière du nord"),
    ("Les voisins partagent un potager.", "Potager partagé"),
    ("Un poêle de faïence trône dans le salon.", "Poêle en faïence"),
    ("La cour abrite un figuier centenaire.", "Figuier dans la cour"),
    ("Une bibliothèque sur mesure couvre tout un mur.", "Grande bibliothèque encastrée"),
    ("Le toit-terrasse commun est accessible à tous les résidents.", "Accès au toit commun"),
    ("Un local à vélos avec prises de recharge vient d'être créé.", "Garage à vélos électrifié"),
    ("La cuisine est signée d'un artisan de la région.", "Cuisine artisanale"),
    ("Une cave à vin climatisée est encastrée sous l'escalier.", "Cave à vins intégrée"),
    ("Les persiennes d'origine ont été restaurées.", "Persiennes anciennes restaurées"),
    ("Une chambre d'amis de la copropriété se réserve à la semaine.", "Chambre d'hôtes commune"),
    ("Le carrelage de ciment a été déposé puis reposé.", "Carreaux de ciment d'origine"),
    ("Un hublot éclaire la douche.", "Douche avec hublot"),
    ("Le panneau solaire de la résidence alimente les parties communes.", "Solaire en toiture pour les communs"),
    ("Le salon possède un bow-window.", "Bow-window côté rue"),
    ("L'ancienne enseigne du rez-de-chaussée est restée en place.", "Enseigne d'époque en façade"),
    ("Un récupérateur d'eau dessert l'arrosage.", "Récupération d'eau de pluie"),
    ("La buanderie dispose d'une descente de linge.", "Trappe à linge"),
    ("Un piano à queue passe par la baie du séjour.", "Baie assez large pour un piano"),
    ("Le parquet provient d'un paquebot démantelé.", "Parquet de paquebot"),
];

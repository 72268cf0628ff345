//! Amenities: how common each one is, its name in a list of features, and the sentences that describe it.

use domain::PropertyType;

use super::measures::{Build, Condition};
use crate::random::Random;

pub(crate) struct Amenity {
    /// The entry in the list of features of an advert.
    pub feature: &'static str,
    /// The end of a title that mentions it, if titles do.
    pub title: Option<&'static str>,
    /// The percentage of apartments and of houses that have it.
    percent: [f64; 2],
    pub sentences: [&'static str; 4],
}

/// The amenities of a home, one bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Amenities(u32);

impl Amenities {
    pub(super) fn draw(random: &mut Random, property_type: PropertyType, build: &Build) -> Self {
        let column = match property_type {
            PropertyType::Apartment => 0,
            PropertyType::House => 1,
            _ => return Self(0),
        };
        let mut bits = 0;
        for (position, amenity) in AMENITIES.iter().enumerate() {
            let drawn = random.chance(amenity.percent[column]);
            let possible = match amenity.feature {
                "Double vitrage" | "Cuisine équipée" => build.condition != Condition::ToRenovate,
                "Dressing" | "Buanderie" | "Traversant" => build.rooms.is_some_and(|rooms| rooms >= 3),
                "Vue dégagée" => column == 1 || build.floor.is_some_and(|floor| floor >= 2),
                "Poutres apparentes" | "Moulures" => build.year.is_some_and(|year| year < 1949),
                _ => true,
            };
            if drawn && possible {
                bits |= 1 << position;
            }
        }
        Self(bits)
    }

    /// Returns the positions in the table of the amenities that are set.
    pub(crate) fn positions(self) -> impl Iterator<Item = usize> {
        (0..AMENITIES.len()).filter(move |position| self.0 >> position & 1 == 1)
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = &'static Amenity> {
        self.positions().map(|position| &AMENITIES[position])
    }
}

const fn amenity(
    feature: &'static str,
    title: Option<&'static str>,
    percent: [f64; 2],
    sentences: [&'static str; 4],
) -> Amenity {
    Amenity { feature, title, percent, sentences }
}

/// At most 32: see [`Amenities`].
#[rustfmt::skip]
pub(crate) const AMENITIES: &[Amenity] = &[
    amenity("Balcon", Some("avec balcon"), [36.0, 8.0], [
        "Un balcon filant prolonge agréablement le séjour.", "Le balcon, orienté au calme, permet d'installer une petite table.",
        "Vous profiterez d'un balcon sans vis-à-vis.", "Le séjour s'ouvre sur un balcon bien exposé."]),
    amenity("Terrasse", Some("avec terrasse"), [17.0, 46.0], [
        "La terrasse, accessible depuis le séjour, invite aux repas d'été.", "Une belle terrasse plein sud complète les espaces de vie.",
        "Grande terrasse ensoleillée une bonne partie de la journée.", "Terrasse carrelée de plain-pied avec la pièce de vie."]),
    amenity("Jardin", Some("avec jardin"), [6.0, 74.0], [
        "Le jardin clos et arboré est idéal pour les enfants.", "À l'extérieur, un jardin sans vis-à-vis, facile à entretenir.",
        "Joli jardin fleuri, à l'abri des regards.", "Le jardin, exposé sud-ouest, accueille un potager et quelques fruitiers."]),
    amenity("Cave", None, [42.0, 28.0], [
        "Une cave saine complète ce bien.", "Vous disposerez aussi d'une cave.",
        "Au sous-sol, une cave voûtée pour vos bouteilles.", "Cave privative et local commun."]),
    amenity("Parking", Some("avec parking"), [33.0, 42.0], [
        "Une place de parking privative est comprise.", "Stationnement aisé grâce à une place attitrée.",
        "Le bien dispose d'une place de stationnement en sous-sol sécurisé.", "Parking privé derrière un portail automatique."]),
    amenity("Garage", Some("avec garage"), [10.0, 52.0], [
        "Un garage fermé complète l'ensemble.", "Garage de plain-pied avec coin atelier.",
        "Le garage peut recevoir un véhicule et deux vélos.", "Vous apprécierez le garage avec porte motorisée."]),
    amenity("Parquet", None, [38.0, 26.0], [
        "Au sol, un parquet massif en parfait état.", "Beau parquet ancien en point de Hongrie dans les pièces de réception.",
        "Parquet chêne dans le séjour et les chambres.", "Les parquets ont été poncés et vitrifiés."]),
    amenity("Cheminée", Some("avec cheminée"), [9.0, 24.0], [
        "Une cheminée de caractère réchauffe le salon.", "Le salon s'organise autour d'une cheminée en état de marche.",
        "Cheminée en marbre, hauteur sous plafond généreuse.", "Cheminée à insert pour les soirées d'hiver."]),
    amenity("Cuisine équipée", None, [52.0, 58.0], [
        "La cuisine aménagée et équipée est fonctionnelle.", "Cuisine entièrement équipée : four, plaque, hotte et lave-vaisselle.",
        "La cuisine, récente, offre de nombreux rangements.", "Cuisine équipée avec coin repas."]),
    amenity("Cuisine ouverte", None, [28.0, 30.0], [
        "La cuisine ouverte donne du volume à la pièce de vie.", "Cuisine américaine avec îlot central.",
        "Cuisine ouverte sur le séjour, dans un esprit convivial.", "Un bar sépare la cuisine ouverte du salon."]),
    amenity("Dressing", None, [14.0, 20.0], [
        "La chambre principale bénéficie d'un dressing.", "Un dressing sur mesure complète la suite parentale.",
        "Nombreux rangements, dont un dressing.", "Dressing attenant à la chambre des parents."]),
    amenity("Piscine", Some("avec piscine"), [3.0, 13.0], [
        "Piscine chauffée avec volet roulant.", "Une piscine au sel agrémente l'extérieur.",
        "La piscine est entourée d'une plage en bois.", "Piscine dans la résidence, entretien compris."]),
    amenity("Vue dégagée", Some("avec vue dégagée"), [21.0, 18.0], [
        "La vue dégagée donne sur les toits et les arbres.", "Belle vue dégagée, aucun immeuble en face.",
        "Depuis les fenêtres, une vue dégagée sur la verdure.", "La vue, dégagée et sans nuisance, surprend dès l'entrée."]),
    amenity("Sans vis-à-vis", Some("sans vis-à-vis"), [19.0, 20.0], [
        "L'ensemble est sans vis-à-vis.", "Calme absolu, sans vis-à-vis direct.",
        "Aucun vis-à-vis, aucune nuisance sonore.", "Côté cour, sans vis-à-vis."]),
    amenity("Double vitrage", None, [44.0, 46.0], [
        "Fenêtres en double vitrage sur l'ensemble des pièces.", "Les menuiseries en double vitrage datent de moins de dix ans.",
        "Double vitrage et volets roulants électriques.", "Isolation refaite, double vitrage partout."]),
    amenity("Interphone", None, [46.0, 6.0], [
        "L'entrée est sécurisée par digicode et interphone.", "Immeuble sécurisé avec interphone.",
        "Accès protégé par visiophone.", "Interphone et porte blindée."]),
    amenity("Gardien", None, [15.0, 0.0], [
        "La résidence est tenue par une gardienne appréciée.", "Gardien sur place, parties communes impeccables.",
        "Copropriété bien entretenue, avec gardien.", "Présence d'un gardien du lundi au samedi."]),
    amenity("Fibre optique", None, [30.0, 22.0], [
        "Logement raccordé à la fibre.", "La fibre optique est installée.",
        "Fibre active, parfait pour le télétravail.", "Raccordement à la fibre déjà effectué."]),
    amenity("Grenier", None, [4.0, 25.0], [
        "Le grenier aménageable offre de belles possibilités.", "Combles perdus, isolés, et grenier accessible.",
        "Un grenier de belle hauteur attend vos idées.", "Grenier sur toute la surface, à aménager selon vos envies."]),
    amenity("Véranda", Some("avec véranda"), [1.0, 12.0], [
        "Une véranda lumineuse prolonge la salle à manger.", "La véranda, chauffée, se vit toute l'année.",
        "Véranda récente ouvrant sur l'extérieur.", "Petit déjeuner au soleil dans la véranda."]),
    amenity("Mezzanine", Some("avec mezzanine"), [6.0, 9.0], [
        "Une mezzanine offre un espace de bureau.", "La mezzanine peut servir de couchage d'appoint.",
        "Beau volume avec mezzanine.", "Mezzanine en bois au-dessus du séjour."]),
    amenity("Moulures", Some("avec moulures"), [34.0, 10.0], [
        "Moulures, parquet, cheminée : le charme de l'ancien est intact.", "Les moulures d'origine ont été conservées.",
        "Belle hauteur sous plafond et moulures d'époque.", "Corniches et moulures dans toutes les pièces de réception."]),
    amenity("Poutres apparentes", Some("avec poutres apparentes"), [22.0, 34.0], [
        "Les poutres apparentes donnent du caractère au séjour.", "Poutres et pierres apparentes, authenticité garantie.",
        "Charme de l'ancien avec ses poutres apparentes.", "Tomettes au sol et poutres apparentes au plafond."]),
    amenity("Climatisation", None, [11.0, 17.0], [
        "Climatisation réversible dans la pièce principale.", "Confort d'été assuré par une climatisation récente.",
        "Climatisation gainable dans toutes les chambres.", "La climatisation réversible assure aussi le chauffage d'appoint."]),
    amenity("Buanderie", None, [8.0, 33.0], [
        "Une buanderie pratique au quotidien.", "Buanderie avec arrivée d'eau et rangements.",
        "Cellier et buanderie attenants à la cuisine.", "La buanderie communique avec le garage."]),
    amenity("Local à vélos", None, [27.0, 0.0], [
        "Local à vélos et à poussettes au rez-de-chaussée.", "Un local à vélos fermé est à disposition.",
        "Local vélos commun dans la cour.", "Vélos et poussettes trouvent place dans un local commun."]),
    amenity("Alarme", None, [4.0, 15.0], [
        "Système d'alarme relié à un centre de surveillance.", "Une alarme récente protège les accès.",
        "Alarme et volets motorisés.", "Porte blindée et alarme."]),
    amenity("Traversant", Some("traversant"), [20.0, 6.0], [
        "Traversant, le logement se ventile naturellement.", "Double exposition est-ouest, lumière du matin au soir.",
        "Plan traversant sans perte de place.", "Le plan, traversant, distribue d'un côté le jour, de l'autre la nuit."]),
    amenity("Exposition sud", Some("plein sud"), [26.0, 24.0], [
        "Exposition plein sud.", "Très lumineux grâce à son exposition sud.",
        "Ensoleillement optimal, exposition sud-ouest.", "Le séjour, exposé au sud, est baigné de lumière."]),
    amenity("Plain-pied", Some("de plain-pied"), [3.0, 24.0], [
        "Tout est de plain-pied, sans marche.", "La vie de plain-pied convient à tous les âges.",
        "De plain-pied, accessible aux personnes à mobilité réduite.", "Plain-pied complet, chambres comprises."]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_amenity_has_a_bit() {
        assert!(AMENITIES.len() <= 32);
        assert_eq!(Amenities(u32::MAX).iter().count(), AMENITIES.len());
    }
}

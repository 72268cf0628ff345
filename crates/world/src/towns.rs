//! Towns: supplied by the caller, drawn by population, with the forms of their names in French sentences.

use std::collections::HashMap;

use domain::{GeoPoint, Insee, ShortText, Zipcode};

use crate::prices::{PriceLevel, Prices, department_of};
use crate::random::Random;

/// A commune, or a district of Paris, Lyon or Marseille. A list with districts does not contain the city itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Town {
    pub insee: Insee,
    pub name: String,
    pub zipcode: Zipcode,
    pub population: u32,
    /// The centre.
    pub point: GeoPoint,
}

/// The towns of a world, with values derived once.
#[derive(Debug)]
pub(crate) struct Towns {
    places: Vec<Place>,
    /// The cumulative weights.
    cumulated: Vec<u64>,
    by_insee: HashMap<Insee, usize>,
}

/// A town and its derived values.
#[derive(Debug)]
pub(crate) struct Place {
    pub town: Town,
    pub level: PriceLevel,
    pub size: TownSize,
    pub city_name: Option<ShortText>,
    /// `Toulouse`, `Paris 11e`.
    pub short_name: Box<str>,
    /// `à Toulouse`, `au Mans`, `aux Sables-d'Olonne`.
    pub at: Box<str>,
    /// `de Toulouse`, `d'Annecy`, `du Mans`.
    pub of: Box<str>,
    /// `toulouse-31000`.
    pub slug: Box<str>,
    pub has_metro: bool,
    /// The maximum distance of homes from the centre.
    pub radius_km: f64,
    /// The prefix of telephone numbers reserved for fiction in this region.
    pub phone_prefix: &'static str,
}

/// The size class of a town, by population.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TownSize {
    Village,
    SmallTown,
    Town,
    City,
}

impl Towns {
    pub(crate) fn new(towns: Vec<Town>, prices: &Prices) -> Self {
        let places: Vec<Place> = towns.into_iter().map(|town| Place::new(town, prices)).collect();
        let cumulated = places
            .iter()
            .scan(0, |sum, place| {
                // Even a commune without inhabitants has some adverts.
                *sum += u64::from(place.town.population.max(1));
                Some(*sum)
            })
            .collect();
        let by_insee = places.iter().enumerate().map(|(index, place)| (place.town.insee.clone(), index));
        Self { by_insee: by_insee.collect(), places, cumulated }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Draws the position of a town, weighted by population.
    pub(crate) fn draw(&self, random: &mut Random) -> usize {
        let drawn = random.below(self.cumulated.last().copied().unwrap_or_default());
        self.cumulated.partition_point(|sum| *sum <= drawn)
    }

    pub(crate) fn place(&self, index: usize) -> &Place {
        &self.places[index]
    }

    pub(crate) fn find(&self, insee: &Insee) -> Option<&Place> {
        self.by_insee.get(insee).map(|index| &self.places[*index])
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Town> {
        self.places.iter().map(|place| &place.town)
    }
}

impl Place {
    fn new(town: Town, prices: &Prices) -> Self {
        let short_name = town.name.trim().trim_end_matches("Arrondissement").trim_end();
        let insee = town.insee.as_str();
        let district = ["751", "6938", "132"].iter().any(|prefix| insee.starts_with(prefix));
        let population = f64::from(town.population);
        Self {
            level: prices.level(insee),
            size: match town.population {
                _ if district => TownSize::City,
                0..4_000 => TownSize::Village,
                4_000..20_000 => TownSize::SmallTown,
                20_000..90_000 => TownSize::Town,
                _ => TownSize::City,
            },
            city_name: ShortText::new(&town.name).ok().flatten(),
            at: at_town(short_name).into(),
            of: of_town(short_name).into(),
            slug: format!("{}-{}", slug(short_name), town.zipcode.as_str().to_lowercase().replace(' ', "-"))
                .into(),
            // About 3 km for a town of 100,000 inhabitants and one for a village; districts are dense.
            radius_km: if district { 1.1 } else { (0.6 + population.sqrt() / 120.0).min(8.0) },
            // The inner suburbs of Paris, and the three other cities that have one.
            has_metro: district
                || matches!(department_of(insee), "92" | "93" | "94")
                || matches!(insee, "31555" | "35238" | "59350"),
            phone_prefix: phone_prefix(insee),
            short_name: short_name.into(),
            town,
        }
    }
}

fn at_town(name: &str) -> String {
    match name.split_once(' ') {
        Some(("Le", rest)) => format!("au {rest}"),
        Some(("Les", rest)) => format!("aux {rest}"),
        Some(("La", rest)) => format!("à La {rest}"),
        _ => format!("à {name}"),
    }
}

fn of_town(name: &str) -> String {
    match name.split_once(' ') {
        Some(("Le", rest)) => format!("du {rest}"),
        Some(("Les", rest)) => format!("des {rest}"),
        _ if name.starts_with(['A', 'E', 'I', 'O', 'U', 'É', 'È', 'Ê', 'Î', 'Œ']) => format!("d'{name}"),
        _ => format!("de {name}"),
    }
}

/// Returns the name as in URLs of portals: lower case, no accents, words joined by hyphens.
pub(crate) fn slug(name: &str) -> String {
    let mut slug = String::with_capacity(name.len());
    for letter in name.chars().flat_map(char::to_lowercase) {
        let plain = match letter {
            'a'..='z' | '0'..='9' => letter,
            'à' | 'â' | 'ä' => 'a',
            'é' | 'è' | 'ê' | 'ë' => 'e',
            'î' | 'ï' => 'i',
            'ô' | 'ö' => 'o',
            'ù' | 'û' | 'ü' => 'u',
            'ÿ' => 'y',
            'ç' => 'c',
            'ñ' => 'n',
            'œ' => {
                slug.push('o');
                'e'
            }
            _ => '-',
        };
        if plain != '-' || !(slug.is_empty() || slug.ends_with('-')) {
            slug.push(plain);
        }
    }
    slug.truncate(slug.trim_end_matches('-').len());
    slug
}

/// Returns the range of telephone numbers that ARCEP, the French regulator, reserves for works of fiction.
fn phone_prefix(insee: &str) -> &'static str {
    match department_of(insee) {
        "75" | "77" | "78" | "91" | "92" | "93" | "94" | "95" => "01 99 00",
        "02" | "08" | "10" | "21" | "25" | "39" | "51" | "52" | "54" | "55" | "57" | "58" | "59" | "60"
        | "62" | "67" | "68" | "70" | "71" | "80" | "88" | "89" | "90" => "03 53 01",
        "01" | "03" | "04" | "05" | "06" | "07" | "11" | "13" | "15" | "26" | "2A" | "2B" | "30" | "34"
        | "38" | "42" | "43" | "48" | "63" | "66" | "69" | "73" | "74" | "83" | "84" => "04 65 71",
        "09" | "12" | "16" | "17" | "19" | "23" | "24" | "31" | "32" | "33" | "40" | "46" | "47" | "64"
        | "65" | "79" | "81" | "82" | "86" | "87" | "971" | "972" | "973" => "05 36 49",
        _ => "02 61 91",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prepositions_agree_with_the_town() {
        let check = |name: &str, at: &str, of: &str| {
            assert_eq!((at_town(name).as_str(), of_town(name).as_str()), (at, of));
        };
        check("Toulouse", "à Toulouse", "de Toulouse");
        check("Annecy", "à Annecy", "d'Annecy");
        check("Évry-Courcouronnes", "à Évry-Courcouronnes", "d'Évry-Courcouronnes");
        check("Le Mans", "au Mans", "du Mans");
        check("Les Sables-d'Olonne", "aux Sables-d'Olonne", "des Sables-d'Olonne");
        check("La Rochelle", "à La Rochelle", "de La Rochelle");
        assert_eq!(slug("Les Sables-d'Olonne"), "les-sables-d-olonne");
        assert_eq!(slug("Œuilly (Marne)"), "oeuilly-marne");
    }

    #[test]
    fn a_district_is_a_dense_city() {
        let towns = Towns::new(crate::sample::towns(), &Prices::embedded());
        let place = towns.find(&Insee::parse("75111").unwrap()).unwrap();
        assert_eq!((&*place.short_name, &*place.slug), ("Paris 11e", "paris-11e-75011"));
        assert_eq!((place.size, place.phone_prefix), (TownSize::City, "01 99 00"));
        assert!(place.radius_km < 1.5);
    }

    #[test]
    fn towns_are_drawn_by_population() {
        let towns = Towns::new(crate::sample::towns(), &Prices::embedded());
        let mut random = Random::new(3);
        let total: u32 = towns.iter().map(|town| town.population).sum();
        let drawn = 20_000;
        let toulouse = Insee::parse("31555").unwrap();
        let times =
            (0..drawn).filter(|_| towns.place(towns.draw(&mut random)).town.insee == toulouse).count();
        let share = f64::from(towns.find(&toulouse).unwrap().town.population) / f64::from(total);
        assert!((times as f64 / f64::from(drawn) / share - 1.0).abs() < 0.1, "{times} of {drawn}, {share}");
    }
}

//! Some sixty real towns, from Paris districts to hamlets: for tests that do not need the whole geography.
//!
//! Codes and populations: INSEE. Zipcodes: La Poste. Centres: IGN and DILA. Licence Ouverte 2.0.

use domain::{GeoPoint, Insee, Zipcode};

use crate::towns::Town;

/// The sample, largest departments' towns and small ones mixed.
pub fn towns() -> Vec<Town> {
    let town = |&(insee, name, zipcode, population, lat, lon): &(&str, &str, &str, u32, f64, f64)| {
        Some(Town {
            insee: Insee::parse(insee)?,
            name: name.to_owned(),
            zipcode: Zipcode::parse(zipcode)?,
            population,
            point: GeoPoint::new(lat, lon)?,
        })
    };
    SAMPLE.iter().filter_map(town).collect()
}

/// INSEE code, name, main zipcode, population, latitude, longitude.
#[rustfmt::skip]
const SAMPLE: &[(&str, &str, &str, u32, f64, f64)] = &[
    ("75103", "Paris 3e Arrondissement", "75003", 32_179, 48.86293, 2.35994),
    ("75111", "Paris 11e Arrondissement", "75011", 138_170, 48.85912, 2.37975),
    ("75115", "Paris 15e Arrondissement", "75015", 229_713, 48.84008, 2.29276),
    ("75116", "Paris 16e Arrondissement", "75016", 159_386, 48.86045, 2.26209),
    ("75118", "Paris 18e Arrondissement", "75018", 183_127, 48.89256, 2.34806),
    ("75120", "Paris 20e Arrondissement", "75020", 185_140, 48.86341, 2.40109),
    ("69383", "Lyon 3e Arrondissement", "69003", 100_679, 45.75325, 4.86947),
    ("69387", "Lyon 7e Arrondissement", "69007", 88_326, 45.73333, 4.83734),
    ("13208", "Marseille 8e Arrondissement", "13008", 84_683, 43.23757, 5.37522),
    ("13201", "Marseille 1er Arrondissement", "13001", 37_599, 43.2998, 5.38225),
    ("31555", "Toulouse", "31000", 514_819, 43.59611, 1.43196),
    ("33063", "Bordeaux", "33000", 267_991, 44.85756, -0.5734),
    ("44109", "Nantes", "44000", 327_734, 47.23209, -1.54818),
    ("34172", "Montpellier", "34000", 310_240, 43.61341, 3.86931),
    ("59350", "Lille", "59000", 238_246, 50.63199, 3.04685),
    ("06088", "Nice", "06000", 357_737, 43.71234, 7.23802),
    ("35238", "Rennes", "35000", 230_890, 48.1118, -1.68189),
    ("67482", "Strasbourg", "67000", 293_771, 48.57106, 7.76758),
    ("57463", "Metz", "57000", 122_572, 49.10812, 6.19598),
    ("76540", "Rouen", "76000", 117_662, 49.44154, 1.09352),
    ("29019", "Brest", "29200", 142_346, 48.40037, -4.50235),
    ("87085", "Limoges", "87000", 129_937, 45.8544, 1.24881),
    ("63113", "Clermont-Ferrand", "63000", 146_351, 45.78594, 3.11535),
    ("21231", "Dijon", "21000", 161_830, 47.32283, 5.03742),
    ("2A004", "Ajaccio", "20000", 76_320, 41.93468, 8.7011),
    ("97411", "Saint-Denis", "97400", 155_634, -20.933, 55.44687),
    ("64445", "Pau", "64000", 80_441, 43.32014, -0.35012),
    ("17300", "La Rochelle", "17000", 79_851, 46.16242, -1.17349),
    ("74010", "Annecy", "74000", 132_117, 45.90159, 6.11807),
    ("14118", "Caen", "14000", 109_400, 49.18504, -0.36981),
    ("37261", "Tours", "37000", 139_259, 47.39853, 0.69599),
    ("72181", "Le Mans", "72000", 146_249, 47.98867, 0.20008),
    ("78646", "Versailles", "78000", 84_095, 48.80229, 2.11741),
    ("92012", "Boulogne-Billancourt", "92100", 119_019, 48.83661, 2.23898),
    ("93066", "Saint-Denis", "93200", 149_077, 48.92983, 2.35917),
    ("94028", "Créteil", "94000", 93_397, 48.78356, 2.45479),
    ("77288", "Melun", "77000", 45_995, 48.5444, 2.65803),
    ("91228", "Évry-Courcouronnes", "91000", 66_919, 48.62689, 2.43017),
    ("01053", "Bourg-en-Bresse", "01000", 42_372, 46.20503, 5.24556),
    ("88160", "Épinal", "88000", 32_251, 48.16323, 6.47972),
    ("23096", "Guéret", "23000", 12_955, 46.16294, 1.87091),
    ("22278", "Saint-Brieuc", "22000", 44_364, 48.51489, -2.76332),
    ("12202", "Rodez", "12000", 23_981, 44.35872, 2.56708),
    ("65440", "Tarbes", "65000", 44_399, 43.23462, 0.06614),
    ("01004", "Ambérieu-en-Bugey", "01500", 15_934, 45.96104, 5.37229),
    ("85194", "Les Sables-d'Olonne", "85100", 49_603, 46.5197, -1.7638),
    ("44055", "La Baule-Escoublac", "44500", 16_912, 47.29083, -2.35311),
    ("66136", "Perpignan", "66000", 121_616, 42.69647, 2.89898),
    ("62193", "Calais", "62100", 67_571, 50.95231, 1.87435),
    ("02691", "Saint-Quentin", "02100", 52_813, 49.84748, 3.2781),
    ("74056", "Chamonix-Mont-Blanc", "74400", 8_705, 45.93133, 6.92409),
    ("85222", "Saint-Gilles-Croix-de-Vie", "85800", 8_333, 46.69048, -1.91861),
    ("07019", "Aubenas", "07200", 12_416, 44.61022, 4.39582),
    ("29103", "Landerneau", "29800", 16_363, 48.45101, -4.26423),
    ("30258", "Saint-Gilles", "30800", 14_734, 43.65788, 4.40747),
    ("26333", "Saint-Vallier", "26240", 4_027, 45.17977, 4.81969),
    ("23030", "Bourganeuf", "23400", 2_364, 45.94944, 1.74867),
    ("2A247", "Porto-Vecchio", "20137", 11_198, 41.59281, 9.25341),
    ("34014", "Assas", "34820", 1_405, 43.71044, 3.89825),
    ("01001", "L'Abergement-Clémenciat", "01400", 860, 46.15369, 4.92592),
    ("15108", "Val d'Arcomie", "15320", 922, 44.9247, 3.17819),
    ("48050", "Bédouès-Cocurès", "48400", 457, 44.34857, 3.63907),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_sample_can_be_read() {
        assert_eq!(towns().len(), SAMPLE.len());
        assert!(SAMPLE.len() >= 60);
    }
}

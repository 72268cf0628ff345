//! Choices in words: `vente`, `Appartement`, `acquéreur`, `particulier`. Each stands for a code of the contract.

use super::{Reading, says_unknown};

/// Returns the words that messages offer beside the codes of a field; empty if the field has no words.
pub fn choices(path: &str) -> &'static [(u8, &'static str)] {
    match path {
        "transactionType" => &[(0, "sale"), (1, "rent")],
        "propertyType" => &[
            (0, "apartment"),
            (1, "house"),
            (2, "building"),
            (3, "parking"),
            (4, "office"),
            (5, "land"),
            (6, "shop"),
        ],
        "feesResponsibility" => &[(0, "seller"), (1, "buyer")],
        "publisher.type" => &[(0, "individual"), (1, "professional")],
        "geoAccuracy" => &[(1, "house number"), (2, "neighbourhood")],
        _ => &[],
    }
}

/// Reads the code of a choice from a word or a short phrase.
pub fn read(path: &str, text: &str) -> Reading<u8> {
    if super::is_not_given(text) {
        return Reading::NotGiven;
    }
    if text.chars().nth(80).is_some() {
        return Reading::Unusable("is not a valid choice");
    }
    let folded = domain::fold(&super::text::clean(text));
    if says_unknown(&folded) {
        return Reading::NotGiven;
    }
    let found = match path {
        "transactionType" => transaction_type(&folded),
        "propertyType" => property_type(&folded),
        "feesResponsibility" => fees_responsibility(&folded),
        "publisher.type" => publisher_type(&folded),
        "geoAccuracy" => geo_accuracy(&folded),
        _ => None,
    };
    found.map_or(Reading::Unusable("is not a valid choice"), Reading::Value)
}

fn transaction_type(folded: &str) -> Option<u8> {
    let mut found = None;
    for word in folded.split(' ') {
        let code = match word {
            "vente" | "ventes" | "vendre" | "vend" | "achat" | "acheter" | "sale" | "sales" | "sell"
            | "selling" | "buy" | "purchase" | "viager" | "cession" | "neuf" | "vefa" => 0,
            "location" | "locations" | "louer" | "loue" | "rent" | "rental" | "rentals" | "lease" | "let"
            | "letting" | "bail" | "loyer" | "colocation" => 1,
            "a" | "la" | "de" | "en" | "for" | "to" | "annuelle" | "meublee" | "meuble" | "vide" | "type"
            | "offre" | "immobiliere" | "immobilier" | "longue" | "duree" | "ancien" | "programme" => {
                continue;
            }
            // `location saisonnière`, `vente aux enchères`: not what the two codes mean.
            _ => return None,
        };
        if found.is_some_and(|known| known != code) {
            return None;
        }
        found = Some(code);
    }
    found
}

fn property_type(folded: &str) -> Option<u8> {
    // `local commercial` and `immeuble de bureaux`: the pair decides, not the single word.
    match folded {
        "local commercial"
        | "locaux commerciaux"
        | "fonds de commerce"
        | "murs commerciaux"
        | "murs de commerce"
        | "boutique local commercial"
        | "commerce local"
        | "local d activite"
        | "locaux d activite"
        | "local professionnel" => return Some(6),
        "immeuble de rapport" | "immeuble de bureaux" => return Some(2),
        "place de parking"
        | "place de stationnement"
        | "parking box"
        | "garage parking"
        | "parking garage" => {
            return Some(3);
        }
        "maison de ville"
        | "maison de village"
        | "maison individuelle"
        | "corps de ferme"
        | "hotel particulier" => {
            return Some(1);
        }
        "terrain a batir" | "terrain constructible" | "terrain agricole" | "terrain de loisirs" => {
            return Some(5);
        }
        "maison appartement" | "appartement maison" => return None,
        _ => {}
    }
    let first = folded.split(' ').next()?;
    let stem = first.strip_suffix('s').unwrap_or(first);
    Some(match stem {
        "appartement" | "apartment" | "appart" | "appt" | "apt" | "flat" | "studio" | "studette" | "loft"
        | "duplex" | "triplex" | "souplex" | "penthouse" | "condo" | "condominium" | "chambre"
        | "rooftop" => 0,
        "maison" | "house" | "villa" | "pavillon" | "chalet" | "ferme" | "fermette" | "longere"
        | "manoir" | "chateau" | "mas" | "ma" | "bastide" | "propriete" | "demeure" | "bungalow"
        | "moulin" | "cottage" | "peniche" | "gite" | "townhouse" => 1,
        "immeuble" | "building" => 2,
        "parking" | "garage" | "box" | "stationnement" => 3,
        "bureau" | "bureaux" | "office" | "coworking" => 4,
        "terrain" | "land" | "plot" | "parcelle" | "lotissement" => 5,
        "commerce" | "shop" | "boutique" | "magasin" | "retail" | "entrepot" | "hangar" | "restaurant"
        | "commercial" => 6,
        // `T3`, `F4`: an apartment by its rooms.
        _ if matches!(first.as_bytes(), [b't' | b'f', b'1'..=b'9']) => 0,
        _ => return None,
    })
}

fn fees_responsibility(folded: &str) -> Option<u8> {
    let (mut seller, mut buyer) = (false, false);
    for word in folded.split(' ') {
        match word {
            "vendeur" | "vendeurs" | "seller" | "bailleur" | "proprietaire" => seller = true,
            "acquereur" | "acquereurs" | "acheteur" | "buyer" | "locataire" | "preneur" => buyer = true,
            _ => {}
        }
    }
    match (seller, buyer) {
        (true, false) => Some(0),
        (false, true) => Some(1),
        // `charge partagée`.
        (true, true) | (false, false) => None,
    }
}

fn publisher_type(folded: &str) -> Option<u8> {
    let first = folded.split(' ').next()?;
    match first {
        "particulier" | "particuliers" | "individual" | "private" | "part" | "proprietaire" | "owner"
        | "person" => Some(0),
        "pro" | "pros" | "professionnel" | "professionnels" | "professional" | "agence" | "agences"
        | "agency" | "agent" | "mandataire" | "notaire" | "promoteur" | "company" | "entreprise"
        | "reseau" | "business" => Some(1),
        _ => None,
    }
}

fn geo_accuracy(folded: &str) -> Option<u8> {
    match folded {
        "exact" | "exacte" | "adresse" | "adresse exacte" | "numero" | "house number" | "housenumber"
        | "rooftop" => Some(1),
        "quartier" | "neighbourhood" | "neighborhood" | "approximatif" | "approximative" | "district"
        | "approximate" => Some(2),
        _ => None,
    }
}

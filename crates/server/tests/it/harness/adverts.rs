//! Adverts for tests.

use serde_json::{Value, json};

/// Returns the smallest valid advert: the two types, a site and a reference.
pub fn minimal(reference: &str) -> Value {
    json!({"transactionType": 0, "propertyType": 0, "site": "portail.example", "reference": reference})
}

/// Returns the smallest valid advert with the given fields added or replaced.
pub fn advert(reference: &str, fields: Value) -> Value {
    let mut advert = minimal(reference);
    merge(&mut advert, fields);
    advert
}

/// Returns an advert with every field.
pub fn full(reference: &str) -> Value {
    json!({
        "transactionType": 0,
        "propertyType": 0,
        "site": "portail.example",
        "reference": reference,
        "url": format!("https://www.portail.example/annonces/{reference}"),
        "title": "Appartement 3 pièces avec balcon",
        "description": "Au troisième étage, séjour plein sud.\nProche des commerces.",
        "contact": {
            "agency": "Agence du Canal", "email": "canal@agence.example", "fax": "01 99 00 00 02",
            "name": "Camille Martin", "phone": "01 99 00 00 01", "reference": "AC-12"
        },
        "publisher": {"name": "Agence du Canal", "type": 1},
        "price": 320000,
        "priceExcludingFees": 305000.5,
        "feesPercentage": 4.92,
        "feesResponsibility": 1,
        "condominiumFees": 1800,
        "inventoryPrice": 120,
        "propertyTax": 950,
        "rentalCharges": 75,
        "rentalPledge": 900,
        "renterFees": 450,
        "lotCount": 24,
        "surface": 62.5,
        "landSurface": 12,
        "room": 3,
        "bedroom": 2,
        "floor": 3,
        "floorQuantity": 6,
        "constructionYear": 1974,
        "elevator": true,
        "furnished": false,
        "energy": {"category": "C", "value": 142},
        "greenHouseGas": {"category": "B", "value": 9.5},
        "features": ["Balcon", "Cave"],
        "pictures": ["https://images.example/1.jpg", "https://images.example/2.jpg"],
        "picturesRemote": ["https://www.portail.example/1.jpg"],
        "virtualTour": "https://visite.example/12",
        "district": "Canal Saint-Martin",
        "exclusiveMandate": true,
        "parkingCount": 1,
        "heating": "Gaz, collectif",
        "lifeAnnuity": {"bouquet": 85000, "rent": 640.5},
        "occupied": true,
        "rentPeriod": "month",
        "newBuilding": {
            "priceMin": 215000, "priceMax": 480000, "surfaceMin": 31.2, "surfaceMax": 92, "roomMin": 1, "roomMax": 4
        },
        "insee": "75110",
        "zipcode": "75010",
        "cityName": "Paris 10e Arrondissement",
        "locations": {"lat": 48.8709, "lon": 2.3619},
        "geoAccuracy": 1,
        "createdAt": "2026-02-01T08:00:00Z",
        "updatedAt": "2026-02-20T08:00:00Z",
        "lastCrawledAt": "2026-03-01T08:00:00Z",
        "events": [{
            "createdAt": "2026-02-20T08:00:00Z", "fieldName": "price",
            "fieldOldValue": "329000", "fieldNewValue": "320000", "percentVariation": -2.74
        }]
    })
}

/// Adds or replaces the fields of an object.
pub fn merge(base: &mut Value, fields: Value) {
    let Value::Object(fields) = fields else { panic!("{fields} is not an object") };
    base.as_object_mut().unwrap().extend(fields);
}

//! Adverts to send.

use serde_json::{Value, json};

/// The least that is an advert: the two kinds and a reference of a site.
pub fn least(reference: &str) -> Value {
    json!({"transactionType": 0, "propertyType": 0, "site": "portail.example", "reference": reference})
}

/// The least, and what the object given adds or replaces.
pub fn advert(reference: &str, fields: Value) -> Value {
    let mut advert = least(reference);
    lay_over(&mut advert, fields);
    advert
}

/// An advert with every field that can be sent.
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

/// Lays the members of one object over those of another.
pub fn lay_over(base: &mut Value, fields: Value) {
    let Value::Object(fields) = fields else { panic!("{fields} is no object") };
    base.as_object_mut().unwrap().extend(fields);
}

//! A letter to begin with.

use delivery::mail::Mailbox;
use delivery::{Home, Letter, LetterId};
use domain::{Amount, DeliveryId, EmailAddress, InstanceMark, SearchNumber, TransactionType, WebAddress};

pub fn from() -> Mailbox {
    Mailbox::parse("Vigie <alertes@exemple.fr>").unwrap()
}

pub fn home() -> Home {
    Home {
        title: Some("Appartement lumineux".to_owned()),
        transaction: TransactionType::Sell,
        price: Amount::new(250_000.0),
        surface: Amount::new(75.0),
        rooms: Some(3),
        place: Some("Lyon 69003".to_owned()),
        picture: WebAddress::parse("https://images.exemple.fr/1.jpg").ok(),
        link: WebAddress::parse("https://agence.exemple.fr/annonces/1").ok(),
    }
}

/// Ids differ by `number`.
pub fn letter(number: u32) -> Letter {
    Letter {
        id: LetterId::of([DeliveryId::of(SearchNumber(1), number.into(), InstanceMark::default())]),
        to: EmailAddress::parse("jeanne@exemple.fr").unwrap(),
        at: "2026-11-15T08:30:00Z".parse().unwrap(),
        title: "Trois pièces à Lyon".to_owned(),
        homes: vec![home(), home()],
        others: 0,
        unsubscribe: WebAddress::parse("https://vigie.exemple.fr/unsubscribe/abc").unwrap(),
    }
}

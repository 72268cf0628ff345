//! Sample e-mails.

use delivery::mail::Mailbox;
use delivery::{Email, EmailId, ListingSummary};
use domain::{Amount, DeliveryEpoch, DeliveryId, EmailAddress, SearchNumber, TransactionType, WebAddress};

pub fn from() -> Mailbox {
    Mailbox::parse("Vigie <alertes@exemple.fr>").unwrap()
}

pub fn listing() -> ListingSummary {
    ListingSummary {
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
pub fn email(number: u32) -> Email {
    Email {
        id: EmailId::of([DeliveryId::of(SearchNumber(1), number.into(), DeliveryEpoch::default())]),
        to: EmailAddress::parse("jeanne@exemple.fr").unwrap(),
        at: "2026-11-15T08:30:00Z".parse().unwrap(),
        title: "Trois pièces à Lyon".to_owned(),
        listings: vec![listing(), listing()],
        others: 0,
        unsubscribe: WebAddress::parse("https://vigie.exemple.fr/unsubscribe/abc").unwrap(),
    }
}

//! Snapshots of complete e-mails.

use domain::{Amount, DeliveryId, EmailAddress, TransactionType, WebAddress};

use super::*;
use crate::EmailId;

fn listing(title: &str) -> ListingSummary {
    ListingSummary {
        title: Some(title.to_owned()),
        transaction: TransactionType::Sell,
        price: Amount::new(250_000.0),
        surface: Amount::new(75.5),
        rooms: Some(3),
        place: Some("Lyon 69003".to_owned()),
        picture: WebAddress::parse("https://images.exemple.fr/1.jpg?a=1&b=2").ok(),
        link: WebAddress::parse("https://agence.exemple.fr/annonces/1").ok(),
    }
}

fn email(listings: Vec<ListingSummary>) -> Email {
    Email {
        id: EmailId::of(["0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b".parse::<DeliveryId>().unwrap()]),
        to: EmailAddress::parse("jeanne@exemple.fr").unwrap(),
        at: "2026-11-15T08:30:00Z".parse().unwrap(),
        title: "Trois pièces à Lyon".to_owned(),
        listings,
        others: 0,
        unsubscribe: WebAddress::parse("https://vigie.exemple.fr/unsubscribe/abc").unwrap(),
    }
}

fn from() -> Mailbox {
    Mailbox::parse("Vigie <alertes@exemple.fr>").unwrap()
}

#[test]
fn body_snapshots() {
    let bare = ListingSummary {
        title: None,
        transaction: TransactionType::Rent,
        price: Amount::new(1_250.0),
        surface: None,
        rooms: None,
        place: None,
        picture: None,
        link: None,
    };
    let content = EmailContent::of(&email(vec![listing("Appartement lumineux, <b>rare</b>"), bare]));
    insta::assert_snapshot!("email_text", content.text());
    insta::assert_snapshot!("email_html", content.html());
}

#[test]
fn header_snapshot() {
    let bytes = compose(&email(vec![listing("Appartement")]), &from()).bytes;
    let text = String::from_utf8(bytes).unwrap();
    assert!(text.is_ascii() && text.lines().all(|line| line.len() <= 78), "{text}");
    let (head, _) = text.split_once("\r\n\r\n").unwrap();
    insta::assert_snapshot!("email_head", head.replace("\r\n", "\n"));
}

#[test]
fn retry_sends_the_same_bytes() {
    let email = email(vec![listing("Appartement")]);
    assert_eq!(compose(&email, &from()).bytes, compose(&email, &from()).bytes);
}

#[test]
fn listings_beyond_thirty_are_counted() {
    let mut email = email((0..31).map(|number| listing(&format!("Bien {number}"))).collect());
    email.others = 969;
    let content = EmailContent::of(&email);
    assert_eq!(content.subject(), "1\u{202f}000 nouveaux biens : Trois pièces à Lyon");
    let text = content.text();
    assert!(text.contains("* Bien 29\n") && !text.contains("* Bien 30\n"), "{text}");
    assert!(
        text.contains("\n… et 970 autres biens\n") && content.html().contains("<p>… et 970 autres biens</p>")
    );
    let exactly = EmailContent::of(&self::email((0..30).map(|_| listing("Bien")).collect()));
    assert!(!exactly.text().contains("autre"));
}

#[test]
fn non_ascii_hosts_are_encoded() {
    let mut email = email(Vec::new());
    email.to = EmailAddress::parse("hélène@été.fr").unwrap();
    let composed = compose(&email, &from());
    assert_eq!(composed.to, "hélène@xn--t-9fab.fr");
    assert!(String::from_utf8(composed.bytes).unwrap().contains("\r\nTo: <hélène@xn--t-9fab.fr>\r\n"));
}

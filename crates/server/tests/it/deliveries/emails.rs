//! Letters, the whole way: from an advert to a mail server process that others wrote, and back by the link in them.

use jiff::SignedDuration;
use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::mail_server::{self, AuthMode, HOST, MailServer, MailServerConfig, PASSWORD, Security, USER};

use super::{TRUSTED, meet_everything, members, once, path, receiver};
use crate::harness::TestServer;
use crate::harness::adverts::{advert, full, lay_over};
use crate::harness::client::{Answer, Request, patiently};
use crate::searches::{self, put, with};

/// Where letters say that this service is.
const PUBLIC_URL: &str = "https://vigie.exemple.fr/";

/// How long matches wait for more of the same search.
const GATHER: SignedDuration = SignedDuration::from_secs(60);

/// From one attempt to the next.
const RETRY: SignedDuration = SignedDuration::from_secs(600);

struct Post {
    server: TestServer,
    mail: MailServer,
    // Whom the server trusts, in a file it reads when it starts.
    _file: TempDir,
}

impl Post {
    /// A server that sends letters through a mail server with TLS and a login, and webhooks to this machine.
    async fn start() -> Self {
        let mail = MailServer::start(MailServerConfig::new(Security::StartTls, AuthMode::Any));
        let folder = TempDir::new().unwrap();
        let trusted = folder.path().join("ca.pem");
        std::fs::write(&trusted, format!("{}\n{}", TRUSTED.authority.pem(), mail.authority_pem)).unwrap();
        let settings = format!(
            "[delivery]\ndanger_allow_private_addresses = true\nextra_ca_file = {trusted:?}\nretry_interval = \"10m\"\n\
             [email]\ntransport = \"smtp\"\nfrom = \"Vigie <alertes@exemple.fr>\"\ngather = \"1m\"\n\
             public_url = {PUBLIC_URL:?}\nsmtp_host = {HOST:?}\nsmtp_port = {}\nsmtp_security = \"starttls\"\n\
             smtp_user = {USER:?}\nsmtp_password = {PASSWORD:?}\n",
            mail.port
        );
        Self { server: TestServer::bringing(&settings).await, mail, _file: folder }
    }
}

/// Deliveries of letters, the oldest first, once there are so many.
async fn letters(server: &TestServer, count: usize) -> Vec<Value> {
    patiently(async {
        loop {
            let page = server.get("/deliveries?channel=notificationRecipient").await.ok();
            if page["hydra:totalItems"].as_u64() == Some(count as u64) {
                return members(&page).iter().rev().cloned().collect();
            }
        }
    })
    .await
}

/// A delivery once it has been attempted so often and is not under way.
async fn attempted(server: &TestServer, delivery: &Value, attempts: usize) -> Value {
    patiently(async {
        loop {
            let seen = server.get(path(delivery)).await.ok();
            if seen["state"] != "leased" && seen["attempts"].as_array().unwrap().len() == attempts {
                return seen;
            }
        }
    })
    .await
}

/// What a header of a letter says; it must be there once.
fn header<'a>(letter: &'a Value, name: &str) -> &'a str {
    let headers = letter["headers"].as_array().unwrap().iter();
    let values: Vec<&str> = headers.filter(|it| it[0] == name).map(|it| it[1].as_str().unwrap()).collect();
    assert_eq!(values.len(), 1, "{name}: {letter}");
    values[0]
}

/// What a link of a letter asks of our server, with no key.
async fn follow(server: &TestServer, method: &str, link: &str) -> Answer {
    let path = format!("/{}", link.strip_prefix(PUBLIC_URL).unwrap());
    let request = Request::new(method, &path);
    server
        .send(match method {
            "POST" => request.body("application/x-www-form-urlencoded", "List-Unsubscribe=One-Click"),
            _ => request,
        })
        .await
}

/// Another home than that of [`full`].
fn house() -> Value {
    let mut house = full("2");
    let fields = json!({
        "propertyType": 1, "url": "https://www.portail.example/annonces/maison", "title": "Maison de ville & jardin",
        "description": "Une autre.", "price": 1_250_000, "surface": 140, "room": 1, "insee": "37261", "zipcode": "37200",
        "cityName": "Tours", "locations": {"lat": 47.39, "lon": 0.69}, "pictures": ["https://images.example/maison.jpg"],
    });
    lay_over(&mut house, fields);
    house
}

fn assert_both_parts(letter: &Value, links: &[&str]) {
    assert_eq!(letter["defects"], json!([]));
    assert_eq!(letter["types"], json!(["multipart/alternative", "text/plain", "text/html"]));
    let facts = [
        "Appartement 3 pièces avec balcon",
        "320\u{202f}000\u{a0}€",
        "62,5\u{a0}m²",
        "3\u{a0}pièces",
        "Paris 10e (75010)",
        "Maison de ville & jardin",
        "1\u{202f}250\u{202f}000\u{a0}€",
        "140\u{a0}m²",
        "1\u{a0}pièce",
        "Tours (37200)",
        "«\u{a0}Maison à Tours\u{a0}»",
    ];
    for part in ["text", "html_text"] {
        let part = letter[part].as_str().unwrap();
        for fact in facts {
            assert!(part.contains(fact), "{fact}: {part}");
        }
    }
    let text = letter["text"].as_str().unwrap();
    let elements = letter["elements"].as_array().unwrap();
    let attribute = |tag: &str, name: &str| -> Vec<String> {
        let found = elements.iter().filter(|element| element[0] == tag);
        let attributes = found.flat_map(|element| element[1].as_array().unwrap());
        attributes.filter(|it| it[0] == name).map(|it| it[1].as_str().unwrap().to_owned()).collect()
    };
    let hrefs = attribute("a", "href");
    for link in links {
        assert!(text.contains(link), "{link}: {text}");
        assert!(hrefs.iter().any(|href| href == link), "{link}: {hrefs:?}");
    }
    assert!(hrefs.iter().all(|href| links.contains(&href.as_str())), "{hrefs:?}");
    let pictures = ["https://images.example/1.jpg", "https://images.example/maison.jpg"];
    assert_eq!(attribute("img", "src"), pictures);
}

#[tokio::test]
async fn one_letter_tells_of_what_was_gathered_and_its_link_ends_letters() {
    let (post, receiver) = (Post::start().await, receiver().await);
    let server = &post.server;
    let recipients =
        json!({"notificationRecipient": "jeanne@exemple.fr", "endpointRecipient": receiver.url("/")});
    let search = meet_everything(server, recipients).await;
    server.accept(&full("1")).await;
    server.accept(&house()).await;
    let owed = letters(server, 2).await;
    for delivery in &owed {
        assert_eq!((&delivery["state"], &delivery["event"]), (&json!("pending"), &json!("match")));
        assert_eq!(delivery["nextAttemptAt"], "2026-03-02T10:01:00+01:00");
    }
    receiver.wait_for(2).await;
    assert!(post.mail.try_next_email().is_none(), "webhooks go at once, letters wait");
    server.clock.advance(GATHER);
    for delivery in &owed {
        let delivered = once(server, path(delivery), "delivered").await;
        let attempts = delivered["attempts"].as_array().unwrap();
        assert_eq!(attempts.len(), 1);
        assert_eq!((&attempts[0]["outcome"], &attempts[0]["status"]), (&json!("delivered"), &json!(250)));
    }
    let taken = post.mail.next_email();
    assert!(post.mail.try_next_email().is_none(), "one letter for both");
    assert_eq!(
        (taken.from.as_str(), taken.to.as_slice()),
        ("alertes@exemple.fr", ["jeanne@exemple.fr".to_owned()].as_slice())
    );
    assert_eq!((taken.encrypted, taken.user.as_deref()), (true, Some(USER)));
    let letter = mail_server::parse_email(&taken.bytes);
    assert_eq!(header(&letter, "Subject"), "2 nouveaux biens : Maison à Tours");
    assert_eq!(header(&letter, "To"), "jeanne@exemple.fr");
    assert_eq!(header(&letter, "Message-ID"), message_id(&owed));
    assert_eq!(header(&letter, "List-Unsubscribe-Post"), "List-Unsubscribe=One-Click");
    let link = header(&letter, "List-Unsubscribe").strip_prefix('<').unwrap().strip_suffix('>').unwrap();
    let homes = ["https://www.portail.example/annonces/1", "https://www.portail.example/annonces/maison"];
    assert_both_parts(&letter, &[homes[0], homes[1], link]);
    let now = server.get(searches::path(&search)).await.ok();
    assert_eq!(now["lastAlertAt"], "2026-03-02T10:01:00+01:00");

    // Programs look at every link of a letter before its reader does.
    assert_eq!(follow(server, "GET", link).await.status, 200);
    assert_eq!(server.get(searches::path(&search)).await.ok(), now);
    server.accept(&advert("3", json!({"price": 5}))).await;
    let third = letters(server, 3).await[2].clone();
    assert_eq!(third["state"], "pending");
    // What waits when the link is followed is not sent any more.
    assert_eq!(follow(server, "POST", link).await.status, 200);
    assert_eq!(server.get(searches::path(&search)).await.ok()["notificationRecipient"], Value::Null);
    server.clock.advance(GATHER);
    let cancelled = once(server, path(&third), "cancelled").await;
    assert_eq!((&cancelled["reason"], &cancelled["attempts"]), (&json!("no_recipient"), &json!([])));
    // Webhooks go on, and no more letters are owed.
    server.accept(&advert("4", json!({"price": 6}))).await;
    let posts = receiver.wait_for(4).await;
    assert!(posts.iter().all(|post| post.path == "/"));
    assert_eq!(letters(server, 3).await.len(), 3);
    assert!(post.mail.try_next_email().is_none());
}

/// What a letter that brings these is called.
fn message_id(deliveries: &[Value]) -> String {
    let ids = deliveries.iter().map(|delivery| wire::iri::parse_delivery(path(delivery)).unwrap());
    format!("<{}@exemple.fr>", delivery::EmailId::of(ids))
}

#[tokio::test]
async fn a_letter_put_off_is_sent_again_as_it_was() {
    let post = Post::start().await;
    let server = &post.server;
    let search = meet_everything(server, json!({"notificationRecipient": "data-451@exemple.fr"})).await;
    server.accept(&full("1")).await;
    let delivery = letters(server, 1).await[0].clone();
    server.clock.advance(GATHER);
    let first = attempted(server, &delivery, 1).await;
    assert_eq!(
        (&first["state"], &first["nextAttemptAt"]),
        (&json!("pending"), &json!("2026-03-02T10:11:00+01:00"))
    );
    let attempt = &first["attempts"][0];
    assert_eq!((&attempt["outcome"], &attempt["status"]), (&json!("status"), &json!(451)));
    assert_eq!(server.get(searches::path(&search)).await.ok()["lastAlertAt"], Value::Null);
    // What is found meanwhile goes into a letter of its own.
    server.accept(&house()).await;
    let later = letters(server, 2).await[1].clone();
    server.clock.advance(RETRY);
    attempted(server, &delivery, 2).await;
    attempted(server, &later, 1).await;
    let sent: Vec<Value> = (0..3).map(|_| mail_server::parse_email(&post.mail.next_email().bytes)).collect();
    let of = |delivery: &Value| {
        let id = message_id(std::slice::from_ref(delivery));
        let sent = sent.iter().filter(|letter| header(letter, "Message-ID") == id);
        sent.collect::<Vec<_>>()
    };
    let (again, other) = (of(&delivery), of(&later));
    assert_eq!((again.len(), other.len()), (2, 1));
    for part in ["text", "html_text", "elements"] {
        assert_eq!(again[0][part], again[1][part]);
    }
    assert!(again[0]["text"].as_str().unwrap().contains("Appartement 3 pièces"));
    assert!(!again[1]["text"].as_str().unwrap().contains("Maison de ville"));
    assert!(other[0]["text"].as_str().unwrap().contains("Maison de ville"));

    let changed = with(&json!({"propertyTypes": [0, 1], "notificationRecipient": "jeanne@exemple.fr"}));
    put(server, searches::path(&search), &changed).await.ok();
    server.clock.advance(RETRY);
    let outcomes: Vec<Value> =
        once(server, path(&delivery), "delivered").await["attempts"].as_array().unwrap().clone();
    let outcomes: Vec<&Value> = outcomes.iter().map(|attempt| &attempt["outcome"]).collect();
    assert_eq!(outcomes, ["status", "status", "delivered"]);
    assert_eq!(post.mail.next_email().to, ["jeanne@exemple.fr"]);
    let alerted = server.get(searches::path(&search)).await.ok();
    assert_eq!(alerted["lastAlertAt"], "2026-03-02T10:21:00+01:00");
}

#[tokio::test]
async fn a_letter_put_off_six_times_has_failed() {
    let post = Post::start().await;
    let server = &post.server;
    meet_everything(server, json!({"notificationRecipient": "rcpt-450@exemple.fr"})).await;
    server.accept(&full("1")).await;
    let delivery = letters(server, 1).await[0].clone();
    server.clock.advance(GATHER);
    for attempt in 1..=6 {
        let seen = attempted(server, &delivery, attempt).await;
        assert_eq!(seen["state"], if attempt < 6 { "pending" } else { "failed" }, "{seen}");
        server.clock.advance(RETRY);
    }
    assert!(post.mail.try_next_email().is_none());
}

#[tokio::test]
async fn a_letter_refused_for_good_is_not_sent_again() {
    let post = Post::start().await;
    let server = &post.server;
    let mut refused = Vec::new();
    for name in ["rcpt-550", "data-554"] {
        let recipient = format!("{name}@exemple.fr");
        refused.push(meet_everything(server, json!({"notificationRecipient": recipient})).await);
    }
    server.accept(&full("1")).await;
    let owed = letters(server, 2).await;
    server.clock.advance(GATHER);
    for delivery in &owed {
        let failed = once(server, path(delivery), "failed").await;
        let attempts = failed["attempts"].as_array().unwrap();
        assert_eq!((attempts.len(), &attempts[0]["outcome"]), (1, &json!("rejected")), "{failed}");
        assert!([550, 554].map(|status| json!(status)).contains(&attempts[0]["status"]), "{failed}");
    }
    // Whatever is due later is sent, and these are not.
    server.clock.advance(RETRY);
    let search = meet_everything(server, json!({"notificationRecipient": "jeanne@exemple.fr"})).await;
    for search in &refused {
        assert_eq!(server.get(searches::path(search)).await.ok()["lastAlertAt"], Value::Null);
        assert_eq!(server.delete(searches::path(search)).await.status, 204);
    }
    server.accept(&house()).await;
    let good = letters(server, 3).await[2].clone();
    assert_eq!(good["search"], search["@id"]);
    server.clock.advance(GATHER);
    once(server, path(&good), "delivered").await;
    for delivery in &owed {
        assert_eq!(server.get(path(delivery)).await.ok()["attempts"].as_array().unwrap().len(), 1);
    }
}

#[tokio::test]
async fn what_failed_is_sent_again_when_its_owner_asks() {
    let post = Post::start().await;
    let server = &post.server;
    let search = meet_everything(server, json!({"notificationRecipient": "rcpt-550@exemple.fr"})).await;
    server.accept(&full("1")).await;
    let delivery = letters(server, 1).await[0].clone();
    server.clock.advance(GATHER);
    once(server, path(&delivery), "failed").await;
    let changed = with(&json!({"propertyTypes": [0, 1], "notificationRecipient": "jeanne@exemple.fr"}));
    put(server, searches::path(&search), &changed).await.ok();
    let replay = Request::new("POST", &format!("{}/replay", path(&delivery))).key(&server.keys.all);
    assert_eq!(server.send(replay).await.status, 202);
    once(server, path(&delivery), "delivered").await;
    assert_eq!(post.mail.next_email().to, ["jeanne@exemple.fr"]);
}

#[tokio::test]
async fn what_does_not_fit_into_a_letter_is_in_the_next() {
    let post = Post::start().await;
    let server = &post.server;
    meet_everything(server, json!({"notificationRecipient": "jeanne@exemple.fr"})).await;
    let count = delivery::Email::LISTINGS_MAX + 1;
    for number in 0..count {
        let link = format!("https://www.portail.example/annonces/{number}-");
        server.accept(&advert(&number.to_string(), json!({"price": 100_000 + number, "url": link}))).await;
    }
    patiently(async { while server.get("/deliveries").await.ok()["hydra:totalItems"] != count {} }).await;
    server.clock.advance(GATHER);
    patiently(async {
        while server.get("/deliveries?state=delivered").await.ok()["hydra:totalItems"] != count {}
    })
    .await;
    let texts: String = (0..2)
        .map(|_| mail_server::parse_email(&post.mail.next_email().bytes)["text"].as_str().unwrap().to_owned())
        .collect();
    assert!(post.mail.try_next_email().is_none());
    for number in 0..count {
        let link = format!("https://www.portail.example/annonces/{number}-\n");
        assert_eq!(texts.matches(&link).count(), 1, "{link} {texts}");
    }
}

#[tokio::test]
async fn a_folder_takes_letters_instead() {
    let folder = TempDir::new().unwrap();
    let settings = format!("[email]\ntransport = \"folder\"\nfolder = {:?}\n", folder.path().join("mail"));
    let server = TestServer::bringing(&settings).await;
    let search = meet_everything(&server, json!({"notificationRecipient": "jeanne@exemple.fr"})).await;
    server.accept(&full("1")).await;
    let delivery = letters(&server, 1).await[0].clone();
    server.clock.advance(SignedDuration::from_mins(5));
    let delivered = once(&server, path(&delivery), "delivered").await;
    assert_eq!(delivered["attempts"][0]["target"], "jeanne@exemple.fr");
    let files: Vec<_> =
        std::fs::read_dir(folder.path().join("mail")).unwrap().map(|file| file.unwrap().path()).collect();
    assert_eq!(files.len(), 1, "{files:?}");
    let letter = mail_server::parse_files([files[0].as_path()]).remove(0);
    assert_eq!(header(&letter, "Subject"), "1 nouveau bien : Maison à Tours");
    assert!(letter["text"].as_str().unwrap().contains("320\u{202f}000\u{a0}€"));
    assert!(header(&letter, "List-Unsubscribe").starts_with("<http://127.0.0.1:8080/unsubscribe/"));
    let alerted = server.get(searches::path(&search)).await.ok();
    assert_eq!(alerted["lastAlertAt"], "2026-03-02T10:05:00+01:00");
}

#[tokio::test]
async fn nobody_waits_for_letters_where_none_are_sent() {
    let server = TestServer::bringing("").await;
    meet_everything(&server, json!({"notificationRecipient": "jeanne@exemple.fr"})).await;
    server.accept(&full("1")).await;
    let delivery = letters(&server, 1).await[0].clone();
    assert_eq!((&delivery["state"], &delivery["reason"]), (&json!("cancelled"), &json!("channel_off")));
}

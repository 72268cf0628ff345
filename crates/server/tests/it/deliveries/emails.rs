//! E-mails end to end: from an advert to a third-party mail server, and back through the unsubscribe link.

use jiff::SignedDuration;
use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::mail_server::{self, AuthMode, HOST, MailServer, MailServerConfig, PASSWORD, Security, USER};

use super::{TRUSTED, match_everything, members, once, path, receiver};
use crate::harness::TestServer;
use crate::harness::adverts::{advert, full, merge};
use crate::harness::client::{Request, Response, with_timeout};
use crate::searches::{self, put, with};

/// Base address of links in e-mails.
const PUBLIC_URL: &str = "https://vigie.exemple.fr/";

/// The batch window.
const BATCH_WINDOW: SignedDuration = SignedDuration::from_secs(60);

/// The retry interval.
const RETRY: SignedDuration = SignedDuration::from_secs(600);

struct MailSetup {
    server: TestServer,
    mail: MailServer,
    // The CA file, which the server reads at startup.
    _file: TempDir,
}

impl MailSetup {
    /// Starts a server that sends e-mails through a mail server with TLS and a login, and webhooks to this machine.
    async fn start() -> Self {
        let mail = MailServer::start(MailServerConfig::new(Security::StartTls, AuthMode::Any));
        let folder = TempDir::new().unwrap();
        let trusted = folder.path().join("ca.pem");
        std::fs::write(&trusted, format!("{}\n{}", TRUSTED.authority.pem(), mail.authority_pem)).unwrap();
        let settings = format!(
            "[delivery]\ndanger_allow_private_addresses = true\nextra_ca_file = {trusted:?}\nretry_interval = \"10m\"\n\
             [email]\ntransport = \"smtp\"\nfrom = \"Vigie <alertes@exemple.fr>\"\nbatch_window = \"1m\"\n\
             public_url = {PUBLIC_URL:?}\nsmtp_host = {HOST:?}\nsmtp_port = {}\nsmtp_security = \"starttls\"\n\
             smtp_user = {USER:?}\nsmtp_password = {PASSWORD:?}\n",
            mail.port
        );
        Self { server: TestServer::with_dispatcher(&settings).await, mail, _file: folder }
    }
}

/// Waits until there are `count` e-mail deliveries. Returns them oldest first.
async fn emails(server: &TestServer, count: usize) -> Vec<Value> {
    with_timeout(async {
        loop {
            let page = server.get("/deliveries?channel=notificationRecipient").await.ok();
            if page["hydra:totalItems"].as_u64() == Some(count as u64) {
                return members(&page).iter().rev().cloned().collect();
            }
        }
    })
    .await
}

/// Waits until a delivery has `attempts` attempts and none in progress.
async fn attempted(server: &TestServer, delivery: &Value, attempts: usize) -> Value {
    with_timeout(async {
        loop {
            let seen = server.get(path(delivery)).await.ok();
            if seen["state"] != "leased" && seen["attempts"].as_array().unwrap().len() == attempts {
                return seen;
            }
        }
    })
    .await
}

/// Returns a header of an e-mail, which must occur once.
fn header<'a>(email: &'a Value, name: &str) -> &'a str {
    let headers = email["headers"].as_array().unwrap().iter();
    let values: Vec<&str> = headers.filter(|it| it[0] == name).map(|it| it[1].as_str().unwrap()).collect();
    assert_eq!(values.len(), 1, "{name}: {email}");
    values[0]
}

/// Follows a link of an e-mail on the test server, without a key.
async fn follow(server: &TestServer, method: &str, link: &str) -> Response {
    let path = format!("/{}", link.strip_prefix(PUBLIC_URL).unwrap());
    let request = Request::new(method, &path);
    server
        .send(match method {
            "POST" => request.body("application/x-www-form-urlencoded", "List-Unsubscribe=One-Click"),
            _ => request,
        })
        .await
}

/// Another property than [`full`].
fn house() -> Value {
    let mut house = full("2");
    let fields = json!({
        "propertyType": 1, "url": "https://www.portail.example/annonces/maison", "title": "Maison de ville & jardin",
        "description": "Une autre.", "price": 1_250_000, "surface": 140, "room": 1, "insee": "37261", "zipcode": "37200",
        "cityName": "Tours", "locations": {"lat": 47.39, "lon": 0.69}, "pictures": ["https://images.example/maison.jpg"],
    });
    merge(&mut house, fields);
    house
}

fn assert_both_parts(email: &Value, links: &[&str]) {
    assert_eq!(email["defects"], json!([]));
    assert_eq!(email["types"], json!(["multipart/alternative", "text/plain", "text/html"]));
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
        let part = email[part].as_str().unwrap();
        for fact in facts {
            assert!(part.contains(fact), "{fact}: {part}");
        }
    }
    let text = email["text"].as_str().unwrap();
    let elements = email["elements"].as_array().unwrap();
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
async fn one_email_has_all_batched_matches_and_unsubscribes() {
    let (setup, receiver) = (MailSetup::start().await, receiver().await);
    let server = &setup.server;
    let recipients =
        json!({"notificationRecipient": "jeanne@exemple.fr", "endpointRecipient": receiver.url("/")});
    let search = match_everything(server, recipients).await;
    server.accept(&full("1")).await;
    server.accept(&house()).await;
    let deliveries = emails(server, 2).await;
    for delivery in &deliveries {
        assert_eq!((&delivery["state"], &delivery["event"]), (&json!("pending"), &json!("match")));
        assert_eq!(delivery["nextAttemptAt"], "2026-03-02T10:01:00+01:00");
    }
    receiver.wait_for(2).await;
    assert!(setup.mail.try_next_email().is_none(), "webhooks are sent at once, e-mails wait");
    server.clock.advance(BATCH_WINDOW);
    for delivery in &deliveries {
        let delivered = once(server, path(delivery), "delivered").await;
        let attempts = delivered["attempts"].as_array().unwrap();
        assert_eq!(attempts.len(), 1);
        assert_eq!((&attempts[0]["outcome"], &attempts[0]["status"]), (&json!("delivered"), &json!(250)));
    }
    let taken = setup.mail.next_email();
    assert!(setup.mail.try_next_email().is_none(), "one e-mail for both matches");
    assert_eq!(
        (taken.from.as_str(), taken.to.as_slice()),
        ("alertes@exemple.fr", ["jeanne@exemple.fr".to_owned()].as_slice())
    );
    assert_eq!((taken.encrypted, taken.user.as_deref()), (true, Some(USER)));
    let email = mail_server::parse_email(&taken.bytes);
    assert_eq!(header(&email, "Subject"), "2 nouveaux biens : Maison à Tours");
    assert_eq!(header(&email, "To"), "jeanne@exemple.fr");
    assert_eq!(header(&email, "Message-ID"), message_id(&deliveries));
    assert_eq!(header(&email, "List-Unsubscribe-Post"), "List-Unsubscribe=One-Click");
    let link = header(&email, "List-Unsubscribe").strip_prefix('<').unwrap().strip_suffix('>').unwrap();
    let links = ["https://www.portail.example/annonces/1", "https://www.portail.example/annonces/maison"];
    assert_both_parts(&email, &[links[0], links[1], link]);
    let now = server.get(searches::path(&search)).await.ok();
    assert_eq!(now["lastAlertAt"], "2026-03-02T10:01:00+01:00");
    // Usage counts messages: one e-mail, two webhooks. The last one may be counted a moment after the receiver's response.
    let of_user = with_timeout(async {
        loop {
            server.app.flush_usage().await.unwrap();
            let usage = server.get("/usage").await.ok();
            let of_user = members(&usage).iter().find(|usage| usage["key"].is_null()).cloned().unwrap();
            if of_user["webhooks"] == 2 {
                return of_user;
            }
        }
    })
    .await;
    assert_eq!((&of_user["emails"], &of_user["operations"]), (&json!(1), &json!([])));
    assert_eq!((&of_user["requests"], &of_user["day"]), (&json!(0), &json!("2026-03-02")));

    // Mail scanners follow links before the recipient does.
    assert_eq!(follow(server, "GET", link).await.status, 200);
    assert_eq!(server.get(searches::path(&search)).await.ok(), now);
    server.accept(&advert("3", json!({"price": 5}))).await;
    let third = emails(server, 3).await[2].clone();
    assert_eq!(third["state"], "pending");
    // Pending e-mails are cancelled when the recipient unsubscribes.
    assert_eq!(follow(server, "POST", link).await.status, 200);
    assert_eq!(server.get(searches::path(&search)).await.ok()["notificationRecipient"], Value::Null);
    server.clock.advance(BATCH_WINDOW);
    let cancelled = once(server, path(&third), "cancelled").await;
    assert_eq!((&cancelled["reason"], &cancelled["attempts"]), (&json!("no_recipient"), &json!([])));
    // Webhooks continue; no more e-mails are created.
    server.accept(&advert("4", json!({"price": 6}))).await;
    let posts = receiver.wait_for(4).await;
    assert!(posts.iter().all(|post| post.path == "/"));
    assert_eq!(emails(server, 3).await.len(), 3);
    assert!(setup.mail.try_next_email().is_none());
}

/// Returns the expected Message-ID of an e-mail with these deliveries.
fn message_id(deliveries: &[Value]) -> String {
    let ids = deliveries.iter().map(|delivery| wire::iri::parse_delivery(path(delivery)).unwrap());
    format!("<{}@exemple.fr>", delivery::EmailId::of(ids))
}

#[tokio::test]
async fn deferred_email_is_retried_unchanged() {
    let setup = MailSetup::start().await;
    let server = &setup.server;
    let search = match_everything(server, json!({"notificationRecipient": "data-451@exemple.fr"})).await;
    server.accept(&full("1")).await;
    let delivery = emails(server, 1).await[0].clone();
    server.clock.advance(BATCH_WINDOW);
    let first = attempted(server, &delivery, 1).await;
    assert_eq!(
        (&first["state"], &first["nextAttemptAt"]),
        (&json!("pending"), &json!("2026-03-02T10:11:00+01:00"))
    );
    let attempt = &first["attempts"][0];
    assert_eq!((&attempt["outcome"], &attempt["status"]), (&json!("status"), &json!(451)));
    assert_eq!(server.get(searches::path(&search)).await.ok()["lastAlertAt"], Value::Null);
    // Later matches go into another e-mail.
    server.accept(&house()).await;
    let later = emails(server, 2).await[1].clone();
    server.clock.advance(RETRY);
    attempted(server, &delivery, 2).await;
    attempted(server, &later, 1).await;
    let sent: Vec<Value> = (0..3).map(|_| mail_server::parse_email(&setup.mail.next_email().bytes)).collect();
    let of = |delivery: &Value| {
        let id = message_id(std::slice::from_ref(delivery));
        let sent = sent.iter().filter(|email| header(email, "Message-ID") == id);
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
    assert_eq!(setup.mail.next_email().to, ["jeanne@exemple.fr"]);
    let alerted = server.get(searches::path(&search)).await.ok();
    assert_eq!(alerted["lastAlertAt"], "2026-03-02T10:21:00+01:00");
}

#[tokio::test]
async fn email_deferred_six_times_fails() {
    let setup = MailSetup::start().await;
    let server = &setup.server;
    match_everything(server, json!({"notificationRecipient": "rcpt-450@exemple.fr"})).await;
    server.accept(&full("1")).await;
    let delivery = emails(server, 1).await[0].clone();
    server.clock.advance(BATCH_WINDOW);
    for attempt in 1..=6 {
        let seen = attempted(server, &delivery, attempt).await;
        assert_eq!(seen["state"], if attempt < 6 { "pending" } else { "failed" }, "{seen}");
        server.clock.advance(RETRY);
    }
    assert!(setup.mail.try_next_email().is_none());
}

#[tokio::test]
async fn rejected_email_is_not_retried() {
    let setup = MailSetup::start().await;
    let server = &setup.server;
    let mut refused = Vec::new();
    for name in ["rcpt-550", "data-554"] {
        let recipient = format!("{name}@exemple.fr");
        refused.push(match_everything(server, json!({"notificationRecipient": recipient})).await);
    }
    server.accept(&full("1")).await;
    let deliveries = emails(server, 2).await;
    server.clock.advance(BATCH_WINDOW);
    for delivery in &deliveries {
        let failed = once(server, path(delivery), "failed").await;
        let attempts = failed["attempts"].as_array().unwrap();
        assert_eq!((attempts.len(), &attempts[0]["outcome"]), (1, &json!("rejected")), "{failed}");
        assert!([550, 554].map(|status| json!(status)).contains(&attempts[0]["status"]), "{failed}");
    }
    // Other e-mails are still sent, these are not.
    server.clock.advance(RETRY);
    let search = match_everything(server, json!({"notificationRecipient": "jeanne@exemple.fr"})).await;
    for search in &refused {
        assert_eq!(server.get(searches::path(search)).await.ok()["lastAlertAt"], Value::Null);
        assert_eq!(server.delete(searches::path(search)).await.status, 204);
    }
    server.accept(&house()).await;
    let good = emails(server, 3).await[2].clone();
    assert_eq!(good["search"], search["@id"]);
    server.clock.advance(BATCH_WINDOW);
    once(server, path(&good), "delivered").await;
    for delivery in &deliveries {
        assert_eq!(server.get(path(delivery)).await.ok()["attempts"].as_array().unwrap().len(), 1);
    }
}

#[tokio::test]
async fn failed_email_is_replayed_on_request() {
    let setup = MailSetup::start().await;
    let server = &setup.server;
    let search = match_everything(server, json!({"notificationRecipient": "rcpt-550@exemple.fr"})).await;
    server.accept(&full("1")).await;
    let delivery = emails(server, 1).await[0].clone();
    server.clock.advance(BATCH_WINDOW);
    once(server, path(&delivery), "failed").await;
    let changed = with(&json!({"propertyTypes": [0, 1], "notificationRecipient": "jeanne@exemple.fr"}));
    put(server, searches::path(&search), &changed).await.ok();
    let replay = Request::new("POST", &format!("{}/replay", path(&delivery))).key(&server.keys.all);
    assert_eq!(server.send(replay).await.status, 202);
    once(server, path(&delivery), "delivered").await;
    assert_eq!(setup.mail.next_email().to, ["jeanne@exemple.fr"]);
}

#[tokio::test]
async fn overflow_of_an_email_goes_into_the_next() {
    let setup = MailSetup::start().await;
    let server = &setup.server;
    match_everything(server, json!({"notificationRecipient": "jeanne@exemple.fr"})).await;
    let count = delivery::Email::LISTINGS_MAX + 1;
    for number in 0..count {
        let link = format!("https://www.portail.example/annonces/{number}-");
        server.accept(&advert(&number.to_string(), json!({"price": 100_000 + number, "url": link}))).await;
    }
    with_timeout(async { while server.get("/deliveries").await.ok()["hydra:totalItems"] != count {} }).await;
    server.clock.advance(BATCH_WINDOW);
    with_timeout(async {
        while server.get("/deliveries?state=delivered").await.ok()["hydra:totalItems"] != count {}
    })
    .await;
    let texts: String = (0..2)
        .map(|_| {
            mail_server::parse_email(&setup.mail.next_email().bytes)["text"].as_str().unwrap().to_owned()
        })
        .collect();
    assert!(setup.mail.try_next_email().is_none());
    for number in 0..count {
        let link = format!("https://www.portail.example/annonces/{number}-\n");
        assert_eq!(texts.matches(&link).count(), 1, "{link} {texts}");
    }
}

#[tokio::test]
async fn folder_transport_writes_emails() {
    let folder = TempDir::new().unwrap();
    let settings = format!("[email]\ntransport = \"folder\"\nfolder = {:?}\n", folder.path().join("mail"));
    let server = TestServer::with_dispatcher(&settings).await;
    let search = match_everything(&server, json!({"notificationRecipient": "jeanne@exemple.fr"})).await;
    server.accept(&full("1")).await;
    let delivery = emails(&server, 1).await[0].clone();
    server.clock.advance(SignedDuration::from_mins(5));
    let delivered = once(&server, path(&delivery), "delivered").await;
    assert_eq!(delivered["attempts"][0]["target"], "jeanne@exemple.fr");
    let files: Vec<_> =
        std::fs::read_dir(folder.path().join("mail")).unwrap().map(|file| file.unwrap().path()).collect();
    assert_eq!(files.len(), 1, "{files:?}");
    let email = mail_server::parse_files([files[0].as_path()]).remove(0);
    assert_eq!(header(&email, "Subject"), "1 nouveau bien : Maison à Tours");
    assert!(email["text"].as_str().unwrap().contains("320\u{202f}000\u{a0}€"));
    assert!(header(&email, "List-Unsubscribe").starts_with("<http://127.0.0.1:8080/unsubscribe/"));
    let alerted = server.get(searches::path(&search)).await.ok();
    assert_eq!(alerted["lastAlertAt"], "2026-03-02T10:05:00+01:00");
}

#[tokio::test]
async fn emails_are_cancelled_when_transport_is_off() {
    let server = TestServer::with_dispatcher("").await;
    match_everything(&server, json!({"notificationRecipient": "jeanne@exemple.fr"})).await;
    server.accept(&full("1")).await;
    let delivery = emails(&server, 1).await[0].clone();
    assert_eq!((&delivery["state"], &delivery["reason"]), (&json!("cancelled"), &json!("channel_off")));
}

/// Returns the text of the e-mails in a folder. Lines that quoted-printable has broken are joined again.
fn texts_in(folder: &TempDir) -> Vec<String> {
    let files = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
    let complete = files.filter(|path| path.extension().is_some_and(|extension| extension == "eml"));
    complete.map(|path| std::fs::read_to_string(path).unwrap().replace("=\r\n", "")).collect()
}

async fn texts_of(folder: &TempDir, count: usize) -> Vec<String> {
    with_timeout(async {
        loop {
            let texts = texts_in(folder);
            if texts.len() >= count {
                return texts;
            }
            tokio::task::yield_now().await;
        }
    })
    .await
}

#[tokio::test]
async fn recipient_confirms_before_anything_else_is_sent() {
    let folder = TempDir::new().unwrap();
    let settings = format!(
        "[email]\ntransport = \"folder\"\nfolder = {:?}\nbatch_window = \"1m\"\npublic_url = {PUBLIC_URL:?}\n\
         confirm_recipients = true\n",
        folder.path()
    );
    let server = TestServer::with_dispatcher(&settings).await;
    let fields = json!({"title": "Écrivez à a.example", "notificationRecipient": "zoe@exemple.fr"});
    match_everything(&server, fields).await;
    server.accept(&full("1")).await;
    let [delivery] = emails(&server, 1).await.try_into().unwrap();
    server.clock.advance(BATCH_WINDOW);
    let [question] = texts_of(&folder, 1).await.try_into().unwrap();
    assert!(question.contains("zoe@exemple.fr") && !question.contains("a.example"), "no text of a user");
    let start = question.find(&format!("{PUBLIC_URL}public/recipients/")).unwrap();
    let link = question[start..].split_whitespace().next().unwrap().to_owned();
    let waiting = server.get(path(&delivery)).await.ok();
    assert_eq!((&waiting["state"], &waiting["reason"]), (&json!("pending"), &json!("unconfirmed")));

    // The question is recorded a moment after it was sent.
    let page = with_timeout(async {
        loop {
            let page = follow(&server, "GET", &link).await;
            if page.status == 200 {
                return page;
            }
        }
    })
    .await;
    assert!(page.text().contains("<form method=\"post\">"), "{}", page.text());
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    assert_eq!(follow(&server, "POST", &format!("{link}0")).await.status, 404);
    assert_eq!(follow(&server, "GET", &format!("{PUBLIC_URL}public/recipients/x")).await.status, 404);
    server.clock.advance(SignedDuration::from_secs(31));
    assert_eq!(
        server.get(path(&delivery)).await.ok()["state"],
        "pending",
        "a look at the page is no consent"
    );

    assert_eq!(follow(&server, "POST", &link).await.status, 200);
    assert!(!follow(&server, "GET", &link).await.text().contains("<form"));
    assert_eq!(server.get(path(&delivery)).await.ok()["reason"], Value::Null);
    server.clock.advance(SignedDuration::from_secs(31));
    once(&server, path(&delivery), "delivered").await;
    assert_eq!(texts_in(&folder).len(), 2);
}

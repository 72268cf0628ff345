//! What happens to an e-mail at a mail server: accepted, deferred, rejected, or lost.

use std::collections::HashSet;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::time::Duration;

use delivery::mail::{self, Deadlines, Login, Mail, MailTransport, Settings, SetupError, Smtp};
use delivery::{AttemptResult, Email};
use domain::{EmailAddress, Fault, Outcome};
use testkit::mail_server::{self, Addresses, AuthMode, MailServerConfig, PASSWORD, Security, USER};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufStream};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use crate::build::{email, from};
use crate::server::{Server, convert_security};

/// Long enough to reach the stage that hangs, unless the machine is very busy; the assertions hold in any case.
const SOON: Deadlines = Deadlines { connect: Duration::from_secs(5), total: Duration::from_millis(700) };

fn mail(smtp: Smtp, deadlines: Deadlines) -> Mail {
    Mail::new(Settings { transport: MailTransport::Smtp(smtp), from: from(), deadlines }).unwrap()
}

fn to(name: &str) -> Email {
    Email { to: EmailAddress::parse(&format!("{name}@exemple.fr")).unwrap(), ..email(7) }
}

fn summary(result: &AttemptResult) -> (Outcome, Option<u16>, String) {
    (result.outcome, result.status, String::from_utf8(result.excerpt.clone()).unwrap())
}

fn failed(result: &AttemptResult, fault: Fault, status: Option<u16>) {
    assert_eq!((result.outcome, result.status), (Outcome::Failed(fault), status), "{:?}", summary(result));
}

#[tokio::test]
async fn email_arrives_over_every_kind_of_connection() {
    for (security, login) in [
        (Security::None, AuthMode::None),
        (Security::Tls, AuthMode::None),
        (Security::Tls, AuthMode::Any),
        (Security::StartTls, AuthMode::Any),
        (Security::StartTls, AuthMode::LoginOnly),
    ] {
        let server = Server::start(MailServerConfig::new(security, login));
        let result = mail(server.smtp(), Deadlines::default()).send(&email(7)).await;
        assert_eq!(summary(&result), (Outcome::Delivered, Some(250), "2.0.0 queued as 4711".to_owned()));
        let received = server.next_email();
        assert_eq!(
            (received.from.as_str(), received.to.as_slice()),
            ("alertes@exemple.fr", &["jeanne@exemple.fr".to_owned()][..])
        );
        assert_eq!(received.encrypted, security != Security::None, "{security:?}");
        assert_eq!(received.user.as_deref(), (login != AuthMode::None).then_some(USER));
        check_parts(&received.bytes);
    }
}

fn check_parts(email: &[u8]) {
    let read = mail_server::parse_email(email);
    assert_eq!(read["defects"], serde_json::json!([]));
    let subject = read["headers"].as_array().unwrap().iter().find(|header| header[0] == "Subject").unwrap();
    assert_eq!(subject[1], "2 nouveaux biens : Trois pièces à Lyon");
    for part in ["text", "html_text"] {
        let part = read[part].as_str().unwrap();
        for word in
            ["Appartement lumineux", "250\u{202f}000\u{a0}€", "75\u{a0}m²", "3\u{a0}pièces", "Lyon 69003"]
        {
            assert!(part.contains(word), "{word}: {part}");
        }
    }
    assert!(read["text"].as_str().unwrap().contains("  https://agence.exemple.fr/annonces/1\n"));
    let elements = read["elements"].to_string();
    for address in [
        "https://images.exemple.fr/1.jpg",
        "https://agence.exemple.fr/annonces/1",
        "https://vigie.exemple.fr/unsubscribe/abc",
    ] {
        assert!(elements.contains(address), "{address}: {elements}");
    }
}

#[tokio::test]
async fn temporary_and_permanent_rejections_differ() {
    let server = Server::start(MailServerConfig::plain());
    let mail = mail(server.smtp(), Deadlines::default());
    for (name, fault, status) in [
        ("rcpt-421", Fault::Status, 421),
        ("rcpt-450", Fault::Status, 450),
        ("rcpt-550", Fault::Rejected, 550),
        ("rcpt-530", Fault::Status, 530),
        ("data-451", Fault::Status, 451),
        ("data-552", Fault::Rejected, 552),
        ("data-554", Fault::Rejected, 554),
    ] {
        let result = mail.send(&to(name)).await;
        failed(&result, fault, Some(status));
        assert_eq!(summary(&result).2, "as requested", "{name}");
    }
    assert_eq!(mail.send(&email(8)).await.outcome, Outcome::Delivered, "the next e-mail is not affected");
}

#[tokio::test]
async fn wrong_password_is_retried() {
    let server = Server::start(MailServerConfig::new(Security::StartTls, AuthMode::Any));
    let login = Some(Login { user: USER.to_owned(), password: format!("{PASSWORD}!") });
    let result = mail(Smtp { login, ..server.smtp() }, Deadlines::default()).send(&email(7)).await;
    failed(&result, Fault::Status, Some(535));
    let result = mail(Smtp { login: None, ..server.smtp() }, Deadlines::default()).send(&email(7)).await;
    failed(&result, Fault::Status, Some(530));
}

#[tokio::test]
async fn invalid_certificates_are_refused() {
    for security in [Security::Tls, Security::StartTls] {
        let server = Server::start(MailServerConfig::new(security, AuthMode::None));
        let untrusted = Smtp { extra_ca_pem: None, ..server.smtp() };
        failed(&mail(untrusted, Deadlines::default()).send(&email(1)).await, Fault::Tls, None);
        let misnamed = Smtp { host: "localhost".to_owned(), ..server.smtp() };
        failed(&mail(misnamed, Deadlines::default()).send(&email(2)).await, Fault::Tls, None);
        let result = mail(server.smtp(), Deadlines::default()).send(&email(3)).await;
        assert_eq!(result.outcome, Outcome::Delivered);
        let first = String::from_utf8(server.next_email().bytes).unwrap();
        assert!(
            first.contains(&format!("Message-ID: <{}@exemple.fr>", email(3).id)),
            "only the third arrived"
        );
    }
}

#[tokio::test]
async fn server_without_starttls_is_refused() {
    let server = Server::start(MailServerConfig::plain());
    let smtp = Smtp { security: mail::Security::StartTls, ..server.smtp() };
    let result = mail(smtp, Deadlines::default()).send(&email(7)).await;
    assert_eq!(result.outcome, Outcome::Failed(Fault::Tls));
    let smtp = Smtp { security: mail::Security::Tls, ..server.smtp() };
    failed(&mail(smtp, Deadlines::default()).send(&email(7)).await, Fault::Tls, None);
}

#[tokio::test]
async fn hanging_server_times_out() {
    let server = Server::start(MailServerConfig::plain());
    for name in ["rcpt-hang", "data-hang"] {
        let result = mail(server.smtp(), SOON).send(&to(name)).await;
        failed(&result, Fault::Timeout, None);
        assert!(result.took >= SOON.total);
    }
    // Accepts connections and stays silent.
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    for security in [Security::None, Security::Tls, Security::StartTls] {
        let smtp = Smtp {
            security: convert_security(security),
            port: silent.local_addr().unwrap().port(),
            ..server.smtp()
        };
        failed(&mail(smtp, SOON).send(&email(7)).await, Fault::Timeout, None);
    }
}

#[tokio::test]
async fn lost_reply_is_retried_with_the_same_bytes() {
    let server = Server::start(MailServerConfig::plain());
    let mail = mail(server.smtp(), Deadlines::default());
    for _ in 0..2 {
        failed(&mail.send(&to("data-drop")).await, Fault::Closed, None);
    }
    let (first, second) = (server.next_email(), server.next_email());
    assert_eq!(first.bytes, second.bytes);
}

#[tokio::test]
async fn unreachable_server_is_a_connect_fault() {
    let server = Server::start(MailServerConfig::plain());
    let gone = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = gone.local_addr().unwrap().port();
    drop(gone);
    let result = mail(Smtp { port, ..server.smtp() }, Deadlines::default()).send(&email(7)).await;
    failed(&result, Fault::Connect, None);
}

#[tokio::test]
async fn a_connection_is_used_again_while_it_lives() {
    let server = Server::start(MailServerConfig::new(Security::Tls, AuthMode::Any));
    let mail = mail(server.smtp(), Deadlines::default());
    let mut peers = Vec::new();
    for email in [email(1), email(2), to("close"), email(3), email(4)] {
        assert_eq!(mail.send(&email).await.outcome, Outcome::Delivered);
        peers.push(server.next_email().peer);
    }
    assert!(peers[0] == peers[1] && peers[1] == peers[2], "{peers:?}");
    assert!(peers[2] != peers[3] && peers[3] == peers[4], "disconnected after the third: {peers:?}");
}

/// Accepts one e-mail per connection and replies 421 to the next one.
async fn one_email_per_connection(listener: TcpListener) -> usize {
    let mut emails = 0;
    for connection in 1.. {
        let (stream, _) = listener.accept().await.unwrap();
        let mut stream = BufStream::new(stream);
        let (mut line, mut received) = (String::new(), false);
        stream.write_all(b"220 here\r\n").await.unwrap();
        stream.flush().await.unwrap();
        while stream.read_line(&mut line).await.is_ok_and(|length| length > 0) {
            let answer = match line.get(..4).unwrap_or_default() {
                "MAIL" if received => "421 one is enough",
                "DATA" => {
                    stream.write_all(b"354 go on\r\n").await.unwrap();
                    stream.flush().await.unwrap();
                    while line != ".\r\n" {
                        line.clear();
                        stream.read_line(&mut line).await.unwrap();
                    }
                    (emails, received) = (emails + 1, true);
                    "250 received"
                }
                _ => "250 fine",
            };
            stream.write_all(format!("{answer}\r\n").as_bytes()).await.unwrap();
            stream.flush().await.unwrap();
            line.clear();
            if answer.starts_with("421") || emails == 3 {
                break;
            }
        }
        if emails == 3 {
            return connection;
        }
    }
    unreachable!()
}

#[tokio::test]
async fn closed_session_is_replaced() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let server = Server::start(MailServerConfig::plain());
    let smtp = Smtp { port: listener.local_addr().unwrap().port(), ..server.smtp() };
    let mut connections = JoinSet::from_iter([one_email_per_connection(listener)]);
    let mail = mail(smtp, Deadlines::default());
    for number in 1..=3 {
        assert_eq!(mail.send(&email(number)).await.outcome, Outcome::Delivered);
    }
    assert_eq!(connections.join_next().await.unwrap().unwrap(), 3);
}

#[tokio::test]
async fn emails_are_sent_concurrently() {
    let server = Server::start(MailServerConfig::new(Security::StartTls, AuthMode::Any));
    let mail = Arc::new(mail(server.smtp(), Deadlines::default()));
    let mut under_way = JoinSet::new();
    for number in 0..20 {
        let mail = mail.clone();
        under_way.spawn(async move { mail.send(&email(number)).await.outcome });
    }
    assert_eq!(under_way.join_all().await, [Outcome::Delivered; 20]);
    let bytes: HashSet<Vec<u8>> = (0..20).map(|_| server.next_email().bytes).collect();
    assert_eq!(bytes.len(), 20, "each one exactly once");
}

#[tokio::test]
async fn non_ascii_addresses_need_smtputf8() {
    let server = Server::start(MailServerConfig::plain());
    let result = mail(server.smtp(), Deadlines::default()).send(&to("hélène")).await;
    assert_eq!(result.outcome, Outcome::Delivered, "{:?}", summary(&result));
    assert_eq!(server.next_email().to, ["hélène@exemple.fr"]);
    let server = Server::start(MailServerConfig { addresses: Addresses::Ascii, ..MailServerConfig::plain() });
    failed(&mail(server.smtp(), Deadlines::default()).send(&to("hélène")).await, Fault::Rejected, None);
}

#[test]
fn invalid_settings_are_rejected() {
    let login = Some(Login { user: USER.to_owned(), password: PASSWORD.to_owned() });
    let smtp = Smtp {
        host: "mail.exemple.fr".to_owned(),
        port: 25,
        security: mail::Security::None,
        login: None,
        extra_ca_pem: None,
    };
    let refused = |smtp: Smtp| {
        let transport = MailTransport::Smtp(smtp);
        Mail::new(Settings { transport, from: from(), deadlines: Deadlines::default() }).err().unwrap()
    };
    assert!(matches!(refused(Smtp { login, ..smtp.clone() }), SetupError::PasswordInClear));
    assert!(matches!(refused(Smtp { host: "not a host".to_owned(), ..smtp.clone() }), SetupError::Host));
    let nonsense = b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".to_vec();
    assert!(matches!(refused(Smtp { extra_ca_pem: Some(nonsense), ..smtp }), SetupError::ExtraCa));
    let file = tempfile::NamedTempFile::new().unwrap();
    let transport = MailTransport::Folder(file.path().join("emails"));
    let refused = Mail::new(Settings { transport, from: from(), deadlines: Deadlines::default() });
    assert!(matches!(refused.err(), Some(SetupError::Folder { .. })));
}

#[tokio::test]
async fn missing_folder_fails_the_attempt() {
    let folder = tempfile::tempdir().unwrap();
    let transport = MailTransport::Folder(folder.path().join("emails"));
    let mail = Mail::new(Settings { transport, from: from(), deadlines: Deadlines::default() }).unwrap();
    assert_eq!(mail.send(&email(7)).await.outcome, Outcome::Delivered);
    let files: Vec<String> = std::fs::read_dir(folder.path().join("emails"))
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(files, [format!("20261115T083000Z-{}.eml", email(7).id)], "no partial file");
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let emails = folder.path().join("emails");
    assert_eq!((mode(&emails), mode(&emails.join(&files[0]))), (0o700, 0o600), "private permissions");
    std::fs::remove_dir_all(folder.path().join("emails")).unwrap();
    failed(&mail.send(&email(7)).await, Fault::Connect, None);
}

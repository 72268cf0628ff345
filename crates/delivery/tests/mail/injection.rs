//! Untrusted text cannot create headers, parts, elements or links.

use std::path::PathBuf;

use delivery::mail::{Deadlines, Mail, MailTransport, Settings};
use delivery::{Email, ListingSummary};
use domain::{EmailAddress, Outcome, WebAddress};
use serde_json::Value;
use testkit::mail_server;

use crate::build::{email, from, listing};

/// Injection attempts, and accidental oddities.
fn hostile_texts() -> Vec<String> {
    let fixed = [
        "",
        " ",
        "\0",
        "\r\n",
        "\r\nBcc: victime@exemple.fr",
        "a\nBcc: victime@exemple.fr",
        "a\rBcc: victime@exemple.fr",
        "a\r\n\r\nUn autre corps",
        "a\r\n.\r\nMAIL FROM:<x@exemple.fr>",
        ".",
        "..\r\n.",
        "a\u{b}b\u{c}c\u{85}d\u{2028}e\u{2029}f",
        "a%0d%0aBcc: victime@exemple.fr",
        "a\\r\\nBcc: victime@exemple.fr",
        "=?utf-8?Q?a=0D=0ABcc:_victime@exemple.fr?=",
        "=?utf-8?B?YQ0KQmNjOiB2aWN0aW1lQGV4ZW1wbGUuZnI=?=",
        "=0D=0ABcc: victime@exemple.fr",
        "=",
        "= =\n=",
        "--=_0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b",
        "\r\n--=_0190a1b2-c3d4-7e5f-8a9b-000000000001--\r\n",
        "Content-Type: text/html",
        "From nobody",
        "<script>alert(1)</script>",
        "</title><script>alert(1)</script>",
        "</h1></td></tr></table><iframe src=//x.example>",
        "\"><img src=x onerror=alert(1)>",
        "'><svg onload=alert(1)>",
        "\" onmouseover=\"alert(1)",
        "' style='x:expression(alert(1))",
        "<!-- ",
        "-->",
        "<![CDATA[",
        "<?php",
        "&lt;script&gt;",
        "&#60;script&#62;",
        "&amp;&amp;&quot;",
        "&",
        "&#x3c;b",
        "<a href=\"javascript:alert(1)\">ici</a>",
        "javascript:alert(1)",
        "data:text/html,<script>alert(1)</script>",
        "<style>*{display:none}</style>",
        "<base href=//x.example>",
        "<meta http-equiv=refresh content=0>",
        "<form action=//x.example><input>",
        "\u{202e}gpj.exe",
        "\u{2066}a\u{2069}",
        "\u{feff}\u{200b}\u{e0041}",
        "\u{fffd}\u{ffff}\u{10ffff}",
        "日本語のタイトル",
        "العربية",
        "👨‍👩‍👧‍👦🏠",
        "e\u{301}\u{301}\u{301}\u{301}",
        "İıſK",
        "{{7*7}} ${7*7} %s %n",
        "'; DROP TABLE emails; --",
        "\u{1b}[31mrouge\u{1b}[0m",
        "\"Vigie\" <x@exemple.fr>",
        "x@exemple.fr, y@exemple.fr",
        "\t\ta\t\t",
    ];
    let mut texts: Vec<String> = fixed.iter().map(|text| text.to_string()).collect();
    texts.push("x".repeat(5_000));
    texts.push("é".repeat(5_000));
    texts.push("<b>".repeat(5_000));
    texts.push("\r\n".repeat(5_000));
    texts.push("a ".repeat(5_000));
    texts.push("🏠\r\n.".repeat(1_000));
    texts
}

/// Builds a web address from the text if possible: publishers can make the service store nothing else.
fn address(text: &str) -> Option<WebAddress> {
    WebAddress::parse(&format!("https://agence.exemple.fr/{text}")).ok()
}

fn emails() -> Vec<Email> {
    let mut emails = Vec::new();
    for text in hostile_texts() {
        let number = emails.len() as u32;
        emails.push(Email { title: text.clone(), ..email(number) });
        let title = ListingSummary { title: Some(text.clone()), ..listing() };
        let place = ListingSummary { place: Some(text.clone()), ..listing() };
        emails.push(Email { listings: vec![title, place], ..email(number + 1) });
        let linked = ListingSummary { picture: address(&text), link: address(&text), ..listing() };
        let plain = email(number + 2);
        let unsubscribe = address(&text).unwrap_or(plain.unsubscribe.clone());
        emails.push(Email { listings: vec![linked, listing()], unsubscribe, ..plain });
    }
    // Local parts may contain nearly any ASCII character.
    let to = EmailAddress::parse("!#$%&'*+-/=?^_`{|}~@exemple.fr").unwrap();
    emails.push(Email { to, ..email(emails.len() as u32) });
    emails
}

#[tokio::test]
async fn untrusted_text_cannot_change_the_structure() {
    let folder = tempfile::tempdir().unwrap();
    let transport = MailTransport::Folder(folder.path().to_owned());
    let mail = Mail::new(Settings { transport, from: from(), deadlines: Deadlines::default() }).unwrap();
    let emails = emails();
    assert!(emails.len() > 150);
    let mut paths = Vec::new();
    for email in &emails {
        assert_eq!(mail.send(email).await.outcome, Outcome::Delivered);
        paths.push(folder.path().join(format!("20261115T083000Z-{}.eml", email.id)));
    }
    let read = mail_server::parse_files(paths.iter().map(PathBuf::as_path));
    assert_eq!(read.len(), emails.len());
    for (email, read) in emails.iter().zip(&read) {
        headers(email, read);
        shape(email, read);
        elements(email, read);
    }
}

const HEADERS: [&str; 10] = [
    "From",
    "To",
    "Subject",
    "Date",
    "Message-ID",
    "Auto-Submitted",
    "List-Unsubscribe",
    "List-Unsubscribe-Post",
    "MIME-Version",
    "Content-Type",
];

fn headers(email: &Email, read: &Value) {
    let header = |name: &str| -> Vec<&str> {
        let headers = read["headers"].as_array().unwrap().iter();
        headers.filter(|header| header[0] == name).map(|header| header[1].as_str().unwrap()).collect()
    };
    let mut names: Vec<&str> =
        read["headers"].as_array().unwrap().iter().map(|header| header[0].as_str().unwrap()).collect();
    let mut expected = HEADERS.to_vec();
    names.sort_unstable();
    expected.sort_unstable();
    assert_eq!(names, expected, "{:?}", email.title);
    assert_eq!(header("From"), ["Vigie <alertes@exemple.fr>"]);
    assert_eq!(header("To"), [email.to.as_str()]);
    assert_eq!(header("Date"), ["Sun, 15 Nov 2026 08:30:00 +0000"]);
    assert_eq!(header("Message-ID"), [format!("<{}@exemple.fr>", email.id)]);
    assert_eq!(header("Auto-Submitted"), ["auto-generated"]);
    assert_eq!(header("List-Unsubscribe-Post"), ["List-Unsubscribe=One-Click"]);
    let unsubscribe = header("List-Unsubscribe")[0];
    assert!(unsubscribe.starts_with("<https://") && unsubscribe.ends_with('>'), "{unsubscribe}");
    assert!(!unsubscribe[1..unsubscribe.len() - 1].contains(['<', '>', ' ', '\t']), "{unsubscribe}");
    let subject = header("Subject")[0];
    assert!(subject.starts_with("2 nouveaux biens : "), "{subject}");
    assert!(subject.chars().count() <= 130 && !subject.chars().any(char::is_control), "{subject}");
}

fn shape(email: &Email, read: &Value) {
    let about = format!("{:?} {:?}", email.title, email.listings[0]);
    assert_eq!(
        read["types"],
        serde_json::json!(["multipart/alternative", "text/plain", "text/html"]),
        "{about}"
    );
    assert_eq!(read["defects"], serde_json::json!([]), "{about}");
    assert_eq!(read["bare_line_ends"], 0, "{about}");
    // RFC 5322 allows 998; only links cannot be broken.
    assert!(read["longest_line"].as_u64().unwrap() <= 998, "{about}");
    let text = read["text"].as_str().unwrap();
    assert!(text.contains("\n-- \nVous recevez ce message"), "{text}");
    assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
    // Every line begins with our own text.
    let ours = |line: &str| {
        [
            "2 nouveaux biens pour",
            "* ",
            "  ",
            "-- ",
            "Vous recevez",
            "Pour ne plus recevoir ces alertes : https://",
        ]
        .iter()
        .any(|beginning| line.starts_with(beginning))
    };
    assert!(text.lines().all(|line| line.is_empty() || ours(line)), "{text}");
}

/// Allowed elements and attributes.
const ELEMENTS: [(&str, &[&str]); 14] = [
    ("html", &["lang"]),
    ("head", &[]),
    ("meta", &["charset"]),
    ("title", &[]),
    ("body", &["style"]),
    ("h1", &["style"]),
    ("table", &["role", "style"]),
    ("tr", &[]),
    ("td", &["style"]),
    ("img", &["src", "alt", "width", "style"]),
    ("strong", &[]),
    ("a", &["href", "style"]),
    ("br", &[]),
    ("p", &["style"]),
];

fn elements(email: &Email, read: &Value) {
    for element in read["elements"].as_array().unwrap() {
        let name = element[0].as_str().unwrap();
        let known = ELEMENTS.iter().find(|(known, _)| *known == name);
        let (_, attributes) = known.unwrap_or_else(|| panic!("{name}: {email:?}"));
        for attribute in element[1].as_array().unwrap() {
            let (attribute, value) = (attribute[0].as_str().unwrap(), attribute[1].as_str().unwrap());
            assert!(attributes.contains(&attribute), "{attribute}={value}: {email:?}");
            if ["src", "href"].contains(&attribute) {
                assert!(value.starts_with("https://") && !value.contains(['"', '<', '>', ' ']), "{value}");
            }
        }
    }
    let count = |name: &str| read["elements"].as_array().unwrap().iter().filter(|it| it[0] == name).count();
    assert_eq!([count("h1"), count("title"), count("table"), count("strong"), count("p")], [1, 1, 2, 2, 1]);
    let text = read["html_text"].as_str().unwrap();
    assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
    // Markup is shown as text.
    if email.title == "<script>alert(1)</script>" {
        assert!(text.contains("«\u{a0}<script>alert(1)</script>\u{a0}»"), "{text}");
    }
}

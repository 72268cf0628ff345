//! Unsubscribing through the link in an e-mail.

use serde_json::{Value, json};

use super::match_everything;
use crate::harness::TestServer;
use crate::harness::client::{Request, Response};
use crate::searches;

async fn ask(server: &TestServer, method: &str, path: &str) -> Response {
    let request = Request::new(method, path).header("Accept", "text/html");
    server.send(if method == "POST" { one_click(request) } else { request }).await
}

/// The body mail programs send for one-click unsubscribe.
fn one_click(request: Request) -> Request {
    request.body("application/x-www-form-urlencoded", "List-Unsubscribe=One-Click")
}

fn link(search: &Value) -> String {
    let id = searches::path(search).rsplit('/').next().unwrap();
    format!("/unsubscribe/{id}/{}", search["token"].as_str().unwrap())
}

#[tokio::test]
async fn get_changes_nothing_and_one_click_unsubscribes() {
    let server = TestServer::start().await;
    let search = match_everything(
        &server,
        json!({"notificationRecipient": "a@b.example", "endpointRecipient": "https://hook.example/"}),
    )
    .await;
    let link = link(&search);
    let page = ask(&server, "GET", &link).await;
    assert_eq!((page.status, page.header("content-type")), (200, Some("text/html; charset=utf-8")));
    assert_eq!(page.header("referrer-policy"), Some("no-referrer"));
    assert!(page.header("content-security-policy").unwrap().contains("default-src 'none'"));
    assert!(
        page.text().contains("<form method=\"post\">")
            && !page.text().contains(search["token"].as_str().unwrap())
    );
    assert_eq!(server.get(searches::path(&search)).await.ok(), search);

    let done = ask(&server, "POST", &link).await;
    assert_eq!(done.status, 200);
    assert!(!done.text().contains("<form"), "{}", done.text());
    let now = server.get(searches::path(&search)).await.ok();
    assert_eq!(now["notificationRecipient"], Value::Null);
    assert_eq!(now["endpointRecipient"], search["endpointRecipient"], "webhooks continue");
    assert_eq!(now["notificationEnabled"], true);
    // Again, with the empty form a browser sends.
    let again = server.send(Request::new("POST", &link).body("application/x-www-form-urlencoded", "")).await;
    assert_eq!((again.status, again.text()), (200, done.text()));
    assert_eq!(ask(&server, "GET", &link).await.status, 200);
    assert_eq!(server.get(searches::path(&search)).await.ok(), now, "a second time changes nothing");
}

#[tokio::test]
async fn unsubscribe_page_names_the_search_and_confirms() {
    let server = TestServer::start().await;
    let title = "</bdi><script>alert('é & \"è\"')</script>";
    let search =
        match_everything(&server, json!({"title": title, "notificationRecipient": "a@b.example"})).await;
    let shown = ask(&server, "GET", &link(&search)).await;
    let named = "&lt;/bdi&gt;&lt;script&gt;alert(&#39;é &amp; &quot;è&quot;&#39;)&lt;/script&gt;";
    let is_confirmation =
        |response: &Response| response.text().contains("Souhaitez-vous") && response.text().contains(named);
    assert!(is_confirmation(&shown), "{}", shown.text());
    assert!(
        !shown.text().contains("<script") && !shown.text().contains("ne recevrez plus"),
        "{}",
        shown.text()
    );
    let done = ask(&server, "POST", &link(&search)).await;
    assert!(done.text().contains("C'est fait") && !is_confirmation(&done), "{}", done.text());
}

#[tokio::test]
async fn invalid_unsubscribe_links_get_the_same_response() {
    let server = TestServer::start().await;
    let search = match_everything(&server, json!({"notificationRecipient": "a@b.example"})).await;
    let other = match_everything(&server, json!({"notificationRecipient": "c@d.example"})).await;
    let (right, token) = (link(&search), search["token"].as_str().unwrap());
    let id = searches::path(&search).rsplit('/').next().unwrap();
    let wrong = [
        format!("/unsubscribe/{id}/{}", "0".repeat(50)),
        format!("/unsubscribe/{id}/{}", other["token"].as_str().unwrap()),
        format!("/unsubscribe/{id}/x"),
        format!("/unsubscribe/00000000-0000-7000-8000-00000000ffff/{token}"),
        format!("/unsubscribe/x/{token}"),
    ];
    let mut texts = Vec::new();
    for path in &wrong {
        for method in ["GET", "POST"] {
            let response = ask(&server, method, path).await;
            assert_eq!(response.status, 404, "{method} {path}");
            texts.push(response.text().to_owned());
        }
    }
    texts.dedup();
    assert_eq!(texts.len(), 1);
    assert_eq!(server.get(searches::path(&search)).await.ok()["notificationRecipient"], "a@b.example");
    ask(&server, "PUT", &right).await.problem(405);
    // A deleted search has no valid link.
    assert_eq!(server.delete(searches::path(&search)).await.status, 204);
    assert_eq!(ask(&server, "POST", &right).await.status, 404);
}

#[tokio::test]
async fn link_of_a_former_recipient_gets_404() {
    let server = TestServer::start().await;
    let search = match_everything(&server, json!({"notificationRecipient": "former@b.example"})).await;
    // As older releases sent it: without a code for the recipient.
    let old = link(&search);
    assert_eq!(ask(&server, "GET", &old).await.status, 200);
    let body =
        searches::with(&json!({"propertyTypes": [0, 1], "notificationRecipient": "current@b.example"}));
    searches::put(&server, searches::path(&search), &body).await.ok();
    for path in [old.clone(), format!("{old}-"), format!("{old}-{}", "0".repeat(32))] {
        for method in ["GET", "POST"] {
            assert_eq!(ask(&server, method, &path).await.status, 404, "{method} {path}");
        }
    }
    let now = server.get(searches::path(&search)).await.ok();
    assert_eq!(now["notificationRecipient"], "current@b.example");
}

//! `vigie deliveries`, next to a running server.

use super::output::unread;
use super::{run, vigie};
use crate::deliveries::{members, path, with_deliveries};
use crate::searches;

#[tokio::test(flavor = "multi_thread")]
async fn deliveries_are_listed_and_shown() {
    let (server, search) = with_deliveries(2).await;
    let page = server.get("/deliveries").await.ok();
    let ids: Vec<&str> =
        members(&page).iter().map(|member| path(member).rsplit('/').next().unwrap()).collect();
    let list = |more: &[&str]| {
        let listed = run(server.folder(), &[&["deliveries", "list"], more].concat());
        listed.succeeded().lines().map(|line| line.split('\t').next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(list(&[]), ids);
    assert_eq!(list(&["--limit", "1", "--skip", "1"]), ids[1..2]);
    assert_eq!(list(&["--search", searches::path(&search), "--state", "pending"]), ids);
    assert_eq!(list(&["--state", "failed"]).len(), 0);
    assert_eq!(list(&["--channel", "eventEndpoint"]).len(), 2);
    assert_eq!(list(&["--from", "2026-03-02 10:00:02"]), ids[..2]);
    assert_eq!(list(&["--to", "2026-03-02 10:00:01"]), ids[2..]);
    let shown = run(server.folder(), &["deliveries", "show", ids[0]]);
    let fields: Vec<&str> = shown.succeeded().trim_end().split('\t').collect();
    assert_eq!((fields[0], fields[1]), (ids[0], "2026-03-02T10:00:02+01:00"));
    assert_eq!((fields[2], fields[7]), ("pending until 2026-03-02T10:00:02+01:00", "0"));
    let ended = unread(test_database::select(server.folder(), vigie().args(["deliveries", "list"])));
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "a closed pipe is not an error");
    for (wrong, message) in [
        (&["deliveries", "list", "--state", "sent"][..], "not a delivery state"),
        (&["deliveries", "list", "--channel", "email"], "not a delivery channel"),
        (&["deliveries", "list", "--from", "soon"], "not a date"),
        (&["deliveries", "list", "--search", "x"], "not a search id"),
        (&["deliveries", "show", "x"], "not a delivery id"),
        (&["deliveries", "show", "0000002a-0000-8001-8000-000000000007"], "does not exist"),
        (&["deliveries", "replay", ids[0]], "pending or in progress"),
    ] {
        let failed = run(server.folder(), wrong);
        assert!(failed.failed().contains(message), "{failed:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn deliveries_cancelled_while_notifications_were_off_are_replayed() {
    let (server, search) = with_deliveries(1).await;
    let page = server.get("/deliveries").await.ok();
    let ids = members(&page).iter().map(|member| path(member).rsplit('/').next().unwrap().parse().unwrap());
    let at = server.app.clock().now();
    server.app.store().cancel(ids.collect(), domain::CancelReason::Disabled, at).await.unwrap();
    let replayed = run(
        server.folder(),
        &["deliveries", "replay-search", searches::path(&search), "--since", "2026-03-02"],
    );
    assert_eq!(replayed.succeeded(), "");
    assert!(replayed.err.starts_with("2 deliveries"), "{replayed:?}");
    assert_eq!(server.get("/deliveries?state=pending").await.ok()["hydra:totalItems"], 2);
    let one = path(&members(&page)[0]).to_owned();
    let ids = vec![one.rsplit('/').next().unwrap().parse().unwrap()];
    server.app.store().cancel(ids, domain::CancelReason::ChannelOff, at).await.unwrap();
    assert!(run(server.folder(), &["deliveries", "replay", &one]).err.contains("will be sent again"));
    assert_eq!(server.get(&one).await.ok()["state"], "pending");
}

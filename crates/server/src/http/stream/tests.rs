use std::io;

use futures_util::stream;
use serde_json::json;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use super::super::shares::Holder;
use super::*;
use crate::config::{Config, Sources};
use crate::open;

fn line(reference: &str) -> String {
    let advert =
        json!({"transactionType": 0, "propertyType": 0, "site": "portail.example", "reference": reference});
    format!("{advert}\n")
}

/// Over a socket there is always a pause between the last line and the abort; here there is none.
#[tokio::test]
async fn complete_lines_are_ingested_when_the_stream_aborts_at_once() {
    let folder = TempDir::new().unwrap();
    let data = Some(folder.path().display().to_string());
    let config = Config::load(Sources::defaults().flag("--data", "store.data", data)).unwrap();
    let shared = Shared::new(open::app(&config).unwrap(), config, CancellationToken::new()).unwrap();
    let lines = format!("{}{}{{\"half\":", line("1"), line("2"));
    let frames = [Ok(Bytes::from(lines)), Err(io::Error::from(io::ErrorKind::ConnectionReset))];
    let held = (shared.streams.take(Holder::WithoutKey(None)).unwrap(), None);
    let sender = Sender { held, meter: None, owner: Owner::Local };
    let response = ingest(&shared, sender, Body::from_stream(stream::iter(frames)), ParseMode::Lenient);
    shared.tasks.close();
    shared.tasks.wait().await;
    assert_eq!(shared.app.counts().await.unwrap(), (2, 2));
    drop(response);
}

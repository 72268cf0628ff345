//! The demo as a process: a market, saved searches, and a receiver of webhooks.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::harness::client::{Request, Response, exchange};

/// Small, so that it is loaded soon; large enough for a list that scrolls.
const PROPERTIES: &str = "400";

pub struct Demo {
    process: Child,
    pub address: SocketAddr,
    pub key: String,
    /// Where webhooks are accepted.
    pub receiver: String,
    _folder: TempDir,
}

impl Demo {
    pub async fn start() -> Self {
        Self::with(PROPERTIES).await
    }

    pub async fn with(properties: &str) -> Self {
        let folder = TempDir::new().unwrap();
        let mut process = Command::new(env!("CARGO_BIN_EXE_vigie"))
            .args(["demo", "--listen", "127.0.0.1:0", "--pace", "1", "--properties", properties])
            .arg("--data")
            .arg(folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        let (sender, said) = tokio::sync::oneshot::channel();
        // The demo goes on printing, and stops if its output is not read.
        std::thread::spawn(move || {
            let mut lines = output.lines().map_while(Result::ok);
            let mut introduction = String::new();
            for line in lines.by_ref() {
                introduction.push_str(&line);
                introduction.push('\n');
                if line.contains("Ctrl-C") {
                    break;
                }
            }
            let _ = sender.send(introduction);
            lines.for_each(drop);
        });
        let introduction = said.await.unwrap();
        let address = between(&introduction, "listening on http://", ". Look").parse().unwrap();
        let key = between(&introduction, "X-API-KEY: ", "'").to_owned();
        let receiver = between(&introduction, "receiver at ", ", which").to_owned();
        Self { process, address, key, receiver, _folder: folder }
    }

    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    pub async fn send(&self, method: &str, path: &str, body: Option<&Value>) -> Response {
        let request = Request::to(&self.address.to_string(), method, path).key(&self.key);
        let request = match body {
            Some(body) => request.json(body),
            None => request,
        };
        exchange(self.address, &request).await
    }

    /// Sends an advert and returns the id of its property.
    pub async fn accept(&self, advert: &Value) -> String {
        let response = self.send("POST", "/adverts", Some(advert)).await;
        assert!(matches!(response.status, 200 | 201), "{} {}", response.status, response.text());
        let property = response.json()["property"].as_str().unwrap().to_owned();
        property.rsplit('/').next().unwrap().to_owned()
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn between<'a>(text: &'a str, before: &str, after: &str) -> &'a str {
    let (_, rest) = text.split_once(before).unwrap_or_else(|| panic!("{before:?} is not in {text}"));
    rest.split_once(after).unwrap_or_else(|| panic!("{after:?} is not in {text}")).0
}

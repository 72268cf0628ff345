//! Drives Chromium by WebDriver, which is JSON over HTTP.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::harness::client::{Request, exchange};

/// Shown if the browser is missing.
const INSTALL: &str = "install it and try again; on Debian: apt-get install chromium chromium-driver";

/// As root Chromium runs only without its sandbox. The other flags keep it from contacting its maker, and from using a display.
const FLAGS: &[&str] = &[
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    // Maps are drawn by WebGL, here in software.
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1280,900",
    // Only addresses of this machine.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
];

/// A promise that resolves when the condition of a step holds. Pages change between two frames.
const UNTIL: &str = "const until = (condition) => new Promise((resolve) => {
    const look = () => { const value = condition(); if (value) resolve(value); else setTimeout(look, 20); };
    look();
});";

/// A running browser, with one window. Killed with everything it has started when it is dropped.
pub struct Browser {
    driver: Child,
    address: SocketAddr,
    session: String,
    _profile: TempDir,
}

impl Browser {
    pub async fn start() -> Self {
        let profile = TempDir::new().unwrap();
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            // A group of its own, so that the browser can be killed with it.
            .process_group(0)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|cause| panic!("this test needs chromedriver ({cause}): {INSTALL}"));
        let port = port_of(&mut driver);
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        let mut browser = Self { driver, address, session: String::new(), _profile: profile };
        let data = format!("--user-data-dir={}", browser._profile.path().display());
        let flags: Vec<&str> = FLAGS.iter().copied().chain([data.as_str()]).collect();
        let wanted = json!({
            "goog:chromeOptions": {"args": flags},
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
            "timeouts": {"script": 60_000, "pageLoad": 60_000},
        });
        let session =
            browser.command("POST", "/session", json!({"capabilities": {"alwaysMatch": wanted}})).await;
        browser.session =
            session["sessionId"].as_str().unwrap_or_else(|| panic!("{session}; {INSTALL}")).to_owned();
        browser
    }

    async fn command(&self, method: &str, path: &str, body: Value) -> Value {
        self.try_command(method, path, body).await.unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    async fn try_command(&self, method: &str, path: &str, body: Value) -> Result<Value, Value> {
        let request = Request::to("127.0.0.1", method, path).json(&body);
        let response = exchange(self.address, &request).await;
        let value = response.json()["value"].take();
        if response.status == 200 { Ok(value) } else { Err(value) }
    }

    /// Sends a command of the driver that has no function here.
    pub async fn in_session(&self, path: &str, body: Value) -> Value {
        self.command("POST", &format!("/session/{}/{path}", self.session), body).await
    }

    /// Opens a page and waits until it is loaded.
    pub async fn open(&self, url: &str) {
        self.in_session("url", json!({"url": url})).await;
    }

    /// Runs a script in the page. It may use `until(condition)`; a promise that it returns is awaited.
    pub async fn run(&self, script: &str, arguments: &[Value]) -> Value {
        let path = format!("/session/{}/execute/sync", self.session);
        let body = json!({"script": format!("{UNTIL}\n{script}"), "args": arguments});
        match self.try_command("POST", &path, body).await {
            Ok(value) => value,
            Err(error) => {
                let shown =
                    json!({"script": "return `${location} shows:\n${document.body.innerText}`", "args": []});
                let shown = self.try_command("POST", &path, shown).await;
                let shown =
                    shown.as_ref().ok().and_then(Value::as_str).unwrap_or("The page does not answer.");
                panic!("{}: {script}\n{arguments:?}\n{shown}\n{:?}", error["error"], self.console().await);
            }
        }
    }

    /// Types into an element as a person does.
    pub async fn type_into(&self, selector: &str, text: &str) {
        let element = self.element(selector).await;
        self.in_session(&format!("element/{element}/value"), json!({"text": text})).await;
    }

    /// Clicks on an element, which must be visible.
    pub async fn click(&self, selector: &str) {
        let element = self.element(selector).await;
        self.in_session(&format!("element/{element}/click"), json!({})).await;
    }

    async fn element(&self, selector: &str) -> String {
        let found = self.in_session("element", json!({"using": "css selector", "value": selector})).await;
        let (_, id) = found.as_object().unwrap().iter().next().unwrap();
        id.as_str().unwrap().to_owned()
    }

    /// Returns what the console has said since the last call: errors of scripts and violations of policies.
    pub async fn console(&self) -> Vec<String> {
        let entries = self.in_session("se/log", json!({"type": "browser"})).await;
        // The other levels are advice for developers.
        let entries = entries.as_array().unwrap().iter();
        let entries = entries.filter(|entry| entry["level"] == "SEVERE" || entry["level"] == "WARNING");
        entries.map(|entry| entry["message"].as_str().unwrap().to_owned()).collect()
    }

    /// Returns the addresses that pages have requested since the last call.
    pub async fn requested(&self) -> Vec<String> {
        let entries = self.in_session("se/log", json!({"type": "performance"})).await;
        let entries = entries.as_array().unwrap().iter();
        let messages = entries.map(|entry| serde_json::from_str(entry["message"].as_str().unwrap()).unwrap());
        messages
            .map(|mut message: Value| message["message"].take())
            .filter(|message| message["method"] == "Network.requestWillBeSent")
            .map(|message| message["params"]["request"]["url"].as_str().unwrap().to_owned())
            // The page that the browser itself shows at the start.
            .filter(|url| !url.starts_with("chrome"))
            .collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if let Some(group) = i32::try_from(self.driver.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.driver.wait();
    }
}

/// Reads the port that the driver has chosen.
fn port_of(driver: &mut Child) -> u16 {
    let mut output = BufReader::new(driver.stdout.take().unwrap());
    loop {
        let mut line = String::new();
        assert_ne!(output.read_line(&mut line).unwrap(), 0, "chromedriver ended: {INSTALL}");
        if let Some((_, port)) = line.split_once("started successfully on port ") {
            return port.trim().trim_end_matches('.').parse().unwrap();
        }
    }
}

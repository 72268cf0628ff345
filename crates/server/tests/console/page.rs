//! A window with the console, and what every story does with it.

use serde_json::{Value, json};

use crate::built;
use crate::demo::Demo;
use crate::driver::Browser;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    Desktop,
    Phone,
}

pub struct Page<'a> {
    pub browser: Browser,
    pub demo: &'a Demo,
    pub size: Size,
    axe: String,
}

/// The rules of WCAG up to 2.2, levels A and AA.
const AXE: &str = "return axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']})
    .then(({violations}) => violations.map(({id, nodes}) => `${id}: ${nodes.map((it) => it.html.slice(0, 200)).join(' | ')}`));";

impl<'a> Page<'a> {
    pub async fn open(demo: &'a Demo, size: Size) -> Self {
        let axe = built::packages().join("node_modules/axe-core/axe.min.js");
        let axe = std::fs::read_to_string(axe).unwrap();
        let page = Self { browser: Browser::start().await, demo, size, axe };
        let (width, height) = match size {
            Size::Desktop => (1440, 900),
            Size::Phone => (390, 844),
        };
        let metrics =
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": size == Size::Phone});
        page.devtools("Emulation.setDeviceMetricsOverride", metrics).await;
        page.go("/console").await;
        page
    }

    pub async fn devtools(&self, command: &str, parameters: Value) -> Value {
        self.browser.in_session("goog/cdp/execute", json!({"cmd": command, "params": parameters})).await
    }

    /// Loads a page of the console.
    pub async fn go(&self, path: &str) {
        self.browser.open(&format!("{}{path}", self.demo.origin())).await;
    }

    pub async fn sign_in(&self) {
        self.shown("input[name=key]").await;
        self.browser.type_into("input[name=key]", &self.demo.key).await;
        self.browser.click("button[type=submit]").await;
        self.shown("header nav a[aria-current=page]").await;
    }

    /// Waits until there is such an element, and clicks on it.
    pub async fn click(&self, selector: &str) {
        self.shown(selector).await;
        // In the middle: what sticks to the top of the page would take the click.
        self.browser
            .run(
                "document.querySelector(arguments[0]).scrollIntoView({block: 'center', inline: 'center'})",
                &[json!(selector)],
            )
            .await;
        self.browser.click(selector).await;
    }

    pub async fn shown(&self, selector: &str) {
        self.browser
            .run(
                "return until(() => document.querySelector(arguments[0])).then(() => true)",
                &[json!(selector)],
            )
            .await;
    }

    /// Waits until an expression of the page is true, and returns it.
    pub async fn until(&self, condition: &str) -> Value {
        self.browser.run(&format!("return until(() => {condition})"), &[]).await
    }

    pub async fn value(&self, expression: &str) -> Value {
        self.browser.run(&format!("return {expression}"), &[]).await
    }

    /// Clicks on a point of the window.
    pub async fn click_at(&self, x: f64, y: f64) {
        let steps = json!([
            {"type": "pointerMove", "duration": 0, "x": x.round(), "y": y.round()},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        ]);
        let pointer = json!({"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": steps});
        self.browser.in_session("actions", json!({"actions": [pointer]})).await;
    }

    /// Presses a key, wherever the focus is.
    pub async fn press(&self, key: &str) {
        let steps = json!([{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]);
        self.browser
            .in_session("actions", json!({"actions": [{"type": "key", "id": "keyboard", "actions": steps}]}))
            .await;
    }

    /// Checks what is shown: no violation of the accessibility rules, and nothing wider than the window.
    pub async fn is_sound(&self, what: &str) {
        self.browser.run(&self.axe, &[]).await;
        let violations = self.browser.run(AXE, &[]).await;
        assert_eq!(violations, json!([]), "{what}, {:?}", self.size);
        let beyond = self.value("document.documentElement.scrollWidth - innerWidth").await;
        assert!(
            beyond.as_f64().unwrap() <= 0.0,
            "{what}, {:?}: {beyond} pixels wider than the window",
            self.size
        );
    }

    /// Checks that no script failed, no policy was violated, and every request stayed here.
    pub async fn nothing_went_wrong(&self) {
        let console = self.browser.console().await;
        // A browser reports refused requests itself: the question who is signed in, and pictures of hosts that do not exist.
        // And WebGL in software says that it is slow.
        let expected = |line: &str| {
            line.contains("GL Driver Message")
                || line.contains("Failed to load resource")
                    && (line.contains("/console/session") || line.contains("/pictures/"))
        };
        let unexpected: Vec<&String> = console.iter().filter(|line| !expected(line)).collect();
        assert!(unexpected.is_empty(), "{unexpected:#?}");
        let origin = format!("{}/", self.demo.origin());
        let requested = self.browser.requested().await;
        assert!(requested.iter().any(|url| url.contains("/console/assets/")), "{requested:?}");
        for url in requested {
            assert!(
                url.starts_with(&origin)
                    || url.starts_with("data:")
                    || url.starts_with("blob:http://127.0.0.1"),
                "{url}"
            );
        }
    }
}

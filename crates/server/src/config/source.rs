//! Where settings come from, laid over each other.

use std::collections::BTreeMap;
use std::fmt;

use super::DEFAULTS;

/// One thing that is wrong with the settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// `limits.request_timeout`, or empty when a whole source cannot be read.
    pub setting: String,
    pub origin: Origin,
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { setting, origin, message } = self;
        match setting.as_str() {
            "" => write!(f, "{origin}: {message}"),
            setting => write!(f, "{setting} ({origin}): {message}"),
        }
    }
}

/// Who said so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    Default,
    File(String),
    Environment(String),
    Flag(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File(path) => write!(f, "file {path}"),
            Self::Environment(name) => write!(f, "variable {name}"),
            Self::Flag(name) => write!(f, "flag {name}"),
        }
    }
}

/// Settings as found, later layers over earlier ones.
#[derive(Debug, Default)]
pub struct Sources {
    values: BTreeMap<String, (String, Origin)>,
    problems: Vec<Problem>,
}

impl Sources {
    /// The compiled-in defaults.
    pub fn defaults() -> Self {
        let mut sources = Self::default();
        sources.lay_text(DEFAULTS, &Origin::Default);
        sources
    }

    /// A configuration file's text.
    pub fn file(mut self, name: &str, text: &str) -> Self {
        self.lay_text(text, &Origin::File(name.to_owned()));
        self
    }

    /// Variables named `VIGIE_SECTION__KEY`. Others are somebody else's, but one that begins with our prefix and is no
    /// setting is reported: a misspelt setting must not pass silently.
    pub fn environment(mut self, variables: impl IntoIterator<Item = (String, String)>) -> Self {
        for (name, value) in variables {
            let Some(rest) = name.strip_prefix(PREFIX) else { continue };
            if NOT_SETTINGS.contains(&name.as_str()) {
                continue;
            }
            let setting = rest.to_ascii_lowercase().replacen("__", ".", 1);
            self.values.insert(setting, (value, Origin::Environment(name)));
        }
        self
    }

    /// A command-line flag, when given.
    pub fn flag(mut self, name: &'static str, setting: &str, value: Option<String>) -> Self {
        if let Some(value) = value {
            self.values.insert(setting.to_owned(), (value, Origin::Flag(name)));
        }
        self
    }

    /// The settings as they come to, one a line, with who said so where it is not the default. Secrets are not shown: what this
    /// prints is pasted into emails and tickets.
    pub fn print(&self) -> String {
        let mut text = String::new();
        for (setting, (value, origin)) in &self.values {
            let value = match SECRETS.contains(&setting.as_str()) && !value.is_empty() {
                true => "(hidden)".to_owned(),
                false => format!("{value:?}"),
            };
            text.push_str(&match origin {
                Origin::Default => format!("{setting} = {value}\n"),
                origin => format!("{setting} = {value}  # {origin}\n"),
            });
        }
        text
    }

    fn lay_text(&mut self, text: &str, origin: &Origin) {
        match text.parse::<toml::Table>() {
            Ok(table) => self.lay_table("", &table, origin),
            Err(error) => self.problems.push(Problem {
                setting: String::new(),
                origin: origin.clone(),
                message: error.to_string().trim().replace('\n', " "),
            }),
        }
    }

    fn lay_table(&mut self, path: &str, table: &toml::Table, origin: &Origin) {
        for (key, value) in table {
            let setting = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            match value {
                toml::Value::Table(table) => self.lay_table(&setting, table, origin),
                toml::Value::String(text) => {
                    self.values.insert(setting, (text.clone(), origin.clone()));
                }
                // Numbers and booleans are read from their text, as those of the environment are.
                other => {
                    self.values.insert(setting, (other.to_string(), origin.clone()));
                }
            }
        }
    }
}

const PREFIX: &str = "VIGIE_";

/// Settings nobody is to see.
const SECRETS: &[&str] = &["email.smtp_password"];

/// Variables of the command line that are no settings.
const NOT_SETTINGS: &[&str] = &["VIGIE_CONFIG"];

/// Takes settings out one by one and collects what is wrong.
pub struct Reader {
    sources: Sources,
    /// Who said what was taken out so far.
    taken: BTreeMap<String, Origin>,
}

impl Reader {
    pub const fn new(sources: Sources) -> Self {
        Self { sources, taken: BTreeMap::new() }
    }

    pub fn take<T>(&mut self, setting: &str, read: impl Fn(&str) -> Result<T, String>) -> Option<T> {
        let (text, origin) = match self.sources.values.remove(setting) {
            Some(found) => found,
            None => {
                self.problem(setting, Origin::Default, "has no value".to_owned());
                return None;
            }
        };
        self.taken.insert(setting.to_owned(), origin.clone());
        match read(text.trim()) {
            Ok(value) => Some(value),
            Err(wrong) => {
                self.problem(setting, origin, format!("\"{text}\" {wrong}"));
                None
            }
        }
    }

    /// Says what is wrong with a setting that was taken out, when it is held against others.
    pub fn refuse(&mut self, setting: &str, message: &str) {
        let origin = self.taken.get(setting).cloned().unwrap_or(Origin::Default);
        self.problem(setting, origin, message.to_owned());
    }

    /// What was wrong, and what nobody asked for.
    pub fn finish(self) -> Vec<Problem> {
        let Self { sources: Sources { values, mut problems }, taken: _ } = self;
        for (setting, (_, origin)) in values {
            problems.push(Problem { setting, origin, message: "there is no such setting".to_owned() });
        }
        problems
    }

    fn problem(&mut self, setting: &str, origin: Origin, message: String) {
        self.sources.problems.push(Problem { setting: setting.to_owned(), origin, message });
    }
}

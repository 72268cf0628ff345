//! Sources of settings, and how they override each other.

use std::collections::BTreeMap;
use std::fmt;

use wire::status::ChangedSetting;

use super::DEFAULTS;

/// One problem in the settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// For example `limits.request_timeout`; empty if the whole source cannot be read.
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

/// Where a value comes from.
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

/// Raw settings from all sources; later sources override earlier ones.
#[derive(Debug, Default)]
pub struct Sources {
    values: BTreeMap<String, (String, Origin)>,
    problems: Vec<Problem>,
}

impl Sources {
    /// Starts with the compiled-in defaults.
    pub fn defaults() -> Self {
        let mut sources = Self::default();
        sources.merge_toml(DEFAULTS, &Origin::Default);
        sources
    }

    /// Adds the text of a configuration file.
    pub fn file(mut self, name: &str, text: &str) -> Self {
        self.merge_toml(text, &Origin::File(name.to_owned()));
        self
    }

    /// Adds variables named `VIGIE_SECTION__KEY`; other variables are skipped. A variable that starts with our prefix but
    /// names no setting is reported as a problem: a misspelt setting must not be ignored silently.
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

    /// Adds a command-line flag, if given.
    pub fn flag(mut self, name: &'static str, setting: &str, value: Option<String>) -> Self {
        if let Some(value) = value {
            self.values.insert(setting.to_owned(), (value, Origin::Flag(name)));
        }
        self
    }

    /// Prints the effective settings, one per line, with the source of each value that is not the default. Secrets are
    /// hidden, because the output ends up in tickets and e-mails.
    pub fn print(&self) -> String {
        let mut text = String::new();
        for (setting, (value, origin)) in &self.values {
            let value = match is_secret(setting, value) {
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

    /// Returns the settings whose value is not the default one. Secrets are hidden.
    pub fn changed(&self) -> Vec<ChangedSetting> {
        let defaults = Self::defaults();
        let hidden = |setting: &str, value: &str| match is_secret(setting, value) {
            true => "(hidden)".to_owned(),
            false => value.to_owned(),
        };
        let changed = |(name, (value, _)): (&String, &(String, Origin))| {
            let (default, _) = defaults.values.get(name)?;
            (value != default).then(|| ChangedSetting {
                name: name.clone(),
                value: hidden(name, value),
                default: default.clone(),
            })
        };
        self.values.iter().filter_map(changed).collect()
    }

    fn merge_toml(&mut self, text: &str, origin: &Origin) {
        match text.parse::<toml::Table>() {
            Ok(table) => self.merge_table("", &table, origin),
            Err(error) => self.problems.push(Problem {
                setting: String::new(),
                origin: origin.clone(),
                message: error.to_string().trim().replace('\n', " "),
            }),
        }
    }

    fn merge_table(&mut self, path: &str, table: &toml::Table, origin: &Origin) {
        for (key, value) in table {
            let setting = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            match value {
                toml::Value::Table(table) => self.merge_table(&setting, table, origin),
                toml::Value::String(text) => {
                    self.values.insert(setting, (text.clone(), origin.clone()));
                }
                // Numbers and booleans are parsed from their text, like environment variables.
                other => {
                    self.values.insert(setting, (other.to_string(), origin.clone()));
                }
            }
        }
    }
}

const PREFIX: &str = "VIGIE_";

/// Settings that [`Sources::print`] hides.
const SECRETS: &[&str] =
    &["email.smtp_password", "backup.s3_secret_access_key", "index.s3_secret_access_key", "store.database"];

/// Returns `true` if a value must not be shown. The default of the database is no secret; an address may contain a password.
fn is_secret(setting: &str, value: &str) -> bool {
    SECRETS.contains(&setting) && !value.is_empty() && value != "embedded"
}

/// Variables with our prefix that are not settings.
const NOT_SETTINGS: &[&str] = &["VIGIE_CONFIG", "VIGIE_API_KEY", "VIGIE_MIGRATE_FROM", "VIGIE_MIGRATE_TO"];

/// Removes settings one by one and collects problems.
pub struct Reader {
    sources: Sources,
    /// Origin of every setting read so far.
    origins: BTreeMap<String, Origin>,
}

impl Reader {
    pub const fn new(sources: Sources) -> Self {
        Self { sources, origins: BTreeMap::new() }
    }

    pub fn take<T>(&mut self, setting: &str, read: impl Fn(&str) -> Result<T, String>) -> Option<T> {
        let (text, origin) = match self.sources.values.remove(setting) {
            Some(entry) => entry,
            None => {
                self.problem(setting, Origin::Default, "has no value".to_owned());
                return None;
            }
        };
        self.origins.insert(setting.to_owned(), origin.clone());
        match read(text.trim()) {
            Ok(value) => Some(value),
            Err(wrong) => {
                let text =
                    if SECRETS.contains(&setting) { "the value".to_owned() } else { format!("\"{text}\"") };
                self.problem(setting, origin, format!("{text} {wrong}"));
                None
            }
        }
    }

    /// Reports a setting that is valid alone but not in combination with others.
    pub fn reject(&mut self, setting: &str, message: &str) {
        let origin = self.origins.get(setting).cloned().unwrap_or(Origin::Default);
        self.problem(setting, origin, message.to_owned());
    }

    /// Returns all problems, including settings that were never read because they do not exist.
    pub fn finish(self) -> Vec<Problem> {
        let Self { sources: Sources { values, mut problems }, origins: _ } = self;
        for (setting, (_, origin)) in values {
            problems.push(Problem { setting, origin, message: "unknown setting".to_owned() });
        }
        problems
    }

    fn problem(&mut self, setting: &str, origin: Origin, message: String) {
        self.sources.problems.push(Problem { setting: setting.to_owned(), origin, message });
    }
}

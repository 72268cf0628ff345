//! Reading one setting. Each reader answers with the value, or with what was expected, to be put after "is not".

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use jiff::tz::TimeZone;

use super::LogFormat;

pub fn parsed<T: FromStr>(expected: &'static str) -> impl Fn(&str) -> Result<T, String> {
    move |text| text.parse().map_err(|_| expected.to_owned())
}

pub fn path(text: &str) -> Result<PathBuf, String> {
    if text.is_empty() { Err("a path".to_owned()) } else { Ok(text.into()) }
}

pub fn path_or_embedded(text: &str) -> Result<Option<PathBuf>, String> {
    if text == "embedded" { Ok(None) } else { path(text).map(Some) }
}

pub fn time_zone(text: &str) -> Result<TimeZone, String> {
    TimeZone::get(text).map_err(|_| "a time zone such as Europe/Paris".to_owned())
}

/// At least one: a limit of zero would refuse everything.
pub fn count(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|count| *count > 0).ok_or_else(|| "a whole number above 0".to_owned())
}

pub fn duration(text: &str) -> Result<Duration, String> {
    let expected = || "a duration such as 500ms, 10s, 5m, 1h or 30d".to_owned();
    let (number, unit) = split_unit(text);
    let number: u64 = number.parse().map_err(|_| expected())?;
    let milliseconds = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return Err(expected()),
    };
    number
        .checked_mul(milliseconds)
        .filter(|total| *total > 0)
        .map(Duration::from_millis)
        .ok_or_else(expected)
}

pub fn duration_or_off(text: &str) -> Result<Option<Duration>, String> {
    match text {
        "off" => Ok(None),
        _ => duration(text).map(Some).map_err(|expected| format!("\"off\" or {expected}")),
    }
}

pub fn bytes(text: &str) -> Result<usize, String> {
    let expected = || "a size such as 65536, 64KiB or 16MiB".to_owned();
    let (number, unit) = split_unit(text);
    let number: usize = number.parse().map_err(|_| expected())?;
    let scale = match unit {
        "" | "B" => 1,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        _ => return Err(expected()),
    };
    number.checked_mul(scale).filter(|bytes| *bytes > 0).ok_or_else(expected)
}

pub fn log_level(text: &str) -> Result<String, String> {
    match text.parse::<tracing_subscriber::EnvFilter>() {
        Ok(_) if !text.is_empty() => Ok(text.to_owned()),
        _ => Err("a log level such as info or info,store=debug".to_owned()),
    }
}

pub fn log_format(text: &str) -> Result<LogFormat, String> {
    match text {
        "json" => Ok(LogFormat::Json),
        "text" => Ok(LogFormat::Text),
        _ => Err("json or text".to_owned()),
    }
}

fn split_unit(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    (number, unit.trim())
}

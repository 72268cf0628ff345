//! Parsers of single settings. Each returns the value, or an error text to append to the quoted input.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use jiff::tz::TimeZone;

use super::{Database, LogFormat};

/// Units of the bounds below.
pub const HOUR: Duration = Duration::from_secs(3_600);
pub const DAY: Duration = Duration::from_secs(86_400);

/// Formats the error text for an unexpected value.
pub fn not(expected: impl fmt::Display) -> String {
    format!("is not {expected}")
}

pub fn parsed<T: FromStr>(expected: &'static str) -> impl Fn(&str) -> Result<T, String> {
    move |text| text.parse().map_err(|_| not(expected))
}

pub fn path(text: &str) -> Result<PathBuf, String> {
    if text.is_empty() { Err(not("a path")) } else { Ok(text.into()) }
}

pub fn path_or_embedded(text: &str) -> Result<Option<PathBuf>, String> {
    if text == "embedded" { Ok(None) } else { path(text).map(Some) }
}

/// Parses the address of a database. The text may contain a password, and errors do not repeat it.
pub fn database(text: &str) -> Result<Database, String> {
    if text == "embedded" {
        return Ok(Database::Embedded);
    }
    if !text.starts_with("postgres://") && !text.starts_with("postgresql://") {
        return Err(not("embedded, or an address such as postgres://user:password@host/database"));
    }
    text.parse().map(|options| Database::Postgres(Box::new(options))).map_err(|error: store::Error| {
        let cause = std::error::Error::source(&error).map(ToString::to_string);
        format!("is not an address of PostgreSQL: {}", cause.unwrap_or_else(|| error.to_string()))
    })
}

pub fn time_zone(text: &str) -> Result<TimeZone, String> {
    TimeZone::get(text).map_err(|_| not("a time zone such as Europe/Paris"))
}

/// Parses a count of at least 1 and at most `max`. Zero is rejected: as a limit it would block everything.
pub fn count(max: usize) -> impl Fn(&str) -> Result<usize, String> {
    move |text| {
        let count =
            whole_number(text).filter(|count| *count > 0).ok_or_else(|| not("a whole number above 0"))?;
        usize::try_from(count)
            .ok()
            .filter(|count| *count <= max)
            .ok_or_else(|| format!("is too large: at most {max}"))
    }
}

/// Parses a count of at most `max`, where 0 stands for no limit.
pub fn count_or_zero(max: usize) -> impl Fn(&str) -> Result<usize, String> {
    let count = count(max);
    move |text| if whole_number(text) == Some(0) { Ok(0) } else { count(text) }
}

/// Parses a limit of at most `max`. Zero means no limit.
pub fn limit(max: u32) -> impl Fn(&str) -> Result<u32, String> {
    move |text| {
        let count = whole_number(text).ok_or_else(|| not("a whole number, or 0 for no limit"))?;
        let count = u32::try_from(count).ok().filter(|count| *count <= max);
        count.ok_or_else(|| format!("is too large: at most {max}"))
    }
}

/// Parses a port number other than zero.
pub fn port(text: &str) -> Result<u16, String> {
    text.parse().ok().filter(|port| *port > 0).ok_or_else(|| not("a port such as 587"))
}

/// Parses a duration of at least 1 ms and at most `max`. The maximum keeps dates computed from it representable.
pub fn duration(max: Duration) -> impl Fn(&str) -> Result<Duration, String> {
    move |text| {
        let (number, unit) = split_unit(text);
        let milliseconds: u64 = match unit {
            "ms" => 1,
            "s" => 1_000,
            "m" => 60_000,
            "h" => 3_600_000,
            "d" => 86_400_000,
            _ => return Err(not(DURATION_SYNTAX)),
        };
        let number = whole_number(number).ok_or_else(|| not(DURATION_SYNTAX))?;
        match number.checked_mul(milliseconds).map(Duration::from_millis) {
            Some(Duration::ZERO) => Err("is too short: at least 1ms".to_owned()),
            Some(duration) if duration <= max => Ok(duration),
            Some(_) | None => Err(format!("is too long: at most {}", format_duration(max))),
        }
    }
}

const DURATION_SYNTAX: &str = "a duration such as 500ms, 10s, 5m, 1h or 30d";

pub fn duration_or_off(max: Duration) -> impl Fn(&str) -> Result<Option<Duration>, String> {
    let duration = duration(max);
    move |text| match text {
        "off" => Ok(None),
        _ => duration(text).map(Some).map_err(|wrong| format!("{wrong}, or \"off\" to disable it")),
    }
}

/// Formats a duration the way a configuration file spells it.
fn format_duration(duration: Duration) -> String {
    let seconds = duration.as_secs();
    if seconds.is_multiple_of(DAY.as_secs()) {
        format!("{}d", seconds / DAY.as_secs())
    } else if seconds.is_multiple_of(HOUR.as_secs()) {
        format!("{}h", seconds / HOUR.as_secs())
    } else {
        format!("{seconds}s")
    }
}

pub const MEBIBYTE: usize = 1 << 20;
pub const GIBIBYTE: usize = 1 << 30;

/// Upper bound of the rate of a backup: more than any disk reads.
pub const BACKUP_RATE_MAX: usize = 1_024 * GIBIBYTE;

pub fn bytes(max: usize) -> impl Fn(&str) -> Result<usize, String> {
    let expected = || not("a size such as 65536, 64KiB or 16MiB");
    move |text| {
        let (number, unit) = split_unit(text);
        let scale: usize = match unit {
            "" | "B" => 1,
            "KiB" => 1 << 10,
            "MiB" => MEBIBYTE,
            "GiB" => GIBIBYTE,
            _ => return Err(expected()),
        };
        let number = whole_number(number).filter(|number| *number > 0).ok_or_else(expected)?;
        let bytes = usize::try_from(number).ok().and_then(|number| number.checked_mul(scale));
        bytes
            .filter(|bytes| *bytes <= max)
            .ok_or_else(|| format!("is too large: at most {}MiB", max / MEBIBYTE))
    }
}

/// Parses digits only. A number that overflows becomes `u64::MAX`, which is above every maximum.
fn whole_number(text: &str) -> Option<u64> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().unwrap_or(u64::MAX))
}

pub fn log_level(text: &str) -> Result<String, String> {
    match text.parse::<tracing_subscriber::EnvFilter>() {
        Ok(_) if !text.is_empty() => Ok(text.to_owned()),
        _ => Err(not("a log level such as info or info,store=debug")),
    }
}

pub fn log_format(text: &str) -> Result<LogFormat, String> {
    match text {
        "json" => Ok(LogFormat::Json),
        "text" => Ok(LogFormat::Text),
        _ => Err(not("json or text")),
    }
}

fn split_unit(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    (number, unit.trim())
}

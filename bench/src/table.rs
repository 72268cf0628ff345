//! Tables as aligned text or as Markdown.

use std::fmt::Write;
use std::time::Duration;

/// Appends a table: the first column is aligned left, the others right.
pub fn table(text: &mut String, title: &str, head: &[&str], rows: &[Vec<String>], markdown: bool) {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.max().unwrap_or(0).max(head[column].chars().count())
    };
    let line = |cells: Vec<&str>| {
        let padded = cells.iter().enumerate().map(|(column, cell)| match column {
            0 => format!("{cell:<0$}", width(column)),
            _ => format!("{cell:>0$}", width(column)),
        });
        let padded: Vec<String> = padded.collect();
        if markdown { format!("| {} |", padded.join(" | ")) } else { padded.join("  ").trim_end().to_owned() }
    };
    _ = writeln!(text, "{}{title}\n", if markdown { "### " } else { "" });
    _ = writeln!(text, "{}", line(head.to_vec()));
    if markdown {
        let rule = head.iter().enumerate().map(|(column, _)| if column == 0 { "---|" } else { "---:|" });
        _ = writeln!(text, "|{}", rule.collect::<String>());
    }
    for row in rows {
        _ = writeln!(text, "{}", line(row.iter().map(String::as_str).collect()));
    }
    text.push('\n');
}

pub fn microseconds(time: Duration) -> String {
    let microseconds = time.as_secs_f64() * 1e6;
    if microseconds < 100.0 { format!("{microseconds:.1}") } else { format!("{microseconds:.0}") }
}

pub fn per_second(mean_seconds: f64) -> String {
    format!("{:.0}", 1.0 / mean_seconds.max(1e-9))
}

/// Returns the ratio of two durations.
pub fn times(one: Duration, other: Duration) -> String {
    format!("{:.1}", one.as_secs_f64() / other.as_secs_f64().max(1e-9))
}

pub fn dash() -> String {
    "–".to_owned()
}

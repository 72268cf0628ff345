//! Reads the tables of public transport: stations and lines.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use domain::{GeoPoint, Line, Station};

use crate::files::SourceFile;
use crate::table::Column::Required;
use crate::table::{DataError, read};

/// Reads the stations with their lines, ordered by id. The tables are optional.
pub(crate) fn stations(files: &[SourceFile]) -> Result<Vec<Arc<Station>>, DataError> {
    let tables = |table| files.iter().filter(move |file| file.table() == Some(table));
    let number = |text: &str| text.parse::<u32>().ok();
    let mut lines = HashMap::new();
    let columns =
        [Required("id"), Required("name"), Required("number"), Required("route_name"), Required("color")];
    for file in tables("lines") {
        read(file, columns, |row| {
            let line = Line {
                id: row.value(0, "a number", number)?,
                name: row.name(1)?,
                number: row.text(2).into(),
                route_name: row.text(3).into(),
                color: row.value(4, "a colour such as #ffbe00", color)?,
            };
            match lines.insert(line.id, Arc::new(line)) {
                Some(_) => Err(row.duplicate(0)),
                None => Ok(()),
            }
        })?;
    }
    let mut stations = Vec::new();
    let mut seen = HashSet::new();
    let columns = [Required("id"), Required("name"), Required("lat"), Required("lon"), Required("line_ids")];
    for file in tables("stations") {
        read(file, columns, |row| {
            let id = row.value(0, "a number", number)?;
            if !seen.insert(id) {
                return Err(row.duplicate(0));
            }
            let lat = row.value(2, "a latitude", |text| text.parse().ok())?;
            let lon = row.value(3, "a longitude", |text| text.parse().ok())?;
            let point = row.value(2, "on the globe", |_| GeoPoint::new(lat, lon))?;
            let mut station_lines = Vec::new();
            for line in row.text(4).split_ascii_whitespace() {
                let line = number(line).and_then(|line| lines.get(&line));
                station_lines
                    .push(line.cloned().ok_or_else(|| row.unknown_reference(4, row.text(4), "lines"))?);
            }
            stations.push(Arc::new(Station { id, name: row.name(1)?, point, lines: station_lines }));
            Ok(())
        })?;
    }
    stations.sort_by_key(|station| station.id);
    Ok(stations)
}

fn color(text: &str) -> Option<Box<str>> {
    let digits = text.strip_prefix('#')?;
    (digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit())).then(|| text.into())
}

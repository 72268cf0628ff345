//! What became of the columns of a feed: mapped to which fields, or not used. A dry run shows it.

use std::collections::BTreeMap;

/// Columns kept with a row of their own. Formats have a few hundred; only a hostile feed has more.
const COLUMNS_MAX: usize = 2_000;

/// Characters of an example value, and of a column name.
const EXAMPLE_CHARACTERS_MAX: usize = 80;

/// A column of a table, or a path in a document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Column {
    /// The fields of the advert that it became; empty if it is not used.
    pub fields: Vec<String>,
    /// The number of records with a value in it.
    pub count: u64,
    /// The first of these values, shortened.
    pub example: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ColumnReport {
    columns: BTreeMap<String, Column>,
    left_off: u64,
}

impl ColumnReport {
    /// Returns the columns that became fields, by name.
    pub fn mapped(&self) -> impl Iterator<Item = (&str, &Column)> {
        self.columns().filter(|(_, column)| !column.fields.is_empty())
    }

    /// Returns the columns with values that are not used, by name.
    pub fn unmapped(&self) -> impl Iterator<Item = (&str, &Column)> {
        self.columns().filter(|(_, column)| column.fields.is_empty())
    }

    /// Returns the number of values in columns that the report has no room for.
    pub fn left_off(&self) -> u64 {
        self.left_off
    }

    fn columns(&self) -> impl Iterator<Item = (&str, &Column)> {
        let mut columns: Vec<(&str, &Column)> =
            self.columns.iter().map(|(name, column)| (name.as_str(), column)).collect();
        // Column 9 comes before column 10.
        columns.sort_by_key(|(name, _)| numbered(name));
        columns.into_iter()
    }

    /// Counts a value of a column. Without `fields`, the value is not used.
    pub(crate) fn count(&mut self, name: &str, fields: &[&str], value: &str) {
        if value.trim().is_empty() {
            return;
        }
        if let Some(column) = self.columns.get_mut(name) {
            column.add(fields);
            return;
        }
        let name: String = name.chars().take(EXAMPLE_CHARACTERS_MAX).collect();
        if self.columns.len() >= COLUMNS_MAX && !self.columns.contains_key(&name) {
            self.left_off += 1;
            return;
        }
        let column = self.columns.entry(name).or_default();
        if column.count == 0 {
            column.example = value.trim().chars().take(EXAMPLE_CHARACTERS_MAX).collect();
        }
        column.add(fields);
    }
}

/// Splits a name into its text and the number at its end.
fn numbered(name: &str) -> (&str, u64) {
    let text = name.trim_end_matches(|character: char| character.is_ascii_digit());
    (text, name[text.len()..].parse().unwrap_or(0))
}

impl Column {
    fn add(&mut self, fields: &[&str]) {
        self.count += 1;
        for field in fields {
            if !self.fields.iter().any(|known| known == field) {
                self.fields.push((*field).to_owned());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_by_column() {
        let mut report = ColumnReport::default();
        report.count("prix", &["price"], " 100 ");
        report.count("prix", &["price"], "200");
        report.count("prix", &["price"], " ");
        report.count("dpe", &[], "D");
        let mapped: Vec<_> = report.mapped().collect();
        let column = Column { fields: vec!["price".into()], count: 2, example: "100".into() };
        assert_eq!(mapped, [("prix", &column)]);
        assert_eq!(report.unmapped().map(|(name, _)| name).collect::<Vec<_>>(), ["dpe"]);
    }

    #[test]
    fn numbered_columns_are_in_order() {
        let mut report = ColumnReport::default();
        for name in ["photo10", "photo2", "column 100", "column 20", "photo"] {
            report.count(name, &[], "x");
        }
        let names: Vec<_> = report.unmapped().map(|(name, _)| name).collect();
        assert_eq!(names, ["column 20", "column 100", "photo", "photo2", "photo10"]);
    }

    #[test]
    fn a_hostile_feed_does_not_grow_the_report_without_bound() {
        let mut report = ColumnReport::default();
        for number in 0..3_000 {
            report.count(&format!("column {number}"), &[], &"x".repeat(10_000));
        }
        assert_eq!(report.unmapped().count(), COLUMNS_MAX);
        assert_eq!(report.left_off(), 1_000);
        assert!(report.unmapped().all(|(_, column)| column.example.len() == EXAMPLE_CHARACTERS_MAX));
    }
}

//! One statement for many rows of values.
//!
//! Most statements touch one row, and beginning and ending a statement takes PostgreSQL longer than that. So statements with the same text
//! become one, whose parameters are arrays.

use tokio_postgres::types::Type;

/// Returns a query that is run for each row of values. What it returns has one more column: the number of the row of values, from 1 on.
/// Returns `None` if it is not a plain query.
pub fn query(sql: &str, types: &[Type]) -> Option<String> {
    let is_plain = sql.starts_with("SELECT ") && !sql.contains(" FOR ") && !sql.contains(" OFFSET ");
    if types.is_empty() || !is_plain {
        return None;
    }
    let (rows, columns, inner) = (unnested(types), columns(types), on_columns(sql));
    // With an offset it is planned by itself, as it is for one row of values.
    Some(format!(
        "SELECT q.*, k.number FROM {rows} WITH ORDINALITY AS k ({columns}, number)
             CROSS JOIN LATERAL ({inner} OFFSET 0) AS q"
    ))
}

/// Returns an insertion of all rows of values. Returns `None` if the statement uses values outside of the inserted row.
pub fn insert(sql: &str, types: &[Type]) -> Option<String> {
    const VALUES: &str = "VALUES (";
    let (before, rest) = sql.split_once(VALUES)?;
    let (row, after) = rest.split_at(closing(rest)?);
    let after = after.strip_prefix(')')?;
    if types.is_empty() || before.contains('$') || after.contains('$') {
        return None;
    }
    let (rows, columns, row) = (unnested(types), columns(types), on_columns(row));
    Some(format!("{before}SELECT {row} FROM {rows} AS k ({columns}){after}"))
}

/// Returns the position of the parenthesis that closes the one before the text.
fn closing(text: &str) -> Option<usize> {
    let mut open = 1_usize;
    text.char_indices().find_map(|(position, character)| {
        match character {
            '(' => open += 1,
            ')' => open -= 1,
            _ => {}
        }
        (open == 0).then_some(position)
    })
}

fn unnested(types: &[Type]) -> String {
    let arrays = types.iter().zip(1..).map(|(ty, number)| format!("${number}::{}[]", ty.name()));
    format!("unnest({})", arrays.collect::<Vec<_>>().join(", "))
}

fn columns(types: &[Type]) -> String {
    (1..=types.len()).map(|number| format!("p{number}")).collect::<Vec<_>>().join(", ")
}

/// Replaces parameters by columns.
fn on_columns(sql: &str) -> String {
    sql.replace('$', "k.p")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_run_for_each_row() {
        assert_eq!(
            query("SELECT a FROM t WHERE b = $1 AND c = $2 LIMIT 1", &[Type::BYTEA, Type::INT8]).unwrap(),
            "SELECT q.*, k.number FROM unnest($1::bytea[], $2::int8[]) WITH ORDINALITY AS k (p1, p2, number)
             CROSS JOIN LATERAL (SELECT a FROM t WHERE b = k.p1 AND c = k.p2 LIMIT 1 OFFSET 0) AS q"
        );
        for other in ["UPDATE t SET a = $1 RETURNING b", "SELECT a FROM t WHERE b = $1 FOR UPDATE"] {
            assert_eq!(query(other, &[Type::INT8]), None, "{other}");
        }
        assert_eq!(query("SELECT 1", &[]), None);
    }

    #[test]
    fn rows_are_inserted_together() {
        let sql =
            "INSERT INTO t (a, b) VALUES ($1, coalesce($2, 0)) ON CONFLICT (a) DO UPDATE SET b = excluded.b";
        assert_eq!(
            insert(sql, &[Type::TEXT, Type::INT8]).unwrap(),
            "INSERT INTO t (a, b) SELECT k.p1, coalesce(k.p2, 0) FROM unnest($1::text[], $2::int8[]) AS k (p1, p2) \
             ON CONFLICT (a) DO UPDATE SET b = excluded.b"
        );
        for other in
            ["UPDATE t SET a = $1", "INSERT INTO t (a) VALUES ($1) ON CONFLICT (a) DO UPDATE SET b = $1"]
        {
            assert_eq!(insert(other, &[Type::INT8]), None, "{other}");
        }
    }
}

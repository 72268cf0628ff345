//! A parser for links, headings and tables in Markdown. It skips fenced code.

#[derive(Debug, PartialEq, Eq)]
pub struct Link {
    pub line: usize,
    pub target: String,
}

impl Link {
    /// Returns `true` for URLs.
    pub fn is_remote(&self) -> bool {
        ["http://", "https://", "mailto:"].iter().any(|scheme| self.target.starts_with(scheme))
    }

    /// Returns the part before `#`; empty for links within the page and for URLs.
    pub fn path(&self) -> &str {
        if self.is_remote() { "" } else { self.target.split('#').next().unwrap_or_default() }
    }

    pub fn anchor(&self) -> Option<&str> {
        self.target.split_once('#').map(|(_, anchor)| anchor)
    }
}

/// Returns links of the forms `[text](target)` and `[name]: target`.
pub fn links(text: &str) -> Vec<Link> {
    let mut links = Vec::new();
    for (line, prose) in prose(text) {
        let prose = without_code(prose);
        let mut add = |target: &str| {
            let target = target.trim().split(' ').next().unwrap_or_default().trim_matches(['<', '>']);
            links.push(Link { line, target: target.to_owned() });
        };
        let mut rest = prose.as_str();
        while let Some((_, after)) = rest.split_once("](") {
            let Some((target, after)) = after.split_once(')') else { break };
            add(target);
            rest = after;
        }
        let defined = prose.strip_prefix('[').and_then(|rest| rest.split_once("]: "));
        if let Some((_, target)) = defined.filter(|(name, _)| !name.contains(']')) {
            add(target);
        }
    }
    links
}

/// Returns the anchors of headings, as code hosts generate them.
pub fn anchors(text: &str) -> Vec<String> {
    let mut anchors: Vec<String> = Vec::new();
    for (_, heading) in headings(text) {
        let kept = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
        let plain: String = heading.to_lowercase().chars().filter(|c| kept(*c)).collect();
        let plain = plain.replace(' ', "-");
        let mut anchor = plain.clone();
        let mut again = 0;
        while anchors.contains(&anchor) {
            again += 1;
            anchor = format!("{plain}-{again}");
        }
        anchors.push(anchor);
    }
    anchors
}

/// Returns the headings with their lines.
pub fn headings(text: &str) -> Vec<(usize, &str)> {
    let headings = prose(text).filter(|(_, line)| line.starts_with('#'));
    headings.map(|(number, line)| (number, line.trim_start_matches('#').trim())).collect()
}

/// A table row: its line, and each cell with the name of its column.
pub struct Row {
    pub line: usize,
    pub cells: Vec<(String, String)>,
}

pub fn rows(text: &str) -> Vec<Row> {
    let mut columns: Option<Vec<String>> = None;
    let mut rows = Vec::new();
    for (line, prose) in prose(text) {
        let Some(cells) = cells(prose) else {
            columns = None;
            continue;
        };
        match &columns {
            None => columns = Some(cells),
            Some(_) if cells.iter().all(|cell| cell.trim_matches(['-', ':']).is_empty()) => {}
            Some(columns) => rows.push(Row { line, cells: columns.iter().cloned().zip(cells).collect() }),
        }
    }
    rows
}

/// Returns the texts between backticks.
pub fn code_spans(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

fn cells(line: &str) -> Option<Vec<String>> {
    let inside = line.trim().strip_prefix('|')?.trim_end_matches('|');
    Some(inside.split('|').map(|cell| cell.trim().to_owned()).collect())
}

/// Iterates over the lines outside fenced code, numbered from 1.
pub fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fence: Option<&str> = None;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let mark = ["```", "~~~"].into_iter().find(|mark| line.trim_start().starts_with(mark));
        match (fence, mark) {
            (None, None) => Some((index + 1, line)),
            (None, Some(_)) => {
                fence = mark;
                None
            }
            (Some(_), _) => {
                if fence == mark {
                    fence = None;
                }
                None
            }
        }
    })
}

fn without_code(line: &str) -> String {
    line.split('`').enumerate().map(|(index, part)| if index % 2 == 0 { part } else { "code" }).collect()
}

#[test]
fn links_are_parsed_outside_code() {
    let text = "See [a](a.md) and [`b`](b/c.md#part \"title\").\n`[no](no.md)`\n```\n[no](no.md)\n```\n[d]: <d.md>\n";
    let read: Vec<(usize, String)> = links(text).into_iter().map(|link| (link.line, link.target)).collect();
    assert_eq!(read, [(1, "a.md".to_owned()), (1, "b/c.md#part".to_owned()), (6, "d.md".to_owned())]);
}

#[test]
fn anchors_are_those_of_code_hosts() {
    let text = "# Où est `x`?\n## A & B\n```\n# no heading\n```\n## A & B\n";
    assert_eq!(anchors(text), ["où-est-x", "a--b", "a--b-1"]);
}

#[test]
fn tables_are_parsed_by_column() {
    let rows = rows("| A | Test |\n|---|:-:|\n| 1 | `x` |\n\ntext\n| B |\n|---|\n| 2 |\n");
    let read: Vec<_> = rows.iter().map(|row| (row.line, row.cells.clone())).collect();
    let cell = |column: &str, text: &str| (column.to_owned(), text.to_owned());
    assert_eq!(read, [(3, vec![cell("A", "1"), cell("Test", "`x`")]), (8, vec![cell("B", "2")])]);
    assert_eq!(code_spans("by `a` and `b::c`"), ["a", "b::c"]);
}

//! The words of the field: names and prose avoid the words below, each with the word to use instead.
//!
//! To ban a word, add a row to [`WORDS`]. Where English means just what the word says, add a row to [`ALLOWED`] with the reason.

use std::collections::BTreeMap;

use crate::finding::{self, Finding};
use crate::tree::Tree;

struct Word {
    not: &'static str,
    instead: &'static str,
    place: Place,
    /// The word is fine on a line that has one of these.
    unless: &'static [&'static str],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// An identifier that is exactly this, in this case.
    Exact,
    /// A part of any identifier, in any case: `Sieve`, `sieve_of`, `SieveCursor`, `SIEVES_MAX` has `SIEVES`.
    Name,
    /// One or more words in comments, strings and pages, in any case, across line breaks.
    Prose,
    /// [`Place::Name`] and [`Place::Prose`].
    Anywhere,
}

const fn exact(not: &'static str, instead: &'static str) -> Word {
    Word { not, instead, place: Place::Exact, unless: &[] }
}

const fn name(not: &'static str, instead: &'static str) -> Word {
    Word { not, instead, place: Place::Name, unless: &[] }
}

const fn prose(not: &'static str, instead: &'static str) -> Word {
    Word { not, instead, place: Place::Prose, unless: &[] }
}

const fn anywhere(not: &'static str, instead: &'static str) -> Word {
    Word { not, instead, place: Place::Anywhere, unless: &[] }
}

impl Word {
    const fn unless(mut self, unless: &'static [&'static str]) -> Self {
        self.unless = unless;
        self
    }
}

const WORDS: &[Word] = &[
    // Searches and the index.
    name("Wish", "SearchDraft, SampleSearch"),
    name("Wishes", "search drafts"),
    exact("Term", "RawCriterion"),
    exact("Terms", "RawCriteria"),
    exact("Standing", "PercolatorState"),
    prose("standing question", "saved search"),
    prose("standing questions", "saved searches"),
    anywhere("Sieve", "SegmentQuery"),
    anywhere("Sieves", "segment queries"),
    anywhere("Stretch", "DocRange, LogBatch, range"),
    anywhere("Stretches", "ranges, batches"),
    name("Doubt", "Residual, ConfigWarning"),
    name("Doubts", "residuals, warnings"),
    exact("Part", "SegmentReader"),
    anywhere("Territory", "GeoIndex"),
    exact("Spot", "SortKey"),
    exact("Question", "SearchRequest"),
    exact("SimilarQuestion", "SimilarRequest"),
    exact("Found", "SearchResult, TopHits").unless(&["searchlookup", "categorylookup"]),
    exact("Stamp", "SequenceNumber"),
    exact("Percolated", "PercolateResult"),
    name("Likeness", "SimilarityProfile"),
    anywhere("Shelves", "PlaceBuckets"),
    name("Shelf", "bucket"),
    name("Glance", "ProbeValues"),
    exact("Sight", "ProbeValues"),
    name("Wordings", "PhraseInterner"),
    name("Wording", "Phrase"),
    anywhere("Bury", "delete"),
    anywhere("Buried", "deleted"),
    exact("alive", "live_docs, is_live"),
    exact("law", "differential"),
    prose("the law", "the differential test, the oracle"),
    prose("law of the index", "differential test"),
    exact("judge", "evaluate"),
    exact("Tally", "MatchStats"),
    exact("Surroundings", "ParseContext"),
    name("Happening", "MarketEvent"),
    name("Happenings", "events"),
    // E-mails, the outbox and the dispatcher.
    exact("Letter", "Email"),
    exact("LetterId", "EmailId"),
    prose("letter", "e-mail").unless(LETTERS),
    prose("letters", "e-mails").unless(LETTERS),
    exact("Home", "ListingSummary"),
    exact("Post", "WebhookMessage"),
    anywhere("Scribe", "PayloadRenderer"),
    name("Carrier", "Transport"),
    name("Parcel", "OutboundMessage"),
    name("Parcels", "outbound messages"),
    exact("Desk", "RenderInputs"),
    exact("Notice", "Notification"),
    exact("notices", "notifications"),
    exact("NoticeGroup", "OutboxEntry"),
    name("Intake", "EnqueueBatch, OutboxCursor"),
    anywhere("Owed", "in the outbox, pending, due"),
    exact("InstanceMark", "DeliveryEpoch"),
    exact("Way", "LimitKey"),
    exact("Course", "Route"),
    name("Passages", "Permits"),
    exact("Aside", "parked"),
    exact("survey", "scan"),
    exact("tend", "reap"),
    exact("hear", "drain"),
    anywhere("Nudge", "wake"),
    anywhere("Nudged", "woken"),
    // The store and the process.
    // `FieldUpdate::Keep` keeps the value of a field.
    exact("Keep", "Commit").unless(&["fieldupdate"]),
    exact("Undo", "Rollback"),
    exact("Stored", "StoredProperty"),
    exact("About", "DeliverySubject"),
    exact("Sought", "SearchLookup"),
    exact("news", "events"),
    exact("take_back", "reap_leases"),
    exact("forget_deliveries", "prune_deliveries"),
    exact("file_matches", "index_matches"),
    exact("former_homes", "previous_properties"),
    exact("unseen_since", "not_crawled_since"),
    exact("matched_until", "matcher_checkpoint"),
    exact("mark_deliveries", "start_delivery_epoch"),
    exact("stand_behind", "lower_priority"),
    // Sentences without an acting subject, or translated word for word.
    anywhere("whoever", "name the subject: the caller, the client, the server"),
    anywhere("nobody", "no client, no caller, nothing"),
    anywhere("somebody", "a client, a caller, someone"),
    prose("is told", "reports, receives, returns"),
    prose("are told", "report, receive, return"),
    prose("was told", "reported, received"),
    prose("held against", "matched against, compared with"),
    prose("hold against", "match against, compare with"),
    prose("holds against", "matches against, compares with"),
    prose("comes to meet", "reaches"),
    prose("brings what", "delivers"),
    prose("cannot be brought", "cannot be delivered"),
    prose("the way back", "the reverse"),
    prose("longer than nothing", "greater than zero"),
    prose("looked at closely", "fully evaluated"),
    prose("saw the end of", "expired lease, retried"),
    prose("is put off", "is deferred"),
];

/// Characters, and ratings by letter.
const LETTERS: &[&str] = &[
    "digit",
    "digits",
    "energy",
    "greenhouse-gas",
    "gas",
    "rating",
    "ratings",
    "capital",
    "alphabet",
    "accent",
    "accents",
    "ascii",
    "character",
    "characters",
    "lower",
    "upper",
    "lowercase",
    "uppercase",
    "case",
    "dead",
];

/// Where a word means what English means by it.
struct Allowed {
    /// A file, or a folder with `/` at the end.
    path: &'static str,
    not: &'static str,
    #[expect(dead_code, reason = "for the reader")]
    reason: &'static str,
}

const ALLOWED: &[Allowed] = &[
    Allowed { path: "crates/local-postgres/src/lib.rs", not: "nobody", reason: "the system user" },
    Allowed { path: "bench/src/search/tantivy.rs", not: "Term", reason: "the type of tantivy" },
    Allowed { path: "bench/src/search/tantivy/", not: "Term", reason: "the type of tantivy" },
    Allowed { path: "crates/world/", not: "letter", reason: "the placeholder of the energy rating" },
    Allowed {
        path: "crates/world/",
        not: "Home",
        reason: "a home that is for sale, before it is advertised",
    },
    Allowed { path: "crates/server/src/http/", not: "alive", reason: "the process is alive" },
    Allowed { path: "crates/server/src/http.rs", not: "alive", reason: "the process is alive" },
    Allowed { path: "crates/delivery/tests/mail/injection.rs", not: "nobody", reason: "text of an e-mail" },
    Allowed {
        path: "crates/domain/src/advert_fields.rs",
        not: "Keep",
        reason: "FieldUpdate is defined here",
    },
    Allowed { path: "crates/engine/src/circle.rs", not: "Part", reason: "a cell is covered in part" },
    Allowed { path: "crates/engine/src/clusters.rs", not: "Part", reason: "a block is covered in part" },
    Allowed {
        path: "crates/engine/src/segment/map_index.rs",
        not: "Part",
        reason: "a block is covered in part",
    },
    Allowed {
        path: "crates/engine/src/segment/geo_index.rs",
        not: "Part",
        reason: "a cell is covered in part",
    },
    Allowed { path: "docs/reference/errors.md", not: "alive", reason: "the process is alive" },
    Allowed { path: "crates/description/src/", not: "Part", reason: "an object that is part of another" },
    Allowed { path: "crates/description/src/", not: "Post", reason: "the HTTP method" },
    Allowed { path: "crates/wire/src/explanation/value.rs", not: "Letter", reason: "energy ratings" },
    Allowed { path: "crates/wire/src/site.rs", not: "Found", reason: "a category is found" },
    Allowed {
        path: "crates/store/src/contract/searches.rs",
        not: "Found",
        reason: "SearchLookup is defined here",
    },
    Allowed { path: "crates/feed/", not: "Stored", reason: "a compression method of ZIP files" },
    Allowed { path: "crates/domain/", not: "letter", reason: "characters" },
    Allowed { path: "crates/domain/", not: "letters", reason: "characters" },
    Allowed { path: "crates/places/", not: "letter", reason: "characters" },
    Allowed { path: "crates/places/", not: "letters", reason: "characters" },
    Allowed { path: "crates/wire/src/site/tests.rs", not: "letter", reason: "characters" },
    Allowed { path: "crates/server/tests/it/sites.rs", not: "letter", reason: "characters" },
];

/// Files that are not checked: the list itself, and released migrations, which cannot change.
const EXEMPT: &[&str] = &[
    "xtask/tests/tidy/words.rs",
    "crates/store/migrations/0001",
    "crates/store/migrations/0002",
    "crates/store/migrations/0003",
    "crates/store/migrations/0004",
    // Names the tables and columns that it renames.
    "crates/store/migrations/0005",
    "crates/store/tests/compat",
];

const ENDINGS: &[&str] = &[".rs", ".md", ".toml", ".sql", ".snap"];

fn check(tree: &Tree, words: &[Word], allowed: &[Allowed]) -> Vec<Finding> {
    let files = tree.texts().filter(|(path, _)| {
        ENDINGS.iter().any(|ending| path.ends_with(ending))
            && !EXEMPT.iter().any(|exempt| path.starts_with(exempt))
    });
    let mut findings = Vec::new();
    for (path, text) in files {
        let words: Vec<&Word> = words
            .iter()
            .filter(|word| !allowed.iter().any(|it| it.not == word.not && covers(it.path, path)))
            .collect();
        findings.extend(check_file(path, text, &words));
    }
    findings
}

fn covers(allowed: &str, path: &str) -> bool {
    path == allowed || allowed.ends_with('/') && path.starts_with(allowed)
}

fn check_file(path: &str, text: &str, words: &[&Word]) -> Vec<Finding> {
    let parts = Parts::of(path, text);
    let lines: Vec<&str> = text.lines().collect();
    let (mut names, mut name_words): (Lines, Lines) = (BTreeMap::new(), BTreeMap::new());
    let in_path = path.split(['/', '.']).map(|part| (part, PATH));
    for (name, line) in in_path.chain(identifiers(&parts.code)) {
        names.entry(name.to_owned()).or_default().push(line);
        for word in words_of(name) {
            name_words.entry(word).or_default().push(line);
        }
    }
    let spoken = spoken(&parts.prose);
    let mut first_words: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, (word, _)) in spoken.iter().enumerate() {
        first_words.entry(word).or_default().push(index);
    }
    let mut findings = Vec::new();
    for word in words {
        let lower = word.not.to_lowercase();
        let mut found: Vec<usize> = Vec::new();
        match word.place {
            Place::Exact => found.extend(names.get(word.not).into_iter().flatten()),
            Place::Name | Place::Anywhere => found.extend(name_words.get(&lower).into_iter().flatten()),
            Place::Prose => {}
        }
        if matches!(word.place, Place::Prose | Place::Anywhere) {
            let wanted: Vec<&str> = lower.split(' ').collect();
            let starts = first_words.get(wanted[0]).into_iter().flatten();
            let phrases = starts.filter_map(|start| spoken.get(*start..*start + wanted.len()));
            let phrases = phrases.filter(|phrase| phrase.iter().map(|(it, _)| it).eq(&wanted));
            found.extend(phrases.map(|phrase| phrase[0].1));
        }
        found.sort_unstable();
        found.dedup();
        for line in found {
            let message = format!("`{}`: {}", word.not, word.instead);
            if line == PATH {
                findings.push(Finding::of(path, message));
            } else if !spoken_line(lines[line - 1]).iter().any(|it| word.unless.contains(&it.as_str())) {
                findings.push(Finding::at(path, line, message));
            }
        }
    }
    findings.sort_by_key(|finding| finding.line);
    findings
}

/// Where something is found, by line.
type Lines = BTreeMap<String, Vec<usize>>;

/// Stands for the path of a file among its lines, which begin with one.
const PATH: usize = 0;

/// A file split into code and prose. Each has the lines of the file, with spaces in place of the other.
struct Parts {
    code: String,
    prose: String,
}

impl Parts {
    fn of(path: &str, text: &str) -> Self {
        match path.rsplit('.').next() {
            Some("rs") => Self::split(text, "//", '"'),
            Some("toml") => Self::split(text, "#", '"'),
            Some("sql") => Self::split(text, "--", '\''),
            Some("md") => {
                let prose = without_glossary(text);
                Self { code: code_spans(&prose), prose }
            }
            _ => Self { code: String::new(), prose: text.to_owned() },
        }
    }

    /// Comments and strings are prose. Good enough for formatted code: quotes in character literals are known, raw strings are
    /// read up to their first quote, block comments are not used.
    fn split(text: &str, comment: &str, quote: char) -> Self {
        let (mut code, mut prose) = (String::new(), String::new());
        let mut in_string = false;
        for line in text.lines() {
            let mut rest = line;
            while let Some(c) = rest.chars().next() {
                let mut length = c.len_utf8();
                let mut is_prose = in_string;
                if in_string && c == '\\' {
                    length += rest[length..].chars().next().map_or(0, char::len_utf8);
                } else if c == quote {
                    in_string = !in_string;
                    is_prose = false;
                } else if !in_string && rest.starts_with(comment) {
                    length = rest.len();
                    is_prose = true;
                } else if !in_string
                    && quote == '"'
                    && (rest.starts_with("'\"'") || rest.starts_with("'\\\"'"))
                {
                    length = if rest.starts_with("'\"'") { 3 } else { 4 };
                }
                let (part, after) = rest.split_at(length);
                let (whole, blank) = if is_prose { (&mut prose, &mut code) } else { (&mut code, &mut prose) };
                whole.push_str(part);
                blank.extend(std::iter::repeat_n(' ', part.len()));
                rest = after;
            }
            code.push('\n');
            prose.push('\n');
        }
        Self { code, prose }
    }
}

/// The page without tables that have a column "Not": they explain the words.
fn without_glossary(text: &str) -> String {
    let mut in_glossary = false;
    let mut in_table = false;
    text.lines()
        .map(|line| {
            let is_row = line.trim_start().starts_with('|');
            if is_row && !in_table {
                in_glossary = line.split('|').any(|cell| cell.trim() == "Not");
            }
            in_table = is_row;
            if is_row && in_glossary { "\n".to_owned() } else { format!("{line}\n") }
        })
        .collect()
}

/// The text between backticks, without words with a hyphen, such as names of headers and options.
fn code_spans(text: &str) -> String {
    let mut code = String::new();
    for line in text.lines() {
        let spans = line.split('`').skip(1).step_by(2).flat_map(str::split_whitespace);
        code.push_str(&spans.filter(|word| !word.contains('-')).collect::<Vec<_>>().join(" "));
        code.push('\n');
    }
    code
}

/// The identifiers of code, with their lines.
fn identifiers(code: &str) -> Vec<(&str, usize)> {
    let lines = code.lines().zip(1..);
    let part = |c: char| c.is_alphanumeric() || c == '_';
    let names =
        lines.flat_map(|(line, number)| line.split(move |c| !part(c)).map(move |name| (name, number)));
    names.filter(|(name, _)| !name.is_empty()).collect()
}

/// The words of an identifier in small letters: `SieveCursor` and `sieve_cursor` are `sieve` and `cursor`.
fn words_of(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut previous = '_';
    for c in name.chars() {
        if c != '_' {
            if previous == '_' || c.is_uppercase() && !previous.is_uppercase() {
                words.push(String::new());
            }
            if let Some(word) = words.last_mut() {
                word.extend(c.to_lowercase());
            }
        }
        previous = c;
    }
    words
}

/// The words of prose in small letters, with their lines. Punctuation is a word, so that no phrase goes across it.
fn spoken(prose: &str) -> Vec<(String, usize)> {
    let lines = prose.lines().zip(1..);
    lines.flat_map(|(line, number)| spoken_line(line).into_iter().map(move |word| (word, number))).collect()
}

fn spoken_line(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for c in line.chars() {
        if c.is_alphanumeric() || matches!(c, '_' | '\'' | '-') {
            if let Some(word) = words.last_mut() {
                word.extend(c.to_lowercase());
            }
        } else {
            if ".,;:!?|".contains(c) {
                words.push(c.to_string());
            }
            words.push(String::new());
        }
    }
    words.retain(|word| !word.is_empty() && !word.trim_matches('-').is_empty());
    words
}

#[test]
fn names_and_prose_use_the_words_of_the_field() {
    let findings = check(Tree::here(), WORDS, ALLOWED);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for word in findings.iter().filter_map(|finding| finding.message.split('`').nth(1)) {
        *counts.entry(word).or_default() += 1;
    }
    let mut counts: Vec<(usize, &str)> = counts.into_iter().map(|(word, count)| (count, word)).collect();
    counts.sort_unstable();
    let summary: Vec<String> = counts.iter().rev().map(|(count, word)| format!("{word} {count}")).collect();
    let rule = format!(
        "Use the word of the field; where English means just that, add a row to ALLOWED in xtask/tests/tidy/words.rs. {} findings: {}",
        findings.len(),
        summary.join(", ")
    );
    finding::none(&rule, &findings);
}

#[test]
fn banned_words_are_found() {
    let words = [
        name("Sieve", "SegmentQuery"),
        exact("Part", "SegmentReader"),
        prose("held against", "matched against"),
        anywhere("whoever", "the caller"),
        prose("letter", "e-mail").unless(LETTERS),
    ];
    let tree = Tree::of([
        (
            "a/src/lib.rs",
            "/// Part of a sieve, held\n/// Against it.\nfn sieve_of(part: Part) -> SieveCursor {}\n",
        ),
        (
            "a/src/sieve.rs",
            "// One. Held; against all.\nlet sieved = Partly;\nlet x = \"for whoever\";\nlet whoever_asks = '\"';\n",
        ),
        ("a/b.toml", "# Held against it.\npart = \"Part\"\n"),
        (
            "docs/a.md",
            "A Part and a `Part`, no `Part-Id`.\n\n| Word | Not |\n|---|---|\n| b | whoever |\n\nA letter, a capital letter.\nA letter.\n",
        ),
        ("crates/store/migrations/0001_a.sql", "-- whoever\n"),
    ]);
    finding::exactly(
        &check(&tree, &words, &[]),
        &[
            "a/b.toml:1: `held against`: matched against",
            "a/src/lib.rs:1: `held against`: matched against",
            "a/src/lib.rs:3: `Sieve`: SegmentQuery",
            "a/src/lib.rs:3: `Part`: SegmentReader",
            "a/src/sieve.rs: `Sieve`: SegmentQuery",
            "a/src/sieve.rs:3: `whoever`: the caller",
            "a/src/sieve.rs:4: `whoever`: the caller",
            "docs/a.md:1: `Part`: SegmentReader",
            "docs/a.md:8: `letter`: e-mail",
        ],
    );
}

#[test]
fn allowed_words_are_not_found() {
    let words = [name("Wish", "SearchDraft"), prose("letters", "e-mails")];
    let allowed = [
        Allowed { path: "a/src/", not: "Wish", reason: "" },
        Allowed { path: "docs/a.md", not: "letters", reason: "" },
    ];
    let tree = Tree::of([
        ("a/src/lib.rs", "struct Wish;\n"),
        ("b/src/lib.rs", "struct Wish;\n"),
        ("docs/a.md", "letters\n"),
        ("docs/a.md.md", "letters\n"),
    ]);
    finding::exactly(
        &check(&tree, &words, &allowed),
        &["b/src/lib.rs:1: `Wish`: SearchDraft", "docs/a.md.md:1: `letters`: e-mails"],
    );
}

#[test]
fn identifiers_are_split_into_words() {
    for name in ["OldSieve", "old_sieve", "OLD_SIEVE", "oldSieve", "_old_sieve"] {
        assert_eq!(words_of(name), ["old", "sieve"], "{name}");
    }
    assert_eq!(words_of("Sieved"), ["sieved"]);
}

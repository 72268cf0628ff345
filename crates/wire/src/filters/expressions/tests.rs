use serde_json::json;

use super::*;

/// Formats groups in one line: entries joined by `&`, groups by `|`; `!` means absent, `=` strict.
fn line(groups: &[Vec<Entry>]) -> String {
    let entry = |entry: &Entry| {
        let absent = if entry.presence == Presence::Absent { "!" } else { "" };
        let strict = if entry.phrase.strictness() == Strictness::Exact { "=" } else { "" };
        format!("{absent}{strict}{}", entry.phrase.text())
    };
    let group = |group: &Vec<Entry>| group.iter().map(entry).collect::<Vec<_>>().join(" & ");
    groups.iter().map(group).collect::<Vec<_>>().join(" | ")
}

fn check(value: Value, expected: &str) {
    let read = parse("expressions", &value);
    assert_eq!(read.violations, [], "{value}");
    assert_eq!(line(&read.groups), expected, "{value}");
    assert_eq!(read.ignored, [""; 0], "{value}");
}

fn check_rejected(value: Value, expected: &str) {
    let read = parse("expressions", &value);
    let messages: Vec<String> =
        read.violations.iter().map(|v| format!("{}: {}", v.path, v.message)).collect();
    assert_eq!(messages, [expected], "{value}");
}

#[test]
fn all_forms_parse() {
    let expected = "balcon & !=vis-à-vis | terrasse";
    let strict = json!({"includes": false, "strict": true});
    check(
        json!([[{"word": "balcon"}, {"value": "vis-à-vis", "options": strict}], [{"word": "terrasse"}]]),
        expected,
    );
    check(json!([["balcon", {"word": "vis-à-vis", "options": strict}], "terrasse"]), expected);
    check(
        json!({"1": {"0": {"word": "terrasse"}}, "0": {"0": "balcon", "4": {"word": "vis-à-vis", "options":
        {"includes": "0", "strict": "TRUE"}}}}),
        expected,
    );
    let keys = "expressions[0][0][word]=balcon&expressions%5B0%5D%5B1%5D%5Bvalue%5D=vis-%C3%A0-vis\
                &expressions[0][1][options][includes]=false&expressions[0][1][options][strict]=1\
                &expressions[1][0][word]=terrasse&expressions[1][0][options][strict]=";
    check(json!(keys), expected);
    check(json!(format!("?{keys}")), expected);
    check(json!({"1000000": keys}), expected);
    let text = json!([[{"word": "balcon", "options": []}, {"word": "vis-à-vis", "options": strict}],
        [{"word": "terrasse", "options": {"strict": null}}]]);
    check(json!(text.to_string()), expected);

    check(json!(["balcon", "vue mer"]), "balcon | vue mer");
    check(
        json!([{"word": "balcon"}, {"value": "vue mer", "options": {"strict": true}}]),
        "balcon | =vue mer",
    );
    // Options beside the word, as the official assistant server sends them.
    check(
        json!([{"word": "balcon", "includes": true}, {"word": "travaux", "includes": false, "strict": "1"}]),
        "balcon | !=travaux",
    );
    check(
        json!([["balcon", {"value": "travaux", "includes": 0, "options": {"strict": true}}]]),
        "balcon & !=travaux",
    );
    check(
        json!({"0": {"1": {"word": "travaux", "includes": "false", "options": {"includes": "0"}}}}),
        "!travaux",
    );
    check(json!("expressions[0][0][word]=travaux&expressions[0][0][includes]=false"), "!travaux");
    check(json!([{"word": "balcon", "includes": null, "strict": ""}]), "balcon");
    // Words to include and to exclude: one group.
    check(
        json!({"include": ["balcon", {"word": "vue mer", "strict": true}], "exclude": ["travaux"]}),
        "balcon & =vue mer & !travaux",
    );
    check(json!({"exclude": "travaux"}), "!travaux");
    check(json!([{"include": ["balcon"]}, {"include": ["terrasse"], "exclude": null}]), "balcon | terrasse");
    check(
        json!({"include": {"0": "balcon", "1000000": "cave"}, "exclude": {"1000000": "travaux"}}),
        "balcon & cave & !travaux",
    );
    check(json!("{\"include\": [\"balcon\"], \"exclude\": [\"travaux\"]}"), "balcon & !travaux");
    check(json!({"word": "balcon"}), "balcon");
    check(json!("balcon"), "balcon");
    check(json!([{"word": 3}]), "3");
    // A word that contains the parameter's name is a word.
    check(json!("expressions [neuves]"), "expressions [neuves]");
    for empty in [
        json!(null),
        json!([]),
        json!(""),
        json!([null, "", []]),
        json!({}),
        json!([[]]),
        json!("[]"),
        json!({"include": [], "exclude": []}),
    ] {
        check(empty, "");
    }
}

#[test]
fn invalid_expressions_are_reported() {
    check_rejected(json!([[{"options": {"strict": true}}]]), "expressions[0][0]: This entry has no word.");
    check_rejected(json!([["a"], [{"word": " "}]]), "expressions[1][0]: This entry has no word.");
    check_rejected(json!(["--"]), "expressions[0]: \"--\" has no letters or digits.");
    check_rejected(
        json!([[{"word": "a", "options": {"strict": "maybe"}}]]),
        "expressions[0][0][options][strict]: The type of the \"expressions[0][0][options][strict]\" attribute must be a \
         boolean, string \"maybe\" given.",
    );
    check_rejected(
        json!([["a", ["b"]]]),
        "expressions[0][1]: The type of the \"expressions[0][1]\" attribute must be a string, array given.",
    );
    check_rejected(json!(7), "expressions: \"7\" is not a list of expressions.");
    check_rejected(
        json!([{"wrod": "a"}]),
        "expressions[0]: \"{\"wrod\":\"a\"}\" is not a group of expressions.",
    );
    check_rejected(json!("[{"), "expressions: \"[{\" is not valid JSON.");
    check_rejected(
        json!("expressions[0]=a&expressions[0][0][word]=b"),
        "expressions[0][0][word]: This key has both a value and nested keys.",
    );
    check_rejected(
        json!([[{"word": "a", "options": "x"}]]),
        "expressions[0][0][options]: \"x\" is not a set of options.",
    );
    check_rejected(
        json!(vec!["a"; GROUPS_MAX + 1]),
        "expressions: Too many groups: 51 given, at most 50 allowed.",
    );
    check_rejected(
        json!([vec!["a"; ENTRIES_MAX + 1]]),
        "expressions[0]: Too many entries: 21 given, at most 20 allowed.",
    );
    let halves = vec!["a"; 30];
    check_rejected(
        json!([json!(halves).to_string(), json!(halves).to_string()]),
        "expressions: Too many groups: 60 given, at most 50 allowed.",
    );
    check_rejected(
        json!(["a".repeat(201)]),
        "expressions[0]: This value is too long: 201 characters given, at most 200 allowed.",
    );
}

#[test]
fn unknown_options_are_violations() {
    let entry = "the options are word, value, options, includes, strict.";
    for (value, path) in [
        (json!([[{"word": "a", "fuzzy": 1}]]), "expressions[0][0][fuzzy]"),
        (json!([{"word": "a", "include": false}]), "expressions[0][include]"),
        (json!({"word": "a", "Includes": false}), "expressions[Includes]"),
        (json!("expressions[0][0][word]=a&expressions[0][0][exclude]=1"), "expressions[0][0][exclude]"),
        (json!("[{\"word\": \"a\", \"not\": true}]"), "expressions[0][not]"),
    ] {
        check_rejected(value, &format!("{path}: This option is not known; {entry}"));
    }
    check_rejected(
        json!([[{"word": "a", "options": {"incldes": false}}]]),
        "expressions[0][0][options][incldes]: This option is not known; the options are includes, strict.",
    );
    check_rejected(
        json!({"include": ["a"], "excluded": ["b"]}),
        "expressions[excluded]: This option is not known; the options are include, exclude.",
    );
    // The list says whether the word is excluded.
    check_rejected(
        json!({"exclude": [{"word": "a", "includes": true}]}),
        "expressions[exclude][0][includes]: This option is not known; the options are word, value, options, strict.",
    );
    check_rejected(
        json!([{"word": "a", "includes": false, "options": {"includes": true}}]),
        "expressions[0][includes]: This option is given twice, with different values.",
    );
    check_rejected(
        json!("expressions[0][0][word]=a&expression[0][0][options][includes]=false"),
        "expressions: \"expression\" is not known inside a query with expressions.",
    );
    check_rejected(
        json!([{"word": "a", "strict": "maybe"}]),
        "expressions[0][strict]: The type of the \"expressions[0][strict]\" attribute must be a boolean, string \"maybe\" \
         given.",
    );
    check_rejected(
        json!({"include": vec!["a"; 15], "exclude": vec!["b"; 15]}),
        "expressions: Too many entries: 30 given, at most 20 allowed.",
    );
}

#[test]
fn other_parameters_of_a_query_are_reported() {
    let text = json!("expressions[0][0][word]=a&page=2");
    assert_eq!(parse("expressions", &text).ignored, ["expressions: page"]);
}

#[test]
fn expressions_round_trip_in_nested_form() {
    let read_once = parse(
        "expressions",
        &json!(["balcon", {"value": "Vue mer", "options": {"includes": 0, "strict": 1}}]),
    );
    let written = serde_json::to_value(write(&read_once.groups)).unwrap();
    assert_eq!(
        written,
        json!([
            [{"word": "balcon", "options": {"includes": true, "strict": false}}],
            [{"word": "Vue mer", "options": {"includes": false, "strict": true}}]
        ])
    );
    assert_eq!(parse("expressions", &written).groups, read_once.groups);
}

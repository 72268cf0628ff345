//! Pretty-prints JSON without reordering its keys, so that snapshots show their order.

/// Puts every member and item on its own line.
pub fn pretty_json(text: &str) -> String {
    let mut lines = String::new();
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    let mut before = ' ';
    for character in text.chars() {
        let closes = !quoted && matches!(character, '}' | ']');
        depth -= usize::from(closes);
        let empty = matches!((before, character), ('{', '}') | ('[', ']'));
        if !quoted && !empty && (closes || matches!(before, '{' | '[' | ',')) && before != '\0' {
            lines.push('\n');
            lines.extend(std::iter::repeat_n("  ", depth));
        }
        lines.push(character);
        if !quoted && character == ':' {
            lines.push(' ');
        }
        depth += usize::from(!quoted && matches!(character, '{' | '['));
        if character == '"' && !escaped {
            quoted = !quoted;
        }
        escaped = quoted && character == '\\' && !escaped;
        // The end of a string is not a bracket.
        before = if quoted || character == '"' { '"' } else { character };
    }
    lines
}

#[test]
fn only_whitespace_is_added() {
    let text = r#"{"a":[1,{"b":"c,\"{[:"}],"d":{},"e":[]}"#;
    let lines =
        "{\n  \"a\": [\n    1,\n    {\n      \"b\": \"c,\\\"{[:\"\n    }\n  ],\n  \"d\": {},\n  \"e\": []\n}";
    assert_eq!(pretty_json(text), lines);
}

//! Compares a value with its description.
//!
//! The tests of the server pass every answer through [`check`], so that an answer and its description cannot differ.

use serde_json::{Map, Value};

use crate::resources;
use crate::schema::{Field, Identity, Kind, Resource};

/// Returns every difference between a value and its description, each with the path of the value.
pub fn check(kind: Kind, value: &Value) -> Vec<String> {
    let mut differences = Vec::new();
    Checker { path: String::new(), differences: &mut differences }.value(kind, value);
    differences
}

struct Checker<'a> {
    path: String,
    differences: &'a mut Vec<String>,
}

impl Checker<'_> {
    fn report(&mut self, message: impl std::fmt::Display) {
        let path = if self.path.is_empty() { "the value" } else { &self.path };
        self.differences.push(format!("{path}: {message}"));
    }

    /// Returns a checker of a part of the value.
    fn at(&mut self, step: impl std::fmt::Display) -> Checker<'_> {
        Checker { path: format!("{}{step}", self.path), differences: self.differences }
    }

    fn member(&mut self, name: &str) -> Checker<'_> {
        let dot = if self.path.is_empty() { "" } else { "." };
        self.at(format!("{dot}{name}"))
    }

    fn value(&mut self, kind: Kind, value: &Value) {
        match kind {
            Kind::Any => {}
            Kind::Text => self.expect(value.is_string(), "a text", value),
            Kind::Boolean => self.expect(value.is_boolean(), "a boolean", value),
            Kind::Number => self.expect(value.is_number(), "a number", value),
            Kind::Integer => self.expect(value.is_i64() || value.is_u64(), "an integer", value),
            Kind::DateTime => self.text(value, "a date and time with an offset", is_date_time),
            Kind::Date => self.text(value, "a date", is_date),
            Kind::Uuid => self.text(value, "a uuid", is_uuid),
            Kind::Url => self.text(value, "an absolute address", is_url),
            Kind::Email => self.text(value, "an e-mail address", |text| text.contains('@')),
            Kind::Link(target) => {
                self.text(value, &format!("the path of a {target}"), |text| is_link(text, target));
            }
            Kind::Constant(constant) => {
                self.expect(value.as_str() == Some(constant), &format!("\"{constant}\""), value);
            }
            Kind::Code(codes) => {
                let known = codes.iter().any(|code| value.as_u64() == Some(u64::from(code.code)));
                self.expect(known, "one of the codes", value);
            }
            Kind::Choice(choices) => {
                let known = choices.iter().any(|choice| value.as_str() == Some(choice.text));
                self.expect(known, "one of the choices", value);
            }
            Kind::List(item) => self.list(value, |checker, value| checker.value(*item, value)),
            Kind::Map(item) => self.map(*item, value),
            Kind::Object(name) => self.named(name, value),
            Kind::Collection(member) => self.collection(member, value),
            Kind::AnyOf(kinds) => self.any_of(kinds, value),
        }
    }

    fn expect(&mut self, is_so: bool, expected: &str, value: &Value) {
        if !is_so {
            self.report(format_args!("{} is not {expected}", shown(value)));
        }
    }

    fn text(&mut self, value: &Value, expected: &str, is_so: impl Fn(&str) -> bool) {
        self.expect(value.as_str().is_some_and(is_so), expected, value);
    }

    fn list(&mut self, value: &Value, mut item: impl FnMut(&mut Checker<'_>, &Value)) {
        let Some(values) = value.as_array() else { return self.expect(false, "a list", value) };
        for (index, value) in values.iter().enumerate() {
            item(&mut self.at(format!("[{index}]")), value);
        }
    }

    fn map(&mut self, item: Kind, value: &Value) {
        let Some(members) = value.as_object() else { return self.expect(false, "an object", value) };
        for (name, value) in members {
            self.member(name).value(item, value);
        }
    }

    /// Reports the differences from the kind that fits best: the one with the fewest.
    fn any_of(&mut self, kinds: &[Kind], value: &Value) {
        let differences_of = |kind: &Kind| {
            let mut differences = Vec::new();
            Checker { path: self.path.clone(), differences: &mut differences }.value(*kind, value);
            differences
        };
        let closest = kinds.iter().map(differences_of).min_by_key(Vec::len);
        self.differences.extend(closest.unwrap_or_default());
    }

    fn named(&mut self, name: &str, value: &Value) {
        match resources::find(name) {
            Some(resource) => self.object(resource, value, |_| None),
            None => self.report(format_args!("no object is named {name}")),
        }
    }

    fn collection(&mut self, member: &'static str, value: &Value) {
        let Some(page) = resources::find("Collection") else { return };
        self.object(page, value, |field| (field.name == "hydra:member").then_some(member));
        let context = resources::find(member).map(|resource| format!("/contexts/{}", resource.class));
        let given = value.get("@context").and_then(Value::as_str);
        if given != context.as_deref() {
            self.member("@context").report(format_args!("{given:?} is not the context of {member}"));
        }
    }

    /// Checks an object. `member_of` returns the name of the members of a list.
    fn object(
        &mut self,
        resource: &Resource,
        value: &Value,
        member_of: impl Fn(&Field) -> Option<&'static str>,
    ) {
        let Some(members) = value.as_object() else { return self.expect(false, "an object", value) };
        self.identity(resource, members);
        for field in &resource.fields {
            let mut checker = self.member(field.name);
            match (members.get(field.name), member_of(field)) {
                (None, _) if field.required => checker.report("is missing"),
                (None, _) => {}
                (Some(Value::Null), _) if field.nullable => {}
                (Some(value), Some(name)) => checker.list(value, |item, value| item.named(name, value)),
                (Some(value), None) => checker.value(field.kind, value),
            }
        }
        // In a request, unknown keys are reported to the client.
        if resource.identity == Identity::Body {
            return;
        }
        for name in members.keys() {
            if resource.field(name).is_none() && !is_identity_key(resource, name) {
                self.member(name).report("is not described");
            }
        }
    }

    /// Checks `@context`, `@id` and `@type`.
    fn identity(&mut self, resource: &Resource, members: &Map<String, Value>) {
        let text = |name: &str| members.get(name).and_then(Value::as_str);
        if let Identity::Resource { path } = resource.identity
            && !text("@id").is_some_and(|id| matches_path(id, path))
        {
            self.member("@id").report(format_args!("{:?} is not of the form {path}", members.get("@id")));
        }
        if !resource.identity.has_context() {
            return;
        }
        if !text("@type").is_some_and(|name| resource.has_type(name)) {
            let given = members.get("@type");
            self.member("@type").report(format_args!("{given:?} is not the type of {}", resource.name));
        }
        // Absent inside another object.
        let context = format!("/contexts/{}", resource.class);
        if members.contains_key("@context") && text("@context") != Some(&context) {
            self.member("@context").report(format_args!("{:?} is not {context}", members.get("@context")));
        }
    }
}

/// Returns whether the identity of an object includes a key.
fn is_identity_key(resource: &Resource, name: &str) -> bool {
    match name {
        "@context" | "@type" => resource.identity.has_context(),
        "@id" => matches!(resource.identity, Identity::Resource { .. }),
        _ => false,
    }
}

/// Returns whether a path has the form of a template. The query does not matter.
fn matches_path(path: &str, template: &str) -> bool {
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let (mut steps, mut expected) = (path.split('/'), template.split('/'));
    loop {
        match (steps.next(), expected.next()) {
            (None, None) => return true,
            (Some(step), Some(name)) if name.starts_with('{') => {
                if step.is_empty() {
                    return false;
                }
            }
            (Some(step), Some(name)) if step == name => {}
            _ => return false,
        }
    }
}

fn is_link(text: &str, target: &str) -> bool {
    match resources::find(target).map(|resource| resource.identity) {
        Some(Identity::Resource { path }) => matches_path(text, path),
        _ => text.starts_with('/'),
    }
}

/// Returns whether a text has the form `2026-03-02T10:00:00+01:00`.
fn is_date_time(text: &str) -> bool {
    let Some((date, time)) = text.split_once('T') else { return false };
    let (time, offset) = match time.find(['Z', '+', '-']) {
        Some(at) => time.split_at(at),
        None => return false,
    };
    let offset = offset == "Z" || (offset.len() == 6 && is_pattern(&offset[1..], "00:00"));
    is_day(date) && is_pattern(time, "00:00:00") && offset
}

/// Returns whether a text is a day, with or without a time.
fn is_date(text: &str) -> bool {
    let (day, rest) = text.split_at_checked(10).unwrap_or((text, ""));
    is_day(day) && (rest.is_empty() || rest.starts_with([' ', 'T']))
}

fn is_day(text: &str) -> bool {
    let number = |from: usize, to: usize| text.get(from..to).and_then(|digits| digits.parse::<u8>().ok());
    is_pattern(text, "0000-00-00")
        && number(5, 7).is_some_and(|month| (1..=12).contains(&month))
        && number(8, 10).is_some_and(|day| (1..=31).contains(&day))
}

/// Returns whether a text has digits where the pattern has zeros, and is equal elsewhere.
fn is_pattern(text: &str, pattern: &str) -> bool {
    text.len() == pattern.len()
        && text.bytes().zip(pattern.bytes()).all(|(byte, expected)| match expected {
            b'0' => byte.is_ascii_digit(),
            _ => byte == expected,
        })
}

fn is_uuid(text: &str) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    let is_hexadecimal = |group: &&str| group.bytes().all(|byte| byte.is_ascii_hexdigit());
    groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12]) && groups.iter().all(is_hexadecimal)
}

fn is_url(text: &str) -> bool {
    // Adverts may write the scheme in capitals.
    let has = |scheme: &str| text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
    ["http://", "https://"].iter().any(|scheme| text.len() > scheme.len() && has(scheme))
}

/// Returns a value for a message, cut if it is long.
fn shown(value: &Value) -> String {
    const LENGTH_MAX: usize = 80;
    let text = value.to_string();
    match text.char_indices().nth(LENGTH_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::codes;

    fn differences(kind: Kind, value: Value) -> String {
        check(kind, &value).join("\n")
    }

    #[test]
    fn kinds_accept_their_values_only() {
        let accepted = [
            (Kind::Text, json!("")),
            (Kind::Integer, json!(-3)),
            (Kind::Number, json!(2.5)),
            (Kind::Number, json!(2)),
            (Kind::Boolean, json!(false)),
            (Kind::DateTime, json!("2026-03-02T10:00:00+01:00")),
            (Kind::DateTime, json!("2026-03-02T10:00:00Z")),
            (Kind::Date, json!("2026-03-02")),
            (Kind::Date, json!("2026-03-02 08:00:00")),
            (Kind::Uuid, json!("0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b")),
            (Kind::Url, json!("https://a.example/x")),
            (Kind::Email, json!("a@b.example")),
            (Kind::Link("City"), json!("/cities/37261")),
            (Kind::Link("User"), json!("/users/1")),
            (Kind::Code(codes::ACCURACIES), json!(2)),
            (Kind::Choice(codes::ENERGY_LETTERS), json!("A")),
            (Kind::Constant("x"), json!("x")),
            (Kind::List(&Kind::Integer), json!([1, 2])),
            (Kind::Map(&Kind::Number), json!({"2026-03": 1.5})),
            (Kind::AnyOf(&[Kind::Integer, Kind::Text]), json!("1")),
            (Kind::Any, json!(null)),
        ];
        for (kind, value) in accepted {
            assert_eq!(check(kind, &value), [""; 0], "{kind:?} {value}");
        }
        let refused = [
            (Kind::Text, json!(1)),
            (Kind::Text, json!(null)),
            (Kind::Integer, json!(2.5)),
            (Kind::Integer, json!("2")),
            (Kind::Number, json!("2")),
            (Kind::Boolean, json!(0)),
            (Kind::DateTime, json!("2026-03-02")),
            (Kind::DateTime, json!("2026-03-02T10:00:00")),
            (Kind::DateTime, json!("2026-13-02T10:00:00Z")),
            (Kind::DateTime, json!("2026-03-02T10:00:00+0100")),
            (Kind::Date, json!("2 March 2026")),
            (Kind::Date, json!("é2026-03-02")),
            (Kind::Uuid, json!("0190a1b2c3d47e5f8a9b0c1d2e3f4a5b")),
            (Kind::Url, json!("/x")),
            (Kind::Email, json!("x")),
            (Kind::Link("City"), json!("/departments/37")),
            (Kind::Link("City"), json!("/cities/")),
            (Kind::Link("User"), json!("https://a.example/users/1")),
            (Kind::Code(codes::ACCURACIES), json!(0)),
            (Kind::Code(codes::ACCURACIES), json!("1")),
            (Kind::Choice(codes::ENERGY_LETTERS), json!("H")),
            (Kind::Constant("x"), json!("y")),
            (Kind::List(&Kind::Integer), json!({})),
            (Kind::List(&Kind::Integer), json!([1, "x"])),
            (Kind::Map(&Kind::Number), json!([])),
            (Kind::AnyOf(&[Kind::Integer, Kind::Text]), json!(true)),
            (Kind::Object("NoSuchObject"), json!({})),
        ];
        for (kind, value) in refused {
            assert_eq!(check(kind, &value).len(), 1, "{kind:?} {value}");
        }
    }

    fn category() -> Value {
        json!({"@context": "/contexts/SiteCategory", "@id": "/site_categories/3", "@type": "SiteCategory",
               "id": 3, "name": "Portals"})
    }

    #[test]
    fn objects_have_their_keys_and_no_others() {
        let check = |change: Value, expected: &str| {
            let mut value = category();
            for (name, change) in change.as_object().unwrap() {
                match change {
                    Value::String(text) if text == "-" => value.as_object_mut().unwrap().remove(name),
                    change => value.as_object_mut().unwrap().insert(name.clone(), change.clone()),
                };
            }
            assert_eq!(differences(Kind::Object("SiteCategory"), value), expected, "{change}");
        };
        check(json!({}), "");
        check(json!({"@context": "-"}), "");
        check(json!({"name": "-"}), "name: is missing");
        check(json!({"name": null}), "name: null is not a text");
        check(json!({"colour": 1}), "colour: is not described");
        check(json!({"id": "3"}), "id: \"3\" is not an integer");
        check(json!({"@type": "Site"}), "@type: Some(String(\"Site\")) is not the type of SiteCategory");
        check(
            json!({"@id": "/sites/3"}),
            "@id: Some(String(\"/sites/3\")) is not of the form /site_categories/{id}",
        );
        check(
            json!({"@context": "/contexts/Site"}),
            "@context: Some(String(\"/contexts/Site\")) is not /contexts/SiteCategory",
        );
    }

    #[test]
    fn paths_lead_to_the_difference() {
        let station = json!({"id": 1, "name": "x", "lines": [
            {"id": 1, "name": "x", "number": "1", "routeName": "x", "color": 7}]});
        assert_eq!(differences(Kind::Object("Station"), station), "lines[0].color: 7 is not a text");
    }

    #[test]
    fn pages_are_checked_with_their_members() {
        let page = |member: Value| {
            json!({"@context": "/contexts/SiteCategory", "@id": "/site_categories", "@type": "hydra:Collection",
                   "hydra:member": [member], "hydra:totalItems": 1,
                   "hydra:search": {"@type": "hydra:IriTemplate", "hydra:template": "/site_categories{?page}",
                                    "hydra:variableRepresentation": "BasicRepresentation",
                                    "hydra:mapping": [{"@type": "IriTemplateMapping", "variable": "page",
                                                       "property": "page", "required": false}]}})
        };
        let kind = Kind::Collection("SiteCategory");
        assert_eq!(differences(kind, page(category())), "");
        assert_eq!(
            differences(kind, page(json!({"@id": "/site_categories/1", "@type": "SiteCategory", "id": 1}))),
            "hydra:member[0].name: is missing"
        );
        let other = differences(Kind::Collection("Site"), page(category()));
        assert!(other.contains("is not the context of Site"), "{other}");
    }

    #[test]
    fn bodies_may_have_unknown_keys() {
        assert_eq!(differences(Kind::Object("SiteCategoryDraft"), json!({"name": "x", "colour": 1})), "");
        assert_eq!(differences(Kind::Object("SiteCategoryDraft"), json!({})), "name: is missing");
    }
}

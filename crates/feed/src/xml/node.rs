//! One element as a small tree, which remembers which of its values became fields.

use std::cell::RefCell;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use crate::report::ColumnReport;

/// Levels of elements. The formats have seven; a deeper tree is hostile.
const DEPTH_MAX: usize = 32;

#[derive(Debug, Default)]
pub(crate) struct Node {
    name: String,
    text: Value,
    attributes: Vec<(String, Value)>,
    children: Vec<Node>,
}

#[derive(Debug, Default)]
struct Value {
    text: String,
    /// The fields that it became.
    fields: RefCell<Vec<&'static str>>,
}

impl Value {
    fn read(&self, field: &'static str) -> &str {
        let mut fields = self.fields.borrow_mut();
        if !fields.contains(&field) {
            fields.push(field);
        }
        self.text.trim()
    }
}

impl Node {
    /// Parses one element.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut reader = Reader::from_str(text);
        let mut open: Vec<Self> = Vec::new();
        loop {
            let event = reader.read_event().map_err(|error| error.to_string())?;
            let closed = match event {
                Event::Start(tag) => {
                    if open.len() >= DEPTH_MAX {
                        return Err(format!("its elements are nested more than {DEPTH_MAX} levels deep"));
                    }
                    open.push(Self::new(&tag)?);
                    continue;
                }
                Event::Empty(tag) => Self::new(&tag)?,
                Event::End(_) => open.pop().ok_or("an end tag has no start")?,
                Event::Text(content) => {
                    append(&mut open, &content);
                    continue;
                }
                Event::CData(content) => {
                    append(&mut open, &content);
                    continue;
                }
                Event::GeneralRef(reference) => {
                    match reference.resolve_char_ref() {
                        Ok(Some(character)) => append(&mut open, character.encode_utf8(&mut [0; 4])),
                        _ => append(&mut open, &entity(&reference)),
                    }
                    continue;
                }
                Event::Comment(_) | Event::PI(_) | Event::Decl(_) | Event::DocType(_) => continue,
                Event::Eof => return Err("the element is not closed".to_owned()),
            };
            match open.last_mut() {
                Some(parent) => parent.children.push(closed),
                None => return Ok(closed),
            }
        }
    }

    fn new(tag: &BytesStart<'_>) -> Result<Self, String> {
        let mut node = Self { name: tag.local_name().as_ref().to_owned(), ..Self::default() };
        for attribute in tag.attributes() {
            let attribute = attribute.map_err(|error| error.to_string())?;
            let name = attribute.key.local_name().as_ref().to_owned();
            // An unknown entity stays as it was written.
            let text = match quick_xml::escape::unescape(&attribute.value) {
                Ok(text) => text.into_owned(),
                Err(_) => attribute.value.to_string(),
            };
            node.attributes.push((name, Value { text, ..Value::default() }));
        }
        Ok(node)
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn children(&self) -> &[Self] {
        &self.children
    }

    /// Returns the first element at a path such as `geo/plz`.
    pub(crate) fn find(&self, path: &str) -> Option<&Self> {
        path.split('/').try_fold(self, |node, name| node.children.iter().find(|child| child.name == name))
    }

    /// Returns all elements with the last name of a path.
    pub(crate) fn all<'a>(&'a self, path: &'a str) -> impl Iterator<Item = &'a Self> {
        let (parent, name) = match path.rsplit_once('/') {
            Some((parent, name)) => (self.find(parent), name),
            None => (Some(self), path),
        };
        parent.into_iter().flat_map(|parent| &parent.children).filter(move |child| child.name == name)
    }

    /// Returns the text of this element, to decide what it is.
    pub(crate) fn peek(&self) -> &str {
        self.text.text.trim()
    }

    /// Returns the text of this element, which becomes a field. Blank text is none.
    pub(crate) fn own_text(&self, field: &'static str) -> Option<&str> {
        Some(self.text.read(field)).filter(|text| !text.is_empty())
    }

    /// Returns the text of the element at a path, which becomes a field.
    pub(crate) fn text(&self, path: &str, field: &'static str) -> Option<&str> {
        self.find(path)?.own_text(field)
    }

    /// Returns an attribute of this element, which becomes a field.
    pub(crate) fn attribute(&self, name: &str, field: &'static str) -> Option<&str> {
        let (_, value) = self.attributes.iter().find(|(known, _)| known == name)?;
        Some(value.read(field)).filter(|text| !text.is_empty())
    }

    /// Returns the text of an attribute of this element, to decide what it is.
    pub(crate) fn peek_attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.text.trim())
    }

    /// Returns the names of the attributes of this element that say yes.
    pub(crate) fn flags(&self, field: &'static str) -> Vec<&str> {
        let flags = self.attributes.iter().filter(|(_, value)| crate::advert::is_yes(value.read(field)));
        flags.map(|(name, _)| name.as_str()).collect()
    }

    /// Counts all values of this element in the report.
    pub(crate) fn report(&self, report: &mut ColumnReport) {
        self.report_below("", report);
    }

    fn report_below(&self, path: &str, report: &mut ColumnReport) {
        report.count(path, &self.text.fields.borrow(), &self.text.text);
        for (name, value) in &self.attributes {
            report.count(&format!("{path}@{name}"), &value.fields.borrow(), &value.text);
        }
        for child in &self.children {
            let path = if path.is_empty() { child.name.clone() } else { format!("{path}/{}", child.name) };
            child.report_below(&path, report);
        }
    }
}

fn append(open: &mut [Node], text: &str) {
    if let Some(node) = open.last_mut() {
        node.text.text.push_str(text);
    }
}

/// Returns the character of a predefined entity. Others stay as they are: nothing is ever expanded, and the reader of adverts
/// knows the names of HTML.
fn entity(name: &str) -> String {
    match name {
        "amp" => "&".to_owned(),
        "lt" => "<".to_owned(),
        "gt" => ">".to_owned(),
        "quot" => "\"".to_owned(),
        "apos" => "'".to_owned(),
        other => format!("&{other};"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_path() {
        let node = Node::parse(
            "<a><b c=\"1 &amp; 2\"><d> x &amp; y &eacute; &#233; <![CDATA[<br>]]></d></b><e>1</e><e/><e>2</e></a>",
        )
        .unwrap();
        assert_eq!(node.text("b/d", "title"), Some("x & y &eacute; é <br>"));
        assert_eq!(node.find("b").unwrap().attribute("c", "title"), Some("1 & 2"));
        let all: Vec<_> = node.all("e").filter_map(|node| node.own_text("features")).collect();
        assert_eq!(all, ["1", "2"]);
        assert_eq!(node.text("b/none", "title"), None);
        let mut report = ColumnReport::default();
        node.report(&mut report);
        let mapped: Vec<_> = report.mapped().map(|(name, _)| name).collect();
        assert_eq!(mapped, ["b/d", "b@c", "e"]);
    }

    #[test]
    fn broken_elements_are_refused() {
        let deep = format!("{}{}", "<a>".repeat(1_000), "</a>".repeat(1_000));
        for text in ["<a>", "<a><b></a>", "", "<a b=c></a>", "<a b=\"1\" b=\"2\"/>", &deep] {
            assert!(Node::parse(text).is_err(), "{text}");
        }
    }
}

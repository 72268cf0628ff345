//! The types of the tables in [`resources`](crate::resources): resources, their fields, and the kinds of values.

/// A type of object that the API sends or accepts.
#[derive(Debug, Clone)]
pub struct Resource {
    /// The name in these tables, which no other object has.
    pub name: &'static str,
    /// The class: the name of its JSON-LD context, and its `@type` unless [`Resource::types`] says otherwise. Several objects can be of
    /// one class: a city inside a search has fewer fields than the city itself.
    pub class: &'static str,
    /// The values of `@type`, if they are not the class.
    pub types: &'static [&'static str],
    pub meaning: &'static str,
    pub identity: Identity,
    pub fields: Vec<Field>,
}

impl Resource {
    fn new(name: &'static str, identity: Identity, meaning: &'static str, fields: Vec<Field>) -> Self {
        Self { name, class: name, types: &[], meaning, identity, fields }
    }

    /// An object with an address. The path has its variable in braces.
    pub fn at(name: &'static str, path: &'static str, meaning: &'static str, fields: Vec<Field>) -> Self {
        Self::new(name, Identity::Resource { path }, meaning, fields)
    }

    pub fn answer(name: &'static str, meaning: &'static str, fields: Vec<Field>) -> Self {
        Self::new(name, Identity::Answer, meaning, fields)
    }

    pub fn part(name: &'static str, meaning: &'static str, fields: Vec<Field>) -> Self {
        Self::new(name, Identity::Part, meaning, fields)
    }

    pub fn body(name: &'static str, meaning: &'static str, fields: Vec<Field>) -> Self {
        Self::new(name, Identity::Body, meaning, fields)
    }

    /// Sets the class.
    #[must_use]
    pub fn of_class(self, class: &'static str) -> Self {
        Self { class, ..self }
    }

    /// Sets the values of `@type`.
    #[must_use]
    pub fn typed(self, types: &'static [&'static str]) -> Self {
        Self { types, ..self }
    }

    /// Returns the path in `@id`, if it has one.
    pub const fn path(&self) -> Option<&'static str> {
        match self.identity {
            Identity::Resource { path } => Some(path),
            _ => None,
        }
    }

    /// Returns whether `@type` may have this value.
    pub fn has_type(&self, name: &str) -> bool {
        if self.types.is_empty() { self.class == name } else { self.types.contains(&name) }
    }

    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }
}

/// Which of the JSON-LD keys an object has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Identity {
    /// `@context`, `@id` and `@type`. The context may be absent inside another object.
    Resource {
        /// The path in `@id`, with its variable in braces.
        path: &'static str,
    },
    /// `@context` and `@type`: an answer without an address of its own.
    Answer,
    /// None: part of another object.
    Part,
    /// None: the body of a request.
    Body,
}

impl Identity {
    /// Returns `true` if the API sends the object as a whole, so that it has a JSON-LD context of its own.
    pub const fn has_context(self) -> bool {
        matches!(self, Self::Resource { .. } | Self::Answer)
    }
}

/// A key of an object.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    pub name: &'static str,
    pub kind: Kind,
    /// What the value means, with its unit; one or two sentences without the final stop if it is one.
    pub meaning: &'static str,
    /// Whether the value may be `null`.
    pub nullable: bool,
    /// Whether the key is always there. In a body: whether it must be given.
    pub required: bool,
}

impl Field {
    /// A key that is always there and never `null`.
    pub const fn new(name: &'static str, kind: Kind, meaning: &'static str) -> Self {
        Self { name, kind, meaning, nullable: false, required: true }
    }

    /// The value may be `null`.
    pub const fn or_null(self) -> Self {
        Self { nullable: true, ..self }
    }

    /// The key may be absent.
    pub const fn optional(self) -> Self {
        Self { required: false, ..self }
    }
}

/// The kind of a value.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    Text,
    Integer,
    Number,
    Boolean,
    /// ISO 8601 with an offset.
    DateTime,
    /// `YYYY-MM-DD`, with or without a time.
    Date,
    Uuid,
    /// An absolute address.
    Url,
    Email,
    /// The path of a resource, such as `/cities/37261`. The name may be of a resource that has no table.
    Link(&'static str),
    /// A number with a name.
    Code(&'static [Code]),
    /// One of a few texts.
    Choice(&'static [Choice]),
    /// One fixed text.
    Constant(&'static str),
    List(&'static Kind),
    /// The object with this name in the tables.
    Object(&'static str),
    /// An object with any keys, whose values are of this kind.
    Map(&'static Kind),
    /// A page of the resource with this name.
    Collection(&'static str),
    /// A value of any of these kinds.
    AnyOf(&'static [Kind]),
    /// Any JSON value.
    Any,
}

/// A number and what it stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Code {
    pub code: u8,
    pub meaning: &'static str,
}

/// A text of a closed list and what it stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    pub text: &'static str,
    pub meaning: &'static str,
}

pub const fn code(code: u8, meaning: &'static str) -> Code {
    Code { code, meaning }
}

pub const fn choice(text: &'static str, meaning: &'static str) -> Choice {
    Choice { text, meaning }
}

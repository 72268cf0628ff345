//! The types of the table in [`operations`](crate::operations).

use std::borrow::Cow;

use domain::Scope;

use crate::schema::Kind;

/// A request that the service answers.
#[derive(Debug, Clone, Copy)]
pub struct Operation {
    pub id: OperationId,
    pub method: Method,
    /// The path, with variables in braces.
    pub path: &'static str,
    pub tag: Tag,
    pub access: Access,
    /// A short sentence without a final stop.
    pub summary: &'static str,
    /// What a client should know beyond the summary, in Markdown. May be empty.
    pub description: &'static str,
    /// The parameters in the query. Those in the path follow from it.
    pub parameters: fn() -> Vec<Parameter>,
    pub body: Option<Body>,
    pub answers: &'static [Answer],
    /// Statuses of errors, besides those that follow from access, parameters and body.
    pub errors: &'static [u16],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Method {
    Get,
    Post,
    Put,
    Delete,
}

/// Who may call an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Anybody, without a key.
    Open,
    /// A valid key, whatever its scopes.
    AnyKey,
    /// A key with this scope.
    Scope(Scope),
}

/// The chapters of the documentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tag {
    Properties,
    Searches,
    Deliveries,
    Adverts,
    Grouping,
    Places,
    Sites,
    Account,
    Status,
    Documentation,
    Operations,
    /// Pages for people without a key.
    Pages,
}

/// A parameter in the query.
#[derive(Debug, Clone)]
pub struct Parameter {
    /// The name as clients write it, with brackets if it is a list.
    pub name: Cow<'static, str>,
    /// The field that it is about, for `hydra:search`.
    pub field: &'static str,
    pub kind: Kind,
    pub meaning: Cow<'static, str>,
    pub required: bool,
    pub default: Option<&'static str>,
    /// The name that this one is another spelling of.
    pub alias_of: Option<Cow<'static, str>>,
}

impl Parameter {
    pub const fn new(name: &'static str, field: &'static str, kind: Kind, meaning: &'static str) -> Self {
        Self {
            name: Cow::Borrowed(name),
            field,
            kind,
            meaning: Cow::Borrowed(meaning),
            required: false,
            default: None,
            alias_of: None,
        }
    }

    pub const fn required(mut self) -> Self {
        self.required = true;
        self
    }

    pub const fn default(mut self, value: &'static str) -> Self {
        self.default = Some(value);
        self
    }
}

/// The body of a request.
#[derive(Debug, Clone, Copy)]
pub struct Body {
    pub required: bool,
    pub kind: Kind,
    /// Whether a stream of lines is accepted as well.
    pub lines: bool,
    pub limit: BodyLimit,
}

/// The size beyond which a body is refused. A stream of lines has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyLimit {
    /// `limits.body_bytes_max`, and nothing else.
    Configured,
    /// So many bytes, or `limits.body_bytes_max` if that is less.
    Bytes(usize),
}

/// An answer that is not an error.
#[derive(Debug, Clone, Copy)]
pub struct Answer {
    pub status: u16,
    pub meaning: &'static str,
    pub content: Content,
    /// Names of the headers that only this answer has.
    pub headers: &'static [&'static str],
}

#[derive(Debug, Clone, Copy)]
pub enum Content {
    Empty,
    /// JSON-LD.
    Json(Kind),
    /// A line of JSON for each of these objects.
    Lines(&'static str),
    /// Another media type, with a schema if it is JSON.
    Other(&'static str, Option<Kind>),
    /// What `Accept` asks for of these media types, the first without a preference.
    Negotiated(&'static [(&'static str, Option<Kind>)]),
}

/// Declares the ids of operations with their names in documents.
macro_rules! operation_ids {
    ($($id:ident => $name:literal,)+) => {
        /// The name of an operation. The router has one handler for each, so an operation without a handler does not compile.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum OperationId {
            $($id,)+
        }

        impl OperationId {
            pub const ALL: &'static [Self] = &[$(Self::$id,)+];

            /// Returns the name in documents, such as `listProperties`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$id => $name,)+
                }
            }
        }
    };
}

operation_ids! {
    ListProperties => "listProperties",
    ExportProperties => "exportProperties",
    Clusters => "clusters",
    Facets => "facets",
    PropertyByUrl => "propertyByUrl",
    Property => "property",
    PropertyRedirect => "propertyRedirect",
    SimilarProperties => "similarProperties",
    Grouping => "grouping",
    MergeProperties => "mergeProperties",
    SplitProperty => "splitProperty",
    DoubtfulPairs => "doubtfulPairs",
    DecideGrouping => "decideGrouping",
    PricePerMeter => "pricePerMeter",
    Cities => "cities",
    City => "city",
    CityOutline => "cityOutline",
    Departments => "departments",
    Department => "department",
    DepartmentOutline => "departmentOutline",
    Station => "station",
    MapTile => "mapTile",
    Regions => "regions",
    Region => "region",
    Autocomplete => "autocomplete",
    SendAdverts => "sendAdverts",
    Advert => "advert",
    AdvertPicture => "advertPicture",
    EraseAdvert => "eraseAdvert",
    ExpireAdvert => "expireAdvert",
    Searches => "searches",
    CreateSearch => "createSearch",
    PreviewSearch => "previewSearch",
    Search => "search",
    UpdateSearch => "updateSearch",
    UpdateSearchByPost => "updateSearchByPost",
    DeleteSearch => "deleteSearch",
    ExplainSearch => "explainSearch",
    MatchesByDay => "matchesByDay",
    SearchMatches => "searchMatches",
    SearchMatchesByDay => "searchMatchesByDay",
    ReplayCount => "replayCount",
    ReplaySearch => "replaySearch",
    Deliveries => "deliveries",
    Delivery => "delivery",
    DeliveryRequest => "deliveryRequest",
    DeliveryHealth => "deliveryHealth",
    ReplayDelivery => "replayDelivery",
    WebhookSecret => "webhookSecret",
    RotateWebhookSecret => "rotateWebhookSecret",
    TestWebhook => "testWebhook",
    Match => "match",
    Sites => "sites",
    Site => "site",
    ChangeSite => "changeSite",
    SiteCategories => "siteCategories",
    CreateSiteCategory => "createSiteCategory",
    SiteCategory => "siteCategory",
    RenameSiteCategory => "renameSiteCategory",
    DeleteSiteCategory => "deleteSiteCategory",
    Keys => "keys",
    CreateKey => "createKey",
    Key => "key",
    ChangeKey => "changeKey",
    RevokeKey => "revokeKey",
    Usage => "usage",
    Status => "status",
    RefusedAdverts => "refusedAdverts",
    SetLogLevel => "setLogLevel",
    SignIn => "signIn",
    Session => "session",
    SignOut => "signOut",
    EntryPoint => "entryPoint",
    ApiPage => "apiPage",
    ApiPageFile => "apiPageFile",
    HydraDocumentation => "hydraDocumentation",
    OpenApi => "openApi",
    Context => "context",
    Alive => "alive",
    Ready => "ready",
    Metrics => "metrics",
    RecipientPage => "recipientPage",
    ConfirmRecipient => "confirmRecipient",
    UnsubscribePage => "unsubscribePage",
    Unsubscribe => "unsubscribe",
}

impl Method {
    /// Returns the name in upper case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Delete => "DELETE",
        }
    }
}

impl BodyLimit {
    /// Bodies without free text: replays, new secrets.
    pub const CONTROL: Self = Self::Bytes(4 << 10);
    /// A few short texts, each character of which may be written as an escape of six bytes.
    pub const SMALL: Self = Self::Bytes(16 << 10);
    /// The ids of all adverts of a property.
    pub const LIST: Self = Self::Bytes(64 << 10);
    /// A search reads back with an object of about 170 bytes for each of up to 5,000 cities, and clients send back what they read.
    pub const SEARCH: Self = Self::Bytes(1 << 20);

    /// Returns the limit on a server with this `limits.body_bytes_max`.
    pub fn bytes(self, configured: usize) -> usize {
        match self {
            Self::Configured => configured,
            Self::Bytes(bytes) => bytes.min(configured),
        }
    }

    /// Returns a sentence for documents, without a final stop.
    pub fn sentence(self) -> String {
        match self {
            Self::Configured => "At most 16 MiB, unless `limits.body_bytes_max` says otherwise".to_owned(),
            Self::Bytes(bytes) if bytes.is_multiple_of(1 << 20) => format!("At most {} MiB", bytes >> 20),
            Self::Bytes(bytes) => format!("At most {} KiB", bytes >> 10),
        }
    }
}

impl Operation {
    /// Returns the names of the variables in the path.
    pub fn variables(&self) -> impl Iterator<Item = &'static str> {
        self.path.split('{').skip(1).filter_map(|rest| rest.split('}').next())
    }
}

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

/// The name of an operation. The router has one handler for each, so an operation without a handler does not compile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OperationId {
    ListProperties,
    ExportProperties,
    PropertyByUrl,
    Property,
    PropertyRedirect,
    SimilarProperties,
    Grouping,
    MergeProperties,
    SplitProperty,
    PricePerMeter,
    Cities,
    City,
    CityOutline,
    Departments,
    Department,
    DepartmentOutline,
    Regions,
    Region,
    Autocomplete,
    SendAdverts,
    Advert,
    EraseAdvert,
    ExpireAdvert,
    Searches,
    CreateSearch,
    PreviewSearch,
    Search,
    UpdateSearch,
    UpdateSearchByPost,
    DeleteSearch,
    ExplainSearch,
    SearchMatches,
    ReplaySearch,
    Deliveries,
    Delivery,
    ReplayDelivery,
    WebhookSecret,
    RotateWebhookSecret,
    TestWebhook,
    Match,
    Sites,
    Site,
    ChangeSite,
    SiteCategories,
    CreateSiteCategory,
    SiteCategory,
    RenameSiteCategory,
    DeleteSiteCategory,
    Keys,
    CreateKey,
    Key,
    ChangeKey,
    RevokeKey,
    Usage,
    EntryPoint,
    ApiPage,
    ApiPageFile,
    HydraDocumentation,
    OpenApi,
    Context,
    Alive,
    Ready,
    Metrics,
    UnsubscribePage,
    Unsubscribe,
}

impl OperationId {
    pub const ALL: &'static [Self] = &[
        Self::ListProperties,
        Self::ExportProperties,
        Self::PropertyByUrl,
        Self::Property,
        Self::PropertyRedirect,
        Self::SimilarProperties,
        Self::Grouping,
        Self::MergeProperties,
        Self::SplitProperty,
        Self::PricePerMeter,
        Self::Cities,
        Self::City,
        Self::CityOutline,
        Self::Departments,
        Self::Department,
        Self::DepartmentOutline,
        Self::Regions,
        Self::Region,
        Self::Autocomplete,
        Self::SendAdverts,
        Self::Advert,
        Self::EraseAdvert,
        Self::ExpireAdvert,
        Self::Searches,
        Self::CreateSearch,
        Self::PreviewSearch,
        Self::Search,
        Self::UpdateSearch,
        Self::UpdateSearchByPost,
        Self::DeleteSearch,
        Self::ExplainSearch,
        Self::SearchMatches,
        Self::ReplaySearch,
        Self::Deliveries,
        Self::Delivery,
        Self::ReplayDelivery,
        Self::WebhookSecret,
        Self::RotateWebhookSecret,
        Self::TestWebhook,
        Self::Match,
        Self::Sites,
        Self::Site,
        Self::ChangeSite,
        Self::SiteCategories,
        Self::CreateSiteCategory,
        Self::SiteCategory,
        Self::RenameSiteCategory,
        Self::DeleteSiteCategory,
        Self::Keys,
        Self::CreateKey,
        Self::Key,
        Self::ChangeKey,
        Self::RevokeKey,
        Self::Usage,
        Self::EntryPoint,
        Self::ApiPage,
        Self::ApiPageFile,
        Self::HydraDocumentation,
        Self::OpenApi,
        Self::Context,
        Self::Alive,
        Self::Ready,
        Self::Metrics,
        Self::UnsubscribePage,
        Self::Unsubscribe,
    ];

    /// Returns the name in documents, such as `listProperties`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ListProperties => "listProperties",
            Self::ExportProperties => "exportProperties",
            Self::PropertyByUrl => "propertyByUrl",
            Self::Property => "property",
            Self::PropertyRedirect => "propertyRedirect",
            Self::SimilarProperties => "similarProperties",
            Self::Grouping => "grouping",
            Self::MergeProperties => "mergeProperties",
            Self::SplitProperty => "splitProperty",
            Self::PricePerMeter => "pricePerMeter",
            Self::Cities => "cities",
            Self::City => "city",
            Self::CityOutline => "cityOutline",
            Self::Departments => "departments",
            Self::Department => "department",
            Self::DepartmentOutline => "departmentOutline",
            Self::Regions => "regions",
            Self::Region => "region",
            Self::Autocomplete => "autocomplete",
            Self::SendAdverts => "sendAdverts",
            Self::Advert => "advert",
            Self::EraseAdvert => "eraseAdvert",
            Self::ExpireAdvert => "expireAdvert",
            Self::Searches => "searches",
            Self::CreateSearch => "createSearch",
            Self::PreviewSearch => "previewSearch",
            Self::Search => "search",
            Self::UpdateSearch => "updateSearch",
            Self::UpdateSearchByPost => "updateSearchByPost",
            Self::DeleteSearch => "deleteSearch",
            Self::ExplainSearch => "explainSearch",
            Self::SearchMatches => "searchMatches",
            Self::ReplaySearch => "replaySearch",
            Self::Deliveries => "deliveries",
            Self::Delivery => "delivery",
            Self::ReplayDelivery => "replayDelivery",
            Self::WebhookSecret => "webhookSecret",
            Self::RotateWebhookSecret => "rotateWebhookSecret",
            Self::TestWebhook => "testWebhook",
            Self::Match => "match",
            Self::Sites => "sites",
            Self::Site => "site",
            Self::ChangeSite => "changeSite",
            Self::SiteCategories => "siteCategories",
            Self::CreateSiteCategory => "createSiteCategory",
            Self::SiteCategory => "siteCategory",
            Self::RenameSiteCategory => "renameSiteCategory",
            Self::DeleteSiteCategory => "deleteSiteCategory",
            Self::Keys => "keys",
            Self::CreateKey => "createKey",
            Self::Key => "key",
            Self::ChangeKey => "changeKey",
            Self::RevokeKey => "revokeKey",
            Self::Usage => "usage",
            Self::EntryPoint => "entryPoint",
            Self::ApiPage => "apiPage",
            Self::ApiPageFile => "apiPageFile",
            Self::HydraDocumentation => "hydraDocumentation",
            Self::OpenApi => "openApi",
            Self::Context => "context",
            Self::Alive => "alive",
            Self::Ready => "ready",
            Self::Metrics => "metrics",
            Self::UnsubscribePage => "unsubscribePage",
            Self::Unsubscribe => "unsubscribe",
        }
    }
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

impl Operation {
    /// Returns the names of the variables in the path.
    pub fn variables(&self) -> impl Iterator<Item = &'static str> {
        self.path.split('{').skip(1).filter_map(|rest| rest.split('}').next())
    }
}

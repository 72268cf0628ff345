//! The vocabulary and the rules of Vigie.
//!
//! A **property** is the grouped record of one home, plot or shop; an **advert** is one publisher's listing of it; an
//! **event** is a recorded change of an advert. What comes in is a **draft**; it is merged with what was known, the
//! comparison makes the events, and the property's own values are derived from its adverts. What somebody looks for is a
//! **criteria**, made of **filters** that read **attributes**; what somebody waits for is a **saved search**, and a property that
//! comes to meet it makes a **match**, which is owed to its owner as a **delivery**.
//!
//! **Invariant:** nothing here does I/O, reads a clock, draws randomness, or knows a JSON or SQL name. Everything is a
//! function of its arguments. The neighbours spell names (`wire`), keep things (`store`) and carry decisions out
//! (`app`).
//!
//! The modules in the order to read them:

pub mod advert;
pub mod advert_event;
pub mod draft;
pub mod merge;
pub mod property;

pub mod attribute;
pub mod criteria;
pub mod explain;
pub mod filter;

pub mod delivery;
pub mod matching;
pub mod rewind;
pub mod search;

pub mod grouping;
pub mod indicator;
pub mod price;
pub mod similarity;
pub mod words;

pub mod access;
pub mod area;
pub mod fold;
pub mod ids;
pub mod key;
pub mod kinds;
pub mod place;
pub mod recipient;
pub mod site;
pub mod value;
pub mod violation;

pub mod ports;

pub use jiff::Timestamp;

pub use access::{Scope, Scopes};
pub use advert::{Advert, AdvertDetails, AdvertField, Contact, EnergyLetter, Publisher, Rating};
pub use advert_event::{AdvertEvent, EventName, PercentVariation};
pub use area::{Circle, Polygon};
pub use attribute::{AdvertAttribute, Facts, PropertyAttribute, Variation, VariationAttribute};
pub use criteria::{Criteria, Order, OrderBy, RawCriteria, SortMode};
pub use delivery::{
    CancelReason, DeliveryChannel, DeliveryState, Fault, Next, Outcome, ReplacedSecret, Retries,
    WebhookSecret, WebhookSecrets,
};
pub use draft::{AdvertDraft, AdvertPatch, Given, Identity, Lifecycle};
pub use explain::{Explanation, explain};
pub use filter::{FILTERS, Filter};
pub use fold::fold;
pub use ids::{
    AdvertId, DeliveryEpoch, DeliveryId, KeyId, MatchId, PropertyId, SearchId, SearchNumber, UserId,
};
pub use key::{Key, Span};
pub use kinds::{FeesResponsibility, GeoAccuracy, PropertyType, PublisherType, TransactionType};
pub use place::{
    City, Country, Department, GeoPoint, GivenPlace, Insee, Line, Placement, Region, Station, Zipcode,
};
pub use ports::{Clock, IdSource};
pub use property::{Derived, Property};
pub use recipient::{EmailAddress, Endpoint};
pub use search::{Alerts, SavedSearch, SearchToken};
pub use similarity::SimilarityProfile;
pub use site::{
    Site, SiteCategory, SiteCategoryId, SiteCategoryName, SiteDirectory, SiteId, SiteKey, SiteName,
};
pub use value::{Amount, LongText, ShortText, WebAddress};
pub use violation::Violation;
pub use words::{Phrase, Strictness};

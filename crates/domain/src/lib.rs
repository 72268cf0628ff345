//! The vocabulary and the rules of Vigie, as pure functions.
//!
//! **Vocabulary.** An *advert* is one publisher's listing. A *property* groups the adverts of one home, plot or shop;
//! its own values (price, surface, place…) are derived from them. A request contains *drafts* of adverts. A draft is
//! merged with the stored advert, and every change is recorded as an *event*. A *filter* is one query parameter; it
//! tests an *attribute* of a property, an advert or an event. *Criteria* are all filters of one query. A *saved search*
//! stores criteria and where to send alerts. When a property starts to satisfy the criteria of a saved search, that is
//! a *match*. A match, or an event that the search subscribes to, is sent as a *delivery*: a webhook call or an e-mail,
//! with retries.
//!
//! **Never here:** I/O, clocks, randomness, JSON names or SQL names. Every function depends only on its arguments.
//!
//! **Neighbours.** `wire` reads and writes the JSON of these types, `store` persists them, `engine` indexes properties
//! and saved searches and must return what [`Criteria::accepts`] returns, `places` resolves places, `app` runs the use
//! cases.
//!
//! The modules, in reading order. Adverts and properties:

pub mod advert;
pub mod advert_event;
pub mod advert_fields;
pub mod draft;
pub mod fingerprint;
pub mod grouping;
pub mod merge;
pub mod price;
pub mod property;
pub mod restore;
pub mod special_sale;
pub mod timeline;

// Queries: attributes, filters, criteria, and why a property satisfies them or not.
pub mod attribute;
pub mod criteria;
pub mod explain;
pub mod filter;
pub mod key;
pub mod phrase;

// Saved searches, matches, deliveries.
pub mod delivery;
pub mod matching;
pub mod recipient;
pub mod rewind;
pub mod search;

// Other results computed from properties.
pub mod closeness;
pub mod facet;
pub mod indicator;
pub mod map;
pub mod similarity;

// Values, identifiers, places, sites.
pub mod access;
pub mod area;
pub mod country;
pub mod fold;
pub mod ids;
pub mod kinds;
pub mod outline;
pub mod place;
pub mod site;
pub mod value;
pub mod violation;

// What the process supplies: the time and new identifiers.
pub mod ports;

pub use jiff::Timestamp;
pub use jiff::civil::Date;

pub use access::{KeyLabel, KeySettings, Scope, Scopes};
pub use advert::Advert;
pub use advert_event::{AdvertEvent, EventName, PercentVariation};
pub use advert_fields::{
    AdvertDetails, AdvertField, AdvertPatch, Contact, EnergyLetter, FieldUpdate, Publisher, Rating,
};
pub use area::{Circle, Polygon};
pub use attribute::{AdvertAttribute, PropertyAttribute, PropertyView, Variation, VariationAttribute};
pub use country::CountryCode;
pub use criteria::{Criteria, Order, OrderBy, RawCriteria, SortMode};
pub use delivery::{
    CancelReason, CertificateFault, DeliveryChannel, DeliveryState, Fault, Outcome, PhaseTimings,
    ReplacedSecret, ResponseHeader, RetryDecision, RetryPolicy, WebhookSecret, WebhookSecrets,
};
pub use draft::{AdvertDraft, Identity, Lifecycle};
pub use explain::{Explanation, explain};
pub use facet::{FacetField, Facets};
pub use filter::{FILTERS, Filter};
pub use fold::fold;
pub use ids::{
    AdvertId, DeliveryEpoch, DeliveryId, KeyId, MatchId, PropertyId, SearchId, SearchNumber, SessionId,
    UserId,
};
pub use key::{Key, KeyRange};
pub use kinds::{FeesResponsibility, GeoAccuracy, PropertyType, PublisherType, RentPeriod, TransactionType};
pub use map::{ClusterGrid, Clusters, MapBounds, MapPosition, Viewport};
pub use outline::{Outline, OutlinePolygon};
pub use phrase::{Phrase, Strictness};
pub use place::{
    City, Country, Department, GeoPoint, GivenPlace, Insee, Line, Placement, Region, Station, Zipcode,
};
pub use ports::{Clock, IdSource};
pub use price::{PriceCheck, PriceProblem, PriceStatistics};
pub use property::{DerivedValues, Property};
pub use recipient::{EmailAddress, Endpoint};
pub use search::{Alerts, SavedSearch, SearchRef, SearchToken};
pub use similarity::SimilarityProfile;
pub use site::{
    Site, SiteCategory, SiteCategoryId, SiteCategoryName, SiteDirectory, SiteId, SiteKey, SiteName,
    registered_domain,
};
pub use special_sale::{LifeAnnuity, NewBuilding};
pub use timeline::Timeline;
pub use value::{Amount, LongText, ShortText, WebAddress};
pub use violation::Violation;

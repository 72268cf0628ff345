//! Builds adverts, properties, drafts and saved searches with sensible values, identified by a number.

use domain::advert_event::AdvertEvent;
use domain::criteria::RawCriterion;
use domain::search::SearchDraft;
use domain::{
    Advert, AdvertDetails, AdvertDraft, AdvertId, AdvertPatch, Alerts, Amount, Filter, Identity, KeyId,
    Lifecycle, LongText, Property, PropertyId, PropertyType, RawCriteria, SavedSearch, SearchId, SearchToken,
    ShortText, SiteKey, Timestamp, TransactionType, UserId, WebAddress,
};

/// Returns a timestamp in seconds since 1970.
pub fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).expect("valid timestamp")
}

pub fn advert_id(number: u64) -> AdvertId {
    AdvertId::from_bytes(numbered(0xad, number))
}

pub fn property_id(number: u64) -> PropertyId {
    PropertyId::from_bytes(numbered(0xb0, number))
}

pub fn search_id(number: u64) -> SearchId {
    SearchId::from_bytes(numbered(0x5e, number))
}

pub fn user_id(number: u64) -> UserId {
    UserId::from_bytes(numbered(0x05, number))
}

pub fn key_id(number: u64) -> KeyId {
    KeyId::parse(&format!("key{number:019}")).expect("three letters and nineteen digits are a valid key id")
}

/// The first byte tells the kind of id in a failed assertion; a larger number gives a larger id.
fn numbered(kind: u8, number: u64) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[0] = kind;
    bytes[8..].copy_from_slice(&number.to_be_bytes());
    bytes
}

pub fn short_text(text: &str) -> ShortText {
    ShortText::new(text).expect("text within the limit").expect("text is not blank")
}

pub fn long_text(text: &str) -> LongText {
    LongText::new(text).expect("text within the limit").expect("text is not blank")
}

pub fn web_address(text: &str) -> WebAddress {
    WebAddress::parse(text).expect("valid web address")
}

pub fn site(text: &str) -> SiteKey {
    SiteKey::parse(text).expect("valid site key")
}

pub fn amount(number: f64) -> Amount {
    Amount::new(number).expect("amount within bounds")
}

/// Builds a property with these adverts.
pub fn property(number: u64, adverts: impl IntoIterator<Item = Advert>) -> Property {
    Property { id: property_id(number), adverts: adverts.into_iter().collect() }
}

/// Builds an advert of an apartment for sale with a price and a surface, identified only by its id.
pub fn advert(number: u64) -> AdvertBuilder {
    let created_at = at(1_000);
    AdvertBuilder {
        advert: Advert {
            id: advert_id(number),
            transaction_type: TransactionType::Sell,
            property_type: PropertyType::Apartment,
            details: AdvertDetails {
                price: Amount::new(250_000.0),
                surface: Amount::new(50.0),
                ..AdvertDetails::default()
            },
            placement: None,
            created_at,
            updated_at: created_at,
            last_crawled_at: created_at,
            expired_at: None,
            events: vec![AdvertEvent::created(created_at)],
            timeline: domain::Timeline::default(),
            price_check: domain::PriceCheck::default(),
        },
    }
}

/// Builder of an advert.
#[derive(Debug, Clone)]
pub struct AdvertBuilder {
    advert: Advert,
}

impl AdvertBuilder {
    #[must_use]
    pub fn site(mut self, name: &str) -> Self {
        self.advert.details.site = Some(site(name));
        self
    }

    #[must_use]
    pub fn reference(mut self, reference: &str) -> Self {
        self.advert.details.reference = Some(short_text(reference));
        self
    }

    #[must_use]
    pub fn url(mut self, url: &str) -> Self {
        self.advert.details.url = Some(web_address(url));
        self
    }

    #[must_use]
    pub fn title(mut self, title: &str) -> Self {
        self.advert.details.title = Some(short_text(title));
        self
    }

    #[must_use]
    pub fn description(mut self, description: &str) -> Self {
        self.advert.details.description = Some(long_text(description));
        self
    }

    #[must_use]
    pub fn price(mut self, price: f64) -> Self {
        self.advert.details.price = Some(amount(price));
        self
    }

    #[must_use]
    pub fn crawled_at(mut self, second: i64) -> Self {
        self.advert.last_crawled_at = at(second);
        self
    }

    #[must_use]
    pub fn expired_at(mut self, second: i64) -> Self {
        self.advert.expired_at = Some(at(second));
        self.advert.events.push(AdvertEvent::expiry(at(second), true));
        self
    }

    #[must_use]
    pub fn event(mut self, event: AdvertEvent) -> Self {
        self.advert.events.push(event);
        self
    }

    /// Changes anything that has no method of its own.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Advert)) -> Self {
        change(&mut self.advert);
        self
    }

    pub fn build(self) -> Advert {
        self.advert
    }
}

/// Builds a draft of an apartment for sale with no other values.
pub fn draft(identity: Identity) -> AdvertDraft {
    AdvertDraft {
        identity,
        property: None,
        transaction_type: TransactionType::Sell,
        property_type: PropertyType::Apartment,
        patch: AdvertPatch::default(),
        created_at: None,
        updated_at: None,
        last_crawled_at: None,
        lifecycle: Lifecycle::Seen,
        history: Vec::new(),
        price_check: None,
    }
}

/// Builds a saved search of user 1 with a maximum price and with alerts disabled.
pub fn saved_search(number: u64) -> SavedSearch {
    let mut random = [0; SearchToken::BYTES];
    random[..8].copy_from_slice(&number.to_be_bytes());
    SavedSearch {
        id: search_id(number),
        owner: user_id(1),
        token: SearchToken::new(random),
        created_at: at(1_000),
        updated_at: at(1_000),
        draft: SearchDraft {
            title: short_text(&format!("Recherche {number}")),
            raw_criteria: raw_criteria([("budgetMax", RawCriterion::Number(250_000.0))]),
            alerts: Alerts::default(),
        },
    }
}

/// Builds raw criteria from filter names.
pub fn raw_criteria<const COUNT: usize>(given: [(&str, RawCriterion); COUNT]) -> RawCriteria {
    let mut raw_criteria = RawCriteria::default();
    for (name, criterion) in given {
        raw_criteria.put(Filter::named(name).expect("known filter"), criterion);
    }
    raw_criteria
}

/// Returns the identity of an advert by site and reference.
pub fn site_reference(name: &str, reference: &str) -> Identity {
    Identity::SiteReference(site(name), reference.into())
}

/// Returns the identity of an advert by URL.
pub fn url_identity(url: &str) -> Identity {
    Identity::Url(web_address(url).comparison_key().into())
}

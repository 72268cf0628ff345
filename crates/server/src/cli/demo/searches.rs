//! Saved searches of the demo, broad enough to match something within a minute.

use anyhow::Context;
use app::App;
use domain::criteria::{Entry, Presence, RawCriteria, RawCriterion};
use domain::search::SearchDraft;
use domain::{
    Alerts, EmailAddress, EventName, Filter, Phrase, PropertyType, SearchId, ShortText, Strictness,
    TransactionType, UserId,
};

use crate::cli::receiver::Receiver;

/// Above the number of searches the demo saves.
const LIMIT: u32 = 100;

/// Saves a few searches. Returns the id of the broadest one.
pub async fn save(app: &App, owner: UserId, receiver: &Receiver) -> anyhow::Result<SearchId> {
    let (sell, rent) = (TransactionType::Sell, TransactionType::Rent);
    let mut broad = draft(
        "Appartements et maisons à vendre",
        sell,
        &[PropertyType::Apartment, PropertyType::House],
        None,
    )?;
    broad.alerts = Alerts {
        enabled: true,
        endpoint: Some(receiver.endpoint("matches")?),
        event_endpoint: Some(receiver.endpoint("events")?),
        events: EventName::ALL.iter().copied().collect(),
        ..Alerts::default()
    };
    let broadest = create(app, owner, broad).await?;
    let mut gardens = draft("Maisons avec jardin", sell, &[PropertyType::House], Some("jardin"))?;
    gardens.alerts = Alerts {
        enabled: true,
        hide_contact: true,
        email: EmailAddress::parse("acheteuse@mail.example").ok(),
        ..Alerts::default()
    };
    create(app, owner, gardens).await?;
    // Its matches are kept and sent nowhere.
    let mut balconies = draft("Louer avec un balcon", rent, &[PropertyType::Apartment], Some("balcon"))?;
    balconies.alerts.enabled = true;
    create(app, owner, balconies).await?;
    Ok(broadest)
}

async fn create(app: &App, owner: UserId, draft: SearchDraft) -> anyhow::Result<SearchId> {
    let saved = app.create_search(owner, draft, LIMIT).await?;
    Ok(saved.context("the demo user reached its limit of saved searches")?.search.id)
}

fn draft(
    title: &str,
    transaction: TransactionType,
    types: &[PropertyType],
    word: Option<&str>,
) -> anyhow::Result<SearchDraft> {
    let mut raw_criteria = RawCriteria::default();
    let mut put = |name: &str, criterion: RawCriterion| {
        if let Some(filter) = Filter::named(name) {
            raw_criteria.put(filter, criterion);
        }
    };
    put("transactionType", RawCriterion::Codes(vec![transaction.code()]));
    put("propertyTypes", RawCriterion::Codes(types.iter().map(|kind| kind.code()).collect()));
    if let Some(phrase) = word.and_then(|word| Phrase::new(word, Strictness::Inflected)) {
        put(
            "expressions",
            RawCriterion::Expressions(vec![vec![Entry { phrase, presence: Presence::Present }]]),
        );
    }
    let title = ShortText::new(title)?.context("a search has a title")?;
    Ok(SearchDraft { title, raw_criteria, alerts: Alerts::default() })
}

//! Searches that stand in the demo, wide enough to match something within a minute.

use anyhow::Context;
use app::App;
use domain::criteria::{Entry, Presence, Term, Terms};
use domain::search::Wish;
use domain::{
    Alerts, EmailAddress, EventName, Filter, PropertyType, SearchId, ShortText, Strictness, TransactionType,
    UserId, Wording,
};

use super::receiver::Receiver;

/// More than it saves.
const LIMIT: u32 = 100;

/// Saves a few searches; answers the id of the one that matches most.
pub async fn save(app: &App, owner: UserId, receiver: &Receiver) -> anyhow::Result<SearchId> {
    let (sell, rent) = (TransactionType::Sell, TransactionType::Rent);
    let mut wide = wish(
        "Appartements et maisons à vendre",
        sell,
        &[PropertyType::Apartment, PropertyType::House],
        None,
    )?;
    wide.alerts = Alerts {
        enabled: true,
        endpoint: Some(receiver.endpoint("matches")?),
        event_endpoint: Some(receiver.endpoint("events")?),
        events: EventName::ALL.iter().copied().collect(),
        ..Alerts::default()
    };
    let widest = put(app, owner, wide).await?;
    let mut gardens = wish("Maisons avec jardin", sell, &[PropertyType::House], Some("jardin"))?;
    gardens.alerts = Alerts {
        enabled: true,
        hide_contact: true,
        email: EmailAddress::parse("acheteuse@mail.example").ok(),
        ..Alerts::default()
    };
    put(app, owner, gardens).await?;
    put(app, owner, wish("Louer avec un balcon", rent, &[PropertyType::Apartment], Some("balcon"))?).await?;
    Ok(widest)
}

async fn put(app: &App, owner: UserId, wish: Wish) -> anyhow::Result<SearchId> {
    let saved = app.create_search(owner, wish, LIMIT).await?;
    Ok(saved.context("a new user has room for searches")?.search.id)
}

fn wish(
    title: &str,
    transaction: TransactionType,
    types: &[PropertyType],
    word: Option<&str>,
) -> anyhow::Result<Wish> {
    let mut terms = Terms::default();
    let mut put = |name: &str, term: Term| {
        if let Some(filter) = Filter::named(name) {
            terms.put(filter, term);
        }
    };
    put("transactionType", Term::Codes(vec![transaction.code()]));
    put("propertyTypes", Term::Codes(types.iter().map(|kind| kind.code()).collect()));
    if let Some(wording) = word.and_then(|word| Wording::new(word, Strictness::Inflected)) {
        put("expressions", Term::Expressions(vec![vec![Entry { wording, presence: Presence::Present }]]));
    }
    let title = ShortText::new(title)?.context("a search has a title")?;
    Ok(Wish { title, terms, alerts: Alerts::default() })
}

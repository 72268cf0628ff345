//! Inserts saved searches into a data folder without a server.

use anyhow::{Context, ensure};
use domain::search::SearchDraft;
use domain::{Alerts, Endpoint, SavedSearch, SearchId, SearchToken, ShortText, UserId};
use store::{ChangeSet, CommitOutcome, ExpectedSearch, PutSearch, Step, Store};
use uuid::Uuid;

use crate::matching::draw::Searches;
use crate::search::dataset::Dataset;

/// Searches per commit.
const PER_COMMIT: usize = 2_000;

/// One search in this many has alerts.
const ALERTS_EVERY: u32 = 10;

pub async fn insert_all(store: &dyn Store, dataset: &Dataset, count: u32) -> anyhow::Result<()> {
    let owner = store.keys().await?.first().context("the folder has no key")?.user.id;
    let searches = Searches::new(dataset);
    let numbers: Vec<u32> = (0..count).collect();
    for numbers in numbers.chunks(PER_COMMIT) {
        let step = |number: &u32| {
            let search = saved(&searches, *number, owner, dataset)?;
            let expected = ExpectedSearch::New { owner_has_fewer_than: u32::MAX };
            anyhow::Ok(Step::PutSearch(PutSearch { search, expected }))
        };
        let steps = numbers.iter().map(step).collect::<anyhow::Result<_>>()?;
        let outcome = store.commit(ChangeSet { recorded_at: dataset.now(), steps, grouped_at: None }).await?;
        ensure!(matches!(outcome, CommitOutcome::Committed(_)), "{outcome:?}");
    }
    Ok(())
}

fn saved(
    searches: &Searches<'_>,
    number: u32,
    owner: UserId,
    dataset: &Dataset,
) -> anyhow::Result<SavedSearch> {
    let mut token = [0; SearchToken::BYTES];
    token[..4].copy_from_slice(&number.to_be_bytes());
    let alerts = if number.is_multiple_of(ALERTS_EVERY) {
        let endpoint = Endpoint::parse(&format!("https://hook.example/{number}"));
        let endpoint = endpoint.map_err(|error| anyhow::anyhow!("{error:?}"))?;
        Alerts { enabled: true, endpoint: Some(endpoint), ..Alerts::default() }
    } else {
        // Switched on, with no recipient.
        Alerts { enabled: true, ..Alerts::default() }
    };
    let title = ShortText::new(&format!("Recherche {number}")).ok().flatten().context("no title")?;
    Ok(SavedSearch {
        // The two bits are the variant of a UUID.
        id: SearchId::from_uuid(Uuid::from_u64_pair(u64::from(number), 0b10 << 62)),
        owner,
        token: SearchToken::new(token),
        created_at: dataset.now(),
        updated_at: dataset.now(),
        draft: SearchDraft { title, raw_criteria: searches.get(number).raw_criteria()?, alerts },
    })
}

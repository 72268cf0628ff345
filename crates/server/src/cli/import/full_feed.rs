//! `--snapshot`: expires the adverts of a site that a full feed does not list, unless the feed looks incomplete.

use anyhow::{Context, bail, ensure};
use app::App;
use app::ingest::{FullFeed, FullFeedRefusal, Outcome, Receipt};
use domain::{AdvertId, Identity, SiteKey, Timestamp};
use jiff::tz::TimeZone;

use super::records::RecordName;
use crate::cli::output;
use crate::ndjson::Ingested;

/// Collects the adverts that a full feed lists.
#[derive(Debug)]
pub struct Listing {
    site: SiteKey,
    share_max: f64,
    at: Timestamp,
    listed: Vec<AdvertId>,
    created: Vec<AdvertId>,
    /// Records that do not say which advert they are. Each may be one that seems to be missing.
    unidentified: u64,
}

impl Listing {
    /// Starts a full feed of a site. It was written at a date, or now.
    pub fn new(
        site: &str,
        share_max: f64,
        date: Option<&str>,
        now: Timestamp,
        zone: &TimeZone,
    ) -> anyhow::Result<Self> {
        let site = SiteKey::parse(site)
            .with_context(|| format!("--snapshot: \"{site}\" is not a valid site domain or key"))?;
        ensure!(
            (0.0..=1.0).contains(&share_max),
            "--snapshot-max-expired must be a share between 0 and 1, {share_max} given"
        );
        let at = match date {
            Some(text) => wire::date::parse(text, zone)
                .with_context(|| format!("--snapshot-date: \"{text}\" is not a date such as 2026-03-02"))?,
            None => now,
        };
        ensure!(at <= now, "--snapshot-date is in the future");
        let at = domain::ports::whole_second(at);
        Ok(Self { site, share_max, at, listed: Vec::new(), created: Vec::new(), unidentified: 0 })
    }

    /// Adds the records of a batch. A rejected record lists the advert that it names: it is wrong, but not gone.
    pub async fn add(&mut self, app: &App, batch: &[(RecordName, Ingested)]) -> anyhow::Result<()> {
        let mut rejected: Vec<Identity> = Vec::new();
        for (name, ingested) in batch {
            match (&ingested.receipt, &name.identity) {
                (Receipt::Accepted { advert, outcome, .. }, _) => {
                    self.listed.push(*advert);
                    if *outcome == Outcome::Created {
                        self.created.push(*advert);
                    }
                }
                (Receipt::Rejected { .. }, Some(identity)) => rejected.push(identity.clone()),
                (Receipt::Rejected { .. }, None) => self.unidentified += 1,
            }
        }
        if !rejected.is_empty() {
            self.listed.extend(app.locate(rejected).await?.into_iter().flatten());
        }
        Ok(())
    }

    /// Expires what is missing, or says what would expire. Fails if the feed looks incomplete.
    pub async fn finish(self, app: &App, dry_run: bool) -> anyhow::Result<()> {
        let Self { site, share_max, at, listed, created, unidentified } = self;
        let name = site.to_string();
        if unidentified > 0 {
            bail!(
                "nothing expired: {unidentified} records of the feed could not be read, and each may be an advert of {name} \
                 that only seems to be missing"
            );
        }
        let feed = FullFeed { site, listed, created, at };
        let found = match app.missing_adverts(feed).await? {
            Ok(found) => found,
            Err(refusal) => bail!("nothing expired: {refusal}"),
        };
        match found.check(share_max) {
            Ok(()) => {}
            Err(refusal @ FullFeedRefusal::Empty) => bail!("nothing expired: {refusal}"),
            Err(refusal @ FullFeedRefusal::TooManyMissing { .. }) => bail!(
                "nothing expired: {refusal} of {share_max}; if {name} really lost them, allow more with --snapshot-max-expired"
            ),
        }
        let known = found.known;
        if dry_run {
            let missing = found.missing.len();
            output::print_line(&format!("Would expire {missing} of {known} known adverts of {name}."));
        } else {
            let expired = app.expire_missing(&found.missing, at).await?;
            output::print_line(&format!("Expired {expired} of {known} known adverts of {name}."));
        }
        Ok(())
    }
}

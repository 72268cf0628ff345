//! Tests of the public interface. Every failure names its seed.

#![allow(clippy::unwrap_used, reason = "what helps a test may stop it")]

mod fingerprint;
mod grouping_report;
mod hard_cases;
mod shape;
mod timeline;
mod vocabulary;

use domain::{AdvertDraft, Identity, Timestamp};
use world::{Settings, World, sample};

fn start() -> Timestamp {
    "2025-06-15T08:00:00Z".parse().unwrap()
}

fn world(seed: u64, properties: u64) -> World {
    World::new(seed, sample::towns(), Settings::new(properties, start())).unwrap()
}

/// Site and reference, which identify an advert.
fn key(draft: &AdvertDraft) -> (String, String) {
    match &draft.identity {
        Identity::SiteReference(site, reference) => (site.to_string(), reference.to_string()),
        other => panic!("a draft is known by its site and reference, not by {other:?}"),
    }
}

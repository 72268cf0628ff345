//! `bench grouping`: what grouping costs per advert, in one process and without a store, for stocks of several sizes.
//!
//! The stock is the generated market. New adverts of the same market are signed, their candidates are looked up, and their property is
//! decided. Nothing here may grow with the stock, except what the density of towns makes grow.

use std::time::Instant;

use clap::Args;
use domain::grouping::{Candidate, CommuneFacts, Judged, Member, Signature, Verdicts, decide};
use domain::price::CheckedPrice;
use domain::{Advert, AdvertId, FieldUpdate, GivenPlace, PropertyId, Timestamp, merge};
use engine::{GroupingEntry, GroupingIndex};
use places::Gazetteer;
use world::{Settings, World};

use crate::table;

#[derive(Debug, Args)]
pub struct GroupingArgs {
    /// Numbers of properties in the stock
    #[arg(long, value_delimiter = ',', default_value = "10000,100000,1000000")]
    properties: Vec<u64>,
    /// Number of new adverts to decide about
    #[arg(long, default_value_t = 20_000)]
    adverts: usize,
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

pub fn run(args: &GroupingArgs) -> anyhow::Result<()> {
    let gazetteer = Gazetteer::embedded()?;
    let head =
        ["properties", "adverts", "sign, µs", "look up and decide, µs", "compared", "bytes per advert", "MB"];
    let rows: Vec<Vec<String>> = args
        .properties
        .iter()
        .map(|properties| measure(*properties, args, &gazetteer))
        .collect::<Result<_, _>>()?;
    let mut text = String::new();
    table::table(&mut text, "Grouping, per advert", &head, &rows, false);
    print!("{text}");
    Ok(())
}

/// Turns drafts into adverts as ingestion does.
struct Adverts<'a> {
    gazetteer: &'a Gazetteer,
    now: Timestamp,
    number: u128,
}

impl Adverts<'_> {
    fn next(&mut self, draft: domain::AdvertDraft) -> Advert {
        self.number += 1;
        let place = match &draft.patch.place {
            FieldUpdate::Set(place) => place.clone(),
            FieldUpdate::Keep => GivenPlace::default(),
        };
        let placement = self.gazetteer.resolve(&place).placement;
        let id = AdvertId::from_uuid(uuid::Uuid::from_u128(self.number));
        merge::create(id, draft, placement, self.now).advert
    }

    fn commune(&self, advert: &Advert) -> Option<CommuneFacts> {
        self.gazetteer.city(&advert.placement.as_ref()?.insee).map(|city| CommuneFacts::of(city))
    }
}

fn measure(properties: u64, args: &GroupingArgs, gazetteer: &Gazetteer) -> anyhow::Result<Vec<String>> {
    let now = "2026-01-01T00:00:00Z".parse()?;
    let world = World::new(args.seed, server::market::towns(gazetteer), Settings::new(properties, now))?;
    let mut adverts = Adverts { gazetteer, now, number: 0 };
    let mut index = GroupingIndex::default();
    for property in world.properties() {
        for draft in property.drafts {
            let advert = adverts.next(draft);
            let signature = Signature::of(&advert, adverts.commune(&advert));
            let (property, price) = (property.id, CheckedPrice::of(&advert));
            index.put(advert.id, GroupingEntry { property, signature, is_named: false, price });
        }
    }
    // Properties after the stock: their adverts join each other, not the stock.
    let new: Vec<Advert> = (properties..)
        .flat_map(|number| world.property(number).drafts)
        .take(args.adverts)
        .map(|draft| adverts.next(draft))
        .collect();
    let communes: Vec<Option<CommuneFacts>> = new.iter().map(|advert| adverts.commune(advert)).collect();
    let started = Instant::now();
    let signatures: Vec<Option<Signature>> =
        new.iter().zip(&communes).map(|(advert, commune)| Signature::of(advert, *commune)).collect();
    let signing = started.elapsed();
    let (mut compared, verdicts) = (0, Verdicts::default());
    let started = Instant::now();
    for (advert, signature) in new.iter().zip(&signatures) {
        let Some(signature) = signature else { continue };
        let (properties, compared_now) = index.candidates_counted(signature);
        compared += compared_now;
        let candidates: Vec<Candidate<'_>> = properties
            .into_iter()
            .map(|property: PropertyId| Candidate { property, members: index.members(property).collect() })
            .collect();
        let member = Member { advert: advert.id, signature, is_named: false };
        std::hint::black_box(decide(Judged { member, current: None }, &candidates, &verdicts, &index));
    }
    let deciding = started.elapsed();
    let micros =
        |elapsed: std::time::Duration| format!("{:.1}", elapsed.as_secs_f64() * 1e6 / new.len() as f64);
    Ok(vec![
        properties.to_string(),
        index.len().to_string(),
        micros(signing),
        micros(deciding),
        format!("{:.1}", compared as f64 / new.len() as f64),
        format!("{:.0}", index.bytes() as f64 / index.len() as f64),
        format!("{:.0}", index.bytes() as f64 / 1e6),
    ])
}

//! Measures how fast the world is generated, and shows a sample: `cargo run --release -p world --example measure_world [properties]`.

use std::time::{Duration, Instant};

use domain::{AdvertDraft, FieldUpdate, Timestamp};
use world::{Settings, World, sample};

fn main() {
    let properties = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(200_000);
    let start = Timestamp::from_second(1_750_000_000).unwrap_or_default();
    let settings = Settings::new(properties, start);
    let (made, world) = timed(|| World::new(1, sample::towns(), settings));
    let Ok(world) = world else { return };
    println!("world made in {made:.1?}");

    let (taken, (drafts, bytes)) = timed(|| {
        world.drafts().fold((0_u64, 0), |(drafts, bytes), draft| (drafts + 1, bytes + size(&draft)))
    });
    report("drafts of the stock", drafts, taken);
    println!("  {:.2} adverts per property", drafts as f64 / properties as f64);
    println!("  about {} bytes per draft as JSON", bytes / drafts.max(1) as usize);

    let (taken, drafts) = timed(|| world.import().map(std::hint::black_box).count());
    report("drafts of an import", drafts as u64, taken);

    let mut timeline = world.timeline();
    let wanted = properties as usize;
    let (taken, events) = timed(|| timeline.by_ref().take(wanted).map(std::hint::black_box).count());
    report("events", events as u64, taken);
    println!("  {} changed adverts held in memory", timeline.changed_adverts());

    for draft in world.drafts().step_by(37).take(6) {
        show(&draft);
    }
}

fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let begun = Instant::now();
    let result = work();
    (begun.elapsed(), result)
}

fn report(what: &str, count: u64, taken: Duration) {
    println!("{count} {what} in {taken:.2?}: {:.0} per second", count as f64 / taken.as_secs_f64());
}

fn show(draft: &AdvertDraft) {
    let patch = &draft.patch;
    let text = |given: Option<String>| given.unwrap_or_default();
    let price = patch.price.value().and_then(|price| price.map(|price| price.get())).unwrap_or_default();
    println!("\n{:?} {:?}, {price} €, {:?}", draft.transaction_type, draft.property_type, draft.identity);
    println!("  {}", text(patch.title.value().and_then(|title| title.as_ref().map(ToString::to_string))));
    println!("  {}", text(patch.description.value().and_then(|text| text.as_ref().map(ToString::to_string))));
}

/// Estimates the bytes of a draft as JSON. Texts and URLs are counted, other fields have a typical size.
fn size(draft: &AdvertDraft) -> usize {
    const NAMES_AND_NUMBERS: usize = 900;
    let patch = &draft.patch;
    let length = |text: Option<usize>| text.unwrap_or_default();
    let addresses = |given: &FieldUpdate<std::sync::Arc<[domain::WebAddress]>>| -> usize {
        given.value().map_or(0, |list| list.iter().map(|address| address.as_str().len() + 3).sum())
    };
    NAMES_AND_NUMBERS
        + length(patch.title.value().and_then(|text| Some(text.as_ref()?.as_str().len())))
        + length(patch.description.value().and_then(|text| Some(text.as_ref()?.as_str().len())))
        + length(patch.url.value().and_then(|url| Some(url.as_ref()?.as_str().len())))
        + addresses(&patch.pictures)
        + addresses(&patch.pictures_remote)
        + patch.features.value().map_or(0, |list| list.iter().map(|text| text.as_str().len() + 3).sum())
        + 200 // contact and publisher
        + draft.history.len() * 120
}

//! The stock as a bulk import: new adverts, with second versions of earlier ones in between.

use domain::{AdvertDraft, Amount, FieldUpdate, LongText, Timestamp};
use jiff::SignedDuration;

use crate::listing::{Changes, Listing};
use crate::random::{Purpose, Random};
use crate::world::World;

/// One draft in this many is a second version.
const VERSION_EVERY: u64 = 5;

/// Iterates over the drafts of the stock, with second versions in between. It only remembers its position and generates an earlier
/// advert again.
pub struct Import<'a> {
    world: &'a World,
    random: Random,
    next_property: u64,
    /// The remaining drafts of the property before `next_property`, in reverse order.
    waiting: Vec<AdvertDraft>,
    sent: u64,
}

impl<'a> Import<'a> {
    pub(crate) fn of(world: &'a World) -> Self {
        let random = Random::stream(world.seed(), Purpose::Import, [0, 0]);
        Self { world, random, next_property: 0, waiting: Vec::new(), sent: 0 }
    }

    /// Generates a second version of an advert of a property that was sent in full.
    fn version(&mut self) -> AdvertDraft {
        let complete = self.next_property - u64::from(!self.waiting.is_empty());
        let home = self.world.home(self.random.below(complete));
        let advert = self.random.below(u64::from(home.adverts())) as u8;
        let first = Listing::of(self.world, &home, advert, Changes::default()).stock_draft();
        second_version(&first, self.sent)
    }
}

impl Iterator for Import<'_> {
    type Item = AdvertDraft;

    fn next(&mut self) -> Option<AdvertDraft> {
        if self.waiting.is_empty() && self.next_property == self.world.settings().properties {
            return None;
        }
        self.sent += 1;
        // The fifth draft may still belong to the first property, which has up to five adverts.
        let complete = self.next_property - u64::from(!self.waiting.is_empty());
        if self.sent.is_multiple_of(VERSION_EVERY) && complete > 0 {
            return Some(self.version());
        }
        if self.waiting.is_empty() {
            self.waiting = self.world.property(self.next_property).drafts;
            self.waiting.reverse();
            self.next_property += 1;
        }
        self.waiting.pop()
    }
}

/// Returns the same advert some days later: 1 to 8 per cent cheaper, and in half of the cases with another description. The salt
/// decides both.
pub fn second_version(draft: &AdvertDraft, salt: u64) -> AdvertDraft {
    let mut random = Random::stream(salt, Purpose::Version, [0, 0]);
    let factor = 1.0 - random.uniform(1.0, 8.0) / 100.0;
    let rewritten = random.chance(50.0);
    let days = random.between(1, 30);
    let mut second = draft.clone();
    let cheaper = |given: &mut FieldUpdate<Option<Amount>>| {
        if let FieldUpdate::Set(Some(amount)) = given {
            *given = FieldUpdate::Set(Amount::new((amount.get() * factor).floor()));
        }
    };
    cheaper(&mut second.patch.price);
    cheaper(&mut second.patch.price_excluding_fees);
    if let (true, FieldUpdate::Set(Some(text))) = (rewritten, &second.patch.description) {
        let text = format!("Nouveau prix pour ce bien ! {text}");
        second.patch.description = LongText::new(&text).map_or(FieldUpdate::Keep, FieldUpdate::Set);
    }
    let later =
        |at: Timestamp| at.checked_add(SignedDuration::from_hours(24 * i64::from(days))).unwrap_or(at);
    second.updated_at = second.updated_at.map(later);
    second.last_crawled_at = second.last_crawled_at.map(later);
    second.history.clear();
    second
}

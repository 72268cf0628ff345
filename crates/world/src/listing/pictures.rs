//! The addresses of an advert's pictures.

use domain::WebAddress;

use super::Listing;
use crate::random::{Purpose, Random};

/// The pictures on the portal's own host, and the publisher's originals where the portal tells.
pub(super) struct Pictures {
    pub shown: Vec<WebAddress>,
    pub originals: Vec<WebAddress>,
    pub virtual_tour: Option<WebAddress>,
}

impl Pictures {
    pub(super) fn of(listing: &Listing<'_>) -> Self {
        let home = listing.home;
        let habits = listing.portal.habits;
        // The photographer came once: how many there are is the same everywhere, the addresses are not.
        let mut shared = Random::stream(listing.world.seed(), Purpose::Pictures, [home.index, 0]);
        let taken = 3 + shared.below(10);
        let album = shared.bits();
        let has_tour = shared.chance(7.0);
        let mut own = Random::stream(
            listing.world.seed(),
            Purpose::Pictures,
            [home.index, u64::from(listing.advert) + 1],
        );
        let folder = own.bits();
        let left_out = if own.chance(25.0) { 1 } else { 0 };
        // Every update of the pictures brings one more, and starts again from three after twelve.
        let edition = u64::from(listing.changes.pictures);
        let count = 3 + (taken - 3 + 10 - left_out + edition) % 10;
        let shown = |number: u64| {
            // An update replaces the first pictures; the others keep their addresses.
            let version = if number < edition { edition } else { 0 };
            format!(
                "https://{}/annonces/{:02x}/{:02x}/{folder:016x}{version:02x}/{number:02}-1600x1200.jpg",
                habits.pictures,
                folder >> 56,
                folder >> 48 & 0xff,
            )
        };
        let original = |number: u64| {
            format!("https://phototheque-agences.example/biens/{album:016x}/vue-{number:02}.jpg")
        };
        let addresses = |address: &dyn Fn(u64) -> String| {
            (0..count).filter_map(|number| WebAddress::parse(&address(number)).ok()).collect()
        };
        let tour = format!("https://visites-a-360.example/v/{album:016x}");
        Self {
            shown: addresses(&shown),
            originals: if habits.originals { addresses(&original) } else { Vec::new() },
            virtual_tour: if has_tour { WebAddress::parse(&tour).ok() } else { None },
        }
    }
}

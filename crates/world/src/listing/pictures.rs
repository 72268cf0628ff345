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

/// How many photographs homes have, from three to twelve.
const COUNTS: [u32; 10] = [9, 12, 14, 15, 13, 11, 9, 7, 5, 5];

impl Pictures {
    pub(super) fn of(listing: &Listing<'_>) -> Self {
        let (seed, index) = (listing.world.seed(), listing.home.index);
        let profile = listing.portal.profile;
        // The photographer came once: how many there are is the same everywhere, the addresses are not.
        let mut shared = Random::stream(seed, Purpose::Pictures, [index, 0]);
        let taken = shared.weighted(&COUNTS) as u64;
        let album = shared.next_u64();
        let has_tour = shared.chance(7.0);
        let mut own = Random::stream(seed, Purpose::Pictures, [index, u64::from(listing.advert) + 1]);
        let (folder, checksum) = (own.next_u64(), own.next_u64());
        let left_out = if own.chance(25.0) { 1 } else { 0 };
        // Every update of the pictures brings one more, and starts again from three after twelve.
        let edition = u64::from(listing.changes.pictures);
        let count = 3 + (taken + 10 - left_out + edition) % 10;
        let shown = format!(
            "https://{}/annonces-{:02x}/{folder:016x}{checksum:016x}-{edition}-",
            profile.pictures,
            folder >> 56,
        );
        let originals = format!("https://phototheque-agences.example/biens/{album:016x}/{edition}-vue-");
        let tour = format!("https://visites-a-360.example/v/{album:016x}");
        Self {
            shown: numbered(shown, "-1600x1200.jpg", count),
            originals: if profile.originals { numbered(originals, ".jpg", count) } else { Vec::new() },
            virtual_tour: if has_tour { WebAddress::parse(&tour).ok() } else { None },
        }
    }
}

/// The addresses that begin and end alike with the numbers from one on, in two digits, between.
///
/// Most of the time a draft takes is spent here, in checking addresses; one buffer serves them all.
fn numbered(beginning: String, end: &str, count: u64) -> Vec<WebAddress> {
    let mut address = beginning;
    let length = address.len();
    let digit = |number: u64| char::from(b'0' + (number % 10) as u8);
    (1..=count)
        .filter_map(|number| {
            address.truncate(length);
            address.push(digit(number / 10));
            address.push(digit(number));
            address.push_str(end);
            WebAddress::parse(&address).ok()
        })
        .collect()
}

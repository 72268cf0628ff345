//! The URLs of the pictures of an advert.

use domain::WebAddress;

use super::Listing;
use crate::random::{Purpose, Random};

/// The pictures on the host of the portal, and the originals of the publisher if the portal lists them.
pub(super) struct Pictures {
    pub shown: Vec<WebAddress>,
    pub originals: Vec<WebAddress>,
    pub virtual_tour: Option<WebAddress>,
}

/// Weights of the number of pictures, from three to twelve.
const COUNTS: [u32; 10] = [9, 12, 14, 15, 13, 11, 9, 7, 5, 5];

impl Pictures {
    pub(super) fn of(listing: &Listing<'_>) -> Self {
        let (seed, index) = (listing.world.seed(), listing.home.index);
        let profile = listing.portal.profile;
        // All portals have the same photographs, so the count is shared. The URLs are not.
        let mut shared = Random::stream(seed, Purpose::Pictures, [index, 0]);
        let taken = shared.weighted(&COUNTS) as u64;
        let album = shared.next_u64();
        let has_tour = shared.chance(7.0);
        let mut own = Random::stream(seed, Purpose::Pictures, [index, u64::from(listing.advert) + 1]);
        let (folder, checksum) = (own.next_u64(), own.next_u64());
        let left_out = if own.chance(25.0) { 1 } else { 0 };
        // Every update adds a picture; after twelve it starts again at three.
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

/// Returns the URLs with the two-digit numbers from 01 between `prefix` and `suffix`.
///
/// Validating URLs takes most of the time of creating a draft, so one buffer serves all of them.
fn numbered(prefix: String, suffix: &str, count: u64) -> Vec<WebAddress> {
    let mut url = prefix;
    let length = url.len();
    let digit = |number: u64| char::from(b'0' + (number % 10) as u8);
    (1..=count)
        .filter_map(|number| {
            url.truncate(length);
            url.push(digit(number / 10));
            url.push(digit(number));
            url.push_str(suffix);
            WebAddress::parse(&url).ok()
        })
        .collect()
}

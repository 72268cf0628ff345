//! A labelled market: ordinary homes mixed with the cases that are hard to group.
//!
//! [`World::hard_market`] yields adverts with their true home and the kind of case. Nothing in a draft names the home: the
//! receiver has to find out. The cases imitate what feeds of French portals carry, where the same home has other surfaces, prices and
//! words on each portal, and where different homes share a text.
//!
//! A **case** is a small scene: one home on several portals ([`same_home`]), or several homes that resemble each other ([`series`],
//! [`neighbours`]). Each is computed from the seed and its number alone.

mod habits;
mod neighbours;
mod particulars;
mod same_home;
mod scene;
mod series;
mod templates;
mod texts;

use domain::{AdvertDraft, PropertyId};

use self::scene::Scene;
use crate::random::{Purpose, Random};
use crate::world::World;

/// An advert whose true home is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelledAdvert {
    /// The true home.
    pub home: PropertyId,
    /// The number of the case. Adverts of one case have one kind.
    pub case: u64,
    pub kind: CaseKind,
    /// Does not name a property.
    pub draft: AdvertDraft,
}

macro_rules! case_kinds {
    ($($(#[$doc:meta])* $kind:ident = ($name:literal, $share:literal, $generate:path),)+) => {
        /// What makes a case hard.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum CaseKind {
            $($(#[$doc])* $kind,)+
        }

        impl CaseKind {
            pub const ALL: &'static [Self] = &[$(Self::$kind,)+];

            /// How many of all cases have this kind. Cases with several homes are rarer, so that each kind has a few per cent of
            /// the homes.
            const SHARES: &'static [u32] = &[$($share,)+];

            /// Returns the name in reports.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)+
                }
            }

            fn generate(self, scene: &mut Scene<'_>) {
                match self {
                    $(Self::$kind => $generate(scene),)+
                }
            }
        }
    };
}

case_kinds! {
    /// A home of the stock, on one to five portals.
    Ordinary = ("ordinary", 600, same_home::ordinary),
    /// 85, 85.31 and 86 m², or the Carrez surface against the habitable one.
    SurfaceConvention = ("surface conventions", 25, same_home::surface_convention),
    /// The price with and without agency fees.
    Fees = ("fees in or out", 25, same_home::fees),
    /// Only the town is known.
    MissingCoordinates = ("missing coordinates", 35, same_home::missing_coordinates),
    /// Rooms, floor or furnished are missing or wrong on one portal.
    FieldError = ("missing or wrong field", 25, same_home::field_error),
    /// One portal still shows the old price.
    LatePriceCut = ("late price cut", 20, same_home::late_price_cut),
    MissingSurface = ("missing surface", 20, same_home::missing_surface),
    PriceOnRequest = ("price on request", 18, same_home::price_on_request),
    /// A second agency copies most of the text.
    CopiedDescription = ("copied description", 50, same_home::copied_description),
    /// A second agency writes its own text.
    RewrittenDescription = ("rewritten description", 130, same_home::rewritten_description),
    /// The owner sells beside the agency.
    OwnerAndAgency = ("owner and agency", 25, same_home::owner_and_agency),
    /// Expired and published again under another reference.
    Repost = ("repost", 30, same_home::repost),
    /// The rent with and without charges.
    RentCharges = ("rent charges in or out", 25, same_home::rent_charges),
    /// Units of one programme with one text.
    NewBuildingTwins = ("new-building twins", 14, series::programme),
    /// Parking spaces with one text, one price and one surface.
    ParkingSeries = ("parking series", 14, series::parking_spaces),
    /// Plots of one subdivision with one text.
    SubdivisionPlots = ("subdivision plots", 12, series::plots),
    /// Flats of one building by one agency.
    SameBuilding = ("two flats of one building", 35, neighbours::same_building),
    /// Homes of one agency that ends all its texts with the same page.
    AgencyBoilerplate = ("agency boilerplate", 18, neighbours::boilerplate),
    /// Other homes of the same town with the same price, rooms and surface.
    LookAlikes = ("look-alikes", 35, neighbours::look_alikes),
}

impl World {
    /// Iterates over a labelled market of as many cases as the world has properties. Cases are generated on demand.
    ///
    /// The adverts of a case follow each other. Shuffle them before use: a real feed comes in another order.
    pub fn hard_market(&self) -> impl Iterator<Item = LabelledAdvert> {
        (0..self.settings().properties).flat_map(|case| self.hard_case(case))
    }

    fn hard_case(&self, case: u64) -> Vec<LabelledAdvert> {
        let mut random = Random::stream(self.seed(), Purpose::HardCase, [case, 0]);
        let kind = CaseKind::ALL[random.weighted(CaseKind::SHARES)];
        let mut scene = Scene::new(self, case, kind, random);
        kind.generate(&mut scene);
        scene.into_adverts()
    }
}

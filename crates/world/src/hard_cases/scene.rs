//! The scene of a case: its homes, the drafts of their adverts, and the numbers reserved for them.

use std::sync::Arc;

use domain::{
    AdvertDraft, AdvertPatch, Amount, FieldUpdate, Identity, Lifecycle, LongText, PropertyType, ShortText,
    Timestamp, TransactionType, WebAddress,
};

use super::particulars::Particulars;
use super::texts::{Text, Writer};
use super::{CaseKind, LabelledAdvert, habits};
use crate::home::{Fees, Home, HomeKind};
use crate::listing::{Changes, Listing};
use crate::market::{PublisherDetails, Seller};
use crate::random::{Random, mix};
use crate::text::{Spelling, Subject};
use crate::towns::{Place, TownSize};
use crate::world::World;

/// The first number of a home of a case. Far above the numbers of the stock and the timeline, so that references stay unique.
const FIRST_NUMBER: u64 = 1 << 32;

/// The numbers reserved for a case: half for homes, half for further references of the same homes.
const NUMBERS_PER_CASE: u64 = 64;

/// A case under construction.
pub(super) struct Scene<'a> {
    pub world: &'a World,
    pub case: u64,
    pub random: Random,
    pub kind: CaseKind,
    homes: u64,
    references: u64,
    adverts: Vec<LabelledAdvert>,
}

/// Whose advert it is, and under which number it is filed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mandate {
    pub seller: Seller,
    /// The source of the references, of the portal and of the agency.
    pub number: u64,
}

/// Whether a portal shows the reference of the agency.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AgencyReference {
    AsUsual,
    /// Always: it is the only value that tells two homes of a series apart.
    Shown,
}

impl<'a> Scene<'a> {
    pub(super) fn new(world: &'a World, case: u64, kind: CaseKind, random: Random) -> Self {
        Self { world, case, random, kind, homes: 0, references: 0, adverts: Vec::new() }
    }

    pub(super) fn into_adverts(self) -> Vec<LabelledAdvert> {
        self.adverts
    }

    /// Draws a town of at least this size. After some draws it takes any town, because a world may have none of the size.
    pub(super) fn town(&mut self, least: TownSize) -> usize {
        let towns = self.world.places();
        for _ in 0..20 {
            let town = towns.draw(&mut self.random);
            if towns.place(town).size >= least {
                return town;
            }
        }
        towns.draw(&mut self.random)
    }

    /// Generates the next home of the case.
    pub(super) fn home(&mut self, kind: HomeKind) -> Home {
        let number = self.first_number() + self.homes % (NUMBERS_PER_CASE / 2);
        self.homes += 1;
        self.world.home_of_kind(number, kind)
    }

    /// Generates a flat or a house that an agency offers.
    pub(super) fn dwelling(&mut self, transaction_type: TransactionType) -> Home {
        let town = self.town(TownSize::Village);
        let size = self.world.places().place(town).size;
        let flats = match size {
            TownSize::Village => 15.0,
            TownSize::SmallTown => 40.0,
            TownSize::Town => 65.0,
            TownSize::City => 85.0,
        };
        let flat = self.random.chance(flats);
        let property_type = if flat { PropertyType::Apartment } else { PropertyType::House };
        let seller = Some(Seller::agency(&mut self.random, size));
        self.home(HomeKind { town, property_type, transaction_type, seller })
    }

    pub(super) fn place(&self, home: &Home) -> &'a Place {
        self.world.places().place(home.town)
    }

    /// Draws different portals that publish adverts of such sellers.
    pub(super) fn portals(&mut self, count: usize, seller: Seller) -> Vec<usize> {
        let column = match seller {
            Seller::Agency(_) => 0,
            Seller::Individual => 1,
        };
        let portals = self.world.portals();
        let mut shares: Vec<u32> = portals.iter().map(|portal| portal.profile.share[column]).collect();
        let mut chosen = Vec::with_capacity(count);
        while chosen.len() < count && shares.iter().any(|share| *share > 0) {
            let portal = self.random.weighted(&shares);
            shares[portal] = 0;
            chosen.push(portal);
        }
        chosen
    }

    /// Returns the mandate of the seller that the home was generated with.
    pub(super) fn mandate(&self, home: &Home) -> Mandate {
        Mandate { seller: home.seller, number: home.index }
    }

    /// Returns another mandate for the same home, by another agency of the town.
    pub(super) fn second_mandate(&mut self, home: &Home) -> Mandate {
        let size = self.place(home).size;
        let mut seller = home.seller;
        for _ in 0..20 {
            seller = Seller::agency(&mut self.random, size);
            if seller != home.seller {
                break;
            }
        }
        Mandate { seller, number: self.fresh_number() }
    }

    /// Returns a number for another reference of a home of the case.
    pub(super) fn fresh_number(&mut self) -> u64 {
        let number = NUMBERS_PER_CASE / 2 + self.references % (NUMBERS_PER_CASE / 2);
        self.references += 1;
        self.first_number() + number
    }

    fn first_number(&self) -> u64 {
        FIRST_NUMBER + self.case * NUMBERS_PER_CASE
    }

    /// Creates the draft of an advert as the portal shows it: some values rounded, some left out. The price is the true one.
    /// `advert` is the number of the advert among those of its home.
    pub(super) fn draft(&mut self, home: &Home, advert: u8, portal: usize, mandate: Mandate) -> AdvertDraft {
        let mut home = home.clone();
        home.set_portal(advert, portal);
        let mut draft = Listing::of(self.world, &home, advert, Changes::default()).stock_draft();
        draft.property = None;
        draft.history.clear();
        draft.updated_at = draft.created_at;
        let shows_without = self.random.chance(70.0);
        quote(&mut draft.patch, home.money.price, home.money.fees.filter(|_| shows_without));
        self.sign(&home, mandate, &mut draft);
        self.renumber(&home, portal, mandate.number, &mut draft);
        draft
    }

    /// Puts the publisher of a mandate on a draft.
    pub(super) fn sign(&self, home: &Home, mandate: Mandate, draft: &mut AdvertDraft) {
        let Mandate { seller, number } = mandate;
        let place = self.place(home);
        let PublisherDetails { mut contact, publisher } =
            PublisherDetails::of(self.world.seed(), seller, place, home.town, number);
        // Those of the stock have five digits and would soon repeat. An agency gives each of its mandates its own.
        if let Seller::Agency(agency) = seller {
            contact.reference = short_text(&format!("{agency}-{:07}", number - FIRST_NUMBER));
        }
        draft.patch.contact = FieldUpdate::Set(contact);
        draft.patch.publisher = FieldUpdate::Set(publisher);
    }

    /// Files a draft under another number.
    fn renumber(&self, home: &Home, portal: usize, number: u64, draft: &mut AdvertDraft) {
        let portal = self.world.portal(portal);
        let (before, after) = (portal.profile.reference(home.index), portal.profile.reference(number));
        if before == after {
            return;
        }
        let url =
            draft.patch.url.value().and_then(Option::as_ref).map(|url| url.as_str().replace(&before, &after));
        draft.patch.url = known(url.and_then(|url| WebAddress::parse(&url).ok()));
        let text = draft.patch.description.value().and_then(Option::as_ref);
        draft.patch.description =
            known(text.and_then(|text| long_text(&text.as_str().replace(&before, &after))));
        draft.patch.reference = known(short_text(&after));
        draft.identity = Identity::SiteReference(portal.site.clone(), after.into());
    }

    /// Returns the writer of texts about a home. It knows the exact surface, and may round it.
    pub(super) fn writer<'b>(&mut self, home: &'b Home, particulars: &'b Particulars) -> Writer<'b>
    where
        'a: 'b,
    {
        let exact = home.build.surface;
        let subject = Subject {
            home,
            place: self.place(home),
            surface: if self.random.chance(40.0) { exact.round() } else { exact },
            spelling: Spelling::draw(&mut self.random),
        };
        Writer { subject, particulars }
    }

    pub(super) fn particulars(&mut self, home: &Home) -> Particulars {
        Particulars::draw(&mut self.random, home)
    }

    /// Adds a finished advert to the case.
    pub(super) fn publish(&mut self, home: &Home, mut draft: AdvertDraft, reference: AgencyReference) {
        habits::apply(&mut self.random, reference, &mut draft);
        self.adverts.push(LabelledAdvert { home: home.id, case: self.case, kind: self.kind, draft });
    }

    /// Adds a home of the stock to the case. In the stock, each advert has its own past; here, the price cuts are
    /// those of the home.
    pub(super) fn publish_ordinary(&mut self) {
        let property = self.world.property(self.case);
        let Some(first) = property.drafts.first() else { return };
        let (steps, price, publisher) =
            (first.history.clone(), first.patch.price.clone(), first.patch.publisher.clone());
        for mut draft in property.drafts {
            draft.property = None;
            draft.history = if draft.patch.price == price { steps.clone() } else { Vec::new() };
            draft
                .history
                .retain(|step| Some(step.at) >= draft.created_at && Some(step.at) <= draft.last_crawled_at);
            if !matches!(draft.lifecycle, Lifecycle::Expired { .. }) {
                draft.updated_at = draft.history.last().map(|step| step.at).or(draft.created_at);
            }
            // In the stock, the second agency of a home has the negotiator and the number of the first.
            if let (true, FieldUpdate::Set(contact)) =
                (draft.patch.publisher != publisher, &mut draft.patch.contact)
            {
                (contact.name, contact.reference) = (None, None);
            }
            habits::apply(&mut self.random, AgencyReference::AsUsual, &mut draft);
            self.adverts.push(LabelledAdvert { home: property.id, case: self.case, kind: self.kind, draft });
        }
    }

    /// Returns the original pictures of an agency, which some portals list beside their copies.
    pub(super) fn album(&mut self, number: u64) -> FieldUpdate<Arc<[WebAddress]>> {
        let pictures = 4 + self.random.below(6);
        let album = mix(number ^ self.world.seed());
        let picture = |position: u64| {
            WebAddress::parse(&format!(
                "https://phototheque-agences.example/biens/{album:016x}/vue-{position:02}.jpg"
            ))
            .ok()
        };
        FieldUpdate::Set((1..=pictures).filter_map(picture).collect())
    }

    /// Returns the time some days before the start.
    pub(super) fn days_ago(&self, days: f64) -> Timestamp {
        self.world.moment(self.world.start_second() - (days * 86_400.0) as i64)
    }
}

/// Sets the price, and the price without fees if there are fees to show.
pub(super) fn quote(patch: &mut AdvertPatch, price: f64, fees: Option<Fees>) {
    patch.price = amount(Some(price));
    patch.price_excluding_fees = amount(fees.map(|fees| fees.without(price)));
}

/// Leaves out what the market draws for each home, and what homes at one address share.
pub(super) fn forget_home(patch: &mut AdvertPatch) {
    (patch.district, patch.virtual_tour, patch.pictures_remote) =
        (FieldUpdate::Keep, FieldUpdate::Keep, FieldUpdate::Keep);
}

/// Replaces the description of a draft, and its title if the text has one.
pub(super) fn retext(patch: &mut AdvertPatch, text: &Text) {
    if let Some(title) = &text.title {
        patch.title = known(short_text(title));
    }
    patch.description = known(long_text(&text.description));
}

pub(super) fn known<T>(value: Option<T>) -> FieldUpdate<Option<T>> {
    if value.is_some() { FieldUpdate::Set(value) } else { FieldUpdate::Keep }
}

pub(super) fn amount(value: Option<f64>) -> FieldUpdate<Option<Amount>> {
    known(value.and_then(Amount::new))
}

pub(super) fn short_text(text: &str) -> Option<ShortText> {
    ShortText::new(text).ok().flatten()
}

pub(super) fn long_text(text: &str) -> Option<LongText> {
    LongText::new(text).ok().flatten()
}

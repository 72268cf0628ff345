//! The draft of a listing, the input of ingest.

use std::sync::Arc;

use domain::{
    AdvertDraft, AdvertEvent, AdvertField, AdvertPatch, Amount, FieldUpdate, GeoAccuracy, GeoPoint,
    GivenPlace, Identity, Lifecycle, LongText, PropertyType, Rating, ShortText, Timestamp, TransactionType,
    WebAddress,
};

use super::extras::Extras;
use super::pictures::Pictures;
use super::{Changes, Listing};
use crate::market::PublisherDetails;
use crate::random::{Purpose, Random};
use crate::text::Subject;
use crate::world::Grouping;

/// Sentences that an edit puts before a description.
const EDITS: [&str; 6] = [
    "Nouveau prix.",
    "Visites de nouveau possibles.",
    "De retour sur le marché.",
    "Annonce mise à jour.",
    "Toujours disponible.",
    "Baisse de prix, à saisir.",
];

/// The times and the lifecycle of an advert in a draft.
struct Observation {
    created_at: Option<Timestamp>,
    updated_at: Option<Timestamp>,
    last_crawled_at: Option<Timestamp>,
    lifecycle: Lifecycle,
    history: Vec<AdvertEvent>,
}

impl Listing<'_> {
    /// Creates the draft for the stock, including past price changes.
    pub(crate) fn stock_draft(self) -> AdvertDraft {
        let moment = |second| Some(self.world.moment(second));
        let history = self.past();
        let updated_second = history.last().map_or(self.created_second, |event| event.at.as_second());
        let observation = Observation {
            created_at: moment(self.created_second),
            updated_at: moment(self.expired_second.unwrap_or(updated_second)),
            last_crawled_at: moment(self.crawled_second),
            lifecycle: match self.expired_second {
                Some(second) => Lifecycle::Expired { at: moment(second) },
                None => Lifecycle::Seen,
            },
            history,
        };
        self.draft(observation)
    }

    /// Creates the draft for an advert crawled at `at`.
    pub(crate) fn seen_draft(self, at: Timestamp, changed: bool, lifecycle: Lifecycle) -> AdvertDraft {
        let observation = Observation {
            created_at: Some(self.world.moment(self.created_second)),
            updated_at: changed.then_some(at),
            // A crawler that reports an expiry did not see the advert.
            last_crawled_at: (!matches!(lifecycle, Lifecycle::Expired { .. })).then_some(at),
            lifecycle,
            history: Vec::new(),
        };
        self.draft(observation)
    }

    /// Returns the price changes before the start, for adverts that are old enough.
    fn past(&self) -> Vec<AdvertEvent> {
        let end = self.expired_second.unwrap_or(self.crawled_second);
        let lifetime = end - self.created_second;
        let path = [self.home.index, u64::from(self.advert)];
        let mut random = Random::stream(self.world.seed(), Purpose::Past, path);
        let mut count = random.weighted(&[68, 22, 7, 3]) as i64;
        if lifetime < 20 * 86_400 || self.changes != Changes::default() {
            count = 0;
        }
        let mut price = self.price;
        let mut events: Vec<AdvertEvent> = (0..count)
            .rev()
            .filter_map(|position| {
                // One change in each section of the lifetime, the latest first.
                let part = lifetime / (count + 1);
                let second = self.created_second + part * (position + 1) + random.below(part as u64) as i64;
                let drop = random.uniform(1.0, 8.0) / 100.0;
                let before = (price / (1.0 - drop) / 10.0).round() * 10.0;
                let event = AdvertEvent::amount(
                    self.world.moment(second),
                    AdvertField::Price,
                    Some(Amount::new(before)?),
                    Some(Amount::new(price)?),
                );
                price = before;
                Some(event)
            })
            .collect();
        events.reverse();
        events
    }

    fn draft(mut self, observation: Observation) -> AdvertDraft {
        let home = self.home;
        let profile = self.portal.profile;
        let reference = profile.reference(home.index);
        let (title, description) = self.texts(&reference);
        let Pictures { shown, originals, virtual_tour } = Pictures::of(&self);
        let extras = Extras::of(&self);
        let PublisherDetails { contact, publisher } =
            PublisherDetails::of(self.world.seed(), self.seller, self.place, home.town, home.index);
        let url = WebAddress::parse(&self.address(&reference)).ok();
        let place = self.given_place();
        let without_fees = self.price_excluding_fees();
        let (build, money, audit) = (&home.build, &home.money, home.audit);
        let features = self.features();
        let responsibility = money.fees.map(|fees| fees.responsibility);

        // Required values are always present, the others as often as the portal is complete.
        let mut kept = |percent: f64| self.random.chance(percent);
        let usual = profile.completeness;
        let rare = profile.completeness - 25.0;
        let energy = audit.filter(|_| kept(usual));
        let patch = AdvertPatch {
            site: known(Some(self.portal.site.clone())),
            reference: known(ShortText::new(&reference).ok().flatten()),
            url: known(url),
            title: known(ShortText::new(&title).ok().flatten()),
            description: known(LongText::new(&description).ok().flatten()),
            contact: FieldUpdate::Set(contact),
            publisher: FieldUpdate::Set(publisher),
            price: amount(Some(self.price)),
            price_excluding_fees: amount(without_fees),
            fees_percentage: amount(money.fees.map(|fees| fees.percentage).filter(|_| kept(usual))),
            fees_responsibility: known(responsibility.filter(|_| kept(usual))),
            condominium_fees: amount(money.condominium_fees.filter(|_| kept(usual))),
            inventory_price: amount(money.inventory_price.filter(|_| kept(rare))),
            property_tax: amount(money.property_tax.filter(|_| kept(rare - 15.0))),
            rental_charges: amount(money.rental_charges.filter(|_| kept(usual))),
            rental_pledge: amount(money.rental_pledge.filter(|_| kept(usual))),
            renter_fees: amount(money.renter_fees.filter(|_| kept(usual))),
            lot_count: amount(money.lots.filter(|_| kept(rare))),
            surface: amount(Some(self.surface)),
            land_surface: amount(build.land.filter(|_| kept(usual))),
            room: known(build.rooms),
            bedroom: known(build.bedrooms.filter(|_| kept(usual))),
            floor: known(build.floor.filter(|_| kept(usual))),
            floor_quantity: known(build.floors.filter(|_| kept(rare))),
            construction_year: known(build.year.filter(|_| kept(rare))),
            elevator: known(build.elevator.filter(|_| kept(usual))),
            furnished: known(build.furnished.filter(|_| kept(usual))),
            energy: rating(energy.map(|audit| audit.energy)),
            green_house_gas: rating(energy.map(|audit| audit.green_house_gas)),
            features: list(features),
            pictures: list(shown),
            pictures_remote: list(originals),
            virtual_tour: known(virtual_tour),
            place: FieldUpdate::Set(place),
            district: known(extras.district),
            exclusive_mandate: known(extras.exclusive_mandate),
            parking_count: known(extras.parking_count),
            heating: known(extras.heating),
            life_annuity: extras.life_annuity.map_or(FieldUpdate::Keep, FieldUpdate::Set),
            occupied: known(extras.occupied),
            rent_period: known(extras.rent_period),
            new_building: extras.new_building.map_or(FieldUpdate::Keep, FieldUpdate::Set),
        };
        let Observation { created_at, updated_at, last_crawled_at, lifecycle, history } = observation;
        AdvertDraft {
            identity: Identity::SiteReference(self.portal.site.clone(), reference.into()),
            property: (self.world.settings().grouping == Grouping::Named).then_some(home.id),
            transaction_type: home.transaction_type,
            property_type: home.property_type,
            patch,
            created_at,
            updated_at,
            last_crawled_at,
            lifecycle,
            history,
            price_check: None,
        }
    }

    /// Writes the title and the description.
    fn texts(&self, reference: &str) -> (String, String) {
        let subject =
            Subject { home: self.home, place: self.place, surface: self.surface, spelling: self.spelling };
        let seed = self.world.seed();
        let (index, advert) = (self.home.index, u64::from(self.advert));
        let mut own = Random::stream(seed, Purpose::OwnText, [index, advert]);
        let title = subject.title(&mut own);
        let written = if self.own_text {
            subject.description(&mut own)
        } else {
            subject.description(&mut Random::stream(seed, Purpose::SharedText, [index, 0]))
        };
        let mut description = String::with_capacity(written.len() + 160);
        let text_version = usize::from(self.changes.text_version);
        if let Some(edits) = text_version.checked_sub(1) {
            description.push_str(EDITS[edits % EDITS.len()]);
            description.push(' ');
        }
        description.push_str(&written);
        if own.chance(75.0) {
            description.push(' ');
            description.push_str(subject.closing(&mut own));
        }
        if own.chance(20.0) {
            description.push_str(" Réf. ");
            description.push_str(reference);
        }
        (title, description)
    }

    /// Returns the URL of the advert.
    fn address(&self, reference: &str) -> String {
        let transaction = match self.home.transaction_type {
            TransactionType::Sell => "vente",
            TransactionType::Rent => "location",
        };
        let kind = match self.home.property_type {
            PropertyType::Apartment => "appartement",
            PropertyType::House => "maison",
            PropertyType::Building => "immeuble",
            PropertyType::Parking => "parking",
            PropertyType::Office => "bureau",
            PropertyType::Land => "terrain",
            PropertyType::Shop => "commerce",
        };
        let domain = self.portal.profile.domain;
        format!("https://www.{domain}/annonces/{transaction}/{kind}/{}/{reference}", self.place.slug)
    }

    /// Returns the location as the portal shows it: exact, approximate, or the town only.
    fn given_place(&mut self) -> GivenPlace {
        let random = &mut self.random;
        let (names_insee, kind) = (random.chance(50.0), random.weighted(&[30, 55, 15]));
        // Portals blur a location by two or three hundred metres.
        let (north, east) = (random.uniform(-0.0025, 0.0025), random.uniform(-0.0035, 0.0035));
        let (lat, lon) = (self.home.lat, self.home.lon);
        let rounded = |degrees: f64, step: f64| (degrees * step).round() / step;
        let (point, accuracy) = match kind {
            0 => (GeoPoint::new(rounded(lat, 1e5), rounded(lon, 1e5)), Some(GeoAccuracy::HouseNumber)),
            1 => (
                GeoPoint::new(rounded(lat + north, 1e3), rounded(lon + east, 1e3)),
                Some(GeoAccuracy::Neighbourhood),
            ),
            _ => (None, None),
        };
        let town = &self.place.town;
        GivenPlace {
            insee: names_insee.then(|| town.insee.clone()),
            zipcode: Some(town.zipcode.clone()),
            city_name: self.place.city_name.clone(),
            accuracy: point.and(accuracy),
            point,
            country: None,
        }
    }

    /// Returns most of the amenities of the home.
    fn features(&mut self) -> Vec<ShortText> {
        let completeness = self.portal.profile.completeness;
        let names = self.world.features();
        let present = self.home.amenities.positions();
        present
            .filter(|_| self.random.chance(completeness))
            .filter_map(|position| names[position].clone())
            .collect()
    }
}

fn known<T>(value: Option<T>) -> FieldUpdate<Option<T>> {
    if value.is_some() { FieldUpdate::Set(value) } else { FieldUpdate::Keep }
}

fn amount(value: Option<f64>) -> FieldUpdate<Option<Amount>> {
    known(value.and_then(Amount::new))
}

fn rating(value: Option<Rating>) -> FieldUpdate<Rating> {
    value.map_or(FieldUpdate::Keep, FieldUpdate::Set)
}

fn list<T>(values: Vec<T>) -> FieldUpdate<Arc<[T]>> {
    if values.is_empty() { FieldUpdate::Keep } else { FieldUpdate::Set(values.into()) }
}

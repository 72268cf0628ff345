//! Cases of several homes that resemble each other without being a series: one building, one agency, or chance.

use domain::{PropertyType, TransactionType};

use super::scene::{AgencyReference, Scene, forget_home, retext};
use super::texts::{self, Text};
use crate::home::{Home, HomeKind, presentable};
use crate::market::Seller;
use crate::random::{Purpose, Random};
use crate::text::{Spelling, Subject};
use crate::towns::TownSize;

/// Flats of one building. The agency uses one text and changes the numbers.
pub(super) fn same_building(scene: &mut Scene<'_>) {
    let town = scene.town(TownSize::SmallTown);
    let transaction_type = sale_or_rental(&mut scene.random);
    let kind = flats_in(scene, town, transaction_type);
    let first = scene.home(kind);
    let flats = 2 + usize::from(scene.random.chance(35.0));
    let floors = first.build.floors.unwrap_or(3).max(3);
    let particulars = scene.particulars(&first);
    for flat in 0..flats {
        let mut home = if flat == 0 { first.clone() } else { scene.home(kind) };
        // Flats of one building have similar plans.
        let factor = if flat == 0 { 1.0 } else { scene.random.uniform(0.9, 1.1) };
        home.build.surface = (first.build.surface * factor * 100.0).round() / 100.0;
        (home.build.rooms, home.build.bedrooms) = (first.build.rooms, first.build.bedrooms);
        (home.build.year, home.build.condition) = (first.build.year, first.build.condition);
        (home.build.elevator, home.build.furnished) = (first.build.elevator, first.build.furnished);
        home.build.floors = Some(floors);
        home.build.floor =
            Some((first.build.floor.unwrap_or(0) + i32::try_from(flat).unwrap_or_default()) % (floors + 1));
        (home.money.lots, home.money.fees) = (first.money.lots, first.money.fees);
        let price = first.money.price * factor * scene.random.uniform(0.97, 1.03);
        home.money.price = if flat == 0 { first.money.price } else { presentable(price, transaction_type) };
        home.amenities = first.amenities;
        (home.lat, home.lon) = (first.lat, first.lon);

        let description =
            format!("{} {}", building_text(scene, &home, first.index), particulars.of_building());
        let text = Text { title: None, description };
        let mandate = scene.mandate(&home);
        let adverts = 1 + usize::from(scene.random.chance(50.0));
        for (advert, portal) in (0..).zip(scene.portals(adverts, home.seller)) {
            let mut draft = scene.draft(&home, advert, portal, mandate);
            retext(&mut draft.patch, &text);
            forget_home(&mut draft.patch);
            scene.publish(&home, draft, AgencyReference::AsUsual);
        }
    }
}

/// Different homes of one agency: a few sentences each, then its page.
pub(super) fn boilerplate(scene: &mut Scene<'_>) {
    let town = scene.town(TownSize::SmallTown);
    let kind = flats_in(scene, town, TransactionType::Sell);
    let rooms = scene.random.between(2, 3);
    for _ in 0..scene.random.between(3, 5) {
        let mut home = scene.home(kind);
        home.build.rooms = Some(rooms);
        home.build.bedrooms = Some(rooms - 1);
        let surface = f64::from(rooms) * scene.random.uniform(18.0, 24.0);
        let per_meter = home.money.price / home.build.surface.max(1.0);
        home.build.surface = (surface * 10.0).round() / 10.0;
        home.money.price = presentable(per_meter * home.build.surface, TransactionType::Sell);
        let particulars = scene.particulars(&home);
        let mut text = scene.writer(&home, &particulars).short(&mut scene.random);
        if let Seller::Agency(agency) = home.seller {
            text.description.push(' ');
            text.description.push_str(&texts::boilerplate(scene.world.seed(), town, agency));
        }
        publish(scene, &home, &text);
    }
}

/// Homes that have nothing in common but the town, the price, the rooms and the rounded surface.
pub(super) fn look_alikes(scene: &mut Scene<'_>) {
    let transaction_type = sale_or_rental(&mut scene.random);
    let first = scene.dwelling(transaction_type);
    let homes = 2 + usize::from(scene.random.chance(40.0));
    let size = scene.place(&first).size;
    for position in 0..homes {
        let seller = Some(Seller::agency(&mut scene.random, size));
        let kind =
            HomeKind { town: first.town, property_type: first.property_type, transaction_type, seller };
        let mut home = if position == 0 { first.clone() } else { scene.home(kind) };
        if position > 0 {
            (home.build.rooms, home.build.bedrooms) = (first.build.rooms, first.build.bedrooms);
            let decimals = f64::from(scene.random.between(-40, 40)) / 100.0;
            home.build.surface = first.build.surface.round() + decimals;
            home.money.price = first.money.price;
        }
        let particulars = scene.particulars(&home);
        let text = match scene.random.chance(50.0) {
            true => scene.writer(&home, &particulars).first(&mut scene.random),
            false => scene.writer(&home, &particulars).rewritten(&mut scene.random),
        };
        publish(scene, &home, &text);
    }
}

/// Publishes a home on one or two portals, with one text.
fn publish(scene: &mut Scene<'_>, home: &Home, text: &Text) {
    let mandate = scene.mandate(home);
    let adverts = 1 + usize::from(scene.random.chance(45.0));
    for (advert, portal) in (0..).zip(scene.portals(adverts, home.seller)) {
        let mut draft = scene.draft(home, advert, portal, mandate);
        retext(&mut draft.patch, text);
        scene.publish(home, draft, AgencyReference::AsUsual);
    }
}

/// Writes the text of a building about one of its flats: the same draws give the same sentences.
fn building_text(scene: &Scene<'_>, home: &Home, building: u64) -> String {
    let mut random = Random::stream(scene.world.seed(), Purpose::SharedText, [building, 0]);
    let subject = Subject {
        home,
        place: scene.place(home),
        surface: home.build.surface,
        spelling: Spelling::draw(&mut random),
    };
    subject.description(&mut random)
}

fn flats_in(scene: &mut Scene<'_>, town: usize, transaction_type: TransactionType) -> HomeKind {
    let size = scene.world.places().place(town).size;
    let seller = Some(Seller::agency(&mut scene.random, size));
    HomeKind { town, property_type: PropertyType::Apartment, transaction_type, seller }
}

fn sale_or_rental(random: &mut Random) -> TransactionType {
    if random.chance(70.0) { TransactionType::Sell } else { TransactionType::Rent }
}

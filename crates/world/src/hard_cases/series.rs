//! Cases of several homes that one agency sells with one text: a programme, parking spaces, plots.

use std::sync::Arc;

use domain::{Amount, FieldUpdate, NewBuilding, PropertyType, TransactionType, WebAddress};

use super::scene::{AgencyReference, Scene, forget_home, known, quote, retext, short_text};
use super::templates;
use super::texts::Text;
use crate::home::{Condition, Home, HomeKind, presentable};
use crate::market::Seller;
use crate::towns::TownSize;

/// Flats of a new building. Flats above each other have the same plan, and cost a little more on each floor.
pub(super) fn programme(scene: &mut Scene<'_>) {
    let town = scene.town(TownSize::SmallTown);
    let kind = kind_in(scene, town, PropertyType::Apartment, TransactionType::Sell);
    let first = scene.home(kind);
    let place = scene.place(&first);
    let album = shared_album(scene, &first);
    let name = *scene.random.pick(&templates::RESIDENCES);
    let text = scene.random.pick::<&str>(&templates::PROGRAMMES).replace("[name]", name);
    let names_lots = scene.random.chance(30.0);
    let shows_surface = scene.random.chance(70.0);
    let per_meter = place.level.apartment * scene.random.uniform(1.1, 1.35);
    let plans: Vec<(i32, f64)> = (2..=scene.random.between(3, 4))
        .map(|rooms| (rooms, hundredths(f64::from(rooms) * scene.random.uniform(19.0, 23.0))))
        .collect();
    let units = usize::try_from(scene.random.between(4, 9)).unwrap_or(4);
    let floors = i32::try_from(units.div_ceil(plans.len())).unwrap_or(5) + 1;
    let ranges = scene.random.chance(40.0).then(|| ranges_of(&plans, per_meter));

    let mut prices: Vec<f64> = Vec::with_capacity(units);
    for unit in 0..units {
        let (rooms, surface) = plans[unit % plans.len()];
        let floor = i32::try_from(unit / plans.len()).unwrap_or_default();
        let mut home = if unit == 0 { first.clone() } else { scene.home(kind) };
        // Half of the flats have exactly the plan of the one below.
        let extra = if scene.random.chance(50.0) { scene.random.uniform(0.3, 2.5) } else { 0.0 };
        home.build.surface = hundredths(surface + extra);
        (home.build.rooms, home.build.bedrooms) = (Some(rooms), Some(rooms - 1));
        (home.build.floor, home.build.floors) = (Some(floor), Some(floors));
        (home.build.year, home.build.condition) = (first.build.year.max(Some(2024)), Condition::New);
        home.build.elevator = Some(true);
        // It has not been built, so its consumption has not been measured.
        home.audit = None;
        let value = home.build.surface * per_meter * (1.0 + 0.012 * f64::from(floor));
        home.money.price = presentable(value, TransactionType::Sell);
        // A price list has a price for each lot.
        while prices.contains(&home.money.price) {
            home.money.price += 1_000.0;
        }
        prices.push(home.money.price);
        (home.money.condominium_fees, home.money.property_tax) = (None, None);
        share_address(&mut home, &first);

        let lot = format!("{}{}{:02}", ['A', 'B', 'C'][unit % plans.len()], floor, unit + 1);
        let title = match (names_lots, shows_surface) {
            (true, _) => format!("{name} – lot {lot} – T{rooms}"),
            (false, true) => format!("Appartement neuf T{rooms} de {{surface}} m² – {name}"),
            (false, false) => format!("{name} : T{rooms} neuf {{at}}"),
        };
        let description = if names_lots { format!("Lot {lot}. {text}") } else { text.clone() };
        let adverts = 1 + usize::from(scene.random.chance(55.0));
        publish(
            scene,
            &home,
            adverts,
            &Template { title, description, ranges, album: album.clone() },
            AgencyReference::AsUsual,
        );
    }
}

/// Spaces of one garage: nothing but a number, if any, tells them apart.
pub(super) fn parking_spaces(scene: &mut Scene<'_>) {
    let town = scene.town(TownSize::Town);
    let transaction_type =
        if scene.random.chance(50.0) { TransactionType::Sell } else { TransactionType::Rent };
    let kind = kind_in(scene, town, PropertyType::Parking, transaction_type);
    let first = scene.home(kind);
    let album = shared_album(scene, &first);
    let name = *scene.random.pick(&templates::RESIDENCES);
    let text = scene.random.pick::<&str>(&templates::PARKINGS).replace("[name]", name);
    let numbered = scene.random.chance(40.0);
    let spaces = scene.random.between(3, 8);
    let first_number = scene.random.between(1, 140);

    for space in 0..spaces {
        let mut home = if space == 0 { first.clone() } else { scene.home(kind) };
        (home.build, home.money) = (first.build.clone(), first.money.clone());
        share_address(&mut home, &first);
        let number = first_number + space;
        let sentence = if numbered { format!(" Place n° {number}.") } else { String::new() };
        let title = match numbered {
            true => format!("Parking n° {number} – {name}"),
            false => format!("Place de parking {{at}}, {name}"),
        };
        let description = text.replace("[number]", &sentence);
        let adverts = 1 + usize::from(scene.random.chance(40.0));
        let reference = if numbered { AgencyReference::AsUsual } else { AgencyReference::Shown };
        publish(
            scene,
            &home,
            adverts,
            &Template { title, description, ranges: None, album: album.clone() },
            reference,
        );
    }
}

/// Plots of one subdivision, several of the same size.
pub(super) fn plots(scene: &mut Scene<'_>) {
    let town = scene.town(TownSize::Village);
    let kind = kind_in(scene, town, PropertyType::Land, TransactionType::Sell);
    let first = scene.home(kind);
    let album = shared_album(scene, &first);
    let name = *scene.random.pick(&templates::RESIDENCES);
    let text = scene.random.pick::<&str>(&templates::SUBDIVISIONS).replace("[name]", name);
    let numbered = scene.random.chance(50.0);
    let per_meter = first.money.price / first.build.surface.max(1.0);
    let sizes =
        [0.0, 0.0, 1.0, 2.0].map(|step| (f64::from(scene.random.between(320, 480)) + step * 90.0).round());

    for plot in 0..scene.random.between(4, 9) {
        let mut home = if plot == 0 { first.clone() } else { scene.home(kind) };
        let surface = *scene.random.pick(&sizes);
        (home.build.surface, home.build.land) = (surface, Some(surface));
        home.money.price = presentable(per_meter * surface, TransactionType::Sell);
        share_address(&mut home, &first);
        let sentence = if numbered { format!(" Lot n° {}.", plot + 1) } else { String::new() };
        let title = match numbered {
            true => format!("Terrain lot {} – {name}", plot + 1),
            false => format!("Terrain viabilisé {{at}} – {name}"),
        };
        let description = text.replace("[number]", &sentence);
        let adverts = 1 + usize::from(scene.random.chance(45.0));
        let reference = if numbered { AgencyReference::AsUsual } else { AgencyReference::Shown };
        publish(
            scene,
            &home,
            adverts,
            &Template { title, description, ranges: None, album: album.clone() },
            reference,
        );
    }
}

/// The text of a series, with the placeholders of the market.
struct Template {
    title: String,
    description: String,
    ranges: Option<NewBuilding>,
    /// The pictures of all homes of the series.
    album: FieldUpdate<Arc<[WebAddress]>>,
}

/// Publishes one home of a series, all of it by one agency.
fn publish(
    scene: &mut Scene<'_>,
    home: &Home,
    adverts: usize,
    template: &Template,
    reference: AgencyReference,
) {
    let mandate = scene.mandate(home);
    let particulars = scene.particulars(home);
    for (advert, portal) in (0..).zip(scene.portals(adverts, home.seller)) {
        let mut draft = scene.draft(home, advert, portal, mandate);
        let writer = scene.writer(home, &particulars);
        let text = Text { title: None, description: writer.filled(&template.description) };
        let title = writer.filled(&template.title);
        retext(&mut draft.patch, &text);
        draft.patch.title = known(short_text(&title));
        draft.patch.new_building = template.ranges.map_or(FieldUpdate::Keep, FieldUpdate::Set);
        quote(&mut draft.patch, home.money.price, None);
        forget_home(&mut draft.patch);
        draft.patch.pictures_remote = template.album.clone();
        scene.publish(home, draft, reference);
    }
}

/// Returns the pictures of a series, if portals list the originals. They show the building, not the home.
fn shared_album(scene: &mut Scene<'_>, first: &Home) -> FieldUpdate<Arc<[WebAddress]>> {
    if scene.random.chance(40.0) { scene.album(first.index) } else { FieldUpdate::Keep }
}

fn kind_in(
    scene: &mut Scene<'_>,
    town: usize,
    property_type: PropertyType,
    transaction_type: TransactionType,
) -> HomeKind {
    let size = scene.world.places().place(town).size;
    let seller = Some(Seller::agency(&mut scene.random, size));
    HomeKind { town, property_type, transaction_type, seller }
}

/// Puts a home at the address of another, with the same seller, on the market since the same day.
fn share_address(home: &mut Home, first: &Home) {
    (home.lat, home.lon) = (first.lat, first.lon);
    (home.money.fees, home.money.lots) = (first.money.fees, first.money.lots);
    (home.amenities, home.created_second) = (first.amenities, first.created_second);
}

fn ranges_of(plans: &[(i32, f64)], per_meter: f64) -> NewBuilding {
    let (smallest, largest) = (plans.first(), plans.last());
    let price = |plan: Option<&(i32, f64)>| {
        plan.and_then(|(_, surface)| Amount::new(presentable(surface * per_meter, TransactionType::Sell)))
    };
    let surface = |plan: Option<&(i32, f64)>| plan.and_then(|(_, surface)| Amount::new(*surface));
    NewBuilding {
        price_min: price(smallest),
        price_max: price(largest),
        surface_min: surface(smallest),
        surface_max: surface(largest),
        room_min: smallest.map(|(rooms, _)| *rooms),
        room_max: largest.map(|(rooms, _)| *rooms),
    }
}

fn hundredths(surface: f64) -> f64 {
    (surface * 100.0).round() / 100.0
}

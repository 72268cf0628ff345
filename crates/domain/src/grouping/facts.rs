//! Evidence from the facts of a home: its size, floor, year, energy values and coordinates.

use super::evidence::{EvidenceCollector, EvidenceKind, both};
use super::programmes::may_be_two_units;
use super::reading::number_hash;
use super::signature::{Fact, Flag, List, Signature};
use crate::closeness::percent_apart;
use crate::kinds::PropertyType;

/// How two surfaces relate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SurfaceRelation {
    Unknown,
    Equal,
    /// One is the other, rounded or truncated.
    Rounded,
    /// The text of one advert names the surface of the other: with or without a veranda, on the floor or by law.
    Named,
    /// By so many per cent.
    Apart(f32),
}

impl SurfaceRelation {
    /// Returns `true` if the surfaces may be of different homes of a building.
    pub fn differs(self) -> bool {
        matches!(self, Self::Apart(percent) if percent >= 1.0)
    }
}

/// Returns `true` if two surfaces are equal, or one is the other, rounded or truncated.
pub fn are_one_surface(surface: f32, others: f32) -> bool {
    let is_whole = |surface: f32| surface.fract() == 0.0;
    surface == others || (surface - others).abs() < 1.0 && is_whole(surface) != is_whole(others)
}

pub fn surface_relation(one: &Signature, other: &Signature) -> SurfaceRelation {
    let (Some(surface), Some(others)) = (one.surface(), other.surface()) else {
        return SurfaceRelation::Unknown;
    };
    if surface == others {
        return SurfaceRelation::Equal;
    }
    if are_one_surface(surface, others) {
        return SurfaceRelation::Rounded;
    }
    // The surface of the other, or that of the part that makes the difference.
    let names = |signature: &Signature, others: f32, own: f32| {
        let numbers = signature.list(List::Numbers);
        let part = (others - own).abs();
        numbers.contains(&number_hash(1, others)) || part >= 4.0 && numbers.contains(&number_hash(1, part))
    };
    if names(one, others, surface) || names(other, surface, others) {
        return SurfaceRelation::Named;
    }
    percent_apart(surface, others).map_or(SurfaceRelation::Unknown, SurfaceRelation::Apart)
}

pub fn weigh_surface(
    one: &Signature,
    other: &Signature,
    relation: SurfaceRelation,
    collector: &mut impl EvidenceCollector,
) {
    let (Some(surface), Some(others)) = (one.surface(), other.surface()) else { return };
    let has_decimals = surface.fract() != 0.0 && others.fract() != 0.0;
    let is_land = one.property_type == PropertyType::Land;
    let (points, what) = match relation {
        SurfaceRelation::Unknown => return,
        // All spaces of a car park are alike.
        SurfaceRelation::Equal if one.property_type == PropertyType::Parking => (0.5, "equal surfaces"),
        SurfaceRelation::Equal if has_decimals => (4.0, "equal surfaces with decimals"),
        SurfaceRelation::Equal if is_land && surface % 10.0 != 0.0 => (4.0, "equal surfaces, not round"),
        SurfaceRelation::Equal if is_land && surface % 50.0 != 0.0 => (3.5, "equal surfaces, hardly round"),
        SurfaceRelation::Equal => (2.5, "equal surfaces"),
        SurfaceRelation::Rounded => (2.5, "equal surfaces, one of them rounded"),
        SurfaceRelation::Named => (1.0, "one text names the surface of the other"),
        SurfaceRelation::Apart(percent) => match percent {
            ..=2.0 if has_decimals && percent > 0.2 => (-1.5, "different surfaces with decimals"),
            ..=1.0 if is_land => (0.5, "surfaces within 1 %"),
            ..=2.0 if is_land => (-0.5, "surfaces within 2 %"),
            ..=2.0 => (1.25, "surfaces within 2 %"),
            ..=4.0 => (0.5, "surfaces within 4 %"),
            ..=8.0 => (-1.0, "surfaces within 8 %"),
            ..=20.0 => (-2.5, "surfaces apart by more than 8 %"),
            _ => (-4.0, "surfaces apart by more than 20 %"),
        },
    };
    collector.add(EvidenceKind::Surface, points, || format!("{what} ({})", both(surface, others)));
}

/// Weighs the facts other than the surface.
pub fn weigh_facts(one: &Signature, other: &Signature, collector: &mut impl EvidenceCollector) {
    weigh_land(one, other, collector);
    weigh_rooms(one, other, collector);
    weigh_floor(one, other, collector);
    weigh_year(one, other, collector);
    weigh_energy(one, other, collector);
    weigh_contradictions(one, other, collector);
    weigh_lots(one, other, collector);
    weigh_flags(one, other, collector);
    weigh_coordinates(one, other, collector);
}

fn pair(one: &Signature, other: &Signature, fact: Fact) -> Option<(f32, f32)> {
    one.number(fact).zip(other.number(fact))
}

fn weigh_land(one: &Signature, other: &Signature, collector: &mut impl EvidenceCollector) {
    let Some((land, others)) = pair(one, other, Fact::LandSurface) else { return };
    let Some(percent) = percent_apart(land, others) else { return };
    // A small yard has one of few sizes.
    let is_specific = land % 10.0 != 0.0 && land >= 100.0;
    let (points, what) = match percent {
        // All houses of a programme have the same few plots.
        0.0 if may_be_two_units(one, other) => (2.0, "equal land"),
        0.0 if is_specific => (4.5, "equal land, not round"),
        0.0 if land % 50.0 != 0.0 => (3.5, "equal land, hardly round"),
        0.0 => (2.0, "equal land"),
        ..=1.0 => (1.0, "land within 1 %"),
        ..=5.0 if is_rounded_land(land, others) => (1.0, "equal land, one of them rounded"),
        ..=5.0 => (0.0, "land within 5 %"),
        ..=15.0 => (-1.0, "land apart by more than 5 %"),
        _ => (-2.5, "land apart by more than 15 %"),
    };
    collector.add(EvidenceKind::LandSurface, points, || format!("{what} ({})", both(land, others)));
}

/// Whether one size of land is the other in whole hectares, or in whole thousands of square metres: "5 ha" and 5 ha 12 a.
fn is_rounded_land(land: f32, others: f32) -> bool {
    const HECTARE: f32 = 10_000.0;
    let is_rounded = |rounded: f32, exact: f32| {
        [HECTARE, 1_000.0].iter().any(|step| {
            rounded % step == 0.0 && exact % step != 0.0 && ((exact / step).round() * step == rounded)
        })
    };
    is_rounded(land, others) || is_rounded(others, land)
}

/// Rooms and bedrooms are counted differently on two sites (an office, a walk-through room), and together.
fn weigh_rooms(one: &Signature, other: &Signature, collector: &mut impl EvidenceCollector) {
    let rooms = pair(one, other, Fact::Room);
    if let Some((room, others)) = rooms {
        let points = match (room - others).abs() {
            0.0 => 1.0,
            ..=1.0 => -1.0,
            ..=2.0 => -2.5,
            _ => -3.5,
        };
        collector.add(EvidenceKind::Rooms, points, || both(room, others));
    }
    if let Some((bedroom, others)) = pair(one, other, Fact::Bedroom) {
        let is_counted_already = rooms.is_some_and(|(room, others)| room != others);
        let points = match (bedroom - others).abs() {
            0.0 => 0.5,
            ..=1.0 if is_counted_already => -0.25,
            ..=1.0 => -1.0,
            _ => -1.5,
        };
        collector.add(EvidenceKind::Bedrooms, points, || both(bedroom, others));
    }
}

/// Returns the floors that an advert names: that of its text first.
fn floors(signature: &Signature) -> [Option<f32>; 2] {
    [signature.number(Fact::TextFloor), signature.number(Fact::Floor)]
}

/// Returns `true` if both adverts name a floor, and no two that they name are equal.
pub fn floors_differ(one: &Signature, other: &Signature) -> bool {
    let (mine, others) = (floors(one), floors(other));
    let is_known = mine.iter().any(Option::is_some) && others.iter().any(Option::is_some);
    is_known && !mine.iter().flatten().any(|floor| others.contains(&Some(*floor)))
}

/// Returns `true` if both texts name a floor, but not the same.
pub fn text_floors_differ(one: &Signature, other: &Signature) -> bool {
    pair(one, other, Fact::TextFloor).is_some_and(|(floor, others)| floor != others)
}

fn weigh_floor(one: &Signature, other: &Signature, collector: &mut impl EvidenceCollector) {
    let (mine, others) = (floors(one), floors(other));
    let first = |floors: [Option<f32>; 2]| floors[0].or(floors[1]);
    if let (Some(floor), Some(others_floor)) = (first(mine), first(others)) {
        let is_shared = mine.iter().flatten().any(|floor| others.contains(&Some(*floor)));
        let points = match (floor - others_floor).abs() {
            0.0 if floor >= 5.0 => 2.0,
            0.0 => 1.5,
            _ if is_shared => -0.5,
            ..=1.0 => -1.5,
            ..=2.0 => -2.5,
            _ => -3.0,
        };
        collector.add(EvidenceKind::Floor, points, || both(floor, others_floor));
    }
    if let Some((floors, others)) = pair(one, other, Fact::FloorQuantity) {
        let points = if floors == others { 0.75 } else { -0.75 };
        collector.add(EvidenceKind::FloorQuantity, points, || both(floors, others));
    }
}

fn weigh_year(one: &Signature, other: &Signature, collector: &mut impl EvidenceCollector) {
    let Some((year, others)) = pair(one, other, Fact::Year) else { return };
    if year.fract() != 0.0 || others.fract() != 0.0 {
        weigh_decade(year, others, collector);
        return;
    }
    let is_about = year % 10.0 == 0.0 || others % 10.0 == 0.0;
    let points = match (year - others).abs() {
        // All new buildings have the same few years.
        ..=2.0 if may_be_two_units(one, other) => 0.0,
        0.0 if is_about => 1.0,
        0.0 => 2.0,
        ..=2.0 => 0.0,
        ..=10.0 if is_about => -0.5,
        ..=10.0 => -1.5,
        _ => -2.5,
    };
    collector.add(EvidenceKind::Year, points, || both(year, others));
}

/// Weighs two years, of which one at least stands for its decade.
fn weigh_decade(year: f32, others: f32, collector: &mut impl EvidenceCollector) {
    let decade = |year: f32| (year / 10.0).floor() * 10.0;
    let points = match (decade(year) - decade(others)).abs() {
        0.0 => 0.75,
        ..=10.0 => -0.25,
        _ => -1.5,
    };
    let name = |year: f32| if year.fract() == 0.0 { format!("{year}") } else { format!("{}s", decade(year)) };
    collector.add(EvidenceKind::Year, points, || {
        let (first, last) = (name(year.min(others)), name(year.max(others)));
        if first == last { first } else { format!("{first} and {last}") }
    });
}

/// Returns `true` if the price of the later advert is the lower one: an owner who changes the agency lowers the price.
pub fn is_lowered_later(one: &Signature, other: &Signature) -> bool {
    const DAYS: f32 = 60.0;
    let (Some((day, others_day)), Some((price, others))) =
        (pair(one, other, Fact::FirstDay), pair(one, other, Fact::Price))
    else {
        return false;
    };
    day > others_day + DAYS && price < others || others_day > day + DAYS && others < price
}

/// An audit may be made again before a home is sold a second time.
pub fn are_far_apart_in_time(one: &Signature, other: &Signature) -> bool {
    const DAYS: f32 = 180.0;
    let starts_after = |one: &Signature, other: &Signature| {
        one.number(Fact::FirstDay)
            .zip(other.number(Fact::LastDay))
            .is_some_and(|(first, last)| first > last + DAYS)
    };
    starts_after(one, other) || starts_after(other, one)
}

fn weigh_energy(one: &Signature, other: &Signature, collector: &mut impl EvidenceCollector) {
    let energy = pair(one, other, Fact::Energy);
    let gas = pair(one, other, Fact::Gas);
    let letters = pair(one, other, Fact::EnergyLetter);
    let less = if are_far_apart_in_time(one, other) { 0.4 } else { 1.0 };
    match (energy, gas) {
        (Some((value, others)), Some((gas, others_gas))) if value == others && gas == others_gas => {
            // All flats of a new building have the same few low values.
            let points = if value < 80.0 && gas < 12.0 { 4.0 } else { 6.0 };
            collector.add(EvidenceKind::Energy, points, || {
                format!("equal energy and gas values ({value}, {gas})")
            });
        }
        (Some((value, others)), None) if value == others => {
            collector.add(EvidenceKind::Energy, 3.5, || format!("equal energy values ({value})"));
        }
        (Some((value, others)), Some(_)) if value == others => {
            collector.add(EvidenceKind::Energy, 1.0, || {
                format!("equal energy values ({value}), but different gas values")
            });
        }
        (Some((value, others)), _) => {
            let apart = letters.map_or(0.0, |(letter, others)| (letter - others).abs());
            let is_other_gas = gas.is_some_and(|(gas, others)| gas != others);
            let points = match percent_apart(value, others) {
                Some(percent) if percent <= 3.0 => -1.0,
                _ if apart >= 2.0 || is_other_gas => -4.5,
                _ => -3.0,
            };
            collector.add(EvidenceKind::Energy, points * less, || {
                format!("different energy values ({})", both(value, others))
            });
        }
        (None, gas) => {
            let Some((letter, others)) = letters else { return };
            let class = match (letter - others).abs() {
                0.0 => class_points(letter),
                ..=1.0 => -less,
                _ => -2.0 * less,
            };
            let gas_letters = pair(one, other, Fact::GasLetter);
            let gas = match (gas, gas_letters) {
                (Some((gas, others)), _) if gas == others => 1.0,
                (None, Some((letter, others))) if letter == others => 0.25,
                (None, Some((letter, others))) if (letter - others).abs() > 1.0 => -0.5 * less,
                _ => 0.0,
            };
            collector.add(EvidenceKind::Energy, class + gas, || {
                format!("energy classes ({})", class_names(letter, others))
            });
        }
    }
}

/// A third of all homes have class D, a fifth C or E, one in ten each of the others.
fn class_points(letter: f32) -> f32 {
    match letter {
        3.0 => 0.5,
        2.0 | 4.0 => 0.75,
        _ => 1.25,
    }
}

/// Renders classes, which are numbers from 0 on, as letters.
fn class_names(letter: f32, others: f32) -> String {
    let name = |letter: f32| char::from(b'A' + letter.clamp(0.0, 6.0) as u8);
    let (first, last) = (name(letter.min(others)), name(letter.max(others)));
    if first == last { format!("{first}") } else { format!("{first} and {last}") }
}

/// Returns `true` if both adverts have energy values, further apart than two roundings of one.
pub fn energies_differ(one: &Signature, other: &Signature) -> bool {
    let values = pair(one, other, Fact::Energy);
    values.and_then(|(value, others)| percent_apart(value, others)).is_some_and(|percent| percent > 3.0)
}

/// Returns `true` if both adverts have land, of clearly different sizes.
pub fn lands_differ(one: &Signature, other: &Signature) -> bool {
    let lands = pair(one, other, Fact::LandSurface);
    lands.and_then(|(land, others)| percent_apart(land, others)).is_some_and(|percent| percent > 5.0)
}

/// One site may have a wrong floor, or an energy value that was measured again. Both at once are two flats of a building.
fn weigh_contradictions(one: &Signature, other: &Signature, collector: &mut impl EvidenceCollector) {
    if floors_differ(one, other) && energies_differ(one, other) && !are_far_apart_in_time(one, other) {
        collector.add(EvidenceKind::AnotherUnit, -2.0, || "another floor and other energy values".into());
    }
}

fn weigh_lots(one: &Signature, other: &Signature, collector: &mut impl EvidenceCollector) {
    let Some((lots, others)) = pair(one, other, Fact::Lots) else { return };
    // Some count the cellars as well.
    let points = if lots == others { 1.5 } else { -0.75 };
    collector.add(EvidenceKind::Lots, points, || both(lots, others));
}

fn weigh_flags(one: &Signature, other: &Signature, collector: &mut impl EvidenceCollector) {
    for (flag, kind, different) in
        [(Flag::Elevator, EvidenceKind::Elevator, -1.0), (Flag::Furnished, EvidenceKind::Furnished, -1.5)]
    {
        if let (Some(is), Some(others)) = (one.flag(flag), other.flag(flag)) {
            let (points, what) = if is == others { (0.25, "the same") } else { (different, "different") };
            collector.add(kind, points, || what.into());
        }
    }
    if one.heating().differs(other.heating()) {
        collector.add(EvidenceKind::Heating, -1.0, || "different energies of the heating".into());
    } else if one.heating().is_known() && other.heating().is_known() {
        collector.add(EvidenceKind::Heating, 0.5, || "the same energy of the heating".into());
    }
}

fn weigh_coordinates(one: &Signature, other: &Signature, collector: &mut impl EvidenceCollector) {
    let (Some(point), Some(others)) = (one.point(), other.point()) else { return };
    let metres = point.distance_km(others) * 1_000.0;
    let are_exact = one.flag(Flag::ExactPoint) == Some(true) && other.flag(Flag::ExactPoint) == Some(true);
    let points = match (are_exact, metres) {
        (true, ..=40.0) => 2.0,
        (true, ..=150.0) => 1.0,
        (true, ..=400.0) => 0.0,
        (true, ..=1_000.0) => -1.5,
        (true, _) => -3.0,
        // Portals hide the place within some hundred metres, and repeat the centres of neighbourhoods.
        (false, ..=300.0) => 0.5,
        (false, ..=1_200.0) => 0.0,
        (false, ..=2_500.0) => -1.0,
        (false, _) => -2.0,
    };
    collector.add(EvidenceKind::Coordinates, points, || format!("{metres:.0} m apart"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn land_is_rounded_to_hectares_and_thousands() {
        for (rounded, exact) in [(50_000.0, 51_200.0), (20_000.0, 19_640.0), (7_000.0, 7_250.0)] {
            assert!(is_rounded_land(rounded, exact) && is_rounded_land(exact, rounded), "{rounded} {exact}");
        }
        for (one, other) in [(50_000.0, 56_000.0), (50_000.0, 50_000.0), (7_000.0, 7_600.0), (712.0, 713.0)] {
            assert!(!is_rounded_land(one, other), "{one} {other}");
        }
    }
}

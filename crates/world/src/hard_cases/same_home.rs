//! Cases of one home whose adverts differ.

use domain::{
    AdvertDraft, AdvertEvent, AdvertField, Amount, FieldUpdate, GivenPlace, Lifecycle, Rating, Timestamp,
    TransactionType,
};

use super::CaseKind;
use super::particulars::Particulars;
use super::scene::{AgencyReference, Mandate, Scene, amount, known, quote, retext};
use super::texts::{self, Text};
use crate::home::{Fees, Home, presentable};
use crate::market::Seller;
use crate::random::Random;

/// The percentage of homes whose second advert comes from another agency, in the cases that are about something else.
const SECOND_AGENCY: f64 = 25.0;

/// The percentage of second agencies that publish on the same portal as the first one.
const SAME_PORTAL: f64 = 15.0;

/// The percentage of homes whose portals list the original pictures. The others only have copies under names of their own.
const SHARED_ALBUM: f64 = 15.0;

/// The percentage of homes for sale whose price was cut some time ago, seen by all portals.
const OLD_PRICE_CUT: f64 = 20.0;

pub(super) fn ordinary(scene: &mut Scene<'_>) {
    scene.publish_ordinary();
}

pub(super) fn surface_convention(scene: &mut Scene<'_>) {
    let mut home = scene.dwelling(TransactionType::Sell);
    let decimals = f64::from(scene.random.between(11, 89)) / 100.0;
    home.build.surface = home.build.surface.floor() + decimals;
    let exact = home.build.surface;
    let mut drafts = usual_adverts(scene, &home);
    let random = &mut scene.random;
    // The Carrez surface leaves out what is lower than 1.80 m, a habitable surface also verandas and cellars.
    let other_convention = random.chance(45.0).then(|| {
        let factor = 1.0 + random.uniform(0.03, 0.08);
        let other = if random.chance(50.0) { exact * factor } else { exact / factor };
        (other * 100.0).round() / 100.0
    });
    let odd = pick_one(random, &drafts);
    for (position, draft) in drafts.iter_mut().enumerate() {
        let written = match (position == odd, other_convention) {
            (true, Some(other)) if random.chance(50.0) => other,
            (true, Some(other)) => other.round(),
            // Then the others round: at least two surfaces differ.
            (true, None) => exact,
            (false, _) => match random.below(3) {
                0 => exact.round(),
                1 => exact.ceil(),
                _ => exact.floor(),
            },
        };
        draft.patch.surface = amount(Some(written));
    }
    publish(scene, &home, drafts);
}

pub(super) fn fees(scene: &mut Scene<'_>) {
    let mut home = scene.dwelling(TransactionType::Sell);
    let percentage = (scene.random.uniform(3.0, 8.0) * 10.0).round() / 10.0;
    let fees = home.money.fees.map(|fees| Fees { percentage, ..fees });
    home.money.fees = fees;
    let mut drafts = usual_adverts(scene, &home);
    let odd = pick_one(&mut scene.random, &drafts);
    if let Some(fees) = fees {
        let net = fees.without(home.money.price);
        // Sellers who quote a net price round it.
        let net = if scene.random.chance(50.0) { presentable(net, TransactionType::Sell) } else { net };
        let patch = &mut drafts[odd].patch;
        patch.price = amount(Some(net));
        patch.price_excluding_fees =
            if scene.random.chance(40.0) { amount(Some(net)) } else { FieldUpdate::Keep };
        if scene.random.chance(60.0) {
            (patch.fees_percentage, patch.fees_responsibility) = (FieldUpdate::Keep, FieldUpdate::Keep);
        }
    }
    publish(scene, &home, drafts);
}

pub(super) fn missing_coordinates(scene: &mut Scene<'_>) {
    let transaction_type = sale_or_rental(&mut scene.random);
    let home = scene.dwelling(transaction_type);
    let mut drafts = usual_adverts(scene, &home);
    let everywhere = scene.random.chance(60.0);
    let odd = pick_one(&mut scene.random, &drafts);
    for (position, draft) in drafts.iter_mut().enumerate() {
        if (everywhere || position == odd)
            && let FieldUpdate::Set(place) = &mut draft.patch.place
        {
            *place = GivenPlace { insee: None, point: None, accuracy: None, ..place.clone() };
        }
    }
    publish(scene, &home, drafts);
}

pub(super) fn field_error(scene: &mut Scene<'_>) {
    let transaction_type = sale_or_rental(&mut scene.random);
    let home = scene.dwelling(transaction_type);
    let mut drafts = usual_adverts(scene, &home);
    let odd = pick_one(&mut scene.random, &drafts);
    let random = &mut scene.random;
    let patch = &mut drafts[odd].patch;
    let missing = random.chance(40.0);
    let off_by_one = |random: &mut Random, value: i32, least: i32| match random.chance(50.0) {
        true if value > least => value - 1,
        _ => value + 1,
    };
    match (random.below(3), home.build.floor, home.build.furnished) {
        (0, Some(floor), _) => {
            // Some portals count the ground floor as the first.
            let wrong = off_by_one(random, floor, 0);
            patch.floor = known((!missing).then_some(wrong));
        }
        (1, _, Some(furnished)) => patch.furnished = known((!missing).then_some(!furnished)),
        _ => {
            let wrong = off_by_one(random, home.build.rooms.unwrap_or(2), 1);
            patch.room = known((!missing).then_some(wrong));
            patch.bedroom = FieldUpdate::Keep;
        }
    }
    publish(scene, &home, drafts);
}

pub(super) fn late_price_cut(scene: &mut Scene<'_>) {
    let mut home = scene.dwelling(TransactionType::Sell);
    // Old enough that a cut makes sense.
    home.created_second = home.created_second.min(scene.days_ago(45.0).as_second());
    let before = home.money.price;
    let after = presentable(before * (1.0 - scene.random.uniform(0.02, 0.08)), TransactionType::Sell);
    let days = scene.random.uniform(2.0, 15.0);
    let (cut_at, seen_at) = (scene.days_ago(days), scene.days_ago(days + 0.5));
    let mut drafts = usual_adverts(scene, &home);
    let odd = pick_one(&mut scene.random, &drafts);
    for (position, draft) in drafts.iter_mut().enumerate() {
        if position == odd {
            draft.last_crawled_at = draft.created_at.max(Some(seen_at));
        } else {
            let fees = home.money.fees.filter(|_| draft.patch.price_excluding_fees.value().is_some());
            quote(&mut draft.patch, after, fees);
            draft.updated_at = Some(cut_at);
            draft.history = vec![price_event(cut_at, before, after)];
        }
    }
    publish(scene, &home, drafts);
}

pub(super) fn missing_surface(scene: &mut Scene<'_>) {
    let transaction_type = sale_or_rental(&mut scene.random);
    let home = scene.dwelling(transaction_type);
    let mut drafts = usual_adverts(scene, &home);
    let odd = pick_one(&mut scene.random, &drafts);
    // Some feeds write 1 for a surface that they do not know.
    let placeholder = scene.random.chance(25.0).then_some(1.0);
    drafts[odd].patch.surface = amount(placeholder);
    publish(scene, &home, drafts);
}

pub(super) fn price_on_request(scene: &mut Scene<'_>) {
    let mut home = scene.dwelling(TransactionType::Sell);
    // Owners of expensive homes are discreet.
    home.money.price = presentable(home.money.price * scene.random.uniform(1.3, 2.5), TransactionType::Sell);
    let mut drafts = usual_adverts(scene, &home);
    let odd = pick_one(&mut scene.random, &drafts);
    let placeholder = scene.random.chance(20.0).then_some(1.0);
    let patch = &mut drafts[odd].patch;
    patch.price = amount(placeholder);
    patch.price_excluding_fees = FieldUpdate::Keep;
    publish(scene, &home, drafts);
}

pub(super) fn copied_description(scene: &mut Scene<'_>) {
    let transaction_type = sale_or_rental(&mut scene.random);
    let home = scene.dwelling(transaction_type);
    let particulars = scene.particulars(&home);
    let (mut drafts, text) = first_agency(scene, &home, &particulars, 1);
    let copy = Text { title: None, description: texts::copied(&mut scene.random, &text.description) };
    drafts.push(second_agency(scene, &home, &drafts, &copy));
    publish(scene, &home, drafts);
}

pub(super) fn rewritten_description(scene: &mut Scene<'_>) {
    let transaction_type = sale_or_rental(&mut scene.random);
    let home = scene.dwelling(transaction_type);
    let particulars = scene.particulars(&home);
    let count = if scene.random.chance(25.0) { 2 } else { 1 };
    let (mut drafts, _) = first_agency(scene, &home, &particulars, count);
    let own = scene.writer(&home, &particulars).rewritten(&mut scene.random);
    drafts.push(second_agency(scene, &home, &drafts, &own));
    publish(scene, &home, drafts);
}

pub(super) fn owner_and_agency(scene: &mut Scene<'_>) {
    let home = scene.dwelling(TransactionType::Sell);
    let particulars = scene.particulars(&home);
    let (mut drafts, _) = first_agency(scene, &home, &particulars, 1);
    let owner = Mandate { seller: Seller::Individual, number: scene.fresh_number() };
    let mut own_home = home.clone();
    own_home.seller = Seller::Individual;
    let portal = scene.portals(1, Seller::Individual).first().copied().unwrap_or_default();
    let mut draft = scene.draft(&own_home, 3, portal, owner);
    let text = scene.writer(&own_home, &particulars).owner(&mut scene.random);
    retext(&mut draft.patch, &text);
    let random = &mut scene.random;
    let patch = &mut draft.patch;
    // Owners quote what they want to receive, or the price of the agency.
    let net = home.money.fees.filter(|_| random.chance(55.0)).map(|fees| fees.without(home.money.price));
    quote(patch, net.map_or(home.money.price, |net| presentable(net, TransactionType::Sell)), None);
    (patch.fees_percentage, patch.fees_responsibility) = (FieldUpdate::Keep, FieldUpdate::Keep);
    patch.exclusive_mandate = FieldUpdate::Keep;
    patch.surface = amount(Some(home.build.surface.round()));
    (patch.virtual_tour, patch.pictures_remote) = (FieldUpdate::Keep, FieldUpdate::Keep);
    if random.chance(50.0) {
        let letter_only = |rating: &mut FieldUpdate<Rating>| {
            if let FieldUpdate::Set(rating) = rating {
                rating.value = None;
            }
        };
        letter_only(&mut patch.energy);
        letter_only(&mut patch.green_house_gas);
    }
    drafts.push(draft);
    publish(scene, &home, drafts);
}

pub(super) fn repost(scene: &mut Scene<'_>) {
    let transaction_type = sale_or_rental(&mut scene.random);
    let mut home = scene.dwelling(transaction_type);
    home.created_second = home.created_second.min(scene.days_ago(70.0).as_second());
    let particulars = scene.particulars(&home);
    let (mut drafts, text) = first_agency(scene, &home, &particulars, 1);
    let gone_days = scene.random.uniform(3.0, 40.0);
    let back_days = scene.random.uniform(0.5, gone_days);
    let (gone_at, back_at) = (scene.days_ago(gone_days), scene.days_ago(back_days));
    let Some((old, portal)) =
        drafts.first_mut().and_then(|draft| portal_of(scene, draft).map(|at| (draft, at)))
    else {
        return;
    };
    old.lifecycle = Lifecycle::Expired { at: Some(gone_at) };
    (old.updated_at, old.last_crawled_at) = (Some(gone_at), Some(gone_at));

    let moved_to_another_agency = scene.random.chance(20.0);
    let mandate = match moved_to_another_agency {
        true => scene.second_mandate(&home),
        false => Mandate { seller: home.seller, number: scene.fresh_number() },
    };
    let mut new = scene.draft(&home, 1, portal, mandate);
    // An agency often keeps its own reference when it publishes a home again.
    if !moved_to_another_agency && scene.random.chance(50.0) {
        scene.sign(&home, scene.mandate(&home), &mut new);
    }
    let text = match (moved_to_another_agency, scene.random.chance(35.0)) {
        (true, _) => scene.writer(&home, &particulars).rewritten(&mut scene.random),
        (false, true) => {
            Text { title: None, description: texts::refreshed(&mut scene.random, &text.description) }
        }
        (false, false) => text,
    };
    retext(&mut new.patch, &text);
    if transaction_type == TransactionType::Sell && scene.random.chance(50.0) {
        let price = presentable(home.money.price * scene.random.uniform(0.94, 0.99), transaction_type);
        quote(&mut new.patch, price, home.money.fees);
    }
    (new.created_at, new.updated_at) = (Some(back_at), Some(back_at));
    new.last_crawled_at = new.last_crawled_at.max(Some(back_at));
    drafts.push(new);
    publish(scene, &home, drafts);
}

pub(super) fn rent_charges(scene: &mut Scene<'_>) {
    let home = scene.dwelling(TransactionType::Rent);
    let mut drafts = usual_adverts(scene, &home);
    let odd = pick_one(&mut scene.random, &drafts);
    let charges = home.money.rental_charges.unwrap_or_default();
    let patch = &mut drafts[odd].patch;
    patch.price = amount(Some(home.money.price - charges));
    if scene.random.chance(30.0) {
        patch.rental_charges = FieldUpdate::Keep;
    }
    publish(scene, &home, drafts);
}

/// Creates two or three adverts as most homes have them: one agency with one text on several portals, or a second agency.
fn usual_adverts(scene: &mut Scene<'_>, home: &Home) -> Vec<AdvertDraft> {
    let particulars = scene.particulars(home);
    let has_second_agency = scene.random.chance(SECOND_AGENCY);
    let count = if has_second_agency { 1 } else { 2 + usize::from(scene.random.chance(25.0)) };
    let (mut drafts, _) = first_agency(scene, home, &particulars, count);
    if has_second_agency {
        let own = scene.writer(home, &particulars).rewritten(&mut scene.random);
        drafts.push(second_agency(scene, home, &drafts, &own));
    }
    drafts
}

/// Creates the adverts of the first agency, on `count` portals, and returns its text.
fn first_agency(
    scene: &mut Scene<'_>,
    home: &Home,
    particulars: &Particulars,
    count: usize,
) -> (Vec<AdvertDraft>, Text) {
    let text = scene.writer(home, particulars).first(&mut scene.random);
    let mandate = scene.mandate(home);
    let album = scene.random.chance(SHARED_ALBUM).then(|| scene.album(home.index));
    let mut drafts = Vec::with_capacity(count + 1);
    for (advert, portal) in (0..).zip(scene.portals(count, home.seller)) {
        let mut draft = scene.draft(home, advert, portal, mandate);
        retext(&mut draft.patch, &text);
        if let Some(album) = &album {
            draft.patch.pictures_remote = album.clone();
        }
        drafts.push(draft);
    }
    (drafts, text)
}

/// Creates the advert of a second agency, with its own pictures and reference, mostly on another portal.
fn second_agency(scene: &mut Scene<'_>, home: &Home, drafts: &[AdvertDraft], text: &Text) -> AdvertDraft {
    let mandate = scene.second_mandate(home);
    let used: Vec<usize> = drafts.iter().filter_map(|draft| portal_of(scene, draft)).collect();
    let same_portal = scene.random.chance(SAME_PORTAL);
    let candidates = scene.portals(used.len() + 1, home.seller);
    let other = candidates.iter().copied().find(|portal| !used.contains(portal));
    let portal = used.first().copied().filter(|_| same_portal).or(other).unwrap_or_default();
    let mut draft = scene.draft(home, 3, portal, mandate);
    retext(&mut draft.patch, text);
    let patch = &mut draft.patch;
    if let FieldUpdate::Set(pictures) = &mut patch.pictures {
        let shown = 3 + scene.random.below(8) as usize;
        *pictures = pictures.iter().take(shown).cloned().collect();
    }
    (patch.virtual_tour, patch.pictures_remote) = (FieldUpdate::Keep, FieldUpdate::Keep);
    patch.exclusive_mandate = FieldUpdate::Keep;
    // Each agency has its own rate. The price is often the same all the same, and sometimes what the seller receives.
    let percentage = (scene.random.uniform(3.0, 7.0) * 10.0).round() / 10.0;
    let same_net_price = scene.random.chance(if same_portal { 10.0 } else { 30.0 });
    if let Some(first_fees) = home.money.fees {
        let fees = Fees { percentage, ..first_fees };
        let net = first_fees.without(home.money.price);
        let price = match same_net_price {
            true => presentable(net * (1.0 + percentage / 100.0), TransactionType::Sell),
            false => home.money.price,
        };
        let shown = patch.price_excluding_fees.value().is_some().then_some(fees);
        quote(patch, price, shown);
        if patch.fees_percentage.value().is_some() {
            patch.fees_percentage = amount(Some(percentage));
        }
    }
    draft
}

fn publish(scene: &mut Scene<'_>, home: &Home, mut drafts: Vec<AdvertDraft>) {
    let was_cut = scene.random.chance(OLD_PRICE_CUT)
        && !matches!(scene.kind, CaseKind::LatePriceCut | CaseKind::Repost);
    if was_cut && home.transaction_type == TransactionType::Sell {
        add_old_cut(scene, home.money.price, &mut drafts);
    }
    for draft in drafts {
        scene.publish(home, draft, AgencyReference::AsUsual);
    }
}

/// Adds a price cut of some weeks ago to the adverts that show the price of today and were there.
fn add_old_cut(scene: &mut Scene<'_>, price: f64, drafts: &mut [AdvertDraft]) {
    let before = presentable(price * (1.0 + scene.random.uniform(0.02, 0.1)), TransactionType::Sell);
    let days = scene.random.uniform(5.0, 90.0);
    for draft in drafts.iter_mut() {
        // Each crawler comes at another hour.
        let hours = scene.random.unit() * 12.0;
        let at = scene.days_ago(days + hours / 24.0);
        let present =
            draft.created_at.is_some_and(|created| created < at) && draft.last_crawled_at > Some(at);
        if present && draft.patch.price == amount(Some(price)) {
            draft.history = vec![price_event(at, before, price)];
            draft.updated_at = Some(at);
        }
    }
}

fn pick_one(random: &mut Random, drafts: &[AdvertDraft]) -> usize {
    random.below(drafts.len() as u64) as usize
}

fn sale_or_rental(random: &mut Random) -> TransactionType {
    if random.chance(70.0) { TransactionType::Sell } else { TransactionType::Rent }
}

fn portal_of(scene: &Scene<'_>, draft: &AdvertDraft) -> Option<usize> {
    let site = draft.patch.site.value()?.as_ref()?;
    scene.world.portals().iter().position(|portal| portal.site == *site)
}

fn price_event(at: Timestamp, before: f64, after: f64) -> AdvertEvent {
    AdvertEvent::amount(at, AdvertField::Price, Amount::new(before), Amount::new(after))
}

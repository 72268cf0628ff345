//! Automatic grouping through the whole of ingestion, corrections by people, and judging the stock again.

#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test and names the line")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, LazyLock};

use app::grouping::{
    CorrectionRefusal, DecidedBy, DoubtfulPair, GroupedBy, GroupingSettings, PairAction, PairDecision,
    RegroupOptions,
};
use app::ingest::{Commit, IngestOptions, Outcome, Receipt};
use app::{App, Error};
use domain::grouping::{CONTRADICTION_SCORE, DOUBTFUL_MARGIN, JOIN_SCORE, Verdict};
use domain::{AdvertDraft, AdvertId, Amount, FieldUpdate, GivenPlace, PropertyId, Rating, Zipcode};
use places::Gazetteer;
use store::{Store, WriteFault};
use tempfile::TempDir;
use testkit::build::{amount, at, draft, long_text, short_text, site, site_reference};
use testkit::{ManualClock, Random, SeededIds};
use world::{Settings, World, sample};

const DESCRIPTION: &str = "Au deuxième étage d'une résidence calme, appartement traversant avec séjour de 24,5 m² ouvert sur une \
    loggia exposée plein sud, cuisine équipée, deux chambres avec placards, salle de bains refaite en 2021, cave et place de \
    parking numérotée. Chaudière individuelle, double vitrage, gardien. À cinq minutes à pied de la gare et des écoles.";

fn places() -> Arc<Gazetteer> {
    static PLACES: LazyLock<Arc<Gazetteer>> = LazyLock::new(|| Arc::new(Gazetteer::embedded().unwrap()));
    Arc::clone(&PLACES)
}

fn open(folder: &Path, seed: u64, automatic: bool) -> App {
    let store = Arc::new(test_database::open(folder));
    let clock = Arc::new(ManualClock::at(at(1_800_000_000)));
    App::new(store, clock, Arc::new(SeededIds::new(seed)), places())
        .with_grouping(GroupingSettings { automatic })
}

/// The flat of the tests on a site.
fn flat(name: &str) -> AdvertDraft {
    let mut draft = draft(site_reference(name, "A-1"));
    let patch = &mut draft.patch;
    patch.site = FieldUpdate::Set(Some(site(name)));
    patch.reference = FieldUpdate::Set(Some(short_text("A-1")));
    patch.title = FieldUpdate::Set(Some(short_text("Appartement 3 pièces 67 m²")));
    patch.description = FieldUpdate::Set(Some(long_text(DESCRIPTION)));
    patch.price = FieldUpdate::Set(Some(amount(248_500.0)));
    patch.surface = FieldUpdate::Set(Some(amount(67.42)));
    patch.room = FieldUpdate::Set(Some(3));
    patch.floor = FieldUpdate::Set(Some(2));
    patch.energy = FieldUpdate::Set(Rating { category: None, value: Amount::new(187.0) });
    patch.green_house_gas = FieldUpdate::Set(Rating { category: None, value: Amount::new(34.0) });
    let place = GivenPlace {
        zipcode: Zipcode::parse("37000"),
        city_name: Some(short_text("Tours")),
        ..GivenPlace::default()
    };
    patch.place = FieldUpdate::Set(place);
    draft
}

/// Another flat of the same town on a site.
fn other_flat(name: &str) -> AdvertDraft {
    let mut draft = flat(name);
    draft.patch.description = FieldUpdate::Set(Some(long_text(
        "Dernier étage avec ascenseur : grand cinq pièces familial, parquet, moulures et cheminées, vue dégagée sur la Loire.",
    )));
    draft.patch.price = FieldUpdate::Set(Some(amount(512_000.0)));
    draft.patch.surface = FieldUpdate::Set(Some(amount(128.0)));
    draft.patch.room = FieldUpdate::Set(Some(5));
    draft.patch.floor = FieldUpdate::Set(Some(5));
    draft.patch.energy = FieldUpdate::Set(Rating { category: None, value: Amount::new(96.0) });
    draft.patch.green_house_gas = FieldUpdate::Set(Rating { category: None, value: Amount::new(5.0) });
    draft
}

fn accepted(receipt: &Receipt) -> (AdvertId, PropertyId) {
    match receipt {
        Receipt::Accepted { advert, property, .. } => (*advert, *property),
        Receipt::Rejected { .. } => panic!("{receipt:?}"),
    }
}

async fn ingest(app: &App, draft: AdvertDraft) -> (AdvertId, PropertyId) {
    accepted(&app.ingest(vec![draft]).await.unwrap()[0])
}

/// Checks that every advert is in exactly one property, and that both readings of the store agree. Returns the properties.
async fn check_store(app: &App) -> BTreeMap<PropertyId, BTreeSet<AdvertId>> {
    let mut by_row: BTreeMap<PropertyId, BTreeSet<AdvertId>> = BTreeMap::new();
    for row in app.store().scan_signatures(None, usize::MAX >> 1).await.unwrap() {
        by_row.entry(row.located.property).or_default().insert(row.located.advert);
    }
    let stored = app.properties(by_row.keys().copied().collect()).await.unwrap();
    let by_record: BTreeMap<PropertyId, BTreeSet<AdvertId>> = stored
        .into_iter()
        .map(|(id, property)| (id, property.adverts.iter().map(|advert| advert.id).collect()))
        .collect();
    assert_eq!(by_row, by_record);
    by_record
}

#[tokio::test]
async fn adverts_of_one_home_become_one_property() {
    let folder = TempDir::new().unwrap();
    let app = open(folder.path(), 1, true);
    let (_, first) = ingest(&app, flat("un.example")).await;
    let (_, second) = ingest(&app, flat("deux.example")).await;
    let (_, other) = ingest(&app, other_flat("trois.example")).await;
    assert_eq!(first, second);
    assert_ne!(first, other);
    // Within one request as well.
    let receipts = app.ingest(vec![flat("quatre.example"), other_flat("quatre-bis.example")]).await.unwrap();
    assert_eq!([accepted(&receipts[0]).1, accepted(&receipts[1]).1], [first, other]);
    // And after a restart.
    drop(app);
    let app = open(folder.path(), 2, true);
    assert_eq!(ingest(&app, flat("cinq.example")).await.1, first);
    assert_eq!(check_store(&app).await.len(), 2);
}

#[tokio::test]
async fn grouping_can_be_turned_off() {
    let folder = TempDir::new().unwrap();
    let app = open(folder.path(), 1, false);
    let (_, first) = ingest(&app, flat("un.example")).await;
    let (_, second) = ingest(&app, flat("deux.example")).await;
    assert_ne!(first, second);
    let mut named = flat("trois.example");
    named.property = Some(first);
    assert_eq!(ingest(&app, named).await.1, first);
}

#[tokio::test]
async fn concurrent_requests_make_one_property_of_one_home() {
    let folder = TempDir::new().unwrap();
    let app = open(folder.path(), 1, true);
    let mut requests = tokio::task::JoinSet::new();
    for number in 0..40 {
        let app = app.clone();
        requests.spawn(async move {
            let name = format!("site{number}.example");
            let draft = if number % 2 == 0 { flat(&name) } else { other_flat(&name) };
            (number % 2, ingest(&app, draft).await.1)
        });
    }
    let found: BTreeSet<(i32, PropertyId)> = requests.join_all().await.into_iter().collect();
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!(check_store(&app).await.len(), 2);
}

#[tokio::test]
async fn two_processes_make_one_property_of_one_home() {
    let folder = TempDir::new().unwrap();
    let (one, other) = (open(folder.path(), 1, true), open(folder.path(), 2, true));
    // Both have loaded their state before the other writes.
    let (_, elsewhere) = ingest(&one, other_flat("un.example")).await;
    assert_eq!(ingest(&other, other_flat("deux.example")).await.1, elsewhere);
    let (_, first) = ingest(&one, flat("un-bis.example")).await;
    assert_eq!(ingest(&other, flat("deux-bis.example")).await.1, first);
    assert_eq!(ingest(&one, flat("trois.example")).await.1, first);
    // A verdict of one counts for the other.
    let (advert, _) = ingest(&other, flat("quatre.example")).await;
    let split = other.split_property(first, &[advert], "test").await.unwrap().unwrap();
    let mut changed = flat("quatre.example");
    changed.patch.floor = FieldUpdate::Set(None);
    assert_eq!(ingest(&one, changed).await, (advert, split.created));
    assert_eq!(check_store(&one).await.len(), 3);
}

#[tokio::test]
async fn a_dry_run_changes_nothing() {
    let folder = TempDir::new().unwrap();
    let app = open(folder.path(), 1, true);
    let dry_run = IngestOptions { commit: Commit::DryRun, ..IngestOptions::default() };
    app.ingest_with(vec![flat("un.example")], dry_run).await.unwrap();
    let (_, first) = ingest(&app, flat("deux.example")).await;
    assert_eq!(check_store(&app).await.keys().copied().collect::<Vec<_>>(), [first]);
}

#[tokio::test]
async fn a_changed_advert_is_judged_again() {
    let folder = TempDir::new().unwrap();
    let app = open(folder.path(), 1, true);
    let (_, first) = ingest(&app, flat("un.example")).await;
    let (advert, second) = ingest(&app, flat("deux.example")).await;
    assert_eq!(first, second);
    // A price cut on one portal is no reason to leave.
    let mut cut = flat("deux.example");
    cut.patch.price = FieldUpdate::Set(Some(amount(239_000.0)));
    assert_eq!(ingest(&app, cut).await.1, first);
    // The portal gives the reference to another flat.
    let (_, left) = ingest(&app, other_flat("deux.example")).await;
    assert_ne!(left, first);
    assert_eq!(ingest(&app, flat("deux.example")).await, (advert, first));
    // The property that it was alone in leads back.
    assert_eq!(app.surviving_property(left).await.unwrap(), Some(first));
    assert_eq!(check_store(&app).await.len(), 1);
}

#[tokio::test]
async fn people_correct_and_their_verdicts_last() {
    let folder = TempDir::new().unwrap();
    let app = open(folder.path(), 1, true);
    let (one, home) = ingest(&app, flat("un.example")).await;
    let (two, _) = ingest(&app, flat("deux.example")).await;
    let (three, apart) = ingest(&app, other_flat("trois.example")).await;

    let split = app.split_property(home, &[two], "Ana").await.unwrap().unwrap();
    assert_eq!(split.property, home);
    let mut again = flat("deux.example");
    again.patch.title = FieldUpdate::Set(Some(short_text("Appartement T3")));
    assert_eq!(ingest(&app, again).await, (two, split.created));

    let merged = app.merge_properties(&[home, apart], "Ana").await.unwrap().unwrap();
    assert_eq!((merged.property, merged.merged), (home, vec![apart]));
    assert_eq!(app.surviving_property(apart).await.unwrap(), Some(home));
    let mut again = other_flat("trois.example");
    again.patch.price = FieldUpdate::Set(Some(amount(505_000.0)));
    assert_eq!(ingest(&app, again).await, (three, home));

    let explained = app.explain_grouping(home).await.unwrap().unwrap();
    let by: Vec<_> = explained.adverts.iter().map(|grouped| (grouped.advert, grouped.by)).collect();
    assert_eq!(by, [(one, GroupedBy::Person), (three, GroupedBy::Person)]);
    assert_eq!(explained.history.len(), 2);
    assert!(explained.history.iter().all(|row| row.decided_by == DecidedBy::Person("Ana".to_owned())));
    let compared = app.compare_adverts([one, two]).await.unwrap().unwrap();
    assert!(compared.comparison.unwrap().joins(), "evidence alone would join them");

    // After a restart, and when the whole stock is judged again.
    drop(app);
    let app = open(folder.path(), 2, true);
    let options = RegroupOptions { dry_run: false, examples: 10 };
    let report = app.regroup(options, &mut |_| {}).await.unwrap();
    assert_eq!((report.moved, report.properties_before, report.properties_after), (0, 2, 2), "{report:?}");
    let stored = check_store(&app).await;
    assert_eq!(stored[&home], BTreeSet::from([one, three]));
    assert_eq!(stored[&split.created], BTreeSet::from([two]));
}

#[tokio::test]
async fn impossible_corrections_are_refused() {
    let folder = TempDir::new().unwrap();
    let app = open(folder.path(), 1, true);
    let (one, home) = ingest(&app, flat("un.example")).await;
    let (three, apart) = ingest(&app, other_flat("trois.example")).await;
    let mut rental = flat("quatre.example");
    rental.transaction_type = domain::TransactionType::Rent;
    rental.patch.price = FieldUpdate::Set(Some(amount(850.0)));
    let (_, to_let) = ingest(&app, rental).await;
    let unknown = testkit::build::property_id(404);
    let merge = async |ids: &[PropertyId]| app.merge_properties(ids, "Ana").await.unwrap().unwrap_err();
    assert_eq!(merge(&[home]).await, CorrectionRefusal::OneProperty);
    assert_eq!(merge(&[home, home]).await, CorrectionRefusal::OneProperty);
    assert_eq!(merge(&[home, unknown]).await, CorrectionRefusal::UnknownProperty(unknown));
    assert_eq!(merge(&[home, to_let]).await, CorrectionRefusal::OtherTransaction);
    let split = async |ids: &[AdvertId]| app.split_property(home, ids, "Ana").await.unwrap().unwrap_err();
    assert_eq!(split(&[]).await, CorrectionRefusal::NoAdvert);
    assert_eq!(split(&[one]).await, CorrectionRefusal::NothingLeft);
    assert_eq!(split(&[three]).await, CorrectionRefusal::UnknownAdvert { property: home, advert: three });
    assert_eq!(check_store(&app).await.len(), 3);
    assert_ne!(home, apart);
}

/// Another description of the flat, by another agency: some facts agree, and nothing else does.
fn reworded_flat(name: &str) -> AdvertDraft {
    let mut draft = flat(name);
    let text = "Trois pièces à découvrir rapidement, lumineux, prestations de qualité.";
    draft.patch.description = FieldUpdate::Set(Some(long_text(text)));
    draft.patch.title = FieldUpdate::Set(Some(short_text("Bel appartement")));
    draft.patch.surface = FieldUpdate::Set(Some(amount(67.0)));
    draft.patch.floor = FieldUpdate::Set(None);
    draft.patch.energy = FieldUpdate::Set(Rating::default());
    draft.patch.green_house_gas = FieldUpdate::Set(Rating::default());
    draft
}

async fn doubtful(app: &App) -> Vec<[AdvertId; 2]> {
    let found = app.doubtful_pairs(None).await.unwrap();
    assert_eq!(found.total, found.pairs.len());
    found.pairs.iter().map(|pair| pair.comparison.adverts).collect()
}

#[tokio::test]
async fn doubtful_pair_is_asked_until_a_person_decides() {
    let folder = TempDir::new().unwrap();
    let app = open(folder.path(), 1, true);
    let decide = async |pair, verdict| app.decide_pair(pair, verdict, "Ana").await.unwrap().unwrap();
    let (one, home) = ingest(&app, flat("un.example")).await;
    let (two, apart) = ingest(&app, reworded_flat("deux.example")).await;
    ingest(&app, other_flat("trois.example")).await;
    let compared = app.compare_adverts([one, two]).await.unwrap().unwrap().comparison.unwrap();
    assert_ne!(home, apart, "{compared:?}");
    assert_eq!(doubtful(&app).await, [[one, two]], "{compared:?}");
    let different = decide([one, two], Verdict::Different).await;
    let remembered =
        PairDecision { action: PairAction::Remembered, properties: [home, apart], moved: vec![] };
    assert_eq!(different, remembered);
    assert_eq!(doubtful(&app).await, [] as [[AdvertId; 2]; 0]);

    // The latest decision counts, in both directions.
    let same = decide([one, two], Verdict::Same).await;
    assert_eq!(same, PairDecision { action: PairAction::Merged, properties: [home; 2], moved: vec![two] });
    assert_eq!(doubtful(&app).await, [] as [[AdvertId; 2]; 0], "a person holds it there");
    let again = decide([two, one], Verdict::Same).await;
    assert_eq!((again.action, again.properties), (PairAction::Remembered, [home; 2]));
    let split = decide([two, one], Verdict::Different).await;
    assert_eq!((split.action, split.properties[0], &*split.moved), (PairAction::Split, home, &[one][..]));
    assert_ne!(split.properties[1], home);
    assert_eq!(doubtful(&app).await, [] as [[AdvertId; 2]; 0]);
    assert_eq!(check_store(&app).await[&split.properties[1]], BTreeSet::from([one]));
}

#[tokio::test]
async fn advert_that_little_evidence_holds_is_doubtful() {
    let folder = TempDir::new().unwrap();
    let app = open(folder.path(), 1, true);
    let (one, home) = ingest(&app, flat("un.example")).await;
    let (two, _) = ingest(&app, flat("deux.example")).await;
    assert_eq!(doubtful(&app).await, [] as [[AdvertId; 2]; 0], "they are copies");
    // It stays where it is, although it would not join any more.
    assert_eq!(ingest(&app, reworded_flat("deux.example")).await, (two, home));
    assert_eq!(doubtful(&app).await, [[one, two]]);
    let confirmed = app.decide_pair([one, two], Verdict::Same, "Ana").await.unwrap().unwrap();
    assert_eq!(confirmed.action, PairAction::Remembered);
    assert_eq!(doubtful(&app).await, [] as [[AdvertId; 2]; 0]);
    // A sender that names the property decides.
    let mut named = reworded_flat("trois.example");
    named.property = Some(home);
    ingest(&app, named).await;
    assert_eq!(doubtful(&app).await, [] as [[AdvertId; 2]; 0]);
}

#[tokio::test]
async fn impossible_decisions_are_refused() {
    let folder = TempDir::new().unwrap();
    let app = open(folder.path(), 1, true);
    let (one, home) = ingest(&app, flat("un.example")).await;
    let mut rental = flat("quatre.example");
    rental.transaction_type = domain::TransactionType::Rent;
    rental.patch.price = FieldUpdate::Set(Some(amount(850.0)));
    let (rented, to_let) = ingest(&app, rental).await;
    let unknown = testkit::build::advert_id(404);
    let decide = async |pair, verdict| app.decide_pair(pair, verdict, "Ana").await.unwrap();
    let refused = async |pair| decide(pair, Verdict::Same).await.unwrap_err();
    assert_eq!(refused([one, one]).await, CorrectionRefusal::OneAdvert);
    assert_eq!(refused([one, unknown]).await, CorrectionRefusal::NoSuchAdvert(unknown));
    assert_eq!(refused([one, rented]).await, CorrectionRefusal::OtherTransaction);
    let different = decide([one, rented], Verdict::Different).await.unwrap();
    assert_eq!(different.properties, [home, to_let], "true, and remembered");
    assert_eq!(check_store(&app).await.len(), 2);
}

/// How many random flats are compared. They are alike, and one request lists a hundred pairs at most.
const RANDOM_FLATS: u64 = 40;

/// A flat that agrees in some facts with others.
fn random_flat(random: &mut Random, number: u64) -> AdvertDraft {
    let name = format!("site-{number}.example");
    let mut draft = if random.below(2) == 0 { flat(&name) } else { reworded_flat(&name) };
    let prices = [248_500.0, 249_000.0, 252_000.0, 262_000.0];
    let surfaces = [67.0, 67.42, 68.0, 71.5];
    let mut one_of = |values: [f64; 4]| amount(values[random.below(4) as usize]);
    draft.patch.price = FieldUpdate::Set(Some(one_of(prices)));
    draft.patch.surface = FieldUpdate::Set(Some(one_of(surfaces)));
    draft.patch.floor = FieldUpdate::Set([None, Some(2), Some(3), Some(4)][random.below(4) as usize]);
    draft.patch.room = FieldUpdate::Set(Some([2, 3, 3, 4][random.below(4) as usize]));
    draft
}

#[tokio::test]
async fn doubtful_pairs_are_those_of_a_comparison_of_all() {
    let folder = TempDir::new().unwrap();
    let seed = testkit::random::seed();
    let app = open(folder.path(), 1, true);
    let mut random = Random::new(seed);
    for number in 0..RANDOM_FLATS {
        ingest(&app, random_flat(&mut random, number)).await;
    }
    let stored = check_store(&app).await;
    // The best score of each two properties, and in each property that of the advert which has the least with all others.
    let mut expected: BTreeMap<(PropertyId, PropertyId), f32> = BTreeMap::new();
    let score = async |one: &AdvertId, other: &AdvertId| {
        let compared = app.compare_adverts([*one, *other]).await.unwrap().unwrap().comparison.unwrap();
        compared.veto.is_none().then_some(compared.score)
    };
    for (property, adverts) in &stored {
        for (other, others) in stored.range(property..) {
            let mut scores: Vec<Vec<Option<f32>>> = Vec::new();
            for one in adverts {
                let mut with_one = Vec::new();
                for two in others.iter().filter(|two| *two != one) {
                    with_one.push(score(one, two).await);
                }
                scores.push(with_one);
            }
            let best = |scores: &[Option<f32>]| scores.iter().flatten().copied().reduce(f32::max);
            let doubtful = if property == other {
                let least = scores.iter().filter_map(|scores| best(scores)).reduce(f32::min);
                least.filter(|score| *score < JOIN_SCORE + DOUBTFUL_MARGIN)
            } else {
                let scores = scores.concat();
                let is_open =
                    scores.iter().all(|score| score.is_some_and(|score| score >= CONTRADICTION_SCORE));
                let is_close = |best: &f32| (JOIN_SCORE - DOUBTFUL_MARGIN..JOIN_SCORE).contains(best);
                best(&scores).filter(is_close).filter(|_| is_open)
            };
            expected.extend(doubtful.map(|score| ((*property, *other), score)));
        }
    }
    let found = app.doubtful_pairs(None).await.unwrap();
    assert!(found.total < 100, "{} pairs: a request lists no more", found.total);
    let score = |pair: &DoubtfulPair| pair.comparison.comparison.as_ref().unwrap().score;
    let distance = |pair: &DoubtfulPair| (score(pair) - pair.needed).abs();
    assert!(found.pairs.is_sorted_by(|one, other| distance(one) <= distance(other)));
    let listed: BTreeMap<(PropertyId, PropertyId), f32> =
        found.pairs.iter().map(|pair| (pair.comparison.properties.into(), score(pair))).collect();
    assert_eq!(listed, expected, "seed {seed}");
    assert_eq!(listed.len(), found.pairs.len(), "one pair for two properties, and one for a property");
    assert_eq!((found.scanned as u64, found.has_older), (RANDOM_FLATS, false));

    // Older adverts only.
    let middle = app.store().newest_adverts(None, 10).await.unwrap().pop().unwrap();
    let older = app.doubtful_pairs(Some(middle)).await.unwrap();
    assert_eq!((older.scanned as u64, older.oldest), (RANDOM_FLATS - 10, found.oldest));
    assert_eq!(found.oldest.as_ref(), stored.values().flatten().min());
}

/// A market in random order, with drafts that do not name their property.
fn market(seed: u64, properties: u64) -> Vec<AdvertDraft> {
    let world = World::new(seed, sample::towns(), Settings::new(properties, at(1_790_000_000))).unwrap();
    let mut drafts: Vec<AdvertDraft> = world.drafts().collect();
    let mut random = Random::new(seed);
    for index in (1..drafts.len()).rev() {
        let other = random.below(index as u64 + 1) as usize;
        drafts.swap(index, other);
    }
    drafts
}

#[tokio::test]
async fn a_stock_without_groups_is_regrouped_once() {
    let folder = TempDir::new().unwrap();
    let app = open(folder.path(), 1, false);
    for drafts in market(7, 150).chunks(100) {
        app.ingest(drafts.to_vec()).await.unwrap();
    }
    let alone = check_store(&app).await;
    drop(app);
    let app = open(folder.path(), 2, true);
    let mut options = RegroupOptions { dry_run: true, examples: 3 };
    let shown = app.regroup(options, &mut |_| {}).await.unwrap();
    assert!(shown.moved > 20, "{shown:?}");
    assert_eq!(shown.examples.len(), 3);
    assert_eq!(check_store(&app).await, alone, "a dry run stores nothing");
    options.dry_run = false;
    let report = app.regroup(options, &mut |_| {}).await.unwrap();
    assert_eq!(report, shown);
    let grouped = check_store(&app).await;
    assert_eq!(grouped.len(), report.properties_after);
    let mut survivors = 0;
    for property in alone.keys().filter(|property| !grouped.contains_key(property)) {
        let survivor = app.surviving_property(*property).await.unwrap().unwrap();
        assert!(grouped.contains_key(&survivor));
        survivors += 1;
    }
    assert_eq!(survivors, alone.len() - grouped.len());
    let again = app.regroup(options, &mut |_| {}).await.unwrap();
    assert_eq!(again.moved, 0, "{again:?}");
}

/// What a service has made of drafts: the outcome of each, and the price and the group of each advert, by its draft.
#[derive(Debug, PartialEq)]
struct Made {
    outcomes: Vec<Outcome>,
    prices: BTreeMap<String, Option<Amount>>,
    groups: BTreeSet<BTreeSet<String>>,
}

async fn made(app: &App, drafts: &[AdvertDraft], receipts: &[Receipt]) -> Made {
    let outcome = |receipt: &Receipt| match receipt {
        Receipt::Accepted { outcome, .. } => *outcome,
        Receipt::Rejected { violations } => panic!("rejected: {violations:?}"),
    };
    let identities: BTreeMap<AdvertId, String> = drafts
        .iter()
        .zip(receipts)
        .map(|(draft, receipt)| (accepted(receipt).0, format!("{:?}", draft.identity)))
        .collect();
    let (mut prices, mut groups) = (BTreeMap::new(), BTreeSet::new());
    for (property, adverts) in check_store(app).await {
        let property = app.property(property).await.unwrap().unwrap();
        // Other processes may have added others.
        let known = |advert: &AdvertId| identities.get(advert).cloned();
        for advert in &property.adverts {
            prices.extend(known(&advert.id).map(|identity| (identity, advert.details.price)));
        }
        groups.extend(
            Some(adverts.iter().filter_map(known).collect()).filter(|group: &BTreeSet<_>| !group.is_empty()),
        );
    }
    Made { outcomes: receipts.iter().map(outcome).collect(), prices, groups }
}

#[tokio::test]
async fn batches_that_are_prepared_ahead_end_as_if_they_had_waited() {
    const BATCH: usize = 37;
    let seed = testkit::random::seed();
    let mut random = Random::new(seed);
    // A market in which adverts come back with another price, often in the next batch.
    let mut drafts = Vec::new();
    for draft in market(seed, 150) {
        drafts.push(draft);
        if random.below(2) == 0 {
            let back = random.below(drafts.len().min(2 * BATCH) as u64) as usize;
            let mut again: AdvertDraft = drafts[drafts.len() - 1 - back].clone();
            again.patch.price = FieldUpdate::Set(Some(amount(100_000.0 + random.below(9) as f64 * 1_000.0)));
            drafts.push(again);
        }
    }
    let folders = [(); 3].map(|()| TempDir::new().unwrap());
    let [waiting, ahead, disturbed] = [0, 1, 2].map(|index| open(folders[index].path(), seed, true));
    let mut receipts = Vec::new();
    for batch in drafts.chunks(BATCH) {
        receipts.extend(waiting.ingest(batch.to_vec()).await.unwrap());
    }
    let expected = made(&waiting, &drafts, &receipts).await;
    assert!(expected.outcomes.contains(&Outcome::Updated), "seed {seed}");

    let receipts = ingest_ahead(&ahead, drafts.chunks(BATCH), async || {}).await;
    assert_eq!(made(&ahead, &drafts, &receipts).await, expected, "seed {seed}");

    // A plan that was made before another process wrote may be refused, and then the one that follows it as well.
    let other = open(folders[2].path(), seed + 1, true);
    let mut count = 0;
    let disturb = async || {
        count += 1;
        if random.below(3) > 0 {
            ingest(&other, other_flat(&format!("site{count}.example"))).await;
        }
    };
    let receipts = ingest_ahead(&disturbed, drafts.chunks(BATCH), disturb).await;
    assert_eq!(made(&disturbed, &drafts, &receipts).await, expected, "disturbed, seed {seed}");
}

/// Ingests batches like an import: each is prepared while the two before it are planned and committed. Calls `between` before each.
async fn ingest_ahead(
    app: &App,
    batches: impl Iterator<Item = &[AdvertDraft]>,
    mut between: impl AsyncFnMut(),
) -> Vec<Receipt> {
    let mut receipts = Vec::new();
    let (mut prepared, mut before) = (None, None);
    for (index, batch) in batches.map(Some).chain([None]).enumerate() {
        let next = match batch {
            Some(batch) => Some(app.prepare(batch.to_vec(), IngestOptions::default()).await.unwrap()),
            None => None,
        };
        if let Some(current) = std::mem::replace(&mut prepared, next) {
            between().await;
            let (mut ingesting, done) = app.ingest_next(current, before.take()).await.unwrap();
            receipts.extend(done.into_iter().flatten());
            // As if the next one were late.
            if index % 4 == 3 {
                ingesting.end().await;
                let (ended, done) = app.finish_ingesting(ingesting).await.unwrap();
                receipts.extend(done.unwrap());
                ingesting = ended;
            }
            before = Some(ingesting);
        }
    }
    let (_, done) = app.finish_ingesting(before.unwrap()).await.unwrap();
    receipts.extend(done.into_iter().flatten());
    receipts
}

#[tokio::test]
async fn a_failed_commit_leaves_no_trace_of_the_plan_after_it() {
    let folder = TempDir::new().unwrap();
    let store = Arc::new(test_database::open(folder.path()));
    let clock = Arc::new(ManualClock::at(at(1_800_000_000)));
    let app = App::new(Arc::clone(&store) as Arc<dyn Store>, clock, Arc::new(SeededIds::new(1)), places());
    let prepare = async |draft| app.prepare(vec![draft], IngestOptions::default()).await.unwrap();
    let (first, second) = (prepare(flat("un.example")).await, prepare(flat("deux.example")).await);
    store.inject(WriteFault::Full);
    let (ingesting, _) = app.ingest_next(first, None).await.unwrap();
    let failed = app.ingest_next(second, Some(ingesting)).await.err().unwrap();
    assert!(matches!(failed, Error::Store(_)), "{failed:?}");
    assert_eq!(check_store(&app).await.len(), 0);
    // Neither can be joined, and no later request waits for them.
    let (_, property) = ingest(&app, flat("trois.example")).await;
    assert_eq!(ingest(&app, flat("un.example")).await.1, property);
    assert_eq!(check_store(&app).await[&property].len(), 2);
}

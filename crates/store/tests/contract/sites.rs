//! Sites and their categories.

use domain::{FieldUpdate, SiteCategoryId, SiteCategoryName, SiteDirectory, SiteId, SiteName};
use store::prelude::*;
use store::{Expected, PutSite, RenameOutcome};
use testkit::build::{advert, advert_id, at, property, site};

use crate::backend::{Backend, Opened};
use crate::changes::{change, commit, crawl, create, refuse};

async fn directory(store: &impl Store) -> SiteDirectory {
    store.site_directory(None).await.unwrap().unwrap()
}

/// Returns id, key, name and category of every site.
async fn sites(store: &impl Store) -> Vec<(u32, String, Option<String>, Option<u32>)> {
    let directory = directory(store).await;
    let text = |name: &SiteName| name.as_str().to_owned();
    let sites = directory.sites().iter();
    sites
        .map(|site| {
            let category = site.category.map(SiteCategoryId::get);
            (site.id.get(), site.key.to_string(), site.name.as_ref().map(text), category)
        })
        .collect()
}

async fn keys(store: &impl Store) -> Vec<String> {
    sites(store).await.into_iter().map(|(_, key, ..)| key).collect()
}

async fn categories(store: &impl Store) -> Vec<(u32, String)> {
    let directory = directory(store).await;
    directory.categories().iter().map(|category| (category.id.get(), category.name.to_string())).collect()
}

fn named(name: &str) -> SiteCategoryName {
    SiteCategoryName::parse(name).unwrap()
}

async fn category(store: &impl Store, name: &str) -> SiteCategoryId {
    store.create_site_category(named(name)).await.unwrap().unwrap().id
}

fn put(key: &str, name: FieldUpdate<&str>, category: FieldUpdate<Option<SiteCategoryId>>) -> PutSite {
    let name = match name {
        FieldUpdate::Keep => FieldUpdate::Keep,
        FieldUpdate::Set(name) => FieldUpdate::Set(SiteName::new(name).unwrap()),
    };
    PutSite { key: site(key), name, category }
}

pub async fn first_advert_adds_its_site<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    assert_eq!(keys(&*store).await, [""; 0]);
    let mut target = property(1, [advert(1).site("portail.fr").build()]);
    commit(&*store, [create(&target, Expected::New)]).await;
    commit(&*store, [create(&property(2, [advert(2).site("agence.fr").build()]), Expected::New)]).await;
    commit(&*store, [create(&property(3, [advert(3).site("portail.fr").build()]), Expected::New)]).await;
    commit(&*store, [create(&property(4, [advert(4).build()]), Expected::New)]).await;
    assert_eq!(keys(&*store).await, ["portail.fr", "agence.fr"]);

    target.adverts[0].details.site = Some(site("autre.fr"));
    commit(&*store, [change(&target, Expected::Revision(1), advert_id(1))]).await;
    let known = sites(&*store).await;
    let expected = [(1, "portail.fr"), (2, "agence.fr"), (3, "autre.fr")];
    assert_eq!(known, expected.map(|(id, key)| (id, key.to_owned(), None, None)));
    let store = store.reopened().await;
    assert_eq!(sites(&*store).await, known);
}

pub async fn erasure_deletes_sites_without_other_adverts<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    let mut target = property(1, [advert(1).site("avant.fr").build()]);
    commit(&*store, [create(&target, Expected::New)]).await;
    target.adverts[0].details.site = Some(site("apres.fr"));
    commit(&*store, [change(&target, Expected::Revision(1), advert_id(1))]).await;
    let others = [
        advert(2).site("reste.fr").reference("A").build(),
        advert(3).site("reste.fr").build(),
        advert(4).site("reste.fr").reference("B").build(),
        advert(5).site("nomme.fr").build(),
        advert(6).site("range.fr").build(),
    ];
    for (number, other) in (2..).zip(others) {
        commit(&*store, [create(&property(number, [other]), Expected::New)]).await;
    }
    let portals = category(&*store, "Portails").await;
    store.put_site(put("nomme.fr", FieldUpdate::Set("Nommé"), FieldUpdate::Keep)).await.unwrap().unwrap();
    store
        .put_site(put("range.fr", FieldUpdate::Keep, FieldUpdate::Set(Some(portals))))
        .await
        .unwrap()
        .unwrap();

    let erase = async |number| store.erase(advert_id(number), at(9_000)).await.unwrap().unwrap();
    // The sites that published the advert before are deleted too.
    erase(1).await;
    assert_eq!(keys(&*store).await, ["reste.fr", "nomme.fr", "range.fr"]);
    for number in [2, 5, 6, 3] {
        erase(number).await;
        assert_eq!(keys(&*store).await, ["reste.fr", "nomme.fr", "range.fr"], "{number}");
    }
    erase(4).await;
    assert_eq!(keys(&*store).await, ["nomme.fr", "range.fr"]);
    // Ids are never reused.
    for (number, id) in [(7, 6), (8, 7)] {
        let target = property(number, [advert(number).site("neuf.fr").build()]);
        commit(&*store, [create(&target, Expected::New)]).await;
        assert_eq!(sites(&*store).await[2], (id, "neuf.fr".to_owned(), None, None));
        erase(number).await;
    }
}

pub async fn refused_commits_add_no_site<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    let first = create(&property(1, [advert(1).site("portail.fr").build()]), Expected::New);
    let stale = create(&property(2, [advert(2).site("agence.fr").build()]), Expected::Revision(7));
    refuse(&*store, [first.clone(), stale]).await;
    assert_eq!(keys(&*store).await, [""; 0]);
    commit(&*store, [first]).await;
    assert_eq!(sites(&*store).await, [(1, "portail.fr".to_owned(), None, None)]);
}

pub async fn site_is_created_and_changed_by_key<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    let (portals, notaries) = (category(&*store, "Portails").await, category(&*store, "Notaires").await);
    let written =
        store.put_site(put("portail.fr", FieldUpdate::Set("Le Portail"), FieldUpdate::Keep)).await.unwrap();
    let made = written.unwrap();
    assert_eq!((made.id, made.label(), made.category), (SiteId::new(1).unwrap(), "Le Portail", None));

    // An advert of the site does not change it.
    commit(&*store, [create(&property(1, [advert(1).site("portail.fr").build()]), Expected::New)]).await;
    store
        .put_site(put("portail.fr", FieldUpdate::Keep, FieldUpdate::Set(Some(portals))))
        .await
        .unwrap()
        .unwrap();
    store
        .put_site(put("autre.fr", FieldUpdate::Keep, FieldUpdate::Set(Some(notaries))))
        .await
        .unwrap()
        .unwrap();
    let store = store.reopened().await;
    let one = |name: Option<&str>, category: Option<SiteCategoryId>| {
        (1, "portail.fr".to_owned(), name.map(str::to_owned), category.map(SiteCategoryId::get))
    };
    let other = (2, "autre.fr".to_owned(), None, Some(notaries.get()));
    assert_eq!(sites(&*store).await, [one(Some("Le Portail"), Some(portals)), other.clone()]);

    store.put_site(put("portail.fr", FieldUpdate::Set(""), FieldUpdate::Keep)).await.unwrap().unwrap();
    assert_eq!(sites(&*store).await, [one(None, Some(portals)), other.clone()]);
    store.put_site(put("portail.fr", FieldUpdate::Set("P"), FieldUpdate::Set(None))).await.unwrap().unwrap();
    assert_eq!(sites(&*store).await, [one(Some("P"), None), other]);
}

pub async fn unknown_category_is_refused<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    let nowhere = SiteCategoryId::new(9).unwrap();
    let refused = put("portail.fr", FieldUpdate::Set("Le Portail"), FieldUpdate::Set(Some(nowhere)));
    assert_eq!(store.put_site(refused).await.unwrap(), None);
    assert_eq!(sites(&*store).await, []);
}

pub async fn category_names_are_unique<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    let networks = category(&*store, "Réseaux").await;
    for again in ["Réseaux", "RESEAUX", "réseaux "] {
        assert_eq!(store.create_site_category(named(again)).await.unwrap(), None, "{again}");
    }
    let portals = category(&*store, "Portails").await;
    let rename = async |id, name| store.rename_site_category(id, named(name)).await.unwrap();
    assert_eq!(rename(portals, "reseaux").await, RenameOutcome::NameTaken);
    assert_eq!(rename(networks, "reseaux").await, RenameOutcome::Renamed);
    assert_eq!(rename(SiteCategoryId::new(9).unwrap(), "Autres").await, RenameOutcome::NotFound);
    let store = store.reopened().await;
    let expected = [(networks.get(), "reseaux".to_owned()), (portals.get(), "Portails".to_owned())];
    assert_eq!(categories(&*store).await, expected);
}

pub async fn deleted_category_keeps_its_sites_and_its_id<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    let (first, last) = (category(&*store, "Portails").await, category(&*store, "Notaires").await);
    for (key, category) in [("portail.fr", first), ("notaire.fr", last)] {
        store.put_site(put(key, FieldUpdate::Keep, FieldUpdate::Set(Some(category)))).await.unwrap().unwrap();
    }
    assert!(store.delete_site_category(last).await.unwrap());
    assert!(!store.delete_site_category(last).await.unwrap());
    let site = |id, key: &str, category: Option<SiteCategoryId>| {
        (id, key.to_owned(), None, category.map(SiteCategoryId::get))
    };
    assert_eq!(sites(&*store).await, [site(1, "portail.fr", Some(first)), site(2, "notaire.fr", None)]);
    let store = store.reopened().await;
    assert!(category(&*store, "Notaires").await > last, "the id is not reused");
}

pub async fn directory_is_returned_only_if_changed<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    let mut known = directory(&*store).await.revision();
    // Returns whether the directory has changed since the last call.
    let mut has_changed = async |store: &B::Opened| match store.site_directory(Some(known)).await.unwrap() {
        Some(directory) => {
            assert!(directory.revision() > known, "revisions grow");
            known = directory.revision();
            true
        }
        None => false,
    };
    assert!(!has_changed(&store).await);
    let portals = category(&*store, "Portails").await;
    assert!(has_changed(&store).await, "a category was created");
    let mut target = property(1, [advert(1).site("portail.fr").build()]);
    commit(&*store, [create(&target, Expected::New)]).await;
    assert!(has_changed(&store).await, "a site was added");
    target.adverts[0].last_crawled_at = at(8_000);
    commit(&*store, [crawl(&target, Expected::Revision(1), advert_id(1))]).await;
    commit(&*store, [create(&property(2, [advert(2).site("portail.fr").build()]), Expected::New)]).await;
    assert!(!has_changed(&store).await, "no site has changed");
    store
        .put_site(put("portail.fr", FieldUpdate::Set("Le Portail"), FieldUpdate::Set(Some(portals))))
        .await
        .unwrap();
    assert!(has_changed(&store).await, "a site was changed");
    store
        .put_site(put("portail.fr", FieldUpdate::Set("Le Portail"), FieldUpdate::Set(Some(portals))))
        .await
        .unwrap();
    assert!(!has_changed(&store).await, "the same values were written again");
    store.rename_site_category(portals, named("Sites")).await.unwrap();
    assert!(has_changed(&store).await, "a category was renamed");
    let store = store.reopened().await;
    assert!(!has_changed(&store).await, "the store was only reopened");
    store.delete_site_category(portals).await.unwrap();
    assert!(has_changed(&store).await, "a category was deleted");
}

//! Folders that an earlier release wrote.

use rusqlite::Connection;
use store::sqlite::{FILE_NAME, SqliteStore};
use store::{Expected, Position, Store};
use testkit::build::{advert, property};

use crate::changes::{commit, create};

/// Takes a folder back to what it was before there were sites.
const BEFORE_SITES: &str = "
    DROP TABLE matcher;
    DROP TABLE erased_property;
    DROP TABLE match_of_search;
    DROP TABLE notice;
    DROP TABLE match_group;
    DROP TABLE removed_search;
    DROP TABLE search_alert;
    DROP TABLE search_version;
    DROP TABLE search_count;
    DROP TABLE search;
    CREATE TABLE search (id BLOB PRIMARY KEY, owner BLOB NOT NULL, version INTEGER NOT NULL, text TEXT NOT NULL) WITHOUT ROWID;
    DROP INDEX advert_by_site;
    DROP TABLE site;
    DROP TABLE site_category;
    DROP TABLE site_revision;
    PRAGMA user_version = 1;";

#[tokio::test]
async fn the_sites_of_adverts_from_before_there_were_sites_are_known() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path()).unwrap();
    for (number, site) in (1..).zip(["portail.fr", "agence.fr", "portail.fr"]) {
        commit(&store, [create(&property(number, [advert(number).site(site).build()]), Expected::New)]).await;
    }
    commit(&store, [create(&property(4, [advert(4).build()]), Expected::New)]).await;
    drop(store);
    let connection = Connection::open(folder.path().join(FILE_NAME)).unwrap();
    connection.execute_batch(BEFORE_SITES).unwrap();
    drop(connection);

    let store = SqliteStore::open(folder.path()).unwrap();
    let directory = store.site_directory(None).await.unwrap().unwrap();
    let known: Vec<_> = directory.sites().iter().map(|site| (site.id.get(), site.key.as_str())).collect();
    assert_eq!(known, [(1, "agence.fr"), (2, "portail.fr")]);
    assert_eq!(store.counts().await.unwrap(), (4, 4));
    // There were no searches before, so there is nothing that the matcher could have missed.
    assert_eq!(store.matched_until().await.unwrap(), Position(4));
    assert!(!store.file_matches(10).await.unwrap());
}

//! Creating and migrating the tables.

use store::SqlStore;
use store::postgres::PostgresOptions;
use store::prelude::*;

fn empty_database() -> (String, PostgresOptions) {
    let server = local_postgres::shared();
    let name = server.create_database();
    let options = server.url(&name).parse().unwrap();
    (name, options)
}

#[test]
fn many_processes_start_at_the_same_time() {
    let (_, options) = empty_database();
    let identities: Vec<Option<String>> = std::thread::scope(|scope| {
        let open = || SqlStore::connect(&options).unwrap().shared_identity().map(str::to_owned);
        let threads: Vec<_> = (0..6).map(|_| scope.spawn(open)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(identities[0].is_some());
    assert!(identities.iter().all(|identity| *identity == identities[0]), "{identities:?}");
}

#[tokio::test]
async fn texts_with_a_nul_are_stored_without_it() {
    let (_, options) = empty_database();
    let store = SqlStore::connect(&options).unwrap();
    store.set_metadata("a\0b".to_owned(), Some("c\0d".to_owned())).await.unwrap();
    assert_eq!(store.metadata("a\0b".to_owned()).await.unwrap().as_deref(), Some("c\u{FFFD}d"));
}

#[test]
fn schema_of_a_later_release_is_refused() {
    let (name, options) = empty_database();
    drop(SqlStore::connect(&options).unwrap());
    local_postgres::shared().execute(&name, "UPDATE vigie_schema SET version = 99, oldest_supported = 98");
    let refused = SqlStore::connect(&options).err().unwrap();
    assert!(matches!(refused, store::Error::TooNew { found: 99, .. }), "{refused:?}");
}

#[test]
fn addresses_are_checked_and_described_without_the_password() {
    let options: PostgresOptions = "postgres://vigie:hush@one,two:5433/market".parse().unwrap();
    assert_eq!(options.description(), "PostgreSQL database market on one, two");
    assert!(!format!("{options:?}").contains("hush"));
    let wrong = "postgres://vigie:hush@one/market?sslmode=perhaps".parse::<PostgresOptions>().unwrap_err();
    let text = format!("{wrong:?}");
    assert!(text.contains("sslmode") && !text.contains("hush"), "{text}");
}

#[test]
fn missing_server_is_an_error() {
    // Nothing listens on a port of an address that was just free.
    let address = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let options: PostgresOptions =
        format!("postgres://vigie@{address}/market?sslmode=disable").parse().unwrap();
    assert!(matches!(SqlStore::connect(&options).err().unwrap(), store::Error::Unavailable(_)));
}

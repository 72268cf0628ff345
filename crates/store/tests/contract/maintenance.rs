//! Metadata.

use store::prelude::*;

use crate::backend::{Backend, Opened};

pub async fn metadata_is_stored_replaced_and_deleted<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    let metadata = async |name: &str| store.metadata(name.to_owned()).await.unwrap();
    let set = async |name: &str, value: Option<&str>| {
        store.set_metadata(name.to_owned(), value.map(str::to_owned)).await.unwrap();
    };
    assert_eq!(metadata("import").await, None);
    set("import", Some("page 1")).await;
    set("other", Some("")).await;
    set("import", Some("page 2")).await;
    assert_eq!(metadata("import").await.as_deref(), Some("page 2"));
    set("import", None).await;
    set("import", None).await;
    assert_eq!(metadata("import").await, None);
    assert_eq!(metadata("other").await.as_deref(), Some(""));
    let ensure = async |value: &str| store.ensure_metadata("key".to_owned(), value.to_owned()).await.unwrap();
    assert_eq!(ensure("first").await, "first");
    assert_eq!(ensure("second").await, "first");
    assert_eq!(metadata("key").await.as_deref(), Some("first"));
}

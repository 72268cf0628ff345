//! What only the embedded store promises: its folder, its files, its migrations, its handling of damage.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[path = "contract/changes.rs"]
#[allow(dead_code, reason = "shared with the contract tests, which use all of it")]
mod changes;

#[path = "contract/backend.rs"]
#[allow(dead_code, reason = "shared with the contract tests, which use all of it")]
mod backend;

#[path = "contract/delivery_fixtures.rs"]
#[allow(dead_code, reason = "shared with the contract tests, which use all of it")]
mod delivery_fixtures;

mod sqlite {
    mod copy;
    mod damage;
    mod deliveries;
    mod erasure;
    mod folder;
    mod foreign;
    mod migrations;
    mod searches;
    mod sharing;
    mod verify;
}

//! What only the embedded store promises: its folder, its files, its damage.

#![allow(clippy::unwrap_used, reason = "a test stops where it is surprised")]

#[path = "contract/changes.rs"]
#[allow(dead_code, reason = "shared with the contract, which uses all of it")]
mod changes;

#[path = "contract/backend.rs"]
#[allow(dead_code, reason = "shared with the contract, which uses all of it")]
mod backend;

#[path = "contract/deliveries.rs"]
#[allow(dead_code, reason = "shared with the contract, which uses all of it")]
mod deliveries;

mod sqlite {
    mod damage;
    mod deliveries;
    mod erasure;
    mod folder;
    mod migrations;
    mod searches;
    mod sharing;
}

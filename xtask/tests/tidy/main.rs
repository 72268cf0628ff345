//! Tests of the repository itself, to spare reviewers mechanical checks.
//!
//! Each check is a function from a tree of files to findings. One test applies it to this repository. Others apply it to small trees
//! with planted mistakes, to prove that the check works. A finding names the file and the line; the sentence above the findings says
//! what to do.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod finding;
mod manifest;
mod markdown;
mod tree;

mod arrows;
mod banned;
mod commands;
mod dead_files;
mod dependencies;
mod headers;
mod links;
mod pages;
mod targets;
mod words;

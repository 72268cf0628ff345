//! Tests of the repository itself: what a reviewer should not have to look for.
//!
//! Each check is a function from a tree of files to findings. One test applies it to this repository; the others apply it
//! to small trees that are wrong on purpose, so that a check that has gone blind is noticed. A finding names the file and
//! the line; the sentence above the findings says what to do.

#![allow(clippy::unwrap_used, reason = "a test stops where it is surprised")]

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

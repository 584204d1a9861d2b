//! What the documentation says, held against the sources, the binary and itself.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[cfg(test)]
mod book;
#[cfg(test)]
mod commands;
#[cfg(test)]
mod crates;
#[cfg(test)]
mod differences;
#[cfg(test)]
mod doctests;
#[cfg(test)]
mod examples;
#[cfg(test)]
mod how_to;
#[cfg(test)]
mod image;
#[cfg(all(test, feature = "sandbox"))]
mod kubectl;
#[cfg(test)]
mod layout;
#[cfg(test)]
mod links;
#[cfg(test)]
mod markdown;
#[cfg(test)]
mod objects;
#[cfg(all(test, feature = "sandbox"))]
mod on_a_cluster;
#[cfg(test)]
mod one_edit;
#[cfg(test)]
mod plan;
#[cfg(test)]
mod promises;
#[cfg(test)]
mod reasons;
#[cfg(test)]
mod release;
#[cfg(all(test, feature = "sandbox"))]
mod sandbox;
#[cfg(test)]
mod scripts;
#[cfg(test)]
mod tree;
#[cfg(test)]
mod workflows;

//! What we render, given to the programs it is for.
//!
//! Of Harbor's own programs none is here: what they make of their settings is written down in these modules, from their
//! source, and the result is tried on a real Redis or PostgreSQL. `hack/programs` fetches the programs.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a broken fixture fails the test")]

#[path = "../cases/mod.rs"]
#[allow(dead_code, reason = "shared with the other tests")]
mod cases;
mod databases;
mod pod;
mod redis;

use cases::Case;
use plan::Component;
use pod::Pod;

impl<C: Component> Case<C> {
    /// What its pod gets to see.
    fn pod(&self) -> Pod {
        let objects: Vec<_> = self.children().into_iter().chain(self.inputs.clone()).collect();
        Pod::of(&objects)
    }
}

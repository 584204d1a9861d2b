//! Tests that change what belongs to the whole cluster take turns.

#![allow(clippy::missing_panics_doc, clippy::panic, reason = "a test fails by panicking")]

use crate::{ControlPlane, shared};
use std::fs::File;

/// While a test holds this, no other test has its turn on the same control plane.
#[derive(Debug)]
pub struct Turn {
    // The kernel holds the lock until this file is closed, also if the process is killed.
    _file: File,
}

impl ControlPlane {
    /// Waits until no other test has its turn on this control plane.
    pub async fn turn(&self) -> Turn {
        let file = shared::lock(&self.folder().join("turn")).await;
        Turn { _file: file.unwrap_or_else(|error| panic!("the turn of this test: {error}")) }
    }
}

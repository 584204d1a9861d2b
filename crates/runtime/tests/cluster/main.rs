//! The engine on whichever API server there is: a real one where `KUBEBUILDER_ASSETS` is set, else the one in memory.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod composition;
mod external;
mod lifecycle;
mod progress;
mod reads;
mod restart;
mod rules;
mod support;

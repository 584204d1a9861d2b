//! The engine in one process with the API server in memory, in virtual time where possible.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod class;
mod digest_key;
mod dry_run;
mod election;
mod events;
mod expensive;
mod external;
mod faults;
mod forbidden;
mod inspect;
mod issue;
mod memory;
mod metrics;
mod optional;
mod order;
mod requests;
mod stack;
mod status_reads;

#[path = "../support/depot.rs"]
mod depot;
#[path = "../support/gadget.rs"]
mod gadget;
#[path = "../support/shelf.rs"]
mod shelf;
#[path = "../support/widget.rs"]
mod widget;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

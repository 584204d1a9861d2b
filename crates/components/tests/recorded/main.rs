//! Objects that an earlier version of the operator wrote are left alone by this one: an upgrade of the operator restarts no
//! pod. `objects/README.md` says which they are, and how they were recorded.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a broken fixture fails the test")]

mod planned;
mod recording;
mod running;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

//! Laws about every field of every kind that has a component, as the definitions list them.
//!
//! [`schema`] walks the definitions, [`values`] makes values, [`object`] sets them, [`bases`] are the objects
//! in which that is done, [`rendering`] plans them. [`effects`] and [`round_trip`] are the laws.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a broken fixture fails the test")]

mod bases;
#[allow(dead_code, reason = "shared with the unit tests")]
#[path = "../cases/mod.rs"]
mod cases;
mod effects;
mod listed;
mod object;
mod privileges;
mod rendering;
mod round_trip;
mod schema;
mod server;
mod values;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

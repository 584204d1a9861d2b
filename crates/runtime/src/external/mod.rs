//! Objects in systems outside the cluster. The operator lists the collections that owners read, asks [`plan::Resolver`] what
//! to do about one object and does that, and records in the owner what it created. It knows no system: drivers do. Items that
//! the operator adds to objects of other programs are recorded in the same way.
//!
//! Uses: cluster, apply, report.

mod amend;
mod budget;
mod ensure;
mod externals;
mod inspect;
mod listing;
mod recorder;
mod refresh;
mod sweep;
mod systems;
mod turns;

pub(crate) use externals::{Access, Connect, Externals};
pub(crate) use recorder::{Bookkeeping, Recorded, Recorder, has_finalizer};
pub(crate) use sweep::abandon;
pub(crate) use systems::{Age, Reader, Systems};

use std::sync::{Mutex, MutexGuard, PoisonError};

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

//! Reading: one object, a list, a watch.

mod list;
mod selection;
mod view;
mod watch;

pub(crate) use list::{Page, list, too_large};
pub(crate) use selection::Selection;
pub(crate) use view::View;
pub(crate) use watch::watch;

use crate::failure::Failure;
use http::StatusCode;

/// A revision that is too old to start from.
fn expired(wanted: u64, horizon: u64) -> Failure {
    Failure::new(StatusCode::GONE, "Expired", format!("too old resource version: {wanted} ({horizon})"))
}

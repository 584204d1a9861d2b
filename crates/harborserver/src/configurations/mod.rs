//! The settings that administrators can change.

mod answer;
mod keys;
mod number;
mod store;
mod update;

pub(crate) use answer::ROUTES;
pub(crate) use number::quota_problem;
pub(crate) use store::{AuthMode, Configuration};

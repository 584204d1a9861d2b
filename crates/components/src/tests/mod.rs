//! Tests of all components, and what the tests of several components share.

mod definitions;
mod hostile;
pub(crate) mod predecessor;
mod restarts;

//! Tests of all components, and what the tests of several components share.

mod hostile;
pub(crate) mod predecessor;

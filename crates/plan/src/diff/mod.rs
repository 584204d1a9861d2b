//! Diffs of objects, for users to read before the operator makes a change.

mod change;
mod fold;
mod lines;
mod mask;
mod restart;
#[cfg(test)]
mod tests;
mod yaml;

pub use change::{Change, ChangeType};
pub use fold::{Shown, Side};
pub use restart::{Restart, removed_pods, restarts};

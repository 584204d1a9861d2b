//! What a change does to an object, for people to read before it is made.

mod change;
mod fold;
mod lines;
mod mask;
mod restart;
#[cfg(test)]
mod tests;
mod yaml;

pub use change::{Change, Fate};
pub use fold::{Shown, Side};
pub use restart::{Restart, restarts};

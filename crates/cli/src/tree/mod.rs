//! Draws [`progress::Tree`] for `status` and `sandbox`: as a tree on a terminal, as lines, or as JSON.
//!
//! Every number comes from the tree. The drawings are functions of the tree, the time and the size of the terminal.
//!
//! Uses: output.

mod details;
mod frame;
mod header;
mod json;
mod lines;
mod live;
mod outline;
mod show;
#[cfg(test)]
#[cfg(feature = "sandbox")]
mod tests;
mod words;

pub use details::{Details, details};
pub use frame::still;
#[cfg(all(test, feature = "sandbox"))]
pub use frame::{Size, frame};
pub use header::Header;
pub use json::json;
pub use live::Live;
pub use show::Style;
#[cfg(feature = "sandbox")]
pub use words::sentence;
pub use words::{message, word};

use std::time::Duration;

/// An object of the tree, with times since the command started.
pub type Node = progress::TreeNode<Duration>;
/// The tree itself.
pub type Tree = progress::Tree<Duration>;

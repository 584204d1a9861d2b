//! The progress of reconciles: what the engine reports while it works, and the one model that every view renders from.
//!
//! The engine calls an [`Observer`] with each step of [`Progress`]. A [`Tree`] folds these steps. The terminal, `status`,
//! `--wait` and the web page render the tree, and so show the same numbers.

mod observer;
mod summary;
mod tally;
mod tree;

pub use observer::{Observer, Planned, Progress, Stage, State};
pub use summary::Summary;
pub use tally::Tally;
pub use tree::{Found, NodeState, Phase, Tree, TreeChange, TreeNode, tally};

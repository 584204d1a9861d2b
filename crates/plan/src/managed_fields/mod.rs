//! What follows for the fields of an object from `managedFields`, where an apply alone does not do what it should.

mod emptied;
mod hand_over;

pub use emptied::{has_empty, in_the_way, is_lost, put_empty, take_empty};
pub use hand_over::{relinquish, restore};

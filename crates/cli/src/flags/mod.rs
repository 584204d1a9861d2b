//! Flags that several commands have, and parsers of their values.
//!
//! Uses: connect, output.

mod class;
mod defaults;
mod namespace;
mod target;

pub use class::class;
pub use defaults::DefaultsArgs;
pub use namespace::{OPERATORS, namespace, namespace_or_nothing, own_namespace};
pub use target::{Place, Target};

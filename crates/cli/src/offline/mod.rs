//! Plans objects without a cluster, for `render` and `graph`: reads are answered from files and rendered objects.
//!
//! Uses: flags, manifests, operator, output.

mod fields;
mod graph;
mod object_store;
mod plan;
mod renderer;
mod sources;
mod stored;

pub use fields::unknown_fields;
pub use graph::dependency_graph;
pub use renderer::OwnedObjects;
pub use sources::{Rendering, Sources};

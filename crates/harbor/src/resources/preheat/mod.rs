//! P2P preheat: artifacts are sent to a peer-to-peer network before they are pulled.

mod instances;
mod policies;

pub use instances::{Instance, InstanceAuth, Instances, NewInstance};
pub use policies::{NewPreheatPolicy, PreheatPolicies, PreheatPolicy};

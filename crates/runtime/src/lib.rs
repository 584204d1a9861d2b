//! The only crate that talks to a cluster.

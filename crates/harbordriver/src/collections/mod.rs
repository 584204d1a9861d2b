//! The collections, one file each.

pub(crate) mod members;
pub(crate) mod membership;
pub(crate) mod metadata;
pub(crate) mod projects;
pub(crate) mod registries;
pub(crate) mod robots;
pub(crate) mod servers;

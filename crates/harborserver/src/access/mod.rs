//! Authentication and authorization.

mod authenticate;
mod authorize;
mod identity;
mod locks;
mod permissions;
mod roles;

pub(crate) use authenticate::{Authenticated, authenticate};
pub(crate) use identity::Identity;
pub(crate) use locks::Locks;
pub(crate) use permissions::{ROUTES, Scope, is_known};
pub(crate) use roles::Role;

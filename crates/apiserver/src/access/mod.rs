//! Authentication, RBAC, and the reviews that answer questions about both.

mod authenticate;
mod authorize;
mod defaults;
mod escalation;
mod impersonate;
mod review;
mod rule;
mod stored;
#[cfg(test)]
mod tests;
mod tokens;
mod user;

pub(crate) use authenticate::authenticate;
pub(crate) use authorize::{Authorizer, Question, RoleKind, Roles, Target};
pub(crate) use escalation::{Grant, confirm_no_escalation};
pub(crate) use impersonate::impersonated;
pub(crate) use review::{Review, review};
pub(crate) use tokens::{ServiceAccounts, TokenTarget, Tokens};
pub use user::User;

/// Whether the server authenticates and authorizes its clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Access {
    /// Every client may do everything.
    #[default]
    Open,
    /// Users authenticate themselves, and may do what their roles allow.
    Rbac,
}

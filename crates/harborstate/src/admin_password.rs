//! The password of the built-in administrator. Every Harbor has the only object, which is never created or deleted.
//!
//! A component describes it only while the password is to change: Harbor does not show a password, so nothing can be
//! compared. Actual state therefore says that the password is not the one that is wanted, until a change has succeeded.

use crate::state::{NoFacts, State};
use serde::{Deserialize, Serialize};

/// The name of the only object, which is the name of the administrator.
pub const NAME: &str = "admin";

/// The write-only field for the password that the administrator is to have. The connection has the one before.
pub const PASSWORD: &str = "password";

/// The password, without its value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AdminPassword {
    /// Whether it is the one that is wanted.
    pub as_wanted: bool,
}

impl State for AdminPassword {
    type Facts = NoFacts;
    const COLLECTION: &'static str = "admin-password";
    const WRITE_ONLY: &'static [&'static str] = &[PASSWORD];
}

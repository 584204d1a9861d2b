//! The password of the built-in administrator. Every Harbor has the only object, which is never created or deleted.

use crate::state::{NoFacts, State};
use serde::{Deserialize, Serialize};

/// The name of the only object, which is the name of the administrator.
pub const NAME: &str = "admin";

/// The write-only field for the password that the administrator is to have.
pub const PASSWORD: &str = "password";

/// The write-only field for the password that the administrator had when the operator last knew it.
pub const OLD_PASSWORD: &str = "old_password";

/// The password, of which Harbor shows nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AdminPassword {}

impl State for AdminPassword {
    type Facts = NoFacts;
    const COLLECTION: &'static str = "admin_password";
    const WRITE_ONLY: &'static [&'static str] = &[PASSWORD, OLD_PASSWORD];
}

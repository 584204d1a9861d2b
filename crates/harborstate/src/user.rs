//! Local users. The name of an object is the user name.

use crate::state::State;
use serde::{Deserialize, Serialize};

/// The write-only field for the password: 8 to 128 characters with an upper-case letter, a lower-case letter
/// and a digit.
pub const PASSWORD: &str = "password";

/// A user.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct User {
    /// Its mail address, which no other user has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// Its name in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub realname: Option<String>,
    /// A comment of at most 30 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// Whether it is an administrator by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sysadmin: Option<bool>,
}

/// What Harbor adds to a user.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Facts {
    /// Its number, a hint.
    pub id: i64,
}

impl State for User {
    type Facts = Facts;
    const COLLECTION: &'static str = "user";
    const WRITE_ONLY: &'static [&'static str] = &[PASSWORD];
}

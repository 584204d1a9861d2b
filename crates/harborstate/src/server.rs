//! The Harbor itself: what decides how it can be used. It is only read.

use crate::state::{NoFacts, State};
use serde::{Deserialize, Serialize};

/// The name of the only object.
pub const NAME: &str = "server";

/// The Harbor itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Server {
    /// Its version, such as `2.15.2`.
    pub version: String,
    /// Whether it accepts no changes for now.
    pub read_only: bool,
    /// How users log in: `db_auth`, `ldap_auth`, `uaa_auth`, `http_auth` or `oidc_auth`.
    pub auth_mode: String,
    /// The address that users have for it.
    pub external_url: String,
    /// What the login names of robots begin with. Only administrators know it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub robot_name_prefix: Option<String>,
    /// Whether the environment of Core overwrites all settings, so that none can be changed. Only
    /// administrators know it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settings_locked: Option<bool>,
    /// Whether `auth_mode` can be changed: not once there are other users than `admin`. Only administrators
    /// know it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auth_mode_editable: Option<bool>,
    /// What the operator is to this Harbor.
    pub principal: Principal,
}

/// What the account of the operator is to a Harbor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Principal {
    /// An administrator, who may do everything.
    Admin,
    /// A user with fewer permissions, or a robot with an unusual prefix.
    #[default]
    User,
    /// A robot, as far as its name shows.
    Robot,
}

impl State for Server {
    type Facts = NoFacts;
    const COLLECTION: &'static str = "server";
}

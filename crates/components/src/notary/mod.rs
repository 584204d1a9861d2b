//! What Notary's two programs share: how they reach their database, prove who they are, and write their settings.
//!
//! Uses: certificates, connections, pods, secrets, values.

mod certificates;
mod database;
mod migration;
mod settings;

pub(crate) use self::{
    certificates::Certificates,
    database::Database,
    migration::{command, environment},
    settings::{Caching, Logging, Storage, secret},
};

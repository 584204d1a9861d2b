//! What Notary's two programs share: their database, their certificates and their settings.
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

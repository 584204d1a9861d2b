//! nginx's configuration files, and what the web servers of Harbor have in common. Portal and the front use it.
//!
//! Uses: pods, versions.

mod block;
mod server;

pub(crate) use self::{
    block::Block,
    server::{
        CONFIG_FILE, CONFIG_PATH, Ciphers, NO_ARGUMENTS, config_file, ip_families, listeners,
        security_context, temporary_mount, temporary_volume, tls_directives,
    },
};

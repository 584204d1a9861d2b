//! Certificates and authorities of users: their validation, and how pods mount them.
//!
//! Uses: pods, secrets, values.

mod authorities;
mod bundles;
mod internal_tls;
mod pem;

pub(crate) use self::{
    authorities::{AUTHORITIES_DIRECTORY, Authorities, CA_CERTIFICATE},
    bundles::add_deployment,
    internal_tls::InternalTls,
    pem::{
        Presence, pem_certificates, pem_certificates_if_any, pem_file, pem_private_key, serving_certificate,
    },
};

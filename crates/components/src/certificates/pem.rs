//! Certificates and keys of users, validated before pods mount them.

use crate::{
    secrets::{SecretKey, Secrets},
    values::{Fault, not_empty},
};
use pki::Bundle;
use plan::{All, PlanError};

/// Whether a certificate exists already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presence {
    /// It exists and is valid.
    Present,
    /// The Secret does not exist: a controller such as cert-manager has yet to create it.
    Awaited,
}

/// Validates the certificate that users are served with: a Secret that exists must have `tls.crt` and
/// `tls.key`. An empty Secret is waited for.
pub(crate) fn serving_certificate(secret: &str, secrets: &Secrets<'_>) -> Result<Presence, PlanError> {
    match secrets.filled(secret) {
        Err(PlanError::Missing(_)) => return Ok(Presence::Awaited),
        filled => filled?,
    }
    let check = |key: &'static str| secrets.checked(&SecretKey::new(secret, key), pem_file(key));
    ["tls.crt", "tls.key"].map(check).into_iter().collect::<Vec<_>>().all()?;
    Ok(Presence::Present)
}

/// Accepts one or more certificates in PEM. With anything else, a program does not start or trusts no
/// certificate.
pub(crate) fn pem_certificates(value: &[u8]) -> Result<(), Fault> {
    not_empty(value)?;
    Bundle::parse(value).map(drop).map_err(|error| {
        Fault::new(
            error.to_string(),
            "put whole certificates into it, from `-----BEGIN CERTIFICATE-----` to `-----END CERTIFICATE-----`",
        )
    })
}

/// Accepts certificates or an empty value: cert-manager writes an empty `ca.crt` if the issuer has no
/// authority.
pub(crate) fn pem_certificates_if_any(value: &[u8]) -> Result<(), Fault> {
    if value.is_empty() { Ok(()) } else { pem_certificates(value) }
}

/// Accepts a private key of any kind in PEM.
pub(crate) fn pem_private_key(value: &[u8]) -> Result<(), Fault> {
    not_empty(value)?;
    let text = String::from_utf8_lossy(value);
    let labels = text.split("-----BEGIN ").skip(1).filter_map(|block| block.split("-----").next());
    if labels.into_iter().any(|label| label.ends_with("PRIVATE KEY")) {
        return Ok(());
    }
    Err(Fault::new("holds no private key in PEM", "put the key of the certificate in tls.crt into it"))
}

/// The check for a file of a TLS Secret.
pub(crate) fn pem_file(name: &str) -> fn(&[u8]) -> Result<(), Fault> {
    if name == "tls.key" { pem_private_key } else { pem_certificates }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(checked: Result<(), Fault>) -> String {
        checked.unwrap_err().problem
    }

    #[test]
    fn keys_of_every_kind_are_keys_and_certificates_are_none() {
        for label in ["PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "ENCRYPTED PRIVATE KEY"] {
            let key = format!("-----BEGIN {label}-----\nAAAA\n-----END {label}-----\n");
            assert!(pem_private_key(key.as_bytes()).is_ok(), "{label}");
            assert_eq!(refusal(pem_certificates(key.as_bytes())), "holds no certificate in PEM");
        }
        assert_eq!(refusal(pem_private_key(b"")), "is empty");
        assert_eq!(refusal(pem_private_key(b"-----BEGIN CERTIFICATE-----")), "holds no private key in PEM");
    }
}

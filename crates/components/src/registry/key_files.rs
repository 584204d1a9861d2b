//! The files with the registry's users and its signing key.

use super::{HTPASSWD_DIRECTORY, SCHEMA1_DIRECTORY, config::TOKEN_DIRECTORY, files::Files};
use crate::{
    certificates::pem_certificates,
    pods::{directory_mount, secret_volume},
    secrets::{SecretKey, Secrets},
    values::Fault,
};
use api::v1beta1::{RegistrySpec, registry::auth::RegistryAuthenticationSpec};
use plan::{All, PlanError};

/// A directory with one file of a Secret.
struct KeyFile<'a> {
    volume: &'static str,
    directory: &'static str,
    key: SecretKey<'a>,
    check: fn(&[u8]) -> Result<(), Fault>,
}

/// All files that a spec refers to, validated.
pub(super) fn of(spec: &RegistrySpec, secrets: &Secrets<'_>) -> Result<Files, PlanError> {
    let users = spec.authentication.as_ref().map(authentication).unwrap_or_default();
    let files = users.into_iter().flatten().chain(schema1(spec)).map(|file| {
        let KeyFile { volume, directory, key: SecretKey { secret, key }, check } = file;
        secrets.checked(&file.key, check)?;
        Ok((secret_volume(volume, secret, &[(key, key)]), directory_mount(volume, directory)))
    });
    let files = files.collect::<Vec<_>>().all()?;
    Ok(files.into_iter().fold(Files::default(), |files, (volume, mount)| files.with(volume, mount)))
}

fn authentication(spec: &RegistryAuthenticationSpec) -> [Option<KeyFile<'_>>; 2] {
    let htpasswd = spec.ht_passwd.as_ref().map(|users| KeyFile {
        volume: "authentication-htpasswd",
        directory: HTPASSWD_DIRECTORY,
        key: SecretKey::new(&users.secret_ref, "htpasswd"),
        check: names_users,
    });
    let token = spec.token.as_ref().map(|token| KeyFile {
        volume: "authentication-token",
        directory: TOKEN_DIRECTORY,
        key: SecretKey::new(&token.certificate_ref, "tls.crt"),
        check: pem_certificates,
    });
    [htpasswd, token]
}

/// The signing key, if the spec sets one and enables it. Otherwise the registry generates a key that no client
/// trusts, and signs nothing.
fn schema1(spec: &RegistrySpec) -> Option<KeyFile<'_>> {
    let schema1 = spec.compatibility.as_ref()?.schema1.as_ref().filter(|schema1| schema1.enabled)?;
    Some(KeyFile {
        volume: "compatibility-schema1-certificate",
        directory: SCHEMA1_DIRECTORY,
        key: SecretKey::new(schema1.certificate_ref.as_ref()?, "tls.key"),
        check: signs_manifests,
    })
}

/// Accepts a file with a bcrypt password; the registry supports no other hash.
fn names_users(file: &[u8]) -> Result<(), Fault> {
    let text = String::from_utf8_lossy(file);
    let bcrypt = |line: &str| {
        let hash = line.split_once(':').map(|(_, hash)| hash).unwrap_or_default();
        ["$2a$", "$2b$", "$2y$"].iter().any(|prefix| hash.starts_with(prefix))
    };
    if text.lines().any(bcrypt) {
        return Ok(());
    }
    Err(Fault::new("names no user with a bcrypt password", "make it with `htpasswd -nB`"))
}

/// Accepts a key that the registry can load; it does not start with anything else.
fn signs_manifests(key: &[u8]) -> Result<(), Fault> {
    let text = String::from_utf8_lossy(key);
    if ["RSA", "EC"].iter().any(|kind| text.contains(&format!("-----BEGIN {kind} PRIVATE KEY-----"))) {
        return Ok(());
    }
    Err(Fault::new(
        "is not a key the registry can load",
        "use one that begins with `BEGIN RSA PRIVATE KEY` or `BEGIN EC PRIVATE KEY`",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_need_a_bcrypt_password() {
        for hash in ["$2a$10$x", "$2b$10$x", "$2y$10$x"] {
            assert!(names_users(format!("# who\nharbor:{hash}").as_bytes()).is_ok());
        }
        for file in ["", "harbor:{SHA}x", "harbor:$apr1$x", "harbor", "$2y$10$x"] {
            assert!(names_users(file.as_bytes()).is_err(), "{file}");
        }
    }

    #[test]
    fn a_signing_key_is_rsa_or_elliptic_and_not_in_pkcs8() {
        let pem = |label| format!("-----BEGIN {label}-----\nAA==\n-----END {label}-----\n");
        assert!(signs_manifests(pem("RSA PRIVATE KEY").as_bytes()).is_ok());
        assert!(signs_manifests(pem("EC PRIVATE KEY").as_bytes()).is_ok());
        assert!(signs_manifests(pem("PRIVATE KEY").as_bytes()).is_err());
    }
}

//! Certificate authorities that a container trusts in addition to those of its image.

use super::pem;
use crate::{
    pods::{file_mount, secret_volume},
    secrets::{SecretKey, Secrets},
};
use k8s_openapi::api::core::v1::{Volume, VolumeMount};
use plan::{All, Digest, PlanError};

/// Where the start scripts of Harbor's images look for authorities; file names must end in `.crt`, `.ca` or
/// `.pem`.
pub(crate) const AUTHORITIES_DIRECTORY: &str = "/harbor_cust_cert";

/// Key of a Secret that holds an authority.
pub(crate) const CA_CERTIFICATE: &str = "ca.crt";

/// Secrets whose `ca.crt` is trusted, without duplicates, in the order of their first occurrence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Authorities<'a>(Vec<&'a str>);

impl<'a> Authorities<'a> {
    /// These Secrets. Duplicates are dropped: they would be two volumes of the same name.
    pub fn new(secrets: impl IntoIterator<Item = &'a str>) -> Self {
        let mut names: Vec<&str> = Vec::new();
        for secret in secrets {
            if !names.contains(&secret) {
                names.push(secret);
            }
        }
        Self(names)
    }

    /// Refuses Secrets without a certificate: the pod would not start, or would trust no certificate.
    pub fn check(&self, secrets: &Secrets<'_>) -> Result<(), PlanError> {
        let check =
            |secret: &&str| secrets.checked(&SecretKey::new(secret, CA_CERTIFICATE), pem::pem_certificates);
        self.0.iter().map(check).collect::<Vec<_>>().all().map(drop)
    }

    /// A volume for each authority.
    pub fn volumes(&self) -> Vec<Volume> {
        let volume =
            |secret: &&str| secret_volume(&volume_name(secret), secret, &[(CA_CERTIFICATE, CA_CERTIFICATE)]);
        self.0.iter().map(volume).collect()
    }

    /// A file for each authority in [`AUTHORITIES_DIRECTORY`].
    pub fn mounts(&self) -> Vec<VolumeMount> {
        self.0.iter().map(|secret| file_mount(&volume_name(secret), CA_CERTIFICATE, path(secret))).collect()
    }
}

/// Names of files that have another content: `ca.crt` is the authority of internal TLS, `ctl-ca.crt` that of
/// the registry controller, `custom-ca-bundle.crt` that of the store. A Secret with one of these names must not
/// replace them.
const TAKEN: [&str; 3] = ["ca", "ctl-ca", "custom-ca-bundle"];

fn path(secret: &str) -> String {
    let extension = if TAKEN.contains(&secret) { "pem" } else { "crt" };
    format!("{AUTHORITIES_DIRECTORY}/{secret}.{extension}")
}

/// The name of the volume, with the predecessor's spelling, or a digest where that is no valid name of a
/// volume.
fn volume_name(secret: &str) -> String {
    let name = format!("{secret}-certifacts");
    if name.len() <= 63 && !secret.contains('.') {
        return name;
    }
    format!("{}-certifacts", Digest::of_bytes(secret.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_named_twice_is_mounted_once() {
        let authorities = Authorities::new(["b", "a", "b"]);
        let names: Vec<String> = authorities.volumes().into_iter().map(|volume| volume.name).collect();
        assert_eq!(names, ["b-certifacts", "a-certifacts"]);
    }

    #[test]
    fn b33_a_secret_whose_name_no_volume_can_have_is_mounted_all_the_same() {
        for secret in ["corp.example.com", &"x".repeat(200)] {
            let name = volume_name(secret);
            assert!(name.len() <= 63 && !name.contains('.'), "{name}");
        }
    }

    #[test]
    fn a_secret_called_ca_does_not_take_the_place_of_the_internal_authority() {
        let mounts = Authorities::new(["ca"]).mounts();
        assert_eq!(mounts[0].mount_path, "/harbor_cust_cert/ca.pem");
    }
}

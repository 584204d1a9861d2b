//! Client certificates of Trivy's callers.
//!
//! Harbor itself presents no certificate to a scanner: if Trivy requires one, only other programs can call it.

use crate::{
    certificates::{CA_CERTIFICATE, pem_certificates},
    pods::directory_mount,
    secrets::{SecretKey, Secrets},
};
use api::v1beta1::trivy::TrivyServerSpec;
use k8s_openapi::api::core::v1::{
    KeyToPath, ProjectedVolumeSource, SecretProjection, Volume, VolumeMount, VolumeProjection,
};
use plan::{All, PlanError};

/// Not the directory of trusted authorities: Trivy need not trust servers with certificates of these
/// authorities.
const DIRECTORY: &str = "/etc/harbor/callers";

const VOLUME: &str = "callers";

/// Secrets whose `ca.crt` signs the certificates of callers, without duplicates. If there are none, Trivy
/// requires no certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Callers<'a>(Vec<&'a str>);

impl<'a> Callers<'a> {
    /// The callers that a spec allows. Refused without TLS, where Trivy would accept every caller.
    pub fn of(server: &'a TrivyServerSpec, secrets: &Secrets<'_>) -> Result<Self, PlanError> {
        let mut names: Vec<&str> =
            server.client_certificate_authority_refs.iter().map(String::as_str).collect();
        if server.tls.is_none() && !names.is_empty() {
            return Err(PlanError::invalid(
                "spec.server.clientCertificateAuthorityRefs",
                "is set without TLS, and only TLS asks callers for certificates",
                "set spec.server.tls, or remove the authorities",
            ));
        }
        names.sort_unstable();
        names.dedup();
        let check =
            |secret: &&str| secrets.checked(&SecretKey::new(secret, CA_CERTIFICATE), pem_certificates);
        names.iter().map(check).collect::<Vec<_>>().all()?;
        Ok(Self(names))
    }

    /// Whether Trivy requires no certificate.
    pub const fn accepts_all(&self) -> bool {
        self.0.is_empty()
    }

    /// The files of the authorities, separated by commas.
    pub fn paths(&self) -> Option<String> {
        let paths: Vec<String> = self.0.iter().map(|name| format!("{DIRECTORY}/{}", file(name))).collect();
        (!paths.is_empty()).then(|| paths.join(","))
    }

    /// The volume with the authorities.
    pub fn volume(&self) -> Option<Volume> {
        let source = |name: &&str| VolumeProjection {
            secret: Some(SecretProjection {
                name: (*name).to_owned(),
                items: Some(vec![KeyToPath { key: CA_CERTIFICATE.into(), path: file(name), mode: None }]),
                optional: None,
            }),
            ..VolumeProjection::default()
        };
        (!self.accepts_all()).then(|| Volume {
            name: VOLUME.into(),
            projected: Some(ProjectedVolumeSource {
                sources: Some(self.0.iter().map(source).collect()),
                ..ProjectedVolumeSource::default()
            }),
            ..Volume::default()
        })
    }

    /// The mount of the authorities.
    pub fn mount(&self) -> Option<VolumeMount> {
        (!self.accepts_all()).then(|| directory_mount(VOLUME, DIRECTORY))
    }
}

fn file(secret: &str) -> String {
    format!("{secret}.crt")
}

//! TLS between components.

use super::{
    authorities::{AUTHORITIES_DIRECTORY, CA_CERTIFICATE},
    pem,
};
use crate::{
    pods::{Environment, directory_mount, file_mount, secret_volume},
    secrets::{SecretKey, Secrets},
};
use api::v1beta1::tls::ComponentsTlsSpec;
use k8s_openapi::api::core::v1::{Volume, VolumeMount};
use plan::{All, PlanError};

const VOLUME: &str = "internal-certificates";
const FILES: [&str; 3] = ["tls.crt", "tls.key", CA_CERTIFICATE];

/// The certificate of a component, and the authority that signed those of all components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InternalTls<'a> {
    secret: &'a str,
}

impl<'a> InternalTls<'a> {
    /// The certificate that a spec names, if it is complete. The `tls` block turns TLS on, so it must name a
    /// Secret.
    pub fn of(
        spec: Option<&'a ComponentsTlsSpec>,
        field: &str,
        secrets: &Secrets<'_>,
    ) -> Result<Option<Self>, PlanError> {
        let Some(spec) = spec else { return Ok(None) };
        let Some(secret) = &spec.certificate_ref else {
            return Err(PlanError::invalid(
                format_args!("{field}.certificateRef"),
                "is not set although TLS is on",
                "name a Secret with tls.crt, tls.key and ca.crt, or remove the tls block",
            ));
        };
        let check = |file| secrets.checked(&SecretKey::new(secret, file), pem::pem_file(file));
        FILES.map(check).into_iter().collect::<Vec<_>>().all()?;
        Ok(Some(Self { secret }))
    }

    /// The volume with the certificate.
    pub fn volume(&self) -> Volume {
        self.volume_named(VOLUME)
    }

    /// The volume under another name, for a pod with more than one certificate.
    pub fn volume_named(&self, name: &str) -> Volume {
        secret_volume(name, self.secret, &FILES.map(|file| (file, file)))
    }

    /// Mounts the certificate in `directory`, and its authority among the trusted ones.
    pub fn mounts(directory: &str) -> Vec<VolumeMount> {
        vec![
            file_mount(VOLUME, CA_CERTIFICATE, format!("{AUTHORITIES_DIRECTORY}/{CA_CERTIFICATE}")),
            directory_mount(VOLUME, directory),
        ]
    }

    /// The settings of internal TLS, with the files in `directory`.
    pub fn environment(tls: Option<&Self>, directory: &str) -> Environment {
        let environment = Environment::default().with("INTERNAL_TLS_ENABLED", tls.is_some());
        if tls.is_none() {
            return environment;
        }
        environment
            .with("INTERNAL_TLS_CERT_PATH", format_args!("{directory}/tls.crt"))
            .with("INTERNAL_TLS_KEY_PATH", format_args!("{directory}/tls.key"))
            // Only Harbor 2.5 reads it; later versions trust the image's bundle.
            .with("INTERNAL_TLS_TRUST_CA_PATH", format_args!("{directory}/{CA_CERTIFICATE}"))
    }
}

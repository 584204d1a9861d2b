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

/// A component's own certificate, and the authority of all the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InternalTls<'a> {
    secret: &'a str,
}

impl<'a> InternalTls<'a> {
    /// The certificate a spec names, found complete. Its presence turns TLS on; without a Secret there is nothing to
    /// serve with.
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
        let check = |file| secrets.sound(&SecretKey::new(secret, file), pem::pem_file(file));
        FILES.map(check).into_iter().collect::<Vec<_>>().all()?;
        Ok(Some(Self { secret }))
    }

    /// The certificate.
    pub fn volume(&self) -> Volume {
        self.volume_named(VOLUME)
    }

    /// The certificate, where a pod has more than one.
    pub fn volume_named(&self, name: &str) -> Volume {
        secret_volume(name, self.secret, &FILES.map(|file| (file, file)))
    }

    /// The certificate as files in `directory`, and its authority among those trusted.
    pub fn mounts(directory: &str) -> Vec<VolumeMount> {
        vec![
            file_mount(VOLUME, CA_CERTIFICATE, format!("{AUTHORITIES_DIRECTORY}/{CA_CERTIFICATE}")),
            directory_mount(VOLUME, directory),
        ]
    }

    /// Tells Harbor whether to serve with the files in `directory`.
    pub fn environment(tls: Option<&Self>, directory: &str) -> Environment {
        let environment = Environment::default().with("INTERNAL_TLS_ENABLED", tls.is_some());
        if tls.is_none() {
            return environment;
        }
        environment
            .with("INTERNAL_TLS_CERT_PATH", format_args!("{directory}/tls.crt"))
            .with("INTERNAL_TLS_KEY_PATH", format_args!("{directory}/tls.key"))
            // Read by Harbor 2.5 only; later ones trust what is in the image's bundle.
            .with("INTERNAL_TLS_TRUST_CA_PATH", format_args!("{directory}/{CA_CERTIFICATE}"))
    }
}

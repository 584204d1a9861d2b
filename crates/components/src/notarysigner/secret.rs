//! The Secret with `signer.json`, the signer's settings, and with the URL for the migration.

use super::{
    deployment::DIRECTORY,
    service::PORT_NUMBER,
    validated::{ALIAS, Validated},
};
use crate::{
    certificates::CA_CERTIFICATE,
    notary::{self, Caching, Logging, Storage},
};
use k8s_openapi::api::core::v1::Secret;
use plan::PlanError;
use serde::Serialize;

/// Key of the Secret, and name of the file.
pub(super) const FILE: &str = "signer.json";

/// The Secret.
pub(super) fn secret(notary: &Validated<'_>) -> Result<Secret, PlanError> {
    notary::secret(&notary.instance, FILE, &settings(notary), &notary.database)
}

#[derive(Serialize)]
struct Settings {
    server: Server,
    logging: Logging,
    storage: Storage,
    caching: Caching,
}

#[derive(Serialize)]
struct Server {
    grpc_addr: String,
    tls_cert_file: String,
    tls_key_file: String,
    /// With it, the signer requires client certificates.
    client_ca_file: String,
}

fn settings(notary: &Validated<'_>) -> Settings {
    let path = |file| notary.certificates.path(DIRECTORY, file);
    Settings {
        server: Server {
            grpc_addr: format!(":{PORT_NUMBER}"),
            tls_cert_file: path("tls.crt"),
            tls_key_file: path("tls.key"),
            client_ca_file: path(CA_CERTIFICATE),
        },
        logging: Logging::of(notary.spec.logging.as_ref()),
        storage: Storage::of(&notary.database, Some(ALIAS)),
        caching: Caching::default(),
    }
}

//! The Secret with `server.json`, the server's settings, and with the URL for the migration.

use super::{deployment::DIRECTORY, validated::Validated};
use crate::{
    certificates::CA_CERTIFICATE,
    notary::{self, Caching, Certificates, Logging, Storage},
};
use api::v1beta1::notaryserver::{NotaryServerRemoteSignerSpec, NotaryServerTokenSpec};
use k8s_openapi::api::core::v1::Secret;
use plan::PlanError;
use serde::Serialize;

/// Key of the Secret, and name of the file.
pub(super) const FILE: &str = "server.json";

/// The Secret.
pub(super) fn secret(notary: &Validated<'_>) -> Result<Secret, PlanError> {
    notary::secret(&notary.instance, FILE, &settings(notary), &notary.database)
}

#[derive(Serialize)]
struct Settings<'a> {
    server: Server,
    trust_service: TrustService<'a>,
    logging: Logging,
    storage: Storage,
    #[serde(skip_serializing_if = "Option::is_none")]
    auth: Option<Auth<'a>>,
    caching: Caching,
}

#[derive(Serialize)]
struct Server {
    http_addr: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    tls_cert_file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tls_key_file: Option<String>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum TrustService<'a> {
    /// The server keeps the keys in memory.
    Local,
    /// A signer stores the keys.
    Remote {
        hostname: &'a str,
        port: String,
        key_algorithm: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        tls_ca_file: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        tls_client_cert: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        tls_client_key: Option<String>,
    },
}

#[derive(Serialize)]
struct Auth<'a> {
    r#type: &'static str,
    options: Token<'a>,
}

#[derive(Serialize)]
struct Token<'a> {
    realm: &'a str,
    service: &'a str,
    issuer: &'a str,
    rootcertbundle: String,
    /// Notary's implementation ignores it; newer ones read it.
    autoredirect: bool,
}

fn settings<'a>(notary: &Validated<'a>) -> Settings<'a> {
    let spec = notary.spec;
    let remote = spec.trust_service.remote.as_ref();
    let token = spec.authentication.as_ref().map(|authentication| &authentication.token);
    Settings {
        server: Server {
            http_addr: format!(":{}", super::service::CONTAINER_PORT),
            tls_cert_file: path(notary.tls, "tls.crt"),
            tls_key_file: path(notary.tls, "tls.key"),
        },
        trust_service: remote.map_or(TrustService::Local, |remote| trust_service(remote, notary.signer)),
        logging: Logging::of(spec.logging.as_ref()),
        storage: Storage::of(&notary.database, None),
        auth: token.zip(notary.token).map(|(spec, certificate)| auth(spec, certificate)),
        caching: Caching::default(),
    }
}

fn trust_service<'a>(
    spec: &'a NotaryServerRemoteSignerSpec,
    certificates: Option<Certificates<'a>>,
) -> TrustService<'a> {
    TrustService::Remote {
        hostname: &spec.host,
        port: spec.port.to_string(),
        key_algorithm: spec.key_algorithm.as_str(),
        tls_ca_file: path(certificates, CA_CERTIFICATE),
        tls_client_cert: path(certificates, "tls.crt"),
        tls_client_key: path(certificates, "tls.key"),
    }
}

fn auth<'a>(spec: &'a NotaryServerTokenSpec, certificate: Certificates<'a>) -> Auth<'a> {
    Auth {
        r#type: "token",
        options: Token {
            realm: &spec.realm,
            service: &spec.service,
            issuer: &spec.issuer,
            rootcertbundle: certificate.path(DIRECTORY, "tls.crt"),
            autoredirect: spec.auto_redirect,
        },
    }
}

fn path(certificates: Option<Certificates<'_>>, file: &str) -> Option<String> {
    certificates.map(|certificates| certificates.path(DIRECTORY, file))
}

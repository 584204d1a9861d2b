//! TLS between the operator and Core, whose pods must have a certificate that the operator trusts.

use crate::{
    clients::{is_trusted, source},
    cluster::NAMESPACE,
};
use harborstate::{Access, Trust};
use k8s_openapi::api::core::v1::{Pod, Secret};
use kube::{Api, Client, api::ListParams};
use rustls::CertificateError;
use std::io;
use tower::BoxError;

/// Where the pods of Core have their certificate.
const CERTIFICATE: &str = "/etc/core/ssl/tls.crt";

/// Fails as a connection does to a pod of Core whose certificate the operator does not trust.
pub async fn check(access: &Access, client: &Client) -> Result<(), BoxError> {
    let Trust::Service { authorities, name } = &access.trust else { return Ok(()) };
    let pods: Api<Pod> = Api::namespaced(client.clone(), NAMESPACE);
    let secrets: Api<Secret> = Api::namespaced(client.clone(), NAMESPACE);
    let all = pods.list(&ListParams::default()).await?.items;
    let alive = all.iter().filter(|pod| pod.metadata.deletion_timestamp.is_none());
    for (secret, key, _) in alive.filter_map(|pod| source(pod, "core", CERTIFICATE)) {
        let found = secrets.get_opt(&secret).await?;
        let certificate = found.and_then(|found| found.data?.remove(&key)).unwrap_or_default();
        if !is_trusted(authorities.as_bytes(), &certificate.0, name) {
            let problem = rustls::Error::InvalidCertificate(CertificateError::UnknownIssuer);
            return Err(io::Error::other(problem).into());
        }
    }
    Ok(())
}

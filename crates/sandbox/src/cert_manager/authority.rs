//! The authority in a Secret.

use super::IssueError;
use crate::secret::decoded;
use kube::core::DynamicObject;
use pki::Authority;

/// The namespace with the authorities of cluster issuers.
pub(crate) const CLUSTER_NAMESPACE: &str = "cert-manager";

/// The authority in a TLS Secret. Fails if it may not sign.
pub(crate) fn from_secret(secret: &DynamicObject) -> Result<Authority, IssueError> {
    let text = |key: &str| {
        let content = decoded(secret, key).and_then(|bytes| String::from_utf8(bytes).ok());
        content.ok_or_else(|| IssueError::Spec(format!("no data for {key:?} in the authority's secret")))
    };
    Ok(Authority::from_pem(text("tls.crt")?, text("tls.key")?)?)
}

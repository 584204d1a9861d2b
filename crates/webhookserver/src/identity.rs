//! The certificate that the server presents. It can change while the server runs.

use crate::certificate::text;
use k8s_openapi::api::core::v1::Secret;
use rustls::{
    ServerConfig,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
    server::{ClientHello, ResolvesServerCert},
    sign::CertifiedKey,
};
use std::sync::{Arc, PoisonError, RwLock};

/// The certificate of the server; none until the Secret is there.
#[derive(Debug, Default)]
pub(crate) struct Identity(RwLock<Option<Arc<CertifiedKey>>>);

/// Why a Secret holds no certificate.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct NoIdentity(&'static str);

impl Identity {
    /// Presents the certificate of a Secret from now on. Keeps the one before if the Secret has none.
    pub fn set(&self, secret: &Secret) -> Result<(), NoIdentity> {
        let certified = certified(secret)?;
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(certified));
        Ok(())
    }

    /// TLS for a server with this identity.
    pub fn config(self: &Arc<Self>) -> Result<ServerConfig, rustls::Error> {
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_cert_resolver(Arc::clone(self) as Arc<dyn ResolvesServerCert>);
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(config)
    }
}

impl ResolvesServerCert for Identity {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn certified(secret: &Secret) -> Result<CertifiedKey, NoIdentity> {
    let entry = |name: &str, missing: &'static str| text(secret, name).ok_or(NoIdentity(missing));
    let chain = entry("tls.crt", "it has no entry `tls.crt`")?;
    let key = entry("tls.key", "it has no entry `tls.key`")?;
    let chain: Vec<_> = CertificateDer::pem_slice_iter(chain.as_bytes())
        .collect::<Result<_, _>>()
        .map_err(|_| NoIdentity("its entry `tls.crt` holds no certificate"))?;
    let key = PrivateKeyDer::from_pem_slice(key.as_bytes())
        .map_err(|_| NoIdentity("its entry `tls.key` holds no private key"))?;
    CertifiedKey::from_der(chain, key, &ring::default_provider())
        .map_err(|_| NoIdentity("its certificate and its key do not belong together"))
}

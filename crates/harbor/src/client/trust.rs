//! Whose certificate a server may have.

use hyper_rustls::ConfigBuilderExt as _;
use rustls::{
    ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme,
    client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature},
    pki_types::{CertificateDer, ServerName, UnixTime, pem::PemObject as _},
};
use std::sync::Arc;

/// Whose certificate a server may have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Trust {
    /// One that these authorities signed, in PEM format, and no other.
    Authorities(String),
    /// One that these authorities signed for this name, whatever the address is: certificates inside a cluster are often for
    /// the name of a Service without its namespace.
    Service {
        /// In PEM format.
        authorities: String,
        /// The name in the certificate.
        name: String,
    },
    /// One that an authority of the system signed.
    #[default]
    Public,
    /// Any: anyone on the way can read the password. For tests, and for users who insist.
    Unverified,
}

/// Why certificates cannot be checked as asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TrustError {
    /// The text has no certificate, or one that cannot be read.
    #[error("the authorities are not certificates in PEM format")]
    Authorities,
    /// The system has no authorities.
    #[error("this system has no authorities; give the certificate of the authority")]
    NoSystemAuthorities,
    /// The name in the certificate cannot be one.
    #[error("no certificate can be for this name")]
    Name,
    /// TLS itself cannot be set up.
    #[error("TLS cannot be set up: {0}")]
    Tls(String),
}

impl Trust {
    pub(super) fn config(&self) -> Result<ClientConfig, TrustError> {
        let provider = Arc::new(ring::default_provider());
        let config = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(|error| TrustError::Tls(error.to_string()))?;
        let config = match self {
            Self::Authorities(pem) | Self::Service { authorities: pem, .. } => {
                config.with_root_certificates(roots(pem)?)
            }
            Self::Public => config.with_native_roots().map_err(|_| TrustError::NoSystemAuthorities)?,
            Self::Unverified => {
                config.dangerous().with_custom_certificate_verifier(Arc::new(Anyone(provider)))
            }
        };
        Ok(config.with_no_client_auth())
    }

    /// The name that the certificate must have, if that is not the one in the address.
    pub(super) fn server_name(&self) -> Result<Option<ServerName<'static>>, TrustError> {
        match self {
            Self::Service { name, .. } => {
                ServerName::try_from(name.clone()).map(Some).map_err(|_| TrustError::Name)
            }
            Self::Authorities(_) | Self::Public | Self::Unverified => Ok(None),
        }
    }
}

fn roots(pem: &str) -> Result<RootCertStore, TrustError> {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(pem.as_bytes()) {
        let certificate = certificate.map_err(|_| TrustError::Authorities)?;
        roots.add(certificate).map_err(|_| TrustError::Authorities)?;
    }
    if roots.is_empty() { Err(TrustError::Authorities) } else { Ok(roots) }
}

/// Accepts every certificate. The server must still have its key.
#[derive(Debug)]
struct Anyone(Arc<CryptoProvider>);

impl ServerCertVerifier for Anyone {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::{Trust, TrustError};

    #[test]
    fn text_without_a_certificate_is_no_authority() {
        for nonsense in ["", "nonsense", "-----BEGIN CERTIFICATE-----\nbm8=\n-----END CERTIFICATE-----\n"] {
            let trust = Trust::Authorities(nonsense.to_owned());
            assert_eq!(trust.config().err(), Some(TrustError::Authorities), "{nonsense}");
        }
    }
}

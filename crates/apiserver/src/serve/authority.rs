//! The certificate authority of one server, which signs the server's certificate and those of its users.

use super::kubeconfig::Credential;
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer,
    KeyPair, KeyUsagePurpose, date_time_ymd,
};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The names of the API in the pods of a cluster, and those of this machine.
const NAMES: [&str; 7] = [
    "127.0.0.1",
    "::1",
    "localhost",
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
];

/// Signs the server's certificate and those of users.
pub struct Authority {
    pems: Pems,
    issuer: Issuer<'static, KeyPair>,
}

/// The key and certificate of an authority. If they are kept, kubeconfigs stay valid after a restart.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pems {
    certificate: String,
    key: String,
}

/// Why there are no certificates to serve with.
#[derive(Debug, thiserror::Error)]
pub enum AuthorityError {
    /// A key or certificate could not be created or parsed.
    #[error("cannot create a certificate: {0}")]
    Certificate(#[from] rcgen::Error),
    /// The kept certificate is invalid.
    #[error("cannot parse the stored certificate of the authority: {0}")]
    Kept(#[from] rustls::pki_types::pem::Error),
    /// The certificates do not match.
    #[error("cannot serve with the certificates of the authority: {0}")]
    Tls(#[from] rustls::Error),
    /// The authority could not be stored for the next start.
    #[error("cannot store the certificate authority: {0}")]
    Unkept(#[from] crate::journal::JournalError),
    /// Client certificates cannot be verified.
    #[error("cannot verify client certificates: {0}")]
    Verifier(#[from] rustls::client::VerifierBuilderError),
}

impl Authority {
    /// An authority with a new key.
    pub fn generate() -> Result<Self, AuthorityError> {
        let key = KeyPair::generate()?;
        let certificate = params().self_signed(&key)?.pem();
        let pems = Pems { certificate, key: key.serialize_pem() };
        Ok(Self { pems, issuer: Issuer::new(params(), key) })
    }

    /// The authority that was kept.
    pub fn from_pems(pems: Pems) -> Result<Self, AuthorityError> {
        CertificateDer::from_pem_slice(pems.certificate.as_bytes())?;
        let key = KeyPair::from_pem(&pems.key)?;
        Ok(Self { pems, issuer: Issuer::new(params(), key) })
    }

    /// The key and certificate to keep.
    pub fn pems(&self) -> &Pems {
        &self.pems
    }

    /// The certificate that clients trust.
    pub fn certificate(&self) -> &str {
        &self.pems.certificate
    }

    /// A certificate for user `name` in `group`.
    pub fn credential(&self, name: &str, group: &str) -> Result<Credential, AuthorityError> {
        let mut params = CertificateParams::default();
        params.distinguished_name = DistinguishedName::new();
        params.distinguished_name.push(DnType::OrganizationName, group);
        params.distinguished_name.push(DnType::CommonName, name);
        let (certificate, key) = self.signed(params, ExtendedKeyUsagePurpose::ClientAuth)?;
        Ok(Credential::Certificate { certificate: certificate.pem(), key: key.serialize_pem() })
    }

    /// The TLS configuration: a new certificate for this machine's names, and client certificates are requested.
    pub(super) fn server_config(&self) -> Result<ServerConfig, AuthorityError> {
        let trusted = CertificateDer::from_pem_slice(self.pems.certificate.as_bytes())?;
        let (certificate, key) = self.signed(
            CertificateParams::new(NAMES.map(str::to_owned).to_vec())?,
            ExtendedKeyUsagePurpose::ServerAuth,
        )?;
        let mut roots = RootCertStore::empty();
        roots.add(trusted.clone())?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let clients = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider))
            .allow_unauthenticated()
            .build()?;
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_client_cert_verifier(clients)
            .with_single_cert(
                vec![certificate.der().clone(), trusted],
                PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der())),
            )?;
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(config)
    }

    fn signed(
        &self,
        mut params: CertificateParams,
        usage: ExtendedKeyUsagePurpose,
    ) -> Result<(rcgen::Certificate, KeyPair), AuthorityError> {
        valid_always(&mut params);
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![usage];
        let key = KeyPair::generate()?;
        Ok((params.signed_by(&key, &self.issuer)?, key))
    }
}

fn params() -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, "kubernetes in memory");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
    valid_always(&mut params);
    params
}

/// The keys protect a server of this machine. With fixed dates, a wrong clock does not lock its user out.
fn valid_always(params: &mut CertificateParams) {
    params.not_before = date_time_ymd(2000, 1, 1);
    params.not_after = date_time_ymd(2099, 1, 1);
}

//! Certificates for servers on loopback.

use crate::error::Failure;
use rcgen::{
    BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose, date_time_ymd,
};

/// A certificate and its key, in PEM.
pub struct Identity {
    /// The certificate of the authority that signed it, for clients.
    pub authority: String,
    /// The certificate.
    pub certificate: String,
    /// Its key.
    pub key: String,
}

impl Identity {
    /// The certificate of a server on loopback, signed by a new authority.
    pub fn loopback() -> Result<Self, Failure> {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, "programs");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
        valid_always(&mut params);
        let key = KeyPair::generate()?;
        let authority = params.self_signed(&key)?.pem();
        let issuer = Issuer::new(params, key);

        let mut params = CertificateParams::new(["127.0.0.1".to_owned(), "localhost".to_owned()])?;
        valid_always(&mut params);
        let key = KeyPair::generate()?;
        let certificate = params.signed_by(&key, &issuer)?.pem();
        Ok(Self { authority, certificate, key: key.serialize_pem() })
    }
}

/// The keys exist only during a test. With fixed dates, a wrong clock does not fail it.
fn valid_always(params: &mut CertificateParams) {
    params.not_before = date_time_ymd(2000, 1, 1);
    params.not_after = date_time_ymd(2099, 1, 1);
}

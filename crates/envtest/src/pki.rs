//! The certificates of one control plane: a CA, the API server's certificate and the administrator's.

use crate::error::StartError;
use crate::folder;
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, date_time_ymd,
};
use std::path::{Path, PathBuf};

/// The files of all keys and certificates, in the control plane's folder.
pub(crate) struct Pki {
    pub authority: PathBuf,
    pub server: Identity,
    pub admin: Identity,
    /// Signs service account tokens.
    pub tokens_key: PathBuf,
    pub tokens_public_key: PathBuf,
}

/// A certificate and its key.
pub(crate) struct Identity {
    pub certificate: PathBuf,
    pub key: PathBuf,
}

impl Pki {
    /// Generates keys and writes them to `folder`.
    pub fn create(folder: &Path) -> Result<Self, StartError> {
        let key = KeyPair::generate()?;
        let params = authority();
        let authority = folder.join("ca.crt");
        folder::write(&authority, &params.self_signed(&key)?.pem())?;
        let issuer = Issuer::new(params, key);

        let server = CertificateParams::new(["127.0.0.1".to_owned(), "localhost".to_owned()])?;
        // Kubernetes takes the user from the common name and the group from the organization.
        let mut admin = CertificateParams::default();
        admin.distinguished_name.push(DnType::CommonName, "envtest-admin");
        admin.distinguished_name.push(DnType::OrganizationName, "system:masters");

        let tokens = KeyPair::generate()?;
        let tokens_key = folder.join("service-accounts.key");
        let tokens_public_key = folder.join("service-accounts.pub");
        folder::write(&tokens_key, &tokens.serialize_pem())?;
        folder::write(&tokens_public_key, &tokens.public_key_pem())?;

        Ok(Self {
            authority,
            server: sign(&issuer, server, ExtendedKeyUsagePurpose::ServerAuth, &folder.join("apiserver"))?,
            admin: sign(&issuer, admin, ExtendedKeyUsagePurpose::ClientAuth, &folder.join("admin"))?,
            tokens_key,
            tokens_public_key,
        })
    }
}

fn authority() -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, "envtest");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
    valid_always(&mut params);
    params
}

fn sign(
    issuer: &Issuer<'_, KeyPair>,
    mut params: CertificateParams,
    usage: ExtendedKeyUsagePurpose,
    file: &Path,
) -> Result<Identity, StartError> {
    valid_always(&mut params);
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![usage];
    let key = KeyPair::generate()?;
    let identity = Identity { certificate: file.with_extension("crt"), key: file.with_extension("key") };
    folder::write(&identity.certificate, &params.signed_by(&key, issuer)?.pem())?;
    folder::write(&identity.key, &key.serialize_pem())?;
    Ok(identity)
}

/// The keys exist only during a test run. With fixed dates, a wrong clock does not fail tests.
fn valid_always(params: &mut CertificateParams) {
    params.not_before = date_time_ymd(2000, 1, 1);
    params.not_after = date_time_ymd(2099, 1, 1);
}

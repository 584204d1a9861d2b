//! Who signs: a certificate's own key, or an authority's in a Secret.

use super::{IssueError, key::key_pair};
use crate::secret::decoded;
use kube::core::DynamicObject;
use pem::Pem;
use rcgen::{CertificateParams, Issuer, KeyPair};
use x509_parser::parse_x509_certificate;

/// Where the authorities of cluster issuers are.
pub(crate) const CLUSTER_NAMESPACE: &str = "cert-manager";

/// Who signs a certificate.
#[derive(Clone, Debug)]
pub(crate) enum Authority {
    /// Its own key.
    Itself,
    /// The key of an authority, with its chain, leaf first.
    Secret { chain: String, key: String },
}

/// The parts of a TLS Secret, as PEM.
#[derive(Clone, Debug)]
pub(crate) struct Issued {
    pub chain: String,
    pub authority: String,
    pub key: String,
}

impl Authority {
    /// The authority in a TLS Secret, if it may sign.
    pub fn from_secret(secret: &DynamicObject) -> Result<Self, IssueError> {
        let text = |key: &str| {
            let content = decoded(secret, key).and_then(|bytes| String::from_utf8(bytes).ok());
            content.ok_or_else(|| IssueError::Spec(format!("no data for {key:?} in the authority's secret")))
        };
        let (chain, key) = (text("tls.crt")?, text("tls.key")?);
        let first = certificates(&chain)?.into_iter().next();
        let first =
            first.ok_or_else(|| IssueError::Spec("the authority's secret has no certificate".into()))?;
        let is_ca =
            parse_x509_certificate(first.contents()).is_ok_and(|(_, certificate)| certificate.is_ca());
        if !is_ca {
            return Err(IssueError::Spec("certificate is not a CA".into()));
        }
        key_pair(&key)?;
        Ok(Self::Secret { chain, key })
    }

    /// Signs a certificate for a key.
    pub fn sign(&self, mut params: CertificateParams, key: String) -> Result<Issued, IssueError> {
        let subject: KeyPair = key_pair(&key)?;
        let (leaf, above) = match self {
            Self::Itself => (params.self_signed(&subject)?, Vec::new()),
            Self::Secret { chain, key } => {
                let above = certificates(chain)?;
                let direct = above.first().map(|pem| Pem::new(pem.tag(), pem.contents())).into_iter();
                let direct: String = direct.map(|pem| written(&[pem])).collect();
                params.use_authority_key_identifier_extension = true;
                let issuer = Issuer::from_ca_cert_pem(&direct, key_pair(key)?)?;
                (params.signed_by(&subject, &issuer)?, above)
            }
        };
        let mut chain = vec![Pem::new("CERTIFICATE", leaf.der().to_vec())];
        chain.extend(above);
        // As cert-manager has it: the root is apart, and in the chain only if it is all there is.
        let root = chain.last().map(|last| Pem::new(last.tag(), last.contents()));
        if chain.len() > 1 && root.as_ref().is_some_and(is_self_signed) {
            chain.pop();
        }
        Ok(Issued { chain: written(&chain), authority: written(root.as_slice()), key })
    }
}

fn certificates(text: &str) -> Result<Vec<Pem>, IssueError> {
    let all = pem::parse_many(text)?;
    Ok(all.into_iter().filter(|pem| pem.tag() == "CERTIFICATE").collect())
}

fn is_self_signed(pem: &Pem) -> bool {
    parse_x509_certificate(pem.contents())
        .is_ok_and(|(_, certificate)| certificate.subject() == certificate.issuer())
}

fn written(certificates: &[Pem]) -> String {
    pem::encode_many_config(certificates, pem::EncodeConfig::new().set_line_ending(pem::LineEnding::LF))
}

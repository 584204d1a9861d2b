//! Signing of certificates, with their own key or with the key of an authority.

use crate::{IssueError, key_pair};
use jiff::Timestamp;
use pem::Pem;
use rcgen::{CertificateParams, Issuer, KeyPair, PublicKeyData as _};
use std::fmt;
use x509_parser::parse_x509_certificate;

/// The signer of a certificate.
#[derive(Clone)]
pub enum Authority {
    /// The certificate is self-signed.
    Itself,
    /// An authority signs it.
    Other {
        /// The certificate of the authority and those above it, as PEM.
        chain: String,
        /// The key of the authority, as PEM.
        key: String,
        /// The root of another authority, as PEM, for programs that trust both.
        also_trusted: Option<String>,
    },
}

/// A certificate with its chain, its root and its key, as PEM.
#[derive(Clone, PartialEq, Eq)]
pub struct Issued {
    /// The certificate and those between it and the root; only the root if the certificate is the root.
    pub chain: String,
    /// The root certificate, and that of another authority that is trusted, too.
    pub authority: String,
    /// The certificate's key.
    pub key: String,
}

impl Issued {
    /// When the certificate expires; `None` if it cannot be parsed.
    pub fn expires(&self) -> Option<Timestamp> {
        expires(&self.chain)
    }
}

/// When the first certificate of a chain expires; `None` if it cannot be parsed.
pub fn expires(chain: &str) -> Option<Timestamp> {
    let pem = pem::parse(chain).ok()?;
    let (_, certificate) = parse_x509_certificate(pem.contents()).ok()?;
    Timestamp::from_second(certificate.validity().not_after.timestamp()).ok()
}

impl Authority {
    /// The authority with this chain and key. Fails if it may not sign.
    pub fn from_pem(chain: String, key: String) -> Result<Self, IssueError> {
        let first = certificates(&chain)?.into_iter().next();
        let first = first.ok_or(IssueError::Authority("the authority has no certificate"))?;
        let (_, certificate) = parse_x509_certificate(first.contents())
            .map_err(|_| IssueError::Authority("the authority has a certificate that cannot be read"))?;
        if !certificate.is_ca() {
            return Err(IssueError::Authority("certificate is not a CA"));
        }
        if certificate.public_key().raw != key_pair(&key)?.subject_public_key_info() {
            return Err(IssueError::Authority("the authority has a certificate for another key"));
        }
        Ok(Self::Other { chain, key, also_trusted: None })
    }

    /// The same, which has programs trust the root of another authority, too.
    pub fn beside(self, other: &Self) -> Result<Self, IssueError> {
        match self {
            Self::Itself => Ok(Self::Itself),
            Self::Other { chain, key, .. } => Ok(Self::Other { chain, key, also_trusted: other.root()? }),
        }
    }

    /// The last certificate above the ones that it signs.
    fn root(&self) -> Result<Option<String>, IssueError> {
        let Self::Other { chain, .. } = self else { return Ok(None) };
        Ok(certificates(chain)?.last().map(|root| written(std::slice::from_ref(root))))
    }

    /// Signs a certificate for a key.
    pub fn sign(&self, mut params: CertificateParams, key: String) -> Result<Issued, IssueError> {
        let subject: KeyPair = key_pair(&key)?;
        let certificate = match self {
            Self::Itself => params.self_signed(&subject)?,
            Self::Other { chain, key, .. } => {
                let direct = certificates(chain)?.into_iter().take(1).collect::<Vec<_>>();
                params.use_authority_key_identifier_extension = true;
                let issuer = Issuer::from_ca_cert_pem(&written(&direct), key_pair(key)?)?;
                params.signed_by(&subject, &issuer)?
            }
        };
        let (chain, authority) = self.around(certificate.der())?;
        Ok(Issued { chain, authority, key })
    }

    /// The chain and the trusted roots for a certificate that this authority has signed.
    ///
    /// As with cert-manager, the root is separate, and the chain contains it only if there is no other certificate.
    pub(crate) fn around(&self, certificate: &[u8]) -> Result<(String, String), IssueError> {
        let mut chain = vec![Pem::new("CERTIFICATE", certificate)];
        if let Self::Other { chain: above, .. } = self {
            chain.extend(certificates(above)?);
        }
        let root = chain.last().map(|last| Pem::new(last.tag(), last.contents()));
        if chain.len() > 1 && root.as_ref().is_some_and(is_self_signed) {
            chain.pop();
        }
        let also = match self {
            Self::Other { also_trusted, .. } => also_trusted.as_deref().unwrap_or_default(),
            Self::Itself => "",
        };
        Ok((written(&chain), written(root.as_slice()) + also))
    }

    /// Whether a certificate was signed with this authority's key.
    pub(crate) fn has_signed(&self, certificate: &x509_parser::certificate::X509Certificate<'_>) -> bool {
        match self {
            Self::Itself => certificate.verify_signature(None).is_ok(),
            Self::Other { chain, .. } => certificates(chain).is_ok_and(|chain| {
                let direct = chain.first().and_then(|pem| parse_x509_certificate(pem.contents()).ok());
                direct.is_some_and(|(_, direct)| {
                    certificate.verify_signature(Some(direct.public_key())).is_ok()
                })
            }),
        }
    }
}

// Not derived: it holds a key.
impl fmt::Debug for Authority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Itself => f.write_str("Itself"),
            Self::Other { chain, .. } => {
                f.debug_struct("Other").field("chain", chain).finish_non_exhaustive()
            }
        }
    }
}

// Not derived: it holds a key.
impl fmt::Debug for Issued {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Issued").field("chain", &self.chain).finish_non_exhaustive()
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

pub(crate) fn written(certificates: &[Pem]) -> String {
    pem::encode_many_config(certificates, pem::EncodeConfig::new().set_line_ending(pem::LineEnding::LF))
}

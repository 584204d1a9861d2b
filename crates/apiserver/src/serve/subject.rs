//! The subject of a client certificate: Kubernetes takes the user from the common name and the groups from the
//! organizations.

use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;

/// The subject of a client certificate that the authority signed. It is an extension of each request on its
/// connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ClientCertificate {
    pub common_name: String,
    pub organizations: Vec<String>,
}

const SEQUENCE: u8 = 0x30;
const SET: u8 = 0x31;
const OBJECT_IDENTIFIER: u8 = 0x06;
/// UTF8String, PrintableString, TeletexString and IA5String.
const TEXTS: [u8; 4] = [0x0c, 0x13, 0x14, 0x16];
const COMMON_NAME: &[u8] = &[0x55, 4, 3];
const ORGANIZATION: &[u8] = &[0x55, 4, 10];

impl ClientCertificate {
    /// None if the certificate has no common name, and so no user.
    pub fn of(certificate: &CertificateDer<'_>) -> Option<Self> {
        // rustls returns the subject only for trust anchors; it does not trust this one.
        let mut reader = RootCertStore::empty();
        reader.add(certificate.clone().into_owned()).ok()?;
        Self::from_name(&reader.roots.first()?.subject)
    }

    /// From the elements of an X.501 name.
    fn from_name(mut name: &[u8]) -> Option<Self> {
        let mut common_name = None;
        let mut organizations = Vec::new();
        while !name.is_empty() {
            let mut set;
            (set, name) = element(name, SET)?;
            while !set.is_empty() {
                let attribute;
                (attribute, set) = element(set, SEQUENCE)?;
                let (kind, value) = element(attribute, OBJECT_IDENTIFIER)?;
                let (tag, text, _) = any(value)?;
                let Some(text) = TEXTS.contains(&tag).then(|| String::from_utf8_lossy(text).into_owned())
                else {
                    continue;
                };
                match kind {
                    COMMON_NAME => common_name = Some(text),
                    ORGANIZATION => organizations.push(text),
                    _ => {}
                }
            }
        }
        let common_name = common_name.filter(|name| !name.is_empty())?;
        Some(Self { common_name, organizations })
    }
}

/// The content of the first DER element, which has this tag, and the bytes after it.
fn element(input: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    let (found, content, rest) = any(input)?;
    (found == tag).then_some((content, rest))
}

/// The tag and content of the first DER element, and the bytes after it.
fn any(input: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&tag, rest) = input.split_first()?;
    let (&length, rest) = rest.split_first()?;
    let (length, rest) = match length {
        0..=0x7f => (usize::from(length), rest),
        0x81 => rest.split_first().map(|(&length, rest)| (usize::from(length), rest))?,
        0x82 => rest.split_first_chunk().map(|(&length, rest)| (u16::from_be_bytes(length).into(), rest))?,
        _ => return None,
    };
    let (content, rest) = rest.split_at_checked(length)?;
    Some((tag, content, rest))
}

#[cfg(test)]
mod tests {
    use super::ClientCertificate;
    use rcgen::{CertificateParams, DistinguishedName, DnType, KeyPair};

    fn of(attributes: &[(DnType, &str)]) -> Option<ClientCertificate> {
        let mut params = CertificateParams::default();
        params.distinguished_name = DistinguishedName::new();
        for (kind, value) in attributes {
            params.distinguished_name.push(kind.clone(), *value);
        }
        let key = KeyPair::generate().expect("a key");
        ClientCertificate::of(params.self_signed(&key).expect("a certificate").der())
    }

    #[test]
    fn the_common_name_is_the_user_and_organizations_are_groups() {
        let long = "g".repeat(200);
        assert_eq!(
            of(&[
                (DnType::OrganizationName, "system:masters"),
                (DnType::CustomDnType(vec![2, 5, 4, 10]), &long),
                (DnType::CountryName, "AQ"),
                (DnType::CommonName, "admin"),
            ]),
            Some(ClientCertificate {
                common_name: "admin".into(),
                organizations: vec!["system:masters".into(), long]
            })
        );
    }

    #[test]
    fn a_certificate_without_a_common_name_has_no_user() {
        assert_eq!(of(&[(DnType::OrganizationName, "system:masters")]), None);
        assert_eq!(of(&[(DnType::CommonName, "")]), None);
    }

    #[test]
    fn a_truncated_name_has_no_user() {
        let name = [0x31, 8, 0x30, 6, 6, 3, 0x55, 4, 3, 0x0c];
        for end in 1..name.len() {
            assert_eq!(ClientCertificate::from_name(&name[..end]), None);
        }
    }
}

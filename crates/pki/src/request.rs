//! Requests for certificates, and whether an issued certificate matches one.

use crate::{Authority, IssueError, Issued, is_default, key_pair};
use jiff::Timestamp;
use rcgen::{
    BasicConstraints, CertificateParams, CidrSubnet, DistinguishedName, DnType, ExtendedKeyUsagePurpose,
    GeneralSubtree, IsCa, KeyUsagePurpose, NameConstraints, PublicKeyData as _, SanType, SerialNumber,
    string::Ia5String,
};
use std::{collections::BTreeSet, fmt, net::IpAddr};
use time::OffsetDateTime;
use x509_parser::{certificate::X509Certificate, extensions::GeneralName, parse_x509_certificate};

/// How many seconds before its issuance a certificate becomes valid, because the clocks of nodes differ.
const BACKDATED: i64 = 300;
const DAY: i64 = 24 * 60 * 60;

/// A request for a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The common name, which is the whole subject.
    pub subject: String,
    /// The host names that the certificate is valid for.
    pub dns_names: Vec<String>,
    /// The IP addresses that the certificate is valid for.
    pub ip_addresses: Vec<IpAddr>,
    /// The purpose of the certificate.
    pub purpose: Purpose,
    /// For how many days it is valid, at least one.
    pub days: u32,
}

/// The purpose of a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Signs leaf certificates, and no other authority.
    Authority {
        /// The only host names that leaf certificates may have, including their subdomains. Unset, any name and any
        /// address is allowed.
        only_for: Option<Vec<String>>,
    },
    /// Proves the identity of a server or a client.
    Leaf,
}

/// Why a certificate must be reissued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Defect {
    /// It, its key or its authority cannot be parsed.
    Unreadable,
    /// It is for another key, or its key does not have the default encoding.
    Key,
    /// It has another subject.
    Subject,
    /// It has other names or addresses.
    Names,
    /// It has another purpose.
    Purpose,
    /// It has another lifetime.
    Days,
    /// It is not signed by the current certificate of its authority.
    Signature,
    /// It is in the last third of its lifetime, has expired, or is not valid yet.
    Due,
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unreadable => "it cannot be read",
            Self::Key => "it is for another key than the one beside it",
            Self::Subject => "its subject has changed",
            Self::Names => "its names have changed",
            Self::Purpose => "its purpose has changed",
            Self::Days => "its lifetime has changed",
            Self::Signature => "its authority has changed",
            Self::Due => "two thirds of its life have passed",
        })
    }
}

impl Request {
    /// Issues the certificate for a key. The `serial` must be random.
    pub fn issue(
        &self,
        authority: &Authority,
        key: String,
        serial: [u8; 16],
        now: Timestamp,
    ) -> Result<Issued, IssueError> {
        authority.sign(self.params(serial, now)?, key)
    }

    /// When a certificate that matches this request is due for renewal; or why it does not match.
    pub fn due(&self, issued: &Issued, authority: &Authority, now: Timestamp) -> Result<Timestamp, Defect> {
        let pem = pem::parse(&issued.chain).map_err(|_| Defect::Unreadable)?;
        let (_, certificate) = parse_x509_certificate(pem.contents()).map_err(|_| Defect::Unreadable)?;
        let key = key_pair(&issued.key).map_err(|_| Defect::Unreadable)?;
        let names = names(&certificate).ok_or(Defect::Unreadable)?;
        let permitted = permitted(&certificate)?;
        let (begin, end) =
            (certificate.validity().not_before.timestamp(), certificate.validity().not_after.timestamp());
        let around = authority.around(pem.contents()).map_err(|_| Defect::Signature)?;
        let renewal = begin + (end - begin) / 3 * 2;
        let checks = [
            (is_default(&issued.key), Defect::Key),
            (certificate.public_key().raw == key.subject_public_key_info(), Defect::Key),
            (subject(&certificate) == Some(self.subject.as_str()), Defect::Subject),
            (names == self.names(), Defect::Names),
            (certificate.is_ca() == matches!(self.purpose, Purpose::Authority { .. }), Defect::Purpose),
            (self.suffices(permitted.as_deref()), Defect::Names),
            (end - begin == self.seconds() + BACKDATED, Defect::Days),
            (authority.has_signed(&certificate), Defect::Signature),
            (around == (issued.chain.clone(), issued.authority.clone()), Defect::Signature),
            ((begin..renewal).contains(&now.as_second()), Defect::Due),
        ];
        if let Some((_, defect)) = checks.into_iter().find(|(holds, _)| !holds) {
            return Err(defect);
        }
        Timestamp::from_second(renewal).map_err(|_| Defect::Unreadable)
    }

    /// Whether a certificate that may sign for these names, or for any name if `None`, is sufficient for this
    /// request.
    ///
    /// A certificate that may sign for more names is sufficient and gets the limit with its renewal: a pod that
    /// trusts an authority has its certificate, and gets a new one only with a restart.
    fn suffices(&self, permitted: Option<&[&str]>) -> bool {
        match (&self.purpose, permitted) {
            (_, None) => true,
            (Purpose::Authority { only_for: Some(names) }, Some(permitted)) => {
                names.iter().all(|name| permitted.contains(&name.as_str()))
            }
            (Purpose::Authority { only_for: None } | Purpose::Leaf, Some(_)) => false,
        }
    }

    fn names(&self) -> BTreeSet<Name<'_>> {
        let hosts = self.dns_names.iter().map(|name| Name::Dns(name));
        hosts.chain(self.ip_addresses.iter().copied().map(Name::Ip)).collect()
    }

    fn seconds(&self) -> i64 {
        i64::from(self.days.max(1)) * DAY
    }

    fn params(&self, serial: [u8; 16], now: Timestamp) -> Result<CertificateParams, IssueError> {
        let time = |second: i64| OffsetDateTime::from_unix_timestamp(second).map_err(|_| IssueError::Time);
        let mut params = CertificateParams::default();
        params.distinguished_name = DistinguishedName::new();
        params.distinguished_name.push(DnType::CommonName, self.subject.as_str());
        for name in &self.dns_names {
            params.subject_alt_names.push(SanType::DnsName(name.as_str().try_into()?));
        }
        params.subject_alt_names.extend(self.ip_addresses.iter().copied().map(SanType::IpAddress));
        params.serial_number = Some(SerialNumber::from_slice(&serial));
        params.not_before = time(now.as_second() - BACKDATED)?;
        params.not_after = time(now.as_second() + self.seconds())?;
        match &self.purpose {
            Purpose::Authority { only_for } => {
                params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
                params.name_constraints = only_for.as_deref().map(constraints).transpose()?;
                params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
            }
            Purpose::Leaf => {
                params.is_ca = IsCa::ExplicitNoCa;
                params.key_usages = vec![KeyUsagePurpose::DigitalSignature, KeyUsagePurpose::KeyEncipherment];
                params.extended_key_usages =
                    vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
            }
        }
        Ok(params)
    }
}

/// Permits these names and no address. Verifiers check a name only against constraints of its own type, so all
/// addresses must be excluded explicitly.
fn constraints(names: &[String]) -> Result<NameConstraints, IssueError> {
    let permitted = names.iter().map(|name| {
        let name = Ia5String::try_from(name.as_str())?;
        Ok(GeneralSubtree::DnsName(name.as_str().to_owned()))
    });
    let everywhere = [CidrSubnet::V4([0; 4], [0; 4]), CidrSubnet::V6([0; 16], [0; 16])];
    Ok(NameConstraints {
        permitted_subtrees: permitted.collect::<Result<_, rcgen::Error>>()?,
        excluded_subtrees: everywhere.map(GeneralSubtree::IpAddress).into(),
    })
}

/// The names that a certificate may sign for; `None` if it is not limited.
fn permitted<'a>(certificate: &'a X509Certificate<'_>) -> Result<Option<Vec<&'a str>>, Defect> {
    let constraints = certificate.name_constraints().map_err(|_| Defect::Unreadable)?;
    let Some(constraints) = constraints else { return Ok(None) };
    let subtrees = constraints.value.permitted_subtrees.iter().flatten();
    let names = subtrees.filter_map(|subtree| match subtree.base {
        GeneralName::DNSName(name) => Some(name),
        _ => None,
    });
    Ok(Some(names.collect()))
}

/// The common name; `None` if the subject has other attributes.
fn subject<'a>(certificate: &'a X509Certificate<'_>) -> Option<&'a str> {
    let mut all = certificate.subject().iter_attributes();
    let only = all.next().filter(|_| all.next().is_none())?;
    certificate.subject().iter_common_name().next().filter(|name| *name == only)?.as_str().ok()
}

/// A name or address that a certificate is valid for.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Name<'a> {
    Dns(&'a str),
    Ip(IpAddr),
}

/// The names and addresses; `None` if the certificate has names of another type.
fn names<'a>(certificate: &'a X509Certificate<'_>) -> Option<BTreeSet<Name<'a>>> {
    let Some(names) = certificate.subject_alternative_name().ok()? else { return Some(BTreeSet::new()) };
    let each = names.value.general_names.iter().map(|name| match name {
        GeneralName::DNSName(name) => Some(Name::Dns(name)),
        GeneralName::IPAddress(octets) => address(octets).map(Name::Ip),
        _ => None,
    });
    each.collect()
}

fn address(octets: &[u8]) -> Option<IpAddr> {
    let v4 = <[u8; 4]>::try_from(octets).map(IpAddr::from);
    v4.or_else(|_| <[u8; 16]>::try_from(octets).map(IpAddr::from)).ok()
}

#[cfg(test)]
mod tests;

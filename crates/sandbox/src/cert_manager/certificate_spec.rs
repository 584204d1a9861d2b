//! The spec of a Certificate.

use super::IssueError;
use crate::behaviour::duration;
use jiff::Timestamp;
use kube::core::DynamicObject;
use pki::{Algorithm, Encoding, KeySpec};
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa,
    KeyUsagePurpose, SanType, SerialNumber,
};
use serde_json::Value;
use std::{net::IpAddr, time::Duration};
use time::OffsetDateTime;

const LIFETIME: Duration = Duration::from_hours(2160);

/// The fields that determine a certificate, without those that determine where it is stored.
const ISSUED_FROM: [&str; 11] = [
    "commonName",
    "dnsNames",
    "duration",
    "emailAddresses",
    "ipAddresses",
    "isCA",
    "issuerRef",
    "privateKey",
    "subject",
    "uris",
    "usages",
];

/// The part of a spec that determines the certificate. Another value requires another certificate.
pub(crate) fn issued_from(certificate: &DynamicObject) -> Value {
    let spec = &certificate.data["spec"];
    ISSUED_FROM.iter().map(|field| (*field, spec[*field].clone())).collect()
}

pub(crate) fn key(spec: &Value) -> Result<KeySpec, IssueError> {
    let key = &spec["privateKey"];
    let (algorithm, default_size) = match key["algorithm"].as_str().unwrap_or("RSA") {
        "RSA" => (Algorithm::Rsa, 2048),
        "ECDSA" => (Algorithm::Ecdsa, 256),
        "Ed25519" => (Algorithm::Ed25519, 0),
        other => return Err(IssueError::Spec(format!("private key algorithm {other:?} is unknown"))),
    };
    let encoding = match key["encoding"].as_str() {
        Some("PKCS8") => Encoding::Pkcs8,
        _ => Encoding::Pkcs1,
    };
    let size = key["size"].as_i64().and_then(|size| i32::try_from(size).ok()).filter(|size| *size != 0);
    Ok(KeySpec { algorithm, encoding, size: size.unwrap_or(default_size) })
}

/// How long the certificate is valid.
pub(crate) fn lifetime(spec: &Value) -> Duration {
    spec["duration"].as_str().and_then(duration).unwrap_or(LIFETIME)
}

/// How long before its expiry it is renewed.
pub(crate) fn renew_before(spec: &Value, lifetime: Duration) -> Duration {
    let asked = spec["renewBefore"].as_str().and_then(duration);
    asked.filter(|before| *before < lifetime).unwrap_or(lifetime / 3)
}

pub(crate) fn params(spec: &Value, now: Timestamp) -> Result<CertificateParams, IssueError> {
    let mut params = CertificateParams::default();
    params.distinguished_name = subject(spec);
    params.subject_alt_names = names(spec)?;
    params.serial_number = Some(SerialNumber::from_slice(&rand::random::<[u8; 16]>()));
    let now = now.as_second();
    let end = i64::try_from(lifetime(spec).as_secs()).ok().and_then(|lifetime| now.checked_add(lifetime));
    let time = |second: Option<i64>| {
        let time = second.and_then(|second| OffsetDateTime::from_unix_timestamp(second).ok());
        time.ok_or_else(|| IssueError::Spec("spec.duration: ends after the end of time".into()))
    };
    params.not_before = time(Some(now))?;
    params.not_after = time(end)?;
    let is_ca = spec["isCA"] == true;
    params.is_ca = if is_ca { IsCa::Ca(BasicConstraints::Unconstrained) } else { IsCa::ExplicitNoCa };
    usages(&mut params, spec, is_ca)?;
    Ok(params)
}

fn subject(spec: &Value) -> DistinguishedName {
    let mut name = DistinguishedName::new();
    let subject = &spec["subject"];
    for (field, kind) in [
        ("countries", DnType::CountryName),
        ("organizations", DnType::OrganizationName),
        ("organizationalUnits", DnType::OrganizationalUnitName),
        ("localities", DnType::LocalityName),
        ("provinces", DnType::StateOrProvinceName),
    ] {
        // rcgen keeps one value of each.
        if let Some(value) = texts(&subject[field]).next() {
            name.push(kind, value);
        }
    }
    if let Some(common) = spec["commonName"].as_str().filter(|common| !common.is_empty()) {
        name.push(DnType::CommonName, common);
    }
    name
}

fn names(spec: &Value) -> Result<Vec<SanType>, IssueError> {
    let mut all = Vec::new();
    for dns in texts(&spec["dnsNames"]) {
        all.push(SanType::DnsName(dns.try_into()?));
    }
    for address in texts(&spec["ipAddresses"]) {
        let parsed: Result<IpAddr, _> = address.parse();
        let wrong = |_| IssueError::Spec(format!("spec.ipAddresses: {address:?} is not an IP address"));
        all.push(SanType::IpAddress(parsed.map_err(wrong)?));
    }
    for uri in texts(&spec["uris"]) {
        all.push(SanType::URI(uri.try_into()?));
    }
    for mail in texts(&spec["emailAddresses"]) {
        all.push(SanType::Rfc822Name(mail.try_into()?));
    }
    Ok(all)
}

fn usages(params: &mut CertificateParams, spec: &Value, is_ca: bool) -> Result<(), IssueError> {
    let asked: Vec<&str> = texts(&spec["usages"]).collect();
    let asked = if asked.is_empty() { vec!["digital signature", "key encipherment"] } else { asked };
    for usage in asked {
        match usage {
            "signing" | "digital signature" => params.key_usages.push(KeyUsagePurpose::DigitalSignature),
            "content commitment" => params.key_usages.push(KeyUsagePurpose::ContentCommitment),
            "key encipherment" => params.key_usages.push(KeyUsagePurpose::KeyEncipherment),
            "data encipherment" => params.key_usages.push(KeyUsagePurpose::DataEncipherment),
            "key agreement" => params.key_usages.push(KeyUsagePurpose::KeyAgreement),
            "cert sign" => params.key_usages.push(KeyUsagePurpose::KeyCertSign),
            "crl sign" => params.key_usages.push(KeyUsagePurpose::CrlSign),
            "any" => params.extended_key_usages.push(ExtendedKeyUsagePurpose::Any),
            "server auth" => params.extended_key_usages.push(ExtendedKeyUsagePurpose::ServerAuth),
            "client auth" => params.extended_key_usages.push(ExtendedKeyUsagePurpose::ClientAuth),
            "code signing" => params.extended_key_usages.push(ExtendedKeyUsagePurpose::CodeSigning),
            "email protection" | "s/mime" => {
                params.extended_key_usages.push(ExtendedKeyUsagePurpose::EmailProtection);
            }
            "timestamping" => params.extended_key_usages.push(ExtendedKeyUsagePurpose::TimeStamping),
            "ocsp signing" => params.extended_key_usages.push(ExtendedKeyUsagePurpose::OcspSigning),
            other => return Err(IssueError::Spec(format!("spec.usages: {other:?} is not a usage we know"))),
        }
    }
    if is_ca {
        params.key_usages.push(KeyUsagePurpose::KeyCertSign);
    }
    params.key_usages.sort_by_key(|usage| *usage as u8);
    params.key_usages.dedup();
    Ok(())
}

fn texts(value: &Value) -> impl Iterator<Item = &str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str)
}

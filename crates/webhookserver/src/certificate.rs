//! What the Secret with the certificate must hold: the authority that the API server trusts, and a certificate that the
//! authority signed.
//!
//! Keys stay as long as the Secret does; certificates are renewed when two thirds of their life have passed. So an API
//! server that trusts the authority accepts every certificate that follows.

use crate::settings::Settings;
use api::names::{DESCRIPTION_ANNOTATION, MANAGED_BY_LABEL, NAME_LABEL};
use jiff::Timestamp;
use k8s_openapi::api::core::v1::Secret;
use pki::{Authority, IssueError, Issued, KeySpec, Purpose, Request, generate, is_default};
use serde_json::{Value, json};

/// How long the authority is valid.
const AUTHORITY_DAYS: u32 = 3650;
/// How long the certificate is valid.
const LEAF_DAYS: u32 = 90;

const DESCRIPTION: &str = "The certificate with which harbor-operator serves its webhooks, and the authority that signed it. \
                           The operator renews it. If it is deleted, the operator makes another.";

/// The certificates of a Secret that are as they should be.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Current {
    /// The certificate of the authority, in PEM.
    pub authority: String,
    /// When the first certificate must be renewed.
    pub due: Timestamp,
}

/// Random numbers for the serial numbers of both certificates.
pub(crate) type Serials = [[u8; 16]; 2];

/// The certificates of a Secret; None if one is missing, wrong or due.
pub(crate) fn current(secret: Option<&Secret>, settings: &Settings, now: Timestamp) -> Option<Current> {
    let (root, leaf) = (read(secret?, "ca")?, read(secret?, "tls")?);
    let root_due = authority_request(settings).due(&root, &Authority::Itself, now).ok()?;
    let authority = Authority::from_pem(root.chain.clone(), root.key).ok()?;
    let leaf = Issued { authority: root.chain.clone(), ..leaf };
    let leaf_due = leaf_request(settings).due(&leaf, &authority, now).ok()?;
    Some(Current { authority: root.chain, due: root_due.min(leaf_due) })
}

/// The Secret with new certificates, for the keys in the old one if it has any. Generates keys, which takes a while.
pub(crate) fn issue(
    old: Option<&Secret>,
    settings: &Settings,
    serials: Serials,
    now: Timestamp,
) -> Result<Value, IssueError> {
    let [root_serial, leaf_serial] = serials;
    let request = authority_request(settings);
    let stored = old.and_then(|secret| read(secret, "ca"));
    let valid = stored.filter(|root| request.due(root, &Authority::Itself, now).is_ok());
    let root = match valid {
        Some(root) => root,
        None => request.issue(&Authority::Itself, key(old, "ca")?, root_serial, now)?,
    };
    let authority = Authority::from_pem(root.chain.clone(), root.key.clone())?;
    let leaf = leaf_request(settings).issue(&authority, key(old, "tls")?, leaf_serial, now)?;
    Ok(json!({
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {
            "name": settings.name,
            "namespace": settings.namespace,
            "labels": { NAME_LABEL: "harbor-operator", MANAGED_BY_LABEL: "harbor-operator" },
            "annotations": { DESCRIPTION_ANNOTATION: DESCRIPTION },
        },
        "type": "kubernetes.io/tls",
        "stringData": {
            "ca.crt": root.chain,
            "ca.key": root.key,
            "tls.crt": leaf.chain,
            "tls.key": leaf.key,
        },
    }))
}

/// The chain and the key under `<name>.crt` and `<name>.key`, as self-signed.
fn read(secret: &Secret, name: &str) -> Option<Issued> {
    let (chain, key) = (text(secret, &format!("{name}.crt"))?, text(secret, &format!("{name}.key"))?);
    Some(Issued { authority: chain.clone(), chain, key })
}

/// An entry of a Secret.
pub(crate) fn text(secret: &Secret, entry: &str) -> Option<String> {
    String::from_utf8(secret.data.as_ref()?.get(entry)?.0.clone()).ok()
}

fn key(old: Option<&Secret>, name: &str) -> Result<String, IssueError> {
    let stored = old.and_then(|secret| text(secret, &format!("{name}.key")));
    stored.filter(|key| is_default(key)).map_or_else(|| generate(KeySpec::DEFAULT), Ok)
}

/// The authority may sign only for the names of the webhook. Constraints cannot permit single addresses.
fn authority_request(settings: &Settings) -> Request {
    let (dns_names, ip_addresses) = settings.names();
    Request {
        subject: format!("{} authority", settings.name),
        dns_names: Vec::new(),
        ip_addresses: Vec::new(),
        purpose: Purpose::Authority { only_for: ip_addresses.is_empty().then_some(dns_names) },
        days: AUTHORITY_DAYS,
    }
}

fn leaf_request(settings: &Settings) -> Request {
    let (dns_names, ip_addresses) = settings.names();
    Request {
        subject: settings.name.clone(),
        dns_names,
        ip_addresses,
        purpose: Purpose::Leaf,
        days: LEAF_DAYS,
    }
}

#[cfg(test)]
mod tests {
    use super::{Secret, current, issue, text};
    use crate::settings::Settings;
    use jiff::{SignedDuration, Timestamp};
    use k8s_openapi::ByteString;

    fn at(days: i64) -> Timestamp {
        let begin: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        begin + SignedDuration::from_hours(24 * days)
    }

    fn issued(old: Option<&Secret>, settings: &Settings, serial: u8, now: Timestamp) -> Secret {
        let object = issue(old, settings, [[serial; 16], [serial + 1; 16]], now).unwrap();
        let data = object["stringData"].as_object().unwrap().iter();
        let data = data.map(|(key, value)| (key.clone(), ByteString(value.as_str().unwrap().into())));
        Secret { data: Some(data.collect()), ..Secret::default() }
    }

    #[test]
    fn a_certificate_is_renewed_with_its_keys_before_it_expires() {
        let settings = Settings::example();
        let first = issued(None, &settings, 1, at(0));
        let kept = current(Some(&first), &settings, at(30)).unwrap();
        assert_eq!(Some(kept.authority), text(&first, "ca.crt"));
        assert!(kept.due > at(59) && kept.due < at(61), "{}", kept.due);
        assert_eq!(current(Some(&first), &settings, at(61)), None);

        let second = issued(Some(&first), &settings, 3, at(61));
        assert!(current(Some(&second), &settings, at(62)).is_some());
        let same = |entry: &str| text(&first, entry) == text(&second, entry);
        assert!(same("ca.crt") && same("ca.key") && same("tls.key") && !same("tls.crt"));
    }

    #[test]
    fn another_name_or_a_damaged_secret_needs_another_certificate() {
        let settings = Settings::example();
        assert_eq!(current(None, &settings, at(0)), None);
        let secret = issued(None, &settings, 1, at(0));
        let renamed = Settings { name: "others".into(), ..settings.clone() };
        assert_eq!(current(Some(&secret), &renamed, at(1)), None);
        let mut damaged = secret.clone();
        damaged.data.as_mut().unwrap().insert("tls.crt".into(), ByteString(b"nonsense".to_vec()));
        assert_eq!(current(Some(&damaged), &settings, at(1)), None);
        let mended = issued(Some(&damaged), &settings, 3, at(1));
        assert!(current(Some(&mended), &settings, at(1)).is_some());
        assert_eq!(text(&mended, "ca.crt"), text(&secret, "ca.crt"));
    }
}

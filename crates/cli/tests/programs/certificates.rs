//! Certificates that the operator issues are ones that openssl accepts.

use crate::installation::Installation;
use jiff::{SignedDuration, Timestamp};
use programs::{Site, openssl};
use serde_json::json;
use std::collections::BTreeMap;

/// The components' certificates, each with the only name its server is called by.
const INTERNAL: [(&str, &str); 5] = [
    ("acme-harbor-internal-tls-core", "acme-harbor-core"),
    ("acme-harbor-internal-tls-jobservice", "acme-harbor-jobservice"),
    ("acme-harbor-internal-tls-portal", "acme-harbor-portal"),
    ("acme-harbor-internal-tls-registry", "acme-harbor-registry"),
    ("acme-harbor-internal-tls-registryctl", "acme-harbor-registryctl"),
];
const AUTHORITY: &str = "acme-harbor-internal-tls-authority";
const PUBLIC: (&str, &str) = ("acme-harbor-expose-tls", "harbor.example.com");
const PUBLIC_AUTHORITY: &str = "acme-harbor-expose-tls-authority";
const TOKEN: &str = "acme-harbor-core-tokencert";

#[test]
fn issued_certificates_verify() {
    let all = INTERNAL.iter().chain([&PUBLIC]).map(|(secret, _)| *secret).chain([
        AUTHORITY,
        PUBLIC_AUTHORITY,
        TOKEN,
    ]);
    let installation =
        Installation::of(json!({ "host": "redis.example.com" }), &all.clone().collect::<Vec<_>>(), &[]);
    let authority = installation.secret(AUTHORITY);

    for (secret, host) in INTERNAL {
        let secret = installation.secret(secret);
        assert_eq!(secret["ca.crt"], authority["tls.crt"]);
        assert_proves(&secret, host);
    }
    let public = installation.secret(PUBLIC.0);
    assert_eq!(public["ca.crt"], installation.secret(PUBLIC_AUTHORITY)["tls.crt"]);
    assert_proves(&public, PUBLIC.1);
    for authority in [AUTHORITY, PUBLIC_AUTHORITY] {
        assert!(described(&installation.secret(authority)).contains("CA:TRUE, pathlen:0"));
    }
    let limits = described(&authority);
    for (_, host) in INTERNAL {
        assert!(limits.contains(&format!("DNS:{host}\n")), "{limits}");
    }
    let unlimited = described(&installation.secret(PUBLIC_AUTHORITY));
    assert!(!unlimited.contains("Name Constraints"), "{unlimited}");
    for secret in all {
        assert_is_rsa(&installation.secret(secret));
    }
}

/// Past two thirds of the life of a certificate.
fn later() -> Timestamp {
    Timestamp::now() + SignedDuration::from_hours(61 * 24)
}

#[test]
fn clients_that_trusted_harbor_by_its_address_still_do_after_a_renewal() {
    let (before, after) = Installation::over_a_renewal("https://192.0.2.7", PUBLIC.0, later);
    let (before, after) = (before.secret(PUBLIC.0), after.secret(PUBLIC.0));
    assert_ne!(before["tls.crt"], after["tls.crt"]);
    assert_eq!(before["ca.crt"], after["ca.crt"]);

    let site = Site::new().unwrap();
    let path = |name: &str, text: &str| site.write(name, text).unwrap().to_str().unwrap().to_owned();
    let (trusted, certificate) = (path("ca.crt", &before["ca.crt"]), path("tls.crt", &after["tls.crt"]));
    let verify = |check: [&str; 2]| {
        let time = later().as_second().to_string();
        let strict = ["verify", "-x509_strict", "-purpose", "sslserver", "-attime", &time];
        openssl(strict.into_iter().chain(check).chain(["-CAfile", &trusted, &certificate]))
    };
    assert_eq!(verify(["-verify_ip", "192.0.2.7"]).unwrap(), format!("{certificate}: OK\n"));
    assert_eq!(
        verify(["-verify_hostname", "harbor.example.com"]).unwrap(),
        format!("{certificate}: OK\n"),
        "the host of the Ingress"
    );
    let error = verify(["-verify_ip", "192.0.2.8"]).unwrap_err().to_string();
    assert!(error.contains("IP address mismatch"), "{error}");
}

/// Asserts that the certificate is valid for `host`, and for no other name.
fn assert_proves(secret: &BTreeMap<String, String>, host: &str) {
    let site = Site::new().unwrap();
    let path = |key: &str| site.write(key, &secret[key]).unwrap().to_str().unwrap().to_owned();
    let (certificate, authority) = (path("tls.crt"), path("ca.crt"));
    let verify = |host: &str| {
        let purpose = ["verify", "-x509_strict", "-purpose", "sslserver", "-verify_hostname", host];
        openssl(purpose.into_iter().chain(["-CAfile", &authority, &certificate]))
    };
    assert_eq!(verify(host).unwrap(), format!("{certificate}: OK\n"));
    let error = verify("other.example").unwrap_err().to_string();
    assert!(error.contains("hostname mismatch"), "{error}");
    let text = described(secret);
    assert!(text.contains(&format!("DNS:{host}\n")) && text.contains("CA:FALSE"), "{text}");
}

fn described(secret: &BTreeMap<String, String>) -> String {
    let site = Site::new().unwrap();
    let certificate = site.write("tls.crt", &secret["tls.crt"]).unwrap();
    openssl(["x509", "-noout", "-text", "-in", certificate.to_str().unwrap()]).unwrap()
}

/// Core signs tokens with nothing else, and the key must be that of the certificate.
fn assert_is_rsa(secret: &BTreeMap<String, String>) {
    assert!(secret["tls.key"].starts_with("-----BEGIN RSA PRIVATE KEY-----\n"));
    let site = Site::new().unwrap();
    let path = |key: &str| site.write(key, &secret[key]).unwrap().to_str().unwrap().to_owned();
    let (certificate, key) = (path("tls.crt"), path("tls.key"));
    assert_eq!(openssl(["rsa", "-noout", "-check", "-in", &key]).unwrap(), "RSA key ok\n");
    let modulus = |kind, file: &str| openssl([kind, "-noout", "-modulus", "-in", file]).unwrap();
    assert_eq!(modulus("x509", &certificate), modulus("rsa", &key));
}

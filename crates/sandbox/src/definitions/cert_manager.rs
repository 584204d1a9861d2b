//! cert-manager.

use super::builder::{AGE, Definition, anything, boolean, choice, conditions, list, number, open, text};
use serde_json::{Value, json};

const GROUP: &str = "cert-manager.io";
const READY: (&str, &str, &str) = ("Ready", "string", r#".status.conditions[?(@.type == "Ready")].status"#);
const STATUS: (&str, &str, &str) =
    ("Status", "string", r#".status.conditions[?(@.type == "Ready")].message"#);

pub(super) fn issuer() -> Definition {
    Definition {
        group: GROUP,
        versions: &["v1"],
        kind: "Issuer",
        plural: "issuers",
        short: &["iss"],
        category: Some("cert-manager"),
        scope: "Namespaced",
        columns: &[READY, STATUS, AGE],
        subresources: json!({"status": {}}),
        spec: issuer_spec(),
        status: open([("conditions", conditions())], &[]),
    }
}

pub(super) fn cluster_issuer() -> Definition {
    Definition {
        kind: "ClusterIssuer",
        plural: "clusterissuers",
        short: &["ciss"],
        scope: "Cluster",
        ..issuer()
    }
}

fn issuer_spec() -> Value {
    open([("selfSigned", anything()), ("ca", open([("secretName", text())], &["secretName"]))], &[])
}

pub(super) fn certificate() -> Definition {
    let private_key = open(
        [
            ("algorithm", choice(&["RSA", "ECDSA", "Ed25519"])),
            ("encoding", choice(&["PKCS1", "PKCS8"])),
            ("size", number(0)),
            ("rotationPolicy", choice(&["Never", "Always"])),
        ],
        &[],
    );
    let reference = open([("name", text()), ("kind", text()), ("group", text())], &["name"]);
    Definition {
        kind: "Certificate",
        plural: "certificates",
        short: &["cert", "certs"],
        columns: &[
            READY,
            ("Secret", "string", ".spec.secretName"),
            ("Issuer", "string", ".spec.issuerRef.name"),
            STATUS,
            ("Expiration", "string", ".status.notAfter"),
            AGE,
        ],
        spec: open(
            [
                ("secretName", text()),
                ("issuerRef", reference),
                ("commonName", text()),
                ("dnsNames", list(text())),
                ("ipAddresses", list(text())),
                ("uris", list(text())),
                ("usages", list(choice(&USAGES))),
                ("duration", text()),
                ("renewBefore", text()),
                ("isCA", boolean()),
                ("privateKey", private_key),
            ],
            &["secretName", "issuerRef"],
        ),
        ..issuer()
    }
}

const USAGES: [&str; 23] = [
    "signing",
    "digital signature",
    "content commitment",
    "key encipherment",
    "key agreement",
    "data encipherment",
    "cert sign",
    "crl sign",
    "encipher only",
    "decipher only",
    "any",
    "server auth",
    "client auth",
    "code signing",
    "email protection",
    "s/mime",
    "ipsec end system",
    "ipsec tunnel",
    "ipsec user",
    "timestamping",
    "ocsp signing",
    "microsoft sgc",
    "netscape sgc",
];

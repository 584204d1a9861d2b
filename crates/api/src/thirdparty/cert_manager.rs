//! `cert-manager.io/v1`: issuers and certificates.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Signs certificates of a namespace: either with each certificate's own key, or with an authority's.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CustomResource, JsonSchema)]
#[kube(
    group = "cert-manager.io",
    version = "v1",
    kind = "Issuer",
    plural = "issuers",
    namespaced,
    status = "IssuerStatus",
    derive = "PartialEq"
)]
#[serde(rename_all = "camelCase")]
pub struct IssuerSpec {
    /// Signs every certificate with its own key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub self_signed: Option<SelfSignedIssuer>,

    /// Signs with an authority's key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ca: Option<CaIssuer>,
}

impl IssuerSpec {
    /// An issuer that signs every certificate with its own key.
    pub fn self_signed() -> Self {
        Self { self_signed: Some(SelfSignedIssuer {}), ca: None }
    }

    /// An issuer that signs with the authority in a TLS Secret.
    pub fn ca(secret_name: impl Into<String>) -> Self {
        Self { self_signed: None, ca: Some(CaIssuer { secret_name: secret_name.into() }) }
    }
}

/// Signs every certificate with its own key.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SelfSignedIssuer {}

/// Signs with an authority's key.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CaIssuer {
    /// TLS Secret with the authority's certificate and key.
    pub secret_name: String,
}

/// What cert-manager reports of an issuer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IssuerStatus {
    /// The state; `Ready` is the one that matters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<CertManagerCondition>,
}

/// A certificate cert-manager keeps in a Secret and renews.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CustomResource, JsonSchema)]
#[kube(
    group = "cert-manager.io",
    version = "v1",
    kind = "Certificate",
    plural = "certificates",
    namespaced,
    status = "CertificateStatus",
    derive = "PartialEq"
)]
#[serde(rename_all = "camelCase")]
pub struct CertificateSpec {
    /// Secret that holds `tls.crt`, `tls.key` and `ca.crt`.
    pub secret_name: String,

    /// Metadata of that Secret. cert-manager knows it from 1.5 on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_template: Option<CertificateSecretTemplate>,

    /// The issuer.
    pub issuer_ref: IssuerRef,

    /// Host names it is for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dns_names: Vec<String>,

    /// Name of its subject.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub common_name: Option<String>,

    /// Whether it may sign other certificates.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "isCA")]
    pub is_ca: Option<bool>,

    /// How long it is valid, as a Go duration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration: Option<String>,

    /// How long before its end it is renewed, as a Go duration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub renew_before: Option<String>,

    /// What it may be used for, such as `server auth`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub usages: Vec<String>,

    /// Its private key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub private_key: Option<CertificatePrivateKey>,
}

/// Metadata of the Secret of a certificate.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CertificateSecretTemplate {
    /// Its annotations, beside those of cert-manager.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
}

/// Names an issuer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IssuerRef {
    /// Name of the issuer.
    pub name: String,

    /// Its kind: Issuer unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,

    /// Its API group: cert-manager.io unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
}

/// The private key of a certificate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CertificatePrivateKey {
    /// Kind of key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub algorithm: Option<PrivateKeyAlgorithm>,

    /// How the key is written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<PrivateKeyEncoding>,

    /// Size of the key in bits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<i32>,

    /// Whether renewal makes a new key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation_policy: Option<RotationPolicy>,
}

/// Kind of key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum PrivateKeyAlgorithm {
    /// RSA.
    #[serde(rename = "RSA")]
    Rsa,
    /// Elliptic curves.
    #[serde(rename = "ECDSA")]
    Ecdsa,
    /// Edwards curve 25519.
    Ed25519,
}

/// How a key is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum PrivateKeyEncoding {
    /// PKCS#1.
    Pkcs1,
    /// PKCS#8.
    Pkcs8,
}

/// Whether renewal makes a new key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum RotationPolicy {
    /// The key stays.
    Never,
    /// A new key each time.
    Always,
}

/// What cert-manager reports of a certificate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CertificateStatus {
    /// The state; `Ready` is the one that matters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<CertManagerCondition>,

    /// When the certificate in the Secret expires; absent while the Secret holds none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_after: Option<Time>,
}

/// One aspect of the state of an issuer or certificate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CertManagerCondition {
    /// The aspect.
    #[serde(rename = "type")]
    pub type_: String,

    /// `True`, `False` or `Unknown`.
    pub status: String,

    /// Why, as one word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,

    /// Why, as a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,

    /// When `status` last changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_transition_time: Option<Time>,

    /// Generation of the spec this condition is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_issuer_says_one_way_to_sign() {
        assert_eq!(serde_json::to_value(IssuerSpec::self_signed()).unwrap(), json!({"selfSigned": {}}));
        assert_eq!(serde_json::to_value(IssuerSpec::ca("a")).unwrap(), json!({"ca": {"secretName": "a"}}));
    }

    #[test]
    fn a_certificate_is_spelt_as_cert_manager_spells_it() {
        let written = json!({
            "secretName": "core-tokencert",
            "secretTemplate": {"annotations": {"example.com/a": "b"}},
            "issuerRef": {"name": "authority", "kind": "Issuer"},
            "commonName": "core-tokencert",
            "dnsNames": ["core"],
            "isCA": false,
            "duration": "2160h0m0s",
            "renewBefore": "360h0m0s",
            "usages": ["signing"],
            "privateKey": {"algorithm": "RSA", "encoding": "PKCS1", "size": 4096, "rotationPolicy": "Always"},
        });

        let spec: CertificateSpec = serde_json::from_value(written.clone()).unwrap();

        assert_eq!(serde_json::to_value(spec).unwrap(), written);
    }

    #[test]
    fn a_status_with_fields_we_do_not_model_decodes() {
        let status: CertificateStatus = serde_json::from_value(json!({
            "notAfter": "2027-01-01T00:00:00Z",
            "revision": 1,
            "conditions": [{"type": "Ready", "status": "True", "reason": "Ready", "message": "up to date"}],
        }))
        .unwrap();

        assert_eq!(status.conditions[0].status, "True");
    }
}

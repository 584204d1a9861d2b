//! Warnings about objects that Kubernetes accepts.

use crate::kinds::{
    resource::Resource,
    value::{decoded, text},
};
use serde_json::Value;

/// The warnings for a client that writes this object.
pub(crate) fn warnings(resource: &Resource, object: &Value) -> Vec<String> {
    if resource.is("", "secrets") && text(object, "type") == "kubernetes.io/tls" {
        return tls(&object["data"]).into_iter().collect();
    }
    Vec::new()
}

/// Why certificate and key are not a pair, as far as their PEM blocks show.
fn tls(data: &Value) -> Option<String> {
    let blocks = |key: &str| blocks(&decoded(text(data, key)));
    let (certificate, key) = (blocks("tls.crt"), blocks("tls.key"));
    let is_key = |kind: &String| kind.ends_with("PRIVATE KEY");
    if !certificate.iter().any(|kind| kind == "CERTIFICATE") {
        return Some(match &certificate[..] {
            [] => "tls: failed to find any PEM data in certificate input".to_owned(),
            [only] if is_key(only) => "tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched".to_owned(),
            others => format!(
                "tls: failed to find \"CERTIFICATE\" PEM block in certificate input after skipping PEM blocks of the following types: [{}]",
                others.join(" ")
            ),
        });
    }
    if !key.iter().any(is_key) {
        return Some(match &key[..] {
            [] => "tls: failed to find any PEM data in key input".to_owned(),
            [only] if only == "CERTIFICATE" => {
                "tls: found a certificate rather than a key in the PEM for the private key".to_owned()
            }
            others => format!(
                "tls: failed to find PEM block with type ending in \"PRIVATE KEY\" in key input after skipping PEM blocks of the following types: [{}]",
                others.join(" ")
            ),
        });
    }
    None
}

/// The types of the PEM blocks in a text.
fn blocks(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    let begun = text.split("-----BEGIN ").skip(1);
    begun
        .filter_map(|block| {
            let (kind, rest) = block.split_once("-----")?;
            rest.contains(&format!("-----END {kind}-----")).then(|| kind.to_owned())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::warnings;
    use crate::kinds::Kinds;
    use base64::{Engine as _, engine::general_purpose::STANDARD};
    use serde_json::json;

    #[test]
    fn a_certificate_and_key_that_do_not_match_cause_a_warning() {
        let secrets = Kinds::builtin().find("", "v1", "secrets").expect("secrets");
        let pem =
            |kind: &str| STANDARD.encode(format!("-----BEGIN {kind}-----\nAA==\n-----END {kind}-----\n"));
        let warned = |certificate: &str, key: &str| {
            let data = json!({"tls.crt": certificate, "tls.key": key});
            warnings(&secrets, &json!({"type": "kubernetes.io/tls", "data": data}))
        };
        assert_eq!(warned("", ""), ["tls: failed to find any PEM data in certificate input"]);
        assert_eq!(warned(&pem("CERTIFICATE"), ""), ["tls: failed to find any PEM data in key input"]);
        assert_eq!(warned(&pem("CERTIFICATE"), &pem("EC PRIVATE KEY")), Vec::<String>::new());
    }
}

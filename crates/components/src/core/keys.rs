//! Keys of Core. Core starts with invalid keys and fails later, so the operator validates them first.

use crate::values::Fault;

/// Key of the token service's Secret that holds the signing key.
pub(super) const TOKEN_KEY: &str = "tls.key";

/// Key of the Secret that holds the encryption key.
pub(super) const ENCRYPTION_KEY: &str = "secret";

/// Accepts an AES key.
///
/// With any other length, or with a trailing line break, Core starts healthy and stores passwords in clear
/// text.
pub(super) fn encrypts(key: &[u8]) -> Result<(), Fault> {
    if [16, 24, 32].contains(&key.len()) {
        return Ok(());
    }
    Err(length(key, "exactly 16, 24 or 32"))
}

/// Accepts a key of 32 bytes. With any other length, Core uses a random key (until 2.12) or refuses browsers
/// (since 2.13), and logs the key.
pub(super) fn protects_forms(key: &[u8]) -> Result<(), Fault> {
    if key.len() == 32 {
        return Ok(());
    }
    Err(length(key, "exactly 32"))
}

fn length(key: &[u8], wanted: &str) -> Fault {
    let problem = format!("holds {} bytes, Harbor wants {wanted}", key.len());
    if key.ends_with(b"\n") {
        Fault::new(
            format!("{problem}; the last one is a line break"),
            "write it without, for example with `printf` instead of `echo`",
        )
    } else {
        Fault::new(problem, "use a key of that length; never change a key that was in use")
    }
}

/// Accepts an RSA key in PKCS#1, the only form with which Core can sign tokens.
///
/// With PKCS#8 every login and pull fails, and with an elliptic curve tokens are empty. Core looks healthy in
/// both cases.
pub(super) fn signs_tokens(key: &[u8]) -> Result<(), Fault> {
    const CERT_MANAGER: &str =
        "with cert-manager set spec.privateKey.encoding to PKCS1 and spec.privateKey.algorithm to RSA";
    let text = String::from_utf8_lossy(key);
    let label = text.split_once("-----BEGIN ").and_then(|(_, rest)| rest.split_once("-----"));
    let problem = match label {
        Some(("RSA PRIVATE KEY", body)) if body.contains("ENCRYPTED") => "is protected by a passphrase",
        Some(("RSA PRIVATE KEY", _)) => return Ok(()),
        Some(("PRIVATE KEY" | "ENCRYPTED PRIVATE KEY", _)) => {
            "is in PKCS#8, which Harbor cannot sign tokens with"
        }
        Some(("EC PRIVATE KEY", _)) => "is for an elliptic curve, which Harbor cannot sign tokens with",
        _ => "is not a private key in PEM",
    };
    Err(Fault::new(problem, format!("use an RSA key in PKCS#1 (`BEGIN RSA PRIVATE KEY`); {CERT_MANAGER}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(result: Result<(), Fault>) -> String {
        let Fault { problem, remedy } = result.unwrap_err();
        format!("{problem}; {remedy}")
    }

    #[test]
    fn an_encryption_key_has_one_of_three_lengths() {
        for length in 0..40 {
            assert_eq!(encrypts(&vec![b'k'; length]).is_ok(), [16, 24, 32].contains(&length), "{length}");
        }
    }

    #[test]
    fn a_line_break_at_the_end_of_a_key_is_called_out() {
        let reported = problem(encrypts(b"0123456789abcdef\n"));
        assert!(reported.starts_with("holds 17 bytes") && reported.contains("line break"), "{reported}");
        assert!(problem(protects_forms(&[b'\n'; 33])).contains("printf"));
    }

    #[test]
    fn a_token_key_is_rsa_in_pkcs1() {
        let pem =
            |label: &str| format!("-----BEGIN {label}-----\nAAAA\n-----END {label}-----\n").into_bytes();
        assert!(signs_tokens(&pem("RSA PRIVATE KEY")).is_ok());
        for (label, expected) in [
            ("PRIVATE KEY", "PKCS#8"),
            ("ENCRYPTED PRIVATE KEY", "PKCS#8"),
            ("EC PRIVATE KEY", "elliptic curve"),
            ("CERTIFICATE", "not a private key"),
        ] {
            let reported = problem(signs_tokens(&pem(label)));
            assert!(
                reported.contains(expected) && reported.contains("spec.privateKey.encoding to PKCS1"),
                "{reported}"
            );
        }
        assert!(problem(signs_tokens(b"")).contains("not a private key"));
    }
}

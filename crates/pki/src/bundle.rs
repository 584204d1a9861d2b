//! Bundles of certificates that users provide.

use pem::Pem;
use x509_parser::parse_x509_certificate;

const BEGIN: &str = "-----BEGIN CERTIFICATE-----";
const END: &str = "-----END CERTIFICATE-----";

/// At least one certificate in PEM. All of them can be parsed.
#[derive(Clone, Debug, PartialEq)]
pub struct Bundle {
    certificates: Vec<Pem>,
    tidy: bool,
}

/// Why a text is not a [`Bundle`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BundleError {
    /// It contains no certificate.
    #[error("holds no certificate in PEM")]
    Empty,
    /// One of the certificates cannot be parsed; the first is number one.
    #[error("certificate {0} in it cannot be read")]
    Unreadable(usize),
}

impl Bundle {
    /// Parses all certificates. Text between them, such as their names, is skipped.
    ///
    /// # Errors
    /// When there is no certificate, or one cannot be parsed: programs would skip it without an error, or stop at it.
    pub fn parse(text: &[u8]) -> Result<Self, BundleError> {
        let text = String::from_utf8_lossy(text);
        let mut certificates = Vec::new();
        for (number, block) in text.split(BEGIN).skip(1).enumerate() {
            let unreadable = BundleError::Unreadable(number + 1);
            let (body, _) = block.split_once(END).ok_or(unreadable)?;
            let pem = pem::parse(format!("{BEGIN}{body}{END}")).map_err(|_| unreadable)?;
            match parse_x509_certificate(pem.contents()) {
                Ok(([], _)) => {}
                _ => return Err(unreadable),
            }
            certificates.push(pem);
        }
        if certificates.is_empty() {
            return Err(BundleError::Empty);
        }
        Ok(Self { certificates, tidy: text.ends_with('\n') && text.lines().all(is_tidy) })
    }

    /// Whether every boundary is on a line of its own and the last line ends with a newline. Only then do Go programs
    /// find all certificates, in this text and in one that is appended to it.
    pub fn is_tidy(&self) -> bool {
        self.tidy
    }

    /// Only the certificates, in tidy form.
    pub fn to_pem(&self) -> String {
        crate::authority::written(&self.certificates)
    }
}

fn is_tidy(line: &str) -> bool {
    let boundary = [BEGIN, END].into_iter().find(|boundary| line.contains(boundary));
    boundary.is_none_or(|boundary| line.trim_end() == boundary)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Algorithm, Authority, Encoding, KeySpec, Purpose, Request, generate};
    use jiff::Timestamp;

    /// A certificate that ends with a newline.
    fn certificate() -> String {
        let elliptic = KeySpec { algorithm: Algorithm::Ecdsa, encoding: Encoding::Pkcs8, size: 256 };
        let request = Request {
            subject: "a".into(),
            dns_names: vec![],
            ip_addresses: vec![],
            purpose: Purpose::Authority { only_for: None },
            days: 1,
        };
        let key = generate(elliptic).unwrap();
        request.issue(&Authority::Itself, key, [1; 16], Timestamp::UNIX_EPOCH).unwrap().chain
    }

    #[test]
    fn what_is_between_certificates_is_skipped() {
        let (a, b) = (certificate(), certificate());
        let bundle = Bundle::parse(format!("# One\n{a}\n# Two\n{b}").as_bytes()).unwrap();
        assert_eq!((bundle.to_pem(), bundle.is_tidy()), (format!("{a}\n{b}"), true));
        let bundle = Bundle::parse(a.replace('\n', "\r\n").as_bytes()).unwrap();
        assert_eq!((bundle.to_pem(), bundle.is_tidy()), (a, true));
    }

    #[test]
    fn a_bundle_that_breaks_its_neighbour_or_itself_is_not_tidy_but_can_be_written_tidily() {
        let (a, b) = (certificate(), certificate());
        let joined = format!("{}{b}", a.trim_end());
        for (text, whole) in [
            (a.trim_end().to_owned(), a.clone()),
            (joined, format!("{a}\n{b}")),
            (format!("\u{feff}{a}"), a.clone()),
            (format!("  {a}"), a.clone()),
        ] {
            let bundle = Bundle::parse(text.as_bytes()).unwrap();
            assert_eq!((bundle.is_tidy(), bundle.to_pem()), (false, whole), "{text}");
        }
    }

    #[test]
    fn what_is_no_certificate_is_refused() {
        let whole = certificate();
        let half = &whole[..whole.len() / 2];
        let key = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n";
        for (text, error) in [
            (String::new(), BundleError::Empty),
            ("hello".into(), BundleError::Empty),
            (key.into(), BundleError::Empty),
            (half.into(), BundleError::Unreadable(1)),
            (format!("{BEGIN}\nAAAA\n{END}\n"), BundleError::Unreadable(1)),
            (format!("{whole}{BEGIN}\n!\n{END}\n"), BundleError::Unreadable(2)),
            (format!("{whole}{half}"), BundleError::Unreadable(2)),
            (format!("{half}{whole}"), BundleError::Unreadable(1)),
        ] {
            assert_eq!(Bundle::parse(text.as_bytes()), Err(error), "{text}");
        }
    }
}

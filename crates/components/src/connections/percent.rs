//! Percent-encoding, as RFC 3986 wants it inside a URL.

use std::fmt;

/// Bytes as part of a URL: everything that is not unreserved is escaped, so the bytes come back as they were
/// whatever part of the URL they stand in.
pub(crate) struct PercentEncoded<'a>(pub &'a [u8]);

impl fmt::Display for PercentEncoded<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|&byte| match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                write!(f, "{}", char::from(byte))
            }
            _ => write!(f, "%{byte:02X}"),
        })
    }
}

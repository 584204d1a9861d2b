//! Percent-encoding of parts of a URL, as in RFC 3986.

use std::fmt;

/// Bytes as part of a URL. All but unreserved characters are escaped, so that the bytes decode unchanged in
/// every part of a URL.
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

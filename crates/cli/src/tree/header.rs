//! What is known of an object as a whole, besides the tree below it.

use crate::output::{plain, wrapped};
use jiff::Timestamp;
use progress::{Summary, Tally};
use serde::{Serialize, Serializer, ser::SerializeMap as _};

/// What is known of an object as a whole. Missing where the object does not have it, or the user may not read it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// Its fields.
    pub summary: Summary,
    /// When the certificate that clients see expires.
    pub certificate: Option<Timestamp>,
    /// How many of its pods are ready.
    pub pods: Option<Tally>,
}

impl Header {
    /// One sentence, in lines of at most `room` columns; none if nothing is known.
    pub fn lines(&self, room: usize) -> Vec<String> {
        let Self { summary: Summary { version, url }, certificate, pods } = self;
        let parts: Vec<_> = [
            url.as_ref().map(ToString::to_string),
            version.as_ref().map(|version| format!("version {version}")),
            certificate.map(|expires| format!("certificate valid until {}", expires.strftime("%Y-%m-%d"))),
            pods.map(|pods| format!("{pods} pods ready")),
        ]
        .into_iter()
        .flatten()
        .collect();
        if parts.is_empty() { Vec::new() } else { wrapped(&plain(&parts.join(", ")), room) }
    }
}

impl Serialize for Header {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { summary: Summary { version, url }, certificate, pods } = self;
        let mut map = serializer.serialize_map(None)?;
        if let Some(version) = version {
            map.serialize_entry("version", version)?;
        }
        if let Some(url) = url {
            map.serialize_entry("url", url)?;
        }
        if let Some(expires) = certificate {
            map.serialize_entry("certificateExpires", &expires.to_string())?;
        }
        if let Some(Tally { ready, all }) = pods {
            map.serialize_entry("podsReady", ready)?;
            map.serialize_entry("podsWanted", all)?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn header() -> Header {
        Header {
            summary: Summary {
                version: Some("2.15.0".into()),
                url: Some("https://harbor.example.com".into()),
            },
            certificate: "2027-02-17T04:05:06Z".parse().ok(),
            pods: Some(Tally { ready: 7, all: 8 }),
        }
    }

    #[test]
    fn the_header_names_url_version_expiry_and_pods_within_the_width_of_the_terminal() {
        assert_eq!(
            header().lines(usize::MAX),
            [
                "https://harbor.example.com, version 2.15.0, certificate valid until 2027-02-17, 7 of 8 pods ready"
            ]
        );
        assert_eq!(
            header().lines(60),
            [
                "https://harbor.example.com, version 2.15.0, certificate",
                "valid until 2027-02-17, 7 of 8 pods ready",
            ]
        );
    }

    #[test]
    fn what_is_not_known_is_left_out() {
        assert_eq!(Header::default().lines(80), Vec::<String>::new());
        let only = Header { pods: Some(Tally { ready: 0, all: 1 }), ..Header::default() };
        assert_eq!(only.lines(80), ["0 of 1 pods ready"]);
        assert_eq!(serde_json::to_value(Header::default()).unwrap(), json!({}));
    }

    #[test]
    fn programs_get_whole_times_and_numbers() {
        assert_eq!(
            serde_json::to_value(header()).unwrap(),
            json!({
                "version": "2.15.0", "url": "https://harbor.example.com",
                "certificateExpires": "2027-02-17T04:05:06Z", "podsReady": 7, "podsWanted": 8,
            })
        );
    }

    #[test]
    fn a_version_cannot_move_the_cursor() {
        let hostile = Summary { version: Some("\u{1b}[2J".into()), url: None };
        let lines = Header { summary: hostile, ..Header::default() }.lines(80);
        assert!(!lines.concat().contains('\u{1b}'), "{lines:?}");
    }
}

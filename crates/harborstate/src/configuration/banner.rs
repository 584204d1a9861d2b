//! The banner, which Harbor keeps as JSON in a text.

use serde::{Deserialize, Serialize};

/// A banner on every page of the web interface. The default is none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Banner {
    /// What it says; none without.
    pub message: String,
    /// Its look: `success`, `info`, `warning` or `danger`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Whether users may close it.
    pub closable: bool,
    /// The first day, such as `12/24/2026`; empty for today.
    #[serde(alias = "fromDate")]
    pub from_date: String,
    /// The day after the last; empty for never.
    #[serde(alias = "toDate")]
    pub to_date: String,
}

/// A banner as the web interface writes it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Stored<'a> {
    message: &'a str,
    #[serde(rename = "type", skip_serializing_if = "str::is_empty")]
    kind: &'a str,
    closable: bool,
    #[serde(skip_serializing_if = "str::is_empty")]
    from_date: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    to_date: &'a str,
}

impl Banner {
    /// The banner that Harbor has. It stores any text; one that is no banner is taken for the message.
    pub fn shown(text: &str) -> Self {
        let message = || Self { message: text.to_owned(), ..Self::default() };
        serde_json::from_str(text).unwrap_or_else(|_| message())
    }

    /// What Harbor gets; the empty text removes the banner.
    pub fn stored(&self) -> serde_json::Result<String> {
        let Self { message, kind, closable, from_date, to_date } = self;
        if message.is_empty() {
            return Ok(String::new());
        }
        serde_json::to_string(&Stored { message, kind, closable: *closable, from_date, to_date })
    }
}

#[cfg(test)]
mod tests {
    use super::Banner;

    #[test]
    fn a_banner_is_read_as_it_was_stored() {
        let banner = Banner {
            message: "Closed on Sunday".into(),
            kind: "info".into(),
            closable: true,
            from_date: "11/17/2026".into(),
            to_date: String::new(),
        };
        let text = r#"{"message":"Closed on Sunday","type":"info","closable":true,"fromDate":"11/17/2026"}"#;
        assert_eq!(banner.stored().unwrap(), text);
        assert_eq!(Banner::shown(text), banner);
    }

    #[test]
    fn no_text_is_no_banner_and_any_other_text_is_its_message() {
        assert_eq!(Banner::shown(""), Banner::default());
        assert_eq!(Banner::default().stored().unwrap(), "");
        assert_eq!(Banner::shown("hello").message, "hello");
    }
}

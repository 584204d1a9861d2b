//! Points in time in answers.

use jiff::Timestamp;
use serde::{Deserialize, Deserializer};

/// Reads a point in time. Harbor writes the year 1 for "never"; that, and text that is no time, is `None`.
pub(crate) fn lenient<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Timestamp>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    let time = text.and_then(|text| text.parse::<Timestamp>().ok());
    Ok(time.filter(|time| *time >= Timestamp::UNIX_EPOCH))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    #[test]
    fn the_year_one_and_nonsense_are_no_time() {
        let read = |text| super::lenient(json!(text)).unwrap().map(|time| time.to_string());
        assert_eq!(read("0001-01-01T00:00:00.000Z"), None);
        assert_eq!(read("yesterday"), None);
        assert_eq!(read("2026-11-16T06:48:52.564Z"), Some("2026-11-16T06:48:52.564Z".to_owned()));
    }
}

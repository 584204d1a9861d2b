//! Durations as Go writes them: `1h30m`, `720h`, `1.5s`.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use std::{borrow::Cow, fmt, time::Duration};

/// A duration in Go's notation: one or more decimal numbers, each with a unit (`h`, `m`, `s`, `ms`, `us`, `ns`).
///
/// Kept as written and a transparent string in JSON, so an object never changes by being read; [`GoDuration::to_std`]
/// says how long it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GoDuration(String);

/// A text that is not a duration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a duration; write numbers with units, such as \"90s\" or \"1h30m\"")]
pub struct NotADuration {
    text: String,
}

impl GoDuration {
    /// What the schema asks of a duration: what [`GoDuration::to_std`] can read, however large.
    pub const PATTERN: &'static str = r"^\+?(0|(([0-9]+(\.[0-9]*)?|\.[0-9]+)(h|m|s|ms|us|µs|μs|ns))+)$";

    /// Longest text of a duration: Go prints none with more than 22 characters.
    const LONGEST: u32 = 64;

    /// The text as written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// How long this is. Negative durations are refused: no field has a use for one.
    pub fn to_std(&self) -> Result<Duration, NotADuration> {
        parse(&self.0).ok_or_else(|| NotADuration { text: self.0.clone() })
    }
}

/// Nanoseconds are counted in integers, digit by digit, so no value is rounded on its way.
fn parse(text: &str) -> Option<Duration> {
    let text = text.strip_prefix('+').unwrap_or(text);
    if text == "0" {
        return Some(Duration::ZERO);
    }
    let mut rest = text;
    let mut total: u64 = 0;
    while !rest.is_empty() || total == 0 && rest.len() == text.len() {
        let number_end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, tail) = rest.split_at(number_end);
        let unit_end = tail.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(unit_end);
        total = total.checked_add(amount(number, nanoseconds(unit)?)?)?;
        rest = tail;
    }
    // Go counts in signed 64 bits.
    i64::try_from(total).ok().map(|_| Duration::from_nanos(total))
}

fn nanoseconds(unit: &str) -> Option<u64> {
    Some(match unit {
        "ns" => 1,
        "us" | "µs" | "μs" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        _ => return None,
    })
}

fn amount(number: &str, unit: u64) -> Option<u64> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let mut total = if whole.is_empty() { 0 } else { whole.parse::<u64>().ok()?.checked_mul(unit)? };
    let mut scale = unit;
    for digit in fraction.chars() {
        scale /= 10;
        total = total.checked_add(u64::from(digit.to_digit(10)?) * scale)?;
    }
    Some(total)
}

impl fmt::Display for GoDuration {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl From<&str> for GoDuration {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl From<String> for GoDuration {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl JsonSchema for GoDuration {
    fn schema_name() -> Cow<'static, str> {
        "GoDuration".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": Self::PATTERN, "maxLength": Self::LONGEST })
    }
}

/// A default of whole seconds, spelt `30s`.
pub(crate) fn seconds<const N: u32>() -> GoDuration {
    GoDuration(format!("{N}s"))
}

/// A default of whole minutes, spelt `5m`.
pub(crate) fn minutes<const N: u32>() -> GoDuration {
    GoDuration(format!("{N}m"))
}

/// A default of whole hours, spelt `4h`.
pub(crate) fn hours<const N: u32>() -> GoDuration {
    GoDuration(format!("{N}h"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_mean_what_go_says_they_mean() {
        for (text, expected) in [
            ("0", Duration::ZERO),
            ("30s", Duration::from_secs(30)),
            ("5m0s", Duration::from_mins(5)),
            ("1h30m", Duration::from_mins(90)),
            ("720h", Duration::from_hours(720)),
            ("1.5s", Duration::from_millis(1500)),
            (".5h", Duration::from_mins(30)),
            ("+1m", Duration::from_mins(1)),
            ("250ms", Duration::from_millis(250)),
            ("7us", Duration::from_micros(7)),
            ("7µs", Duration::from_micros(7)),
            ("1h2m3s4ms5us6ns", Duration::new(3723, 4_005_006)),
        ] {
            assert_eq!(GoDuration::from(text).to_std(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn the_schema_accepts_what_can_be_read_and_nothing_else() {
        let pattern = regex::Regex::new(GoDuration::PATTERN).unwrap();
        for text in
            ["0", "5m0s", "1.5s", ".5h", "+1m", "7µs", "7μs", "1h2m3s4ms5us6ns", "2562047h47m16.854775807s"]
        {
            assert!(pattern.is_match(text), "{text}");
            assert!(GoDuration::from(text).to_std().is_ok(), "{text}");
        }
        for text in ["", "5", "s", ".s", "1x", "1h-2m", "-5s", "abc", "1s ", "1..5s", "1s\n", "a 1s"] {
            assert!(!pattern.is_match(text), "{text}");
        }
    }

    #[test]
    fn what_is_no_duration_is_refused_with_its_text() {
        for text in ["", "5", "s", ".s", "1x", "1h-2m", "-5s", "abc", "1s ", "9999999999h", "1..5s"] {
            let error = GoDuration::from(text).to_std().unwrap_err();
            assert!(error.to_string().starts_with(&format!("{text:?} is not a duration")), "{error}");
        }
    }

    #[test]
    fn a_duration_is_written_back_as_it_was_read() {
        let duration: GoDuration = serde_json::from_str("\"5m0s\"").unwrap();

        assert_eq!(serde_json::to_string(&duration).unwrap(), "\"5m0s\"");
    }
}

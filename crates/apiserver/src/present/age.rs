//! Ages in the format of kubectl: two or three figures.

use jiff::Timestamp;
use serde_json::Value;

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
const YEAR: i64 = 365 * DAY;

/// The age of a timestamp at `now`; `<unknown>` if the object has none.
pub(super) fn since(timestamp: Option<&Value>, now: Timestamp) -> String {
    match timestamp.and_then(Value::as_str) {
        None | Some("") => "<unknown>".to_owned(),
        Some(text) => parsed(text).map_or_else(|| "<invalid>".to_owned(), |then| human(seconds(then, now))),
    }
}

/// The time between two timestamps of an object.
pub(super) fn between(start: &str, end: &str) -> Option<String> {
    Some(human(seconds(parsed(start)?, parsed(end)?)))
}

/// A timestamp in the format of Kubernetes.
pub(super) fn parsed(text: &str) -> Option<Timestamp> {
    text.parse().ok()
}

fn seconds(then: Timestamp, now: Timestamp) -> i64 {
    now.duration_since(then).as_secs()
}

/// A number of seconds in the form of `duration.HumanDuration`.
fn human(seconds: i64) -> String {
    match seconds {
        i64::MIN..-1 => "<invalid>".to_owned(),
        -1 => "0s".to_owned(),
        0..120 => format!("{seconds}s"),
        120..600 => two(seconds, MINUTE, 'm', 1, 's'),
        600..10_800 => format!("{}m", seconds / MINUTE),
        10_800..28_800 => two(seconds, HOUR, 'h', MINUTE, 'm'),
        28_800..172_800 => format!("{}h", seconds / HOUR),
        172_800..691_200 => two(seconds, DAY, 'd', HOUR, 'h'),
        691_200..63_072_000 => format!("{}d", seconds / DAY),
        63_072_000..252_288_000 => two(seconds, YEAR, 'y', DAY, 'd'),
        _ => format!("{}y", seconds / YEAR),
    }
}

/// Two units. The smaller one is omitted if it is zero.
fn two(seconds: i64, large: i64, large_sign: char, small: i64, small_sign: char) -> String {
    match seconds % large / small {
        0 => format!("{}{large_sign}", seconds / large),
        rest => format!("{}{large_sign}{rest}{small_sign}", seconds / large),
    }
}

#[cfg(test)]
mod tests {
    use super::{DAY, HOUR, MINUTE, YEAR, between, human, since};
    use serde_json::json;

    #[test]
    fn durations_read_as_kubectl_prints_them() {
        let cases = [
            (-2, "<invalid>"),
            (-1, "0s"),
            (0, "0s"),
            (119, "119s"),
            (120, "2m"),
            (121, "2m1s"),
            (10 * MINUTE - 1, "9m59s"),
            (10 * MINUTE + 5, "10m"),
            (3 * HOUR - 1, "179m"),
            (3 * HOUR, "3h"),
            (7 * HOUR + 59 * MINUTE, "7h59m"),
            (8 * HOUR + MINUTE, "8h"),
            (47 * HOUR, "47h"),
            (2 * DAY, "2d"),
            (2 * DAY + HOUR, "2d1h"),
            (8 * DAY + HOUR, "8d"),
            (2 * YEAR - 1, "729d"),
            (2 * YEAR, "2y"),
            (2 * YEAR + 3 * DAY, "2y3d"),
            (8 * YEAR + 300 * DAY, "8y"),
        ];
        for (seconds, text) in cases {
            assert_eq!(human(seconds), text, "{seconds}");
        }
    }

    #[test]
    fn a_missing_timestamp_is_unknown_and_a_broken_one_invalid() {
        let now = "2026-01-01T00:01:00Z".parse().unwrap();
        assert_eq!(since(None, now), "<unknown>");
        assert_eq!(since(Some(&json!(null)), now), "<unknown>");
        assert_eq!(since(Some(&json!("yesterday")), now), "<invalid>");
        assert_eq!(since(Some(&json!("2026-01-01T00:00:00Z")), now), "60s");
        assert_eq!(since(Some(&json!("2026-01-01T00:00:00.500000Z")), now), "59s");
        assert_eq!(between("2026-01-01T00:00:00Z", "2026-01-01T00:00:07Z"), Some("7s".to_owned()));
    }
}

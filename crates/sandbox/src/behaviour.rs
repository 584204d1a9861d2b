//! How long objects take to become ready and whether they fail, from the options of the sandbox and from annotations.

use api::names::{SANDBOX_DELAY_ANNOTATION, SANDBOX_FAIL_ANNOTATION};
use std::{collections::BTreeMap, time::Duration};

/// How the stand-ins behave unless an annotation of the object overrides it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Behaviour {
    /// How long each object takes to become ready.
    pub delay: Duration,
}

/// How the stand-in of one object behaves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Annotated {
    pub delay: Duration,
    pub failure: Option<String>,
}

impl Behaviour {
    /// The behaviour that annotations set. The annotations of the object come first, then those of its owners, nearest
    /// first.
    pub(crate) fn annotated<'a>(
        &self,
        annotations: impl Iterator<Item = &'a BTreeMap<String, String>>,
    ) -> Annotated {
        let mut delay = None;
        let mut failure = None;
        for each in annotations {
            delay = delay.or_else(|| each.get(SANDBOX_DELAY_ANNOTATION).and_then(|text| duration(text)));
            failure = failure.or_else(|| each.get(SANDBOX_FAIL_ANNOTATION).cloned());
        }
        Annotated { delay: delay.unwrap_or(self.delay), failure }
    }
}

/// Parses a duration in the format of Go: `1h30m`, `1.5s`, `300ms`.
pub(crate) fn duration(text: &str) -> Option<Duration> {
    let mut rest = text;
    let mut total = Duration::ZERO;
    while !rest.is_empty() {
        let number = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let value: f64 = rest.get(..number)?.parse().ok()?;
        rest = rest.get(number..)?;
        let unit = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let seconds = match rest.get(..unit)? {
            "h" => 3600.0,
            "m" => 60.0,
            "s" => 1.0,
            "ms" => 1e-3,
            "us" | "µs" => 1e-6,
            "ns" => 1e-9,
            _ => return None,
        };
        total = total.checked_add(Duration::try_from_secs_f64(value * seconds).ok()?)?;
        rest = rest.get(unit..)?;
    }
    (!text.is_empty()).then_some(total)
}

#[cfg(test)]
mod tests {
    use super::{Annotated, Behaviour, duration};
    use api::names::{SANDBOX_DELAY_ANNOTATION as DELAY, SANDBOX_FAIL_ANNOTATION as FAIL};
    use std::{collections::BTreeMap, time::Duration};

    #[test]
    fn durations_are_read_as_go_writes_them() {
        assert_eq!(duration("2160h0m0s"), Some(Duration::from_hours(2160)));
        assert_eq!(duration("1m30s"), Some(Duration::from_secs(90)));
        assert_eq!(duration("1.5s"), Some(Duration::from_millis(1500)));
        assert_eq!(duration("250ms"), Some(Duration::from_millis(250)));
        for wrong in ["", "30", "s", "5 s", "1w", "1s-", "99999999999999999999999h"] {
            assert_eq!(duration(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn an_object_overrides_its_owner_and_its_owner_the_sandbox() {
        let of = |key: &str, value: &str| BTreeMap::from([(key.to_owned(), value.to_owned())]);
        let behaviour = Behaviour { delay: Duration::from_secs(1) };
        let annotated =
            behaviour.annotated([&of(DELAY, "2s"), &of(DELAY, "3s"), &of(FAIL, "no disk")].into_iter());
        assert_eq!(annotated, Annotated { delay: Duration::from_secs(2), failure: Some("no disk".into()) });
        let default = behaviour.annotated([&of(DELAY, "soon")].into_iter());
        assert_eq!(default, Annotated { delay: Duration::from_secs(1), failure: None });
    }
}

//! Cron texts of six fields: second, minute, hour, day, month, weekday.

use crate::version::{Change, Version};
use jiff::{Timestamp, ToSpan as _, civil::DateTime, tz::TimeZone};

/// When a schedule fires. Time is UTC.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cron {
    seconds: u64,
    minutes: u64,
    hours: u64,
    days: u64,
    months: u64,
    weekdays: u64,
    /// Whether either day is restricted: if both are, one of them is enough.
    any_day: bool,
    any_weekday: bool,
}

/// The least and the largest value of each field.
const LIMITS: [(u32, u32); 6] = [(0, 59), (0, 59), (0, 23), (1, 31), (1, 12), (0, 6)];

impl Cron {
    /// A text that Harbor takes, or what it says otherwise. Version 2.5 takes five fields, too, and any second.
    pub fn checked(text: &str, version: Version) -> Result<Self, String> {
        if version.has(Change::ChecksCron) {
            if text.is_empty() {
                return Err("empty cron string is invalid".to_owned());
            }
            let cron = Self::parse(text)?;
            if text.split_whitespace().next() != Some("0") {
                return Err(
                    "the 1st field (indicating Seconds of time) of the cron setting must be 0".to_owned()
                );
            }
            return Ok(cron);
        }
        match text.split_whitespace().count() {
            0 => Err("runtime error: index out of range [0] with length 0".to_owned()),
            5 => Self::parse(&format!("0 {text}")),
            6 => Self::parse(text),
            found => Err(format!("Expected 5 or 6 fields, found {found}: {text}")),
        }
    }

    fn parse(text: &str) -> Result<Self, String> {
        let fields: Vec<&str> = text.split_whitespace().collect();
        let [seconds, minutes, hours, days, months, weekdays] = fields.as_slice() else {
            let found = fields.len();
            return Err(format!("expected exactly 6 fields, found {found}: [{}]", fields.join(" ")));
        };
        let [second, minute, hour, day, month, weekday] = LIMITS;
        let any = |field: &str| field == "*" || field == "?";
        Ok(Self {
            seconds: bits(seconds, second)?,
            minutes: bits(minutes, minute)?,
            hours: bits(hours, hour)?,
            days: bits(days, day)?,
            months: bits(months, month)?,
            weekdays: bits(weekdays, weekday)?,
            any_day: any(days),
            any_weekday: any(weekdays),
        })
    }

    /// The first time after this one, unless there is none within five years.
    pub fn next(&self, after: Timestamp) -> Option<Timestamp> {
        let start = after.checked_add(1.second()).ok()?.to_zoned(TimeZone::UTC).datetime();
        let mut time = start.date().at(start.hour(), start.minute(), start.second(), 0);
        for _ in 0..5 * 366 {
            if self.has_date(time)
                && let Some(found) = self.time_of_day(time)
            {
                return found.to_zoned(TimeZone::UTC).ok().map(|time| time.timestamp());
            }
            time = time.date().tomorrow().ok()?.at(0, 0, 0, 0);
        }
        None
    }

    fn has_date(&self, time: DateTime) -> bool {
        let day = has(self.days, time.day());
        let weekday = has(self.weekdays, time.weekday().to_sunday_zero_offset());
        let fits = if self.any_day || self.any_weekday { day && weekday } else { day || weekday };
        has(self.months, time.month()) && fits
    }

    /// The first fitting time of the same day that is not before this one.
    fn time_of_day(&self, from: DateTime) -> Option<DateTime> {
        let later = |hour: i8, minute: i8, second: i8| {
            (hour, minute, second) >= (from.hour(), from.minute(), from.second())
        };
        let hours = (0..24_i8).filter(|hour| has(self.hours, *hour) && *hour >= from.hour());
        hours
            .flat_map(|hour| {
                (0..60_i8).filter(|minute| has(self.minutes, *minute)).map(move |minute| (hour, minute))
            })
            .flat_map(|(hour, minute)| {
                (0..60_i8)
                    .filter(|second| has(self.seconds, *second))
                    .map(move |second| (hour, minute, second))
            })
            .find(|(hour, minute, second)| later(*hour, *minute, *second))
            .map(|(hour, minute, second)| from.date().at(hour, minute, second, 0))
    }
}

fn has(bits: u64, value: i8) -> bool {
    u32::try_from(value).is_ok_and(|value| bits >> value & 1 == 1)
}

/// The values of a field: a list of `*`, `n`, `n-m`, each with an optional step.
fn bits(field: &str, limits: (u32, u32)) -> Result<u64, String> {
    field.split(',').try_fold(0, |bits, part| Ok(bits | range(part, limits)?))
}

fn range(part: &str, (least, largest): (u32, u32)) -> Result<u64, String> {
    let (span, step) = match part.split_once('/') {
        Some((span, step)) => (span, number(step)?),
        None => (part, 1),
    };
    let (from, to) = match span.split_once('-') {
        _ if span == "*" || span == "?" => (least, largest),
        Some((from, to)) => (number(from)?, number(to)?),
        None if part.contains('/') => (number(span)?, largest),
        None => (number(span)?, number(span)?),
    };
    if from < least {
        return Err(format!("beginning of range ({from}) below minimum ({least}): {part}"));
    }
    if to > largest {
        return Err(format!("end of range ({to}) above maximum ({largest}): {part}"));
    }
    if from > to {
        return Err(format!("beginning of range ({from}) beyond end of range ({to}): {part}"));
    }
    let step = usize::try_from(step).ok().filter(|step| *step > 0);
    let step = step.ok_or_else(|| format!("step of range should be a positive number: {part}"))?;
    Ok((from..=to).step_by(step).fold(0, |bits, value| bits | 1 << value))
}

fn number(text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| {
        format!("failed to parse int from {text}: strconv.Atoi: parsing \"{text}\": invalid syntax")
    })
}

#[cfg(test)]
mod tests {
    use super::Cron;
    use crate::version::Version;
    use jiff::Timestamp;

    const NEW: Version = Version::new(15, 2);

    fn next(text: &str, after: &str) -> String {
        let after: Timestamp = after.parse().unwrap();
        Cron::checked(text, NEW).unwrap().next(after).map(|time| time.to_string()).unwrap_or_default()
    }

    #[test]
    fn a_schedule_fires_next_at_the_first_fitting_time() {
        let monday = "2026-11-16T06:49:00Z";
        assert_eq!(next("0 0 0 * * *", monday), "2026-11-17T00:00:00Z");
        assert_eq!(next("0 30 3 * * *", monday), "2026-11-17T03:30:00Z");
        assert_eq!(next("0 49,50 * * * *", monday), "2026-11-16T06:50:00Z");
        assert_eq!(next("0 0 0 * * 0", monday), "2026-11-22T00:00:00Z");
        assert_eq!(next("0 */15 * 1 1 *", monday), "2027-01-01T00:00:00Z");
        assert_eq!(next("0 0 0 31 2 *", monday), "");
        assert_eq!(next("0 0 0 1 * 1", monday), "2026-11-23T00:00:00Z");
    }

    #[test]
    fn what_is_wrong_is_told_in_the_words_of_the_version() {
        let problem = |text: &str, version| Cron::checked(text, version).unwrap_err();
        assert_eq!(problem("nope", NEW), "expected exactly 6 fields, found 1: [nope]");
        assert_eq!(problem("", NEW), "empty cron string is invalid");
        assert_eq!(problem("0 70 * * * *", NEW), "end of range (70) above maximum (59): 70");
        let old = Version::new(5, 6);
        assert_eq!(problem("nope", old), "Expected 5 or 6 fields, found 1: nope");
        assert!(Cron::checked("30 3 * * *", old).is_ok());
        assert!(Cron::checked("5 30 3 * * *", old).is_ok());
    }

    #[test]
    fn hostile_texts_are_refused() {
        for text in ["0 0/0 * * * *", "0 5-1 * * * *", "0 - * * * *", "0 4294967296 * * * *", "0 , * * * *"] {
            assert!(Cron::checked(text, NEW).is_err(), "{text}");
        }
    }
}

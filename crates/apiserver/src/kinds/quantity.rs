//! Quantities such as `500m` and `1Gi`, and their canonical notation.

use std::{fmt, str::FromStr};

/// An amount, exact to a billionth, and the family of its suffixes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Quantity {
    nanos: i128,
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    /// `k`, `M`, `m`
    Decimal,
    /// `Ki`, `Mi`
    Binary,
    /// `e3`
    Exponent,
}

/// The text is not a quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'")]
pub(crate) struct NotAQuantity;

const NANO: i128 = 1_000_000_000;
const MOST: i128 = i64::MAX as i128 * NANO;
const DECIMAL: [(&str, u32); 10] =
    [("E", 27), ("P", 24), ("T", 21), ("G", 18), ("M", 15), ("k", 12), ("", 9), ("m", 6), ("u", 3), ("n", 0)];
const BINARY: [(&str, u32); 6] = [("Ei", 60), ("Pi", 50), ("Ti", 40), ("Gi", 30), ("Mi", 20), ("Ki", 10)];

impl Quantity {
    /// The amount in billionths, for comparisons.
    pub fn nanos(self) -> i128 {
        self.nanos
    }

    /// Rounded up to thousandths, as the values of resource lists are.
    pub fn in_thousandths(self) -> Self {
        let step = NANO / 1000;
        let rest = self.nanos % step;
        let up = if rest == 0 { 0 } else { rest.signum() * step - rest };
        Self { nanos: self.nanos + up, ..self }
    }
}

impl FromStr for Quantity {
    type Err = NotAQuantity;

    fn from_str(text: &str) -> Result<Self, NotAQuantity> {
        let (negative, rest) = match text.as_bytes().first() {
            Some(b'-') => (true, &text[1..]),
            Some(b'+') => (false, &text[1..]),
            _ => (false, text),
        };
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (number, suffix) = rest.split_at(end);
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if (whole.is_empty() && fraction.is_empty()) || fraction.contains('.') {
            return Err(NotAQuantity);
        }
        let (format, unit) = unit(suffix)?;
        let nanos = nanos(whole, fraction, unit).min(MOST);
        Ok(Self { nanos: if negative { -nanos } else { nanos }, format })
    }
}

/// The factor of a suffix.
#[derive(Clone, Copy)]
enum Unit {
    Ten(i32),
    Two(u32),
}

fn unit(suffix: &str) -> Result<(Format, Unit), NotAQuantity> {
    if let Some((_, power)) = DECIMAL.iter().find(|(word, _)| *word == suffix) {
        return Ok((Format::Decimal, Unit::Ten(i32::try_from(*power).map_err(|_| NotAQuantity)? - 9)));
    }
    if let Some((_, power)) = BINARY.iter().find(|(word, _)| *word == suffix) {
        return Ok((Format::Binary, Unit::Two(*power)));
    }
    let exponent = suffix.strip_prefix(['e', 'E']).ok_or(NotAQuantity)?;
    let power: i32 = exponent.parse().map_err(|_| NotAQuantity)?;
    Ok((Format::Exponent, Unit::Ten(power.clamp(-1000, 1000))))
}

/// The amount in billionths, rounded up; saturates beyond what quantities hold.
fn nanos(whole: &str, fraction: &str, unit: Unit) -> i128 {
    let significant = whole.trim_start_matches('0');
    // Keeps twelve digits after the point through the multiplication, and whether there were more.
    let kept: String = fraction.chars().take(12).collect();
    let more = fraction.chars().skip(12).any(|c| c != '0');
    if significant.len() > 22 {
        return MOST;
    }
    let Ok(digits) = format!("{significant}{kept:0<12}").parse::<i128>() else { return MOST };
    // `digits` counts units of 10^-12.
    let (scaled, rest) = match unit {
        Unit::Ten(power) if power >= 3 => {
            let factor = u32::try_from(power - 3).ok().and_then(|power| 10_i128.checked_pow(power));
            match factor.and_then(|factor| digits.checked_mul(factor)) {
                Some(scaled) => (scaled, 0),
                None if digits == 0 => (0, 0),
                None => return MOST,
            }
        }
        Unit::Ten(power) => {
            match u32::try_from(3 - power).ok().and_then(|power| 10_i128.checked_pow(power)) {
                Some(divisor) => (digits / divisor, digits % divisor),
                None => (0, digits),
            }
        }
        Unit::Two(power) => match digits.checked_mul(1 << power) {
            Some(scaled) => (scaled / 1000, scaled % 1000),
            None => return MOST,
        },
    };
    scaled.saturating_add(i128::from(rest != 0 || more))
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanos = self.nanos;
        if nanos == 0 {
            return f.write_str("0");
        }
        if self.format == Format::Binary && nanos % NANO == 0 && (nanos / NANO).abs() >= 1024 {
            let whole = nanos / NANO;
            return match BINARY.iter().find(|(_, power)| whole % (1_i128 << power) == 0) {
                Some((suffix, power)) => write!(f, "{}{suffix}", whole / (1_i128 << power)),
                None => write!(f, "{whole}"),
            };
        }
        // The last row divides everything.
        let (suffix, power) =
            DECIMAL.iter().find(|(_, power)| nanos % 10_i128.pow(*power) == 0).unwrap_or(&("n", 0));
        let mantissa = nanos / 10_i128.pow(*power);
        match self.format {
            Format::Exponent if *power != 9 => write!(f, "{mantissa}e{}", i64::from(*power) - 9),
            Format::Exponent => write!(f, "{mantissa}"),
            Format::Decimal | Format::Binary => write!(f, "{mantissa}{suffix}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{NotAQuantity, Quantity};

    fn canonical(text: &str) -> String {
        text.parse::<Quantity>().map_or_else(|error| error.to_string(), |quantity| quantity.to_string())
    }

    #[test]
    fn every_amount_has_one_spelling() {
        let cases = [
            ("0.5", "500m"),
            ("1024Mi", "1Gi"),
            ("1000m", "1"),
            ("1000", "1k"),
            ("1500", "1500"),
            ("100Ki", "100Ki"),
            ("0.5Gi", "512Mi"),
            ("512", "512"),
            ("1023Ki", "1023Ki"),
            ("0", "0"),
            ("0Gi", "0"),
            ("-1", "-1"),
            ("1e3", "1e3"),
            ("12e6", "12e6"),
            ("1E", "1E"),
            ("0.0001", "100u"),
            ("1.5Ki", "1536"),
            (".5", "500m"),
            ("0.1n", "1n"),
            ("10000000000000000000000", "9223372036854775807"),
        ];
        for (text, expected) in cases {
            assert_eq!(canonical(text), expected, "{text}");
        }
    }

    #[test]
    fn resource_lists_hold_thousandths() {
        let rounded: Quantity = "0.0001".parse().unwrap();
        assert_eq!(rounded.in_thousandths().to_string(), "1m");
    }

    #[test]
    fn words_are_not_quantities() {
        for text in ["", "abc", "1.2.3", "1Xi", "1e", "-", "1 Gi", "é"] {
            assert_eq!(text.parse::<Quantity>(), Err(NotAQuantity), "{text}");
        }
    }
}

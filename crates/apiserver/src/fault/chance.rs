//! Pseudorandom numbers that depend only on the request.

use super::Mishap;

/// A pseudorandom number for one mishap of one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Chance(u64);

impl Chance {
    pub fn new(seed: u64, request: &str, occurrence: u64, mishap: Mishap, event: Option<u64>) -> Self {
        let mut number = mixed(seed);
        for text in [request, mishap.word()] {
            // FNV-1a, whose values do not change with the version of a library.
            let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            });
            number = mixed(number ^ hash);
        }
        for count in [occurrence, event.map_or(0, |event| event + 1)] {
            number = mixed(number.wrapping_add(count));
        }
        Self(number)
    }

    /// The next number.
    pub fn another(self) -> Self {
        Self(mixed(self.0))
    }

    /// At least 0 and less than 1.
    pub fn fraction(self) -> f64 {
        let upper = u32::try_from(self.0 >> 32).unwrap_or(u32::MAX);
        f64::from(upper) / (f64::from(u32::MAX) + 1.0)
    }

    /// Less than `count`, which is not 0.
    pub fn below(self, count: usize) -> usize {
        usize::try_from(self.0 % (count.max(1) as u64)).unwrap_or(0)
    }
}

/// The step of SplitMix64: every bit of the result depends on every bit of the input.
fn mixed(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

#[cfg(test)]
mod tests {
    use super::Chance;
    use crate::fault::Mishap;

    #[test]
    fn chances_are_spread_evenly_and_do_not_change_with_time() {
        let of = |count: u64| Chance::new(7, "GET /api/v1/pods", count, Mishap::Delay, None).fraction();
        let below: usize = (0..10_000).filter(|&count| of(count) < 0.2).count();
        assert!((1_850..2_150).contains(&below), "{below}");
        assert_eq!(format!("{:.6} {:.6}", of(0), of(1)), "0.039960 0.832412");
    }
}

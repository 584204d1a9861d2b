//! What a server makes up: secrets, tokens, identifiers.

use std::fmt::Write as _;

/// A source of numbers that clients cannot guess, or that tests can.
pub trait Entropy: Send {
    /// The next number.
    fn next(&mut self) -> u64;
}

/// Numbers that are a function of a seed, so that a run can be repeated. They are no secrets.
#[derive(Debug, Clone, Copy)]
pub struct Seeded(u64);

impl Seeded {
    /// The sequence of this seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }
}

impl Entropy for Seeded {
    /// SplitMix64.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }
}

const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// A robot's secret: 32 letters and digits, with at least one of each kind that Harbor asks for.
pub(crate) fn secret(entropy: &mut dyn Entropy) -> String {
    let mut text = String::from("Aa1");
    while text.len() < 32 {
        let index = usize::try_from(entropy.next() % 62).unwrap_or(0);
        text.push(char::from(LETTERS.get(index).copied().unwrap_or(b'x')));
    }
    text
}

/// This many hexadecimal digits.
pub(crate) fn hex(entropy: &mut dyn Entropy, digits: usize) -> String {
    let mut text = String::new();
    while text.len() < digits {
        // Writing to a String does not fail.
        let _ = write!(text, "{:016x}", entropy.next());
    }
    text.truncate(digits);
    text
}

/// A UUID.
pub(crate) fn uuid(entropy: &mut dyn Entropy) -> String {
    let digits = hex(entropy, 32);
    let part = |from: usize, to: usize| digits.get(from..to).unwrap_or_default();
    format!("{}-{}-{}-{}-{}", part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32))
}

#[cfg(test)]
mod tests {
    use super::{Seeded, hex, secret, uuid};

    #[test]
    fn the_same_seed_makes_the_same_things_and_no_two_are_equal() {
        let (mut one, mut other) = (Seeded::new(7), Seeded::new(7));
        assert_eq!(secret(&mut one), secret(&mut other));
        assert_ne!(secret(&mut one), secret(&mut one));
        assert_eq!((hex(&mut one, 24).len(), uuid(&mut one).len()), (24, 36));
    }
}

//! Randomness, where it is allowed.

use plan::Recipe;
use rand::{
    RngExt as _,
    distr::{Alphanumeric, SampleString as _},
};
use std::time::Duration;

/// The only source of randomness; a test brings its own.
pub trait Dice: Send + Sync {
    /// Makes up a value.
    fn realise(&self, recipe: Recipe) -> String;

    /// Some duration up to `most`, so that many retries do not come at once.
    fn jitter(&self, most: Duration) -> Duration;
}

/// Dice of cryptographic quality, seeded by the operating system.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemDice;

impl Dice for SystemDice {
    fn realise(&self, recipe: Recipe) -> String {
        match recipe {
            Recipe::Alphanumeric { length } => Alphanumeric.sample_string(&mut rand::rng(), length),
        }
    }

    fn jitter(&self, most: Duration) -> Duration {
        most.mul_f64(rand::rng().random_range(0.0..=1.0))
    }
}

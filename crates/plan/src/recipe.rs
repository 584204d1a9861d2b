//! Values that are made up once.

/// How a generated value is made, by whoever has dice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recipe {
    /// Random letters and digits.
    Alphanumeric {
        /// How many.
        length: usize,
    },
}

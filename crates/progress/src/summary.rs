//! What an object is called by its users.

/// Fields of an object that every view shows beside its state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// The version that it runs.
    pub version: Option<Box<str>>,
    /// The URL for users.
    pub url: Option<Box<str>>,
}

//! What can be broken inside a Harbor without a sign in its health.

/// Something that does not work, although every component says that it is healthy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Broken {
    /// Core cannot sign: its tokens are empty, as with an elliptic key.
    Signatures,
    /// A pod of Core refuses the tokens that another one has signed.
    TokenKeys,
    /// The registry refuses the user or the password of Core.
    RegistryLogin,
    /// JobService has no workers.
    Workers,
}

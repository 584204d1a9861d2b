//! What the server serves, told to clients: groups, kinds, schemas, version, health.

mod aggregated;
mod documents;
mod health;
mod legacy;
mod openapi;
mod served;

pub(crate) use documents::{Documents, respond};

#[cfg(test)]
mod tests;

//! Discovery: the groups, kinds, schemas, version and health of the server.

mod aggregated;
mod documents;
mod health;
mod legacy;
mod openapi;
mod served;

pub(crate) use documents::{Documents, respond};

#[cfg(test)]
mod tests;

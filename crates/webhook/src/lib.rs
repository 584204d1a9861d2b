//! Webhooks of the API server: pure functions from the body of a request to the body of its answer.

pub mod conversion;

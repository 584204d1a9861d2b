//! What clients learn from discovery, and what kubectl makes of it.

mod documents;
mod kinds;
mod kubectl;
mod server;

//! Discovery as clients and kubectl read it.

mod documents;
mod kinds;
mod kubectl;
mod server;

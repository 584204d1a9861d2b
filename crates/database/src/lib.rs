//! The database of a Harbor: what state its schema is in, the repair of a schema that Core refuses, and the encryption of its
//! credentials with another key.
//!
//! Guarantees:
//! - Nothing is written unless the database proves what has to be written. What cannot be proven is refused, with the reason.
//! - Each repair is one transaction. A process that ends in the middle, or loses its connection, leaves the database
//!   unchanged or repaired; to run it again is safe.
//! - No error or output has a password, or the text of a query.
//!
//! The facts about Harbor are those of its migration files, versions 2.5 to 2.15.

mod connection;
pub mod encryption;
mod error;
mod relations;
pub mod schema;
mod settings;
mod tls;

pub use connection::Connection;
pub use error::Error;
pub use settings::{Settings, SettingsError, SslMode};

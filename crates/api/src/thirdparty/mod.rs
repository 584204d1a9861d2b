//! Foreign kinds the operator writes, reduced to the fields it uses.
//!
//! Fields a foreign controller adds are not modelled; server-side apply leaves them alone.

pub mod cert_manager;
pub mod gateway;
pub mod monitoring;

//! Everything that a Harbor remembers.

mod data;
mod installation;
mod restore;
mod runtime;
mod table;

pub(crate) use data::Data;
pub use installation::Installation;
pub(crate) use runtime::Runtime;
pub use runtime::Served;
pub(crate) use table::{Id, Table};

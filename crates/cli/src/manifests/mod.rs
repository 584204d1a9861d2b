//! Objects in YAML and JSON files: reads them, and applies them as kubectl does.
//!
//! Uses: connect, operator, output.

mod apply;
mod directory;
mod document;
mod object;
mod read;
mod refusal;

#[cfg(feature = "sandbox")]
pub use apply::Applied;
pub use apply::{Applier, Purpose};
pub use directory::read_directory;
#[cfg(any(test, feature = "sandbox"))]
pub use document::Origin;
pub use document::{Document, file_names, read_file};
pub use object::{DEFAULT_NAMESPACE, Object};
pub use read::{read_objects, warn_about_unreconciled};

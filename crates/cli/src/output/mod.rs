//! The output of commands: text, objects, warnings and errors.
//!
//! Uses: nothing.

mod error;
mod objects;
#[cfg(feature = "sandbox")]
mod sandbox_error;
mod terminal;
mod text;

pub use error::{Error, Failure};
pub use objects::{Output, Printed};
#[cfg(feature = "sandbox")]
pub use sandbox_error::{SandboxError, Unready};
pub use terminal::{fail, print, print_styled, terminal_width, warn};
pub use text::{Line, duration, plain, shortened, width, wrapped};

//! Versions of Harbor: which this operator can run, what each of them has, and which images belong to it.
//!
//! Uses: nothing.

mod catalogue;
mod image;
mod notes;
mod path;
mod releases;
#[cfg(test)]
mod upgrade_page;
mod version;

pub use self::version::HarborVersion;
pub(crate) use self::{
    catalogue::Feature,
    image::{Mirror, named_image, with_pull_settings},
    notes::{Subject, notes},
    path::{Hop, Refusal, path},
};

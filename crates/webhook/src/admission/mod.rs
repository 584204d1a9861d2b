//! Admission of pods: their images are pulled through a Harbor.
//!
//! [`review`] answers an AdmissionReview of the API server. It reads [`Sources`], which watches keep current. It never
//! refuses a pod: what it does not understand or may not change, it admits unchanged, and it warns where an object that
//! rules come from is wrong. A body that is no AdmissionReview is an error and admits nothing.

#[cfg(test)]
mod fixture;
mod pod;
mod problem;
mod reference;
mod review;
mod rule;
mod source;
mod sources;

pub use problem::{Object, Problem};
pub use reference::{Path, Reference, ReferenceError, Registry};
pub use review::{Outcome, Reviewed, review};
pub use rule::{RuleError, Rules};
pub use source::{ConfigMapSource, NamespaceSource, ServerSource};
pub use sources::{Chain, Reason, Rewriting, Sources, Table};

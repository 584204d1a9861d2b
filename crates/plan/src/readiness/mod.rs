//! Whether an observed object has become what was asked for, as kstatus defines it.

mod batch;
mod caches;
mod certificate;
mod component;
mod core;
mod databases;
mod deployment;
mod gateway;
mod minio;
mod networking;
mod reached;
mod statefulset;

pub use reached::{Health, Reached};

/// The health of an object as its own status tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// It is what was asked for.
    Ready,
    /// It is on its way; the words say what is still to come.
    Progressing(String),
    /// It says of itself that it will not get there.
    Failed(String),
}

/// Whether a controller has seen the newest spec; before that its status speaks of an older one.
fn unobserved(generation: Option<i64>, observed: Option<i64>) -> Option<Readiness> {
    (observed.unwrap_or(0) < generation.unwrap_or(0))
        .then(|| Readiness::Progressing("the newest spec has not been observed yet".into()))
}

fn replicas(ready: i32, wanted: i32, what: &str) -> Readiness {
    Readiness::Progressing(format!("{ready} of {wanted} replicas {what}"))
}

/// Longest quotation of what another program says of an object.
const LONGEST_QUOTATION: usize = 1024;

/// The beginning of what another program says, which may be as long as it likes.
fn shortened(words: &str) -> String {
    match words.char_indices().nth(LONGEST_QUOTATION) {
        Some((end, _)) => format!("{}…", &words[..end]),
        None => words.to_owned(),
    }
}

#[cfg(test)]
mod tests;

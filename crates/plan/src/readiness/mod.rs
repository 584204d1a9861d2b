//! Whether an observed object has reached its desired state, as kstatus defines it.

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
mod pod;
mod reached;
mod statefulset;

pub use reached::{Health, Reached};

/// Whether an object has reached its desired state, according to its own status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// It has.
    Ready,
    /// Not yet; the message states what is left.
    Progressing(String),
    /// It reports that it will not; the message states why.
    Failed(String),
}

/// `Progressing` if the controller has not observed the newest spec yet: its status is about an older one.
fn unobserved(generation: Option<i64>, observed: Option<i64>) -> Option<Readiness> {
    (observed.unwrap_or(0) < generation.unwrap_or(0))
        .then(|| Readiness::Progressing("the newest spec has not been observed yet".into()))
}

fn replicas(ready: i32, wanted: i32, what: &str) -> Readiness {
    Readiness::Progressing(format!("{ready} of {wanted} replicas {what}"))
}

/// Longest message of another program that is quoted.
const LONGEST_QUOTATION: usize = 1024;

/// The beginning of another program's message, which may have any length.
fn shortened(message: &str) -> String {
    match message.char_indices().nth(LONGEST_QUOTATION) {
        Some((end, _)) => format!("{}…", &message[..end]),
        None => message.to_owned(),
    }
}

#[cfg(test)]
mod hostile;
#[cfg(test)]
mod tests;

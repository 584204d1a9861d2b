//! What the server was asked.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
};

/// Counts requests as they come; watches, which stay open, are not among them.
#[derive(Clone, Debug, Default)]
pub struct Counts(Arc<Mutex<Sent>>);

/// Requests that have come.
#[derive(Debug, Default)]
pub struct Sent {
    verbs: BTreeMap<String, usize>,
    writes_to_children: usize,
    children: BTreeSet<String>,
}

impl Counts {
    /// Notes a request.
    pub fn note(&self, method: &http::Method, uri: &http::Uri) {
        if uri.query().is_some_and(|query| query.contains("watch=true")) {
            return;
        }
        let mut sent = self.0.lock().unwrap();
        *sent.verbs.entry(method.to_string()).or_default() += 1;
        let path = uri.path();
        // Statuses and events are about owners.
        if method != http::Method::GET && !path.ends_with("/status") && !path.contains("/events") {
            sent.writes_to_children += 1;
            // A creation names only its kind, and is about an object of its own.
            let number = if method == http::Method::POST { sent.writes_to_children } else { 0 };
            sent.children.insert(format!("{path} {number}"));
        }
    }

    /// How many there were so far.
    pub fn total(&self) -> usize {
        self.0.lock().unwrap().requests()
    }

    /// Those since the last call.
    pub fn take(&self) -> Sent {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

impl Sent {
    /// How many.
    pub fn requests(&self) -> usize {
        self.verbs.values().sum()
    }

    /// How many with this method.
    pub fn of(&self, method: &str) -> usize {
        self.verbs.get(method).copied().unwrap_or_default()
    }

    /// Writes to children, for each child.
    pub fn writes_per_child(&self) -> f64 {
        let number = |count: usize| f64::from(u32::try_from(count).unwrap());
        number(self.writes_to_children) / number(self.children.len().max(1))
    }
}

//! The requests that a server got.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
};

/// Counts requests as they come.
#[derive(Clone, Debug, Default)]
pub struct Counts(Arc<Mutex<Sent>>);

/// Requests that have come.
#[derive(Debug, Default)]
pub struct Sent {
    verbs: BTreeMap<String, usize>,
    watches: usize,
    reads: usize,
    writes_to_children: usize,
    children: BTreeSet<String>,
}

impl Counts {
    /// Counts a request.
    pub fn note(&self, method: &http::Method, uri: &http::Uri) {
        let (path, query) = (uri.path(), uri.query().unwrap_or_default());
        if std::env::var_os("TRACE").is_some() {
            eprintln!("{method} {uri}");
        }
        let mut sent = self.0.lock().unwrap();
        // A lease is renewed all the time, whatever there is to do.
        if path.contains("/leases") {
            return;
        }
        if query.contains("watch=true") {
            sent.watches += 1;
            return;
        }
        *sent.verbs.entry(method.to_string()).or_default() += 1;
        if method == http::Method::GET {
            // What ends with the plural of a kind is a list.
            let is_list = query.contains("limit=") || query.contains("resourceVersion");
            sent.reads += usize::from(!is_list);
        // Statuses and events are about owners.
        } else if !path.ends_with("/status") && !path.contains("/events") {
            sent.writes_to_children += 1;
            // A creation names only its kind, and is about an object of its own.
            let number = if method == http::Method::POST { sent.writes_to_children } else { 0 };
            sent.children.insert(format!("{path} {number}"));
        }
    }

    /// How many there were so far.
    pub fn total(&self) -> usize {
        let sent = self.0.lock().unwrap();
        sent.requests() + sent.watches
    }

    /// Those since the last call.
    pub fn take(&self) -> Sent {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

impl Sent {
    /// How many, without watches.
    pub fn requests(&self) -> usize {
        self.verbs.values().sum()
    }

    /// Watches that were opened.
    pub fn watches(&self) -> usize {
        self.watches
    }

    /// Objects that were read one by one.
    pub fn reads(&self) -> usize {
        self.reads
    }

    /// How many changed something.
    pub fn writes(&self) -> usize {
        self.requests() - self.of("GET")
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

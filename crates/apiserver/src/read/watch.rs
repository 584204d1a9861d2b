//! Watches: a stream of changes from a revision on.

use super::{Selection, View, expired};
use crate::{
    kinds::Resource,
    present::WithHeaders,
    request::{ListOptions, Version},
    server::Shared,
    store::{Change, Compacted},
};
use bytes::{BufMut as _, Bytes, BytesMut};
use futures::{Stream, stream};
use serde_json::{Value, json};
use std::{collections::VecDeque, sync::Arc, time::Duration};
use tokio::{
    sync::watch::Receiver,
    time::{Instant, sleep_until},
};

/// How long a watch without a timeout lasts.
const DEFAULT_TIMEOUT: Duration = Duration::from_mins(30);
/// The maximum timeout: practically unlimited, and short enough to be added to the current time.
const LONGEST_TIMEOUT: Duration = Duration::from_hours(24 * 365);
/// The interval of bookmarks on an idle watch.
const BOOKMARK: Duration = Duration::from_mins(1);
/// How long before the end of a watch it gets its last bookmark.
const LAST_BOOKMARK: Duration = Duration::from_secs(2);

/// The state of a watch. It sends one line per event.
struct Watcher {
    server: Arc<Shared>,
    resource: Arc<Resource>,
    selection: Selection,
    view: View,
    /// Whether the next event describes its columns.
    headers: WithHeaders,
    /// Everything up to this revision has been sent.
    position: u64,
    changes: Receiver<u64>,
    deadline: Instant,
    /// When the next bookmark is due, if the client requested bookmarks.
    bookmark: Option<Instant>,
    ready: VecDeque<Ready>,
    over: bool,
}

/// What a watch sends next.
enum Ready {
    /// A line.
    Line(Bytes),
    /// An event about a stored object; `revision` replaces that of a deleted one.
    Event { kind: &'static str, object: Arc<Value>, revision: Option<u64> },
}

/// A stream of events, one line of JSON each.
pub(crate) fn watch(
    server: Arc<Shared>,
    resource: Arc<Resource>,
    selection: Selection,
    options: &ListOptions,
    view: View,
) -> impl Stream<Item = Bytes> + Send + 'static {
    let asked = options.timeout_seconds.filter(|seconds| *seconds > 0).map(Duration::from_secs);
    let lasts = asked.map_or(DEFAULT_TIMEOUT, |asked| asked.min(LONGEST_TIMEOUT));
    let (now, deadline) = (Instant::now(), Instant::now() + lasts);
    let (revision, changes, initial) = {
        let mut state = server.state();
        let revision = state.store.revision();
        let collection = state.store.collection(&resource.storage_group, &resource.storage_plural);
        let wants_initial =
            options.send_initial_events.unwrap_or(matches!(options.version, None | Some(Version::Any)));
        let initial: Vec<Arc<Value>> = if wants_initial {
            let objects = collection.objects(selection.namespace.as_deref());
            objects.filter(|object| selection.selects(object)).cloned().collect()
        } else {
            Vec::new()
        };
        (revision, collection.subscribe(), wants_initial.then_some(initial))
    };
    let position = match (&initial, options.version) {
        (None, Some(Version::NotOlderThan(from) | Version::Exact(from))) => from,
        _ => revision,
    };
    let mut watcher = Watcher {
        server,
        resource,
        selection,
        view,
        headers: WithHeaders::Yes,
        position,
        changes,
        deadline,
        bookmark: options.bookmarks.then_some(now + BOOKMARK.min(lasts.saturating_sub(LAST_BOOKMARK))),
        ready: VecDeque::new(),
        over: false,
    };
    watcher.begin();
    for object in initial.iter().flatten() {
        watcher.push("ADDED", object, None);
    }
    if options.send_initial_events == Some(true) && options.bookmarks {
        watcher.push_bookmark(true);
    }
    stream::unfold(watcher, |mut watcher| async move {
        let bytes = watcher.next().await?;
        Some((bytes, watcher))
    })
}

impl Watcher {
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if let Some(bytes) = self.flush().await {
                return Some(bytes);
            }
            if self.over {
                return None;
            }
            self.changes.mark_unchanged();
            self.collect();
            if !self.ready.is_empty() || self.over {
                continue;
            }
            let never = self.deadline + DEFAULT_TIMEOUT;
            tokio::select! {
                biased;
                changed = self.changes.changed() => self.over |= changed.is_err(),
                () = sleep_until(self.deadline) => self.over = true,
                () = sleep_until(self.bookmark.unwrap_or(never)), if self.bookmark.is_some() => {
                    self.collect();
                    if !self.over {
                        self.push_bookmark(false);
                    }
                    let next = Instant::now() + BOOKMARK;
                    let last = self.deadline.checked_sub(LAST_BOOKMARK).filter(|last| *last > Instant::now());
                    self.bookmark = last.map(|last| next.min(last));
                }
            }
        }
    }

    /// Everything that is ready, as one chunk.
    async fn flush(&mut self) -> Option<Bytes> {
        let mut lines = Vec::with_capacity(self.ready.len());
        while let Some(ready) = self.ready.pop_front() {
            match ready {
                Ready::Line(line) => lines.push(line),
                Ready::Event { kind, object, revision } => {
                    lines.push(self.event(kind, &object, revision).await);
                }
            }
        }
        match lines.len() {
            0 | 1 => lines.pop(),
            _ => {
                let mut all = BytesMut::with_capacity(lines.iter().map(Bytes::len).sum());
                for line in lines {
                    all.put(line);
                }
                Some(all.freeze())
            }
        }
    }

    /// The line of an event. An object that cannot be converted ends the watch.
    async fn event(&mut self, kind: &str, object: &Arc<Value>, revision: Option<u64>) -> Bytes {
        let mut object = match self.server.shown_one(&self.resource, object).await {
            Ok(object) => object,
            Err(failure) => {
                self.ready.clear();
                self.over = true;
                return line("ERROR", &failure.status());
            }
        };
        if let Some(revision) = revision {
            object["metadata"]["resourceVersion"] = revision.to_string().into();
        }
        let headers = std::mem::replace(&mut self.headers, WithHeaders::No);
        let shown = self.view.event(&self.resource, object, self.server.clock.now(), headers);
        line(kind, &shown)
    }

    /// Ends the watch if it starts at a revision that is no longer in the log.
    fn begin(&mut self) {
        let server = Arc::clone(&self.server);
        let mut state = server.state();
        let collection = state.store.collection(&self.resource.storage_group, &self.resource.storage_plural);
        if let Err(compacted) = collection.changes_since(self.position).map(|_| ()) {
            self.expire(compacted);
        }
    }

    /// Collects the events since the last call, up to the newest revision.
    fn collect(&mut self) {
        let server = Arc::clone(&self.server);
        let mut state = server.state();
        let now = state.store.revision();
        let collection = state.store.collection(&self.resource.storage_group, &self.resource.storage_plural);
        let changes: Vec<Change> = match collection.changes_missed_since(self.position) {
            Ok(changes) => changes.cloned().collect(),
            Err(compacted) => return self.expire(compacted),
        };
        drop(state);
        self.position = self.position.max(now);
        for change in &changes {
            self.push_change(change);
        }
    }

    fn expire(&mut self, compacted: Compacted) {
        let status = expired(self.position, compacted.horizon).status();
        self.ready.push_back(Ready::Line(line("ERROR", &status)));
        self.over = true;
    }

    fn push_change(&mut self, change: &Change) {
        let selected = |object: &Option<Arc<Value>>| {
            object.as_ref().filter(|object| self.selection.selects(object)).map(Arc::clone)
        };
        match (selected(&change.before), selected(&change.after)) {
            (None, None) => {}
            (None, Some(after)) => self.push("ADDED", &after, None),
            (Some(_), Some(after)) => self.push("MODIFIED", &after, None),
            (Some(before), None) => self.push("DELETED", &before, Some(change.revision)),
        }
    }

    fn push(&mut self, kind: &'static str, object: &Arc<Value>, revision: Option<u64>) {
        self.ready.push_back(Ready::Event { kind, object: Arc::clone(object), revision });
    }

    fn push_bookmark(&mut self, initial_events_end: bool) {
        let mut metadata = json!({"resourceVersion": self.position.to_string()});
        if initial_events_end {
            metadata["annotations"] = json!({"k8s.io/initial-events-end": "true"});
        }
        let (kind, api_version) = self.view.bookmark_kind(&self.resource);
        let object = json!({"kind": kind, "apiVersion": api_version, "metadata": metadata});
        self.ready.push_back(Ready::Line(line("BOOKMARK", &object)));
    }
}

fn line(kind: &str, object: &Value) -> Bytes {
    let mut line = BytesMut::with_capacity(512);
    line.put_slice(format!("{{\"type\":\"{kind}\",\"object\":").as_bytes());
    // Writing JSON into memory cannot fail.
    line.put_slice(&serde_json::to_vec(object).unwrap_or_default());
    line.put_slice(b"}\n");
    line.freeze()
}

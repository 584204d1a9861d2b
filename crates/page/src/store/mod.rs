//! The progress of the operator, kept for the page.
//!
//! Reconciles report to it and must not wait: there is one lock, which is held for a look-up and an assignment. A reader
//! copies the objects of one page and renders from the copy.

mod list;
#[cfg(test)]
mod tests;

pub(crate) use list::Attention;
pub use list::{List, Query};

use jiff::Timestamp;
use plan::ObjectKey;
use progress::{Found, Observer, Phase, Progress, Stage, Summary, Tree, TreeNode};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    fmt,
    sync::{Mutex, MutexGuard, PoisonError},
};
use tokio::sync::watch;

/// An object of the tree, with times of the page's clock.
pub type Node = TreeNode<Seconds>;

/// Seconds since 1970: enough until the year 2106, in half the space of a [`Timestamp`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seconds(u32);

/// Names one object in an address of the page.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Address {
    /// Namespace, empty for an object of the whole cluster; for an object outside the cluster, see [`ObjectKey::place`].
    pub namespace: Box<str>,
    /// Kind, in the singular.
    pub kind: Box<str>,
    /// Name.
    pub name: Box<str>,
}

/// An object in its installation, and fields of both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// The object.
    pub found: Found<Seconds>,
    /// Fields of the object.
    pub summary: Summary,
    /// Fields of the topmost owner.
    pub root: Summary,
}

/// The state of every object that the operator reconciles, and of its children.
pub struct Store {
    summary: fn(&Value) -> Summary,
    clock: fn() -> Timestamp,
    content: Mutex<Content>,
    changed: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct Content {
    tree: Tree<Seconds>,
    stored: BTreeMap<ObjectKey, Stored>,
}

/// Fields of an owner, as it is stored in the cluster.
#[derive(Clone, Debug, Default)]
struct Stored {
    summary: Summary,
    /// Its controller.
    parent: Option<ObjectKey>,
    /// The status of its condition `Ready`, and since when.
    ready: Option<(bool, Timestamp)>,
}

impl Store {
    /// An empty store. `summary` reads the fields that have a column.
    pub fn new(summary: fn(&Value) -> Summary, clock: fn() -> Timestamp) -> Self {
        Self { summary, clock, content: Mutex::default(), changed: watch::Sender::new(0) }
    }

    /// The time.
    pub fn now(&self) -> Timestamp {
        (self.clock)()
    }

    /// Announces changes from now on, by the number of the last.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// An object that is reconciled, or one of its children.
    pub fn object(&self, address: &Address) -> Option<Selection> {
        let content = self.content();
        let found = content.tree.find(&address.namespace, &address.kind, &address.name)?;
        let summary = |key| content.stored.get(key).map(|stored| stored.summary.clone()).unwrap_or_default();
        let (summary, root) = (summary(&found.node().key), summary(&found.root().key));
        Some(Selection { found, summary, root })
    }

    /// The number of the last change to the installation of an object.
    pub fn revision(&self, address: &Address) -> Option<u64> {
        let content = self.content();
        let found = content.tree.find(&address.namespace, &address.kind, &address.name)?;
        Some(found.root().revision)
    }

    /// Changes the content, and announces the change if there was one.
    fn change(&self, change: impl FnOnce(&mut Content, Seconds)) {
        let now = Seconds::from(self.now());
        let mut content = self.content();
        let before = content.tree.revision();
        change(&mut content, now);
        let after = content.tree.revision();
        if after != before {
            self.changed.send_replace(after);
        }
    }

    fn content(&self) -> MutexGuard<'_, Content> {
        self.content.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Store {
    fn see(&self, owner: &ObjectKey, object: &dyn Fn() -> Value) {
        let object = object();
        let stored = Stored {
            summary: (self.summary)(&object),
            parent: parent(owner, &object),
            ready: ready_since(&object),
        };
        self.change(|Content { tree, stored: all }, now| {
            let before = all.insert(owner.clone(), stored.clone()).unwrap_or_default();
            if before.summary != stored.summary || before.parent != stored.parent || !tree.contains(owner) {
                tree.touch(owner, now);
            }
        });
    }

    fn observe(&self, progress: Progress) {
        self.change(|Content { tree, stored }, now| {
            let owner = &progress.owner;
            let is_new = matches!(tree.phase(owner), None | Some(Phase::Pending | Phase::Applying));
            tree.observe(&progress, now);
            match progress.stage {
                // A process that has just started knows from the object itself since when it is ready.
                Stage::Concluded(_) if is_new => {
                    let own = stored.get(owner).and_then(|stored| stored.ready);
                    if let Some((ready, since)) = own
                        && ready == (tree.phase(owner) == Some(Phase::Ready))
                    {
                        tree.set_since(owner, since.into());
                    }
                }
                Stage::Deleted => drop(stored.remove(owner)),
                _ => {}
            }
        });
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("content", &self.content).finish_non_exhaustive()
    }
}

impl From<&ObjectKey> for Address {
    fn from(key: &ObjectKey) -> Self {
        Self { namespace: key.place().into(), kind: key.kind.as_str().into(), name: key.name.as_str().into() }
    }
}

impl From<Timestamp> for Seconds {
    fn from(time: Timestamp) -> Self {
        Self(u32::try_from(time.as_second()).unwrap_or_default())
    }
}

impl From<Seconds> for Timestamp {
    fn from(seconds: Seconds) -> Self {
        Self::from_second(seconds.0.into()).unwrap_or_default()
    }
}

/// The object that an object names as its controller.
fn parent(key: &ObjectKey, object: &Value) -> Option<ObjectKey> {
    let owners = object["metadata"]["ownerReferences"].as_array()?;
    let owner = owners.iter().find(|owner| owner["controller"] == true)?;
    let text = |field: &str| owner[field].as_str().unwrap_or_default();
    let group = text("apiVersion").split_once('/').map_or("", |(group, _)| group);
    Some(ObjectKey::new(group, text("kind"), &key.namespace, text("name")))
}

/// The status of the condition `Ready` of an object, and since when.
fn ready_since(object: &Value) -> Option<(bool, Timestamp)> {
    let conditions = object["status"]["conditions"].as_array()?;
    let ready = conditions.iter().find(|condition| condition["type"] == "Ready")?;
    let since = ready["lastTransitionTime"].as_str()?.parse().ok()?;
    Some((ready["status"] == "True", since))
}

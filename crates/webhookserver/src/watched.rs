//! One object by name, kept current by a watch.

use futures::StreamExt as _;
use kube::{
    Api, Resource,
    runtime::{WatchStreamExt as _, watcher},
};
use serde::de::DeserializeOwned;
use std::{fmt::Debug, pin::pin, sync::Arc};
use tokio::sync::watch;

/// What is known about an object.
#[derive(Debug)]
pub(crate) enum Watched<K> {
    /// The watch has not begun.
    Unknown,
    /// It does not exist.
    Absent,
    /// It is this.
    Present(Arc<K>),
}

// Not derived: that would demand the same of K.
impl<K> Clone for Watched<K> {
    fn clone(&self) -> Self {
        match self {
            Self::Unknown => Self::Unknown,
            Self::Absent => Self::Absent,
            Self::Present(object) => Self::Present(Arc::clone(object)),
        }
    }
}

/// Watches the object with this name, and reports it. Never ends.
pub(crate) async fn follow<K>(api: Api<K>, name: String, report: watch::Sender<Watched<K>>)
where
    K: Resource + Clone + Debug + DeserializeOwned + Send + 'static,
{
    let config = watcher::Config::default().fields(&format!("metadata.name={name}"));
    let mut events = pin!(watcher(api, config).default_backoff());
    let mut listed = Watched::Absent;
    while let Some(event) = events.next().await {
        match event {
            Ok(watcher::Event::Init) => listed = Watched::Absent,
            Ok(watcher::Event::InitApply(object)) => listed = Watched::Present(Arc::new(object)),
            Ok(watcher::Event::InitDone) => _ = report.send_replace(listed.clone()),
            Ok(watcher::Event::Apply(object)) => {
                report.send_replace(Watched::Present(Arc::new(object)));
            }
            Ok(watcher::Event::Delete(_)) => _ = report.send_replace(Watched::Absent),
            Err(error) => {
                tracing::warn!(name, error = runtime::with_sources(&error), "the watch of an object failed");
            }
        }
    }
}

//! How an API server lists the objects that exist.

use api::names::PROBE_LABEL;
use futures::StreamExt as _;
use kube::{
    Api,
    api::{WatchEvent, WatchParams},
    core::{DynamicObject, PartialObjectMeta},
    runtime::watcher,
};
use std::pin::pin;

/// How an API server lists the objects that exist before the events of a watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lists {
    /// As the first events of a watch, object by object.
    Streamed,
    /// In pages.
    Paged,
}

impl Lists {
    /// Finds out with one request for objects that do not exist. Streams need Kubernetes 1.34, and etcd 3.4.31 or 3.5.13.
    ///
    /// # Errors
    /// If the API server does not answer.
    pub async fn probe(api: &Api<PartialObjectMeta<DynamicObject>>) -> Result<Self, kube::Error> {
        let params = WatchParams {
            send_initial_events: true,
            ..WatchParams::default().labels(PROBE_LABEL).timeout(2)
        };
        let first = match api.watch_metadata(&params, "0").await {
            Ok(events) => pin!(events).next().await,
            Err(error) => Some(Err(error)),
        };
        match first {
            Some(Ok(WatchEvent::Bookmark(_) | WatchEvent::Added(_))) => Ok(Self::Streamed),
            Some(Ok(_) | Err(kube::Error::Api(_))) | None => Ok(Self::Paged),
            Some(Err(error)) => Err(error),
        }
    }

    /// The configuration of a watch that lists so, in pages of this many objects if there are pages.
    pub fn config(self, watch: watcher::Config, page: u32) -> watcher::Config {
        match self {
            Self::Streamed => watch.streaming_lists(),
            Self::Paged => watch.page_size(page),
        }
    }
}

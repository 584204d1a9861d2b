//! The open connections, at most a given number.

use crate::connection::Phase;
use std::{collections::HashMap, time::Duration};
use tokio::{
    sync::watch,
    task::{AbortHandle, Id, JoinSet},
    time::Instant,
};

/// How long to wait between two warnings about too many connections.
const SILENCE: Duration = Duration::from_mins(1);

/// The open connections.
pub(crate) struct Open {
    most: usize,
    tasks: JoinSet<()>,
    connections: HashMap<Id, Connection>,
    warned: Option<Instant>,
}

struct Connection {
    phase: watch::Receiver<Phase>,
    task: AbortHandle,
}

impl Open {
    pub(crate) fn new(most: usize) -> Self {
        Self { most, tasks: JoinSet::new(), connections: HashMap::new(), warned: None }
    }

    /// Whether one more connection may be opened. If needed, closes the one that has waited longest for a request.
    pub(crate) async fn make_room(&mut self) -> bool {
        while let Some(ended) = self.tasks.try_join_next_with_id() {
            self.forget(ended);
        }
        if self.connections.len() < self.most {
            return true;
        }
        self.warn();
        let waiting =
            self.connections.values().filter_map(|it| Some((it.phase.borrow().waiting_since()?, it)));
        let Some((_, longest)) = waiting.min_by_key(|(since, _)| *since) else { return false };
        longest.task.abort();
        // Frees its buffers and its file descriptor before the new connection uses others.
        if let Some(ended) = self.tasks.join_next_with_id().await {
            self.forget(ended);
        }
        true
    }

    /// Opens a connection, which reports its phase.
    pub(crate) fn spawn<F>(&mut self, connection: impl FnOnce(watch::Sender<Phase>) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let (sender, phase) = watch::channel(Phase::first());
        let task = self.tasks.spawn(connection(sender));
        self.connections.insert(task.id(), Connection { phase, task });
    }

    /// Waits until all have ended.
    pub(crate) async fn ended(&mut self) {
        while self.tasks.join_next().await.is_some() {}
    }

    fn forget(&mut self, ended: Result<(Id, ()), tokio::task::JoinError>) {
        let id = ended.map_or_else(|error| error.id(), |(id, ())| id);
        self.connections.remove(&id);
    }

    fn warn(&mut self) {
        let now = Instant::now();
        if self.warned.is_none_or(|last| now.duration_since(last) >= SILENCE) {
            self.warned = Some(now);
            tracing::warn!(
                most = self.most,
                "too many connections to this port: for each new one, the one that has waited longest is closed"
            );
        }
    }
}

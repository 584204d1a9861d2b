//! Lists collections at an interval, for as long as any owner reads them.

use super::{Systems, listing::Question, lock, systems::system_of};
use crate::At;
use futures::future::join_all;
use std::sync::Arc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

impl Systems {
    /// Lists every collection again when that is due, until the operator stops.
    pub(crate) async fn refresh(self: Arc<Self>, stop: CancellationToken) {
        let work = async {
            loop {
                let next = lock(&self.listings).values().map(|listing| listing.due()).min();
                let due = async {
                    match next {
                        Some(due) => tokio::time::sleep_until(due).await,
                        None => std::future::pending().await,
                    }
                };
                tokio::select! {
                    biased;
                    () = self.rescheduled.notified() => {}
                    () = due => self.refresh_due().await,
                }
            }
        };
        stop.run_until_cancelled(work).await;
    }

    async fn refresh_due(&self) {
        let now = Instant::now();
        let due: Vec<_> = {
            let mut listings = lock(&self.listings);
            listings.retain(|question, listing| listing.due() > now || self.is_read(question));
            let due = listings.iter().filter(|(_, listing)| listing.due() <= now);
            due.map(|(question, listing)| (question.clone(), Arc::clone(listing))).collect()
        };
        let refreshed = due.iter().map(async |(question, listing)| {
            let mut listed = listing.listed.lock().await;
            let (Ok(system), Some(connection)) = (system_of(&question.collection), listed.connection.clone())
            else {
                // Its first list was abandoned; the next reader lists it.
                return listing.set_due(now + self.interval);
            };
            if listing.due() <= now {
                let at = At { system, connection: &connection, owner: None };
                self.list(question, None, listing, &mut listed, at).await;
            }
        });
        join_all(refreshed).await;
    }

    fn is_read(&self, question: &Question) -> bool {
        self.scopes().iter().any(|cluster| !self.readers_of(question, cluster).is_empty())
    }
}

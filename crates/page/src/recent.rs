//! Reports about pods, kept for a few seconds: a page asks again with every change, and several people may look at one object.

use plan::ObjectKey;
use pods::{Report, Standing};
use std::{collections::BTreeMap, time::Duration};
use tokio::{sync::Mutex, time::Instant};

/// How long a report is shown again.
const FRESH: Duration = Duration::from_secs(3);

/// What a report was asked about.
type Asked = BTreeMap<ObjectKey, Standing>;

/// The last reports.
#[derive(Default)]
pub(crate) struct Recent(Mutex<Vec<(Instant, Asked, Report)>>);

impl Recent {
    /// The report about these workloads, which is read unless it is fresh. Readers wait for each other, so that one request is sent
    /// for all of them.
    pub(crate) async fn report(&self, asked: &Asked, read: impl Future<Output = Report>) -> Report {
        let mut kept = self.0.lock().await;
        kept.retain(|(at, ..)| at.elapsed() < FRESH);
        if let Some((.., report)) = kept.iter().find(|(_, of, _)| of == asked) {
            return report.clone();
        }
        let report = read.await;
        kept.push((Instant::now(), asked.clone(), report.clone()));
        report
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_report_is_read_again_only_after_some_seconds_or_about_other_workloads() {
        let recent = Recent::default();
        let key = |name: &str| ObjectKey::new("apps", "Deployment", "ns", name);
        let asked = |name: &str, standing| Asked::from([(key(name), standing)]);
        let mut reads = 0;
        let mut ask = async |asked: Asked| {
            let mut is_read = false;
            recent
                .report(&asked, async {
                    is_read = true;
                    Report::default()
                })
                .await;
            reads += usize::from(is_read);
            is_read
        };
        assert!(ask(asked("core", Standing::Ready)).await);
        assert!(!ask(asked("core", Standing::Ready)).await);
        assert!(ask(asked("core", Standing::Unready)).await, "its state has changed");
        assert!(ask(asked("portal", Standing::Ready)).await);
        tokio::time::advance(FRESH).await;
        assert!(ask(asked("core", Standing::Ready)).await);
    }
}

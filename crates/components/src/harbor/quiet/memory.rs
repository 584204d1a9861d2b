//! What the operator remembers about a JobService that is to be quiet, in annotations of the JobService.

use api::{
    names::{PAUSED_QUEUES_ANNOTATION, STOPPED_ANNOTATION},
    v1beta1::JobService,
};
use std::collections::BTreeSet;

/// What the operator remembers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Memory {
    /// The queues that it pauses, and later resumes. `None` before it knows which, and when that is over.
    pub queues: Option<BTreeSet<String>>,
    /// Why it keeps JobService without pods.
    pub stopped: Option<String>,
}

impl Memory {
    /// What a JobService remembers.
    pub fn of(jobservice: &JobService) -> Self {
        let annotation = |key| jobservice.metadata.annotations.as_ref()?.get(key).cloned();
        let names = |text: String| {
            text.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect::<BTreeSet<_>>()
        };
        Self {
            queues: annotation(PAUSED_QUEUES_ANNOTATION).map(names),
            stopped: annotation(STOPPED_ANNOTATION),
        }
    }

    /// Whether there is anything to remember.
    pub fn is_some(&self) -> bool {
        *self != Self::default()
    }

    /// The same, also if no queue was paused.
    pub fn remembering(self) -> Self {
        Self { queues: Some(self.queues.unwrap_or_default()), ..self }
    }

    /// The same when JobService gets pods again.
    pub fn started(&self) -> Self {
        let queues = self.queues.clone().or_else(|| self.stopped.is_some().then(BTreeSet::new));
        Self { queues, stopped: None }
    }

    /// Writes it into a JobService.
    pub fn write(&self, jobservice: &mut JobService) {
        let Self { queues, stopped } = self;
        let queues =
            queues.as_ref().map(|queues| queues.iter().map(String::as_str).collect::<Vec<_>>().join(","));
        let entries = [(PAUSED_QUEUES_ANNOTATION, queues), (STOPPED_ANNOTATION, stopped.clone())];
        let entries = entries.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
        jobservice.metadata.annotations.get_or_insert_default().extend(entries);
    }
}

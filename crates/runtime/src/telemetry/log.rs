//! What of all verdicts is worth a line in the log.

use kube::core::ObjectMeta;
use plan::Verdict;
use tracing::{Level, Span};

/// Whether an object was made by a user, or is a part of one that was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    /// Nobody's child.
    Whole,
    /// The child of another object of ours, which tells how it is, too.
    Part,
}

/// What was logged last of one object: each state is logged when it begins, not with every retry.
#[derive(Debug, Default)]
pub(crate) struct Logged(Option<&'static str>);

/// The word for an object that a user has paused.
const PAUSED: &str = "Paused";

impl Logged {
    /// Logs what a look at an object came to; without a verdict it is paused.
    pub(crate) fn log(&mut self, meta: &ObjectMeta, verdict: Option<&Verdict>) {
        let owned = meta.owner_references.iter().flatten().any(|owner| owner.controller == Some(true));
        let level = self.level(verdict, if owned { Standing::Part } else { Standing::Whole });
        let reason = verdict.map(Verdict::reason);
        let why = verdict.and_then(Verdict::message);
        let text = match verdict {
            None => "paused",
            Some(Verdict::Ready) => "ready",
            Some(Verdict::Interrupted) => "interrupted",
            Some(Verdict::Progressing { .. }) => "not ready yet",
            Some(Verdict::Stalled { .. }) => "stalled",
        };
        match level {
            Level::WARN => tracing::warn!(reason, why, "{text}"),
            Level::INFO => tracing::info!(reason, why, "{text}"),
            _ => tracing::debug!(reason, why, "{text}"),
        }
        Span::current().record("outcome", text);
    }

    /// How loud a verdict is to be told; `None` is a pause.
    ///
    /// That a part waits or is ready as expected is heard of from the whole. What was ready when the process began and
    /// still is, is no news.
    fn level(&mut self, verdict: Option<&Verdict>, standing: Standing) -> Level {
        let reason = verdict.map_or(PAUSED, Verdict::reason);
        let before = self.0.replace(reason);
        let was_trouble =
            before.is_some_and(|before| before != Verdict::Ready.reason() && before != Verdict::WAITING);
        let told = before == Some(reason) || before.is_none() && verdict == Some(&Verdict::Ready);
        match verdict {
            _ if told || verdict == Some(&Verdict::Interrupted) => Level::DEBUG,
            Some(verdict) if *verdict == Verdict::Ready || verdict.is_waiting() => match standing {
                Standing::Part if !was_trouble => Level::DEBUG,
                Standing::Part | Standing::Whole => Level::INFO,
            },
            Some(Verdict::Stalled { .. }) => Level::WARN,
            None | Some(Verdict::Progressing { .. } | Verdict::Ready | Verdict::Interrupted) => Level::INFO,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waiting() -> Verdict {
        Verdict::Progressing { reason: Verdict::WAITING, message: "later".into() }
    }

    fn stalled() -> Verdict {
        Verdict::Stalled { reason: "Forbidden", message: "no".into() }
    }

    fn levels(standing: Standing, story: &[Option<Verdict>]) -> Vec<&'static str> {
        let mut logged = Logged::default();
        story.iter().map(|verdict| logged.level(verdict.as_ref(), standing).as_str()).collect()
    }

    #[test]
    fn a_harbor_that_comes_up_takes_two_lines_and_its_parts_none() {
        let story = [Some(waiting()), Some(waiting()), Some(Verdict::Ready), Some(Verdict::Ready)];
        assert_eq!(levels(Standing::Whole, &story), ["INFO", "DEBUG", "INFO", "DEBUG"]);
        assert_eq!(levels(Standing::Part, &story), ["DEBUG"; 4]);
    }

    #[test]
    fn trouble_is_logged_once_and_so_is_its_end_whoever_has_it() {
        let story = [Some(stalled()), Some(stalled()), Some(Verdict::Ready), Some(stalled())];
        for standing in [Standing::Whole, Standing::Part] {
            assert_eq!(levels(standing, &story), ["WARN", "DEBUG", "INFO", "WARN"]);
        }
    }

    #[test]
    fn a_pause_is_logged_once() {
        assert_eq!(levels(Standing::Part, &[None, None, Some(Verdict::Ready)]), ["INFO", "DEBUG", "INFO"]);
    }

    #[test]
    fn after_a_restart_what_is_ready_is_no_news() {
        assert_eq!(levels(Standing::Whole, &[Some(Verdict::Ready)]), ["DEBUG"]);
    }
}

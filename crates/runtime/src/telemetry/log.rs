//! Logs verdicts, each at the level that fits.

use kube::core::ObjectMeta;
use plan::Verdict;
use tracing::{Level, Span};

/// The place of an owner in the hierarchy of owners.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Position {
    /// It has no owner: a user created it.
    Root,
    /// It is the child of another owner, which logs its state, too.
    Part,
}

/// The last logged state of one owner: each state is logged when it begins, not with every retry.
#[derive(Debug, Default)]
pub(crate) struct Logged(Option<&'static str>);

/// The state of an object that a user has paused.
const PAUSED: &str = "Paused";

impl Logged {
    /// Logs the verdict of a reconcile; `None` if the owner is paused.
    pub(crate) fn log(&mut self, meta: &ObjectMeta, verdict: Option<&Verdict>) {
        let owned = meta.owner_references.iter().flatten().any(|owner| owner.controller == Some(true));
        let level = self.level(verdict, if owned { Position::Part } else { Position::Root });
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

    /// The level for a verdict; `None` is a pause.
    ///
    /// While there is no problem, only the root logs that it waits or is ready. An owner that was ready when the
    /// process started and still is, is not logged.
    fn level(&mut self, verdict: Option<&Verdict>, position: Position) -> Level {
        let reason = verdict.map_or(PAUSED, Verdict::reason);
        let before = self.0.replace(reason);
        let had_problem =
            before.is_some_and(|before| before != Verdict::Ready.reason() && before != Verdict::WAITING);
        let is_known = before == Some(reason) || before.is_none() && verdict == Some(&Verdict::Ready);
        match verdict {
            _ if is_known || verdict == Some(&Verdict::Interrupted) => Level::DEBUG,
            Some(verdict) if *verdict == Verdict::Ready || verdict.is_waiting() => match position {
                Position::Part if !had_problem => Level::DEBUG,
                Position::Part | Position::Root => Level::INFO,
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

    fn levels(position: Position, verdicts: &[Option<Verdict>]) -> Vec<&'static str> {
        let mut logged = Logged::default();
        verdicts.iter().map(|verdict| logged.level(verdict.as_ref(), position).as_str()).collect()
    }

    #[test]
    fn a_harbor_that_becomes_ready_logs_two_lines_and_its_parts_none() {
        let verdicts = [Some(waiting()), Some(waiting()), Some(Verdict::Ready), Some(Verdict::Ready)];
        assert_eq!(levels(Position::Root, &verdicts), ["INFO", "DEBUG", "INFO", "DEBUG"]);
        assert_eq!(levels(Position::Part, &verdicts), ["DEBUG"; 4]);
    }

    #[test]
    fn a_problem_and_its_end_are_logged_once_for_roots_and_parts() {
        let verdicts = [Some(stalled()), Some(stalled()), Some(Verdict::Ready), Some(stalled())];
        for position in [Position::Root, Position::Part] {
            assert_eq!(levels(position, &verdicts), ["WARN", "DEBUG", "INFO", "WARN"]);
        }
    }

    #[test]
    fn a_pause_is_logged_once() {
        assert_eq!(levels(Position::Part, &[None, None, Some(Verdict::Ready)]), ["INFO", "DEBUG", "INFO"]);
    }

    #[test]
    fn after_a_restart_a_ready_owner_is_not_logged() {
        assert_eq!(levels(Position::Root, &[Some(Verdict::Ready)]), ["DEBUG"]);
    }
}

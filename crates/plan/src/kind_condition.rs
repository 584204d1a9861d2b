//! Conditions that only some kinds have.

use crate::{StatusInput, sanitize::one_line};
use api::v1beta1::{ComponentStatus, Condition};

/// A condition that only some kinds have, such as whether a remote registry answers. It does not decide on `Ready`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KindCondition {
    type_: &'static str,
    /// What is known now; `None` for nothing.
    known: Option<Known>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Known {
    status: &'static str,
    reason: &'static str,
    message: Option<String>,
    concern: Concern,
}

/// Whether a user should learn of a condition from an event, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Concern {
    None,
    Warning,
}

/// A condition that has begun to warn: its reason and its message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// One `PascalCase` word for programs.
    pub reason: &'static str,
    /// A sentence for users.
    pub message: String,
}

impl KindCondition {
    /// It holds.
    pub fn is_true(type_: &'static str, reason: &'static str) -> Self {
        Self::known(type_, "True", reason)
    }

    /// It does not hold.
    pub fn is_false(type_: &'static str, reason: &'static str) -> Self {
        Self::known(type_, "False", reason)
    }

    /// Nothing is known about it now: the condition stays as it was, if there was one.
    pub fn as_before(type_: &'static str) -> Self {
        Self { type_, known: None }
    }

    /// The same with a sentence for users.
    #[must_use]
    pub fn with_message(self, message: impl Into<String>) -> Self {
        let message: String = message.into();
        self.with(|known| Known { message: Some(one_line(&message)), ..known })
    }

    /// The same as a warning: an event reports when it begins.
    #[must_use]
    pub fn as_warning(self) -> Self {
        self.with(|known| Known { concern: Concern::Warning, ..known })
    }

    fn known(type_: &'static str, status: &'static str, reason: &'static str) -> Self {
        Self { type_, known: Some(Known { status, reason, message: None, concern: Concern::None }) }
    }

    fn with(self, change: impl FnOnce(Known) -> Known) -> Self {
        Self { known: self.known.map(change), ..self }
    }

    /// Adds the condition to a status, which is about to replace that of `input`; the warning that begins with it.
    pub fn report(&self, input: &StatusInput<'_>, status: &mut ComponentStatus) -> Option<Warning> {
        let before = input.previous.conditions.iter().find(|condition| condition.type_ == self.type_);
        let Some(Known { status: now, reason, message, concern }) = &self.known else {
            status.conditions.extend(before.cloned());
            return None;
        };
        status.conditions.push(input.condition(self.type_, now, reason, message.as_deref()));
        let goes_on = |before: &Condition| before.status == *now && before.reason.as_deref() == Some(*reason);
        let begins = *concern == Concern::Warning && !before.is_some_and(goes_on);
        begins.then(|| Warning { reason, message: message.clone().unwrap_or_default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Verdict, fold, status::tests::input};

    /// The status with a condition after a status with another one, and the warning.
    fn reported(
        previous: &ComponentStatus,
        condition: &KindCondition,
        second: i64,
    ) -> (ComponentStatus, Option<Warning>) {
        let input = input(previous, 1, second);
        let mut status = fold(&input, &Verdict::Ready);
        let warning = condition.report(&input, &mut status);
        (status, warning)
    }

    fn found<'a>(status: &'a ComponentStatus, type_: &str) -> Option<&'a Condition> {
        status.conditions.iter().find(|condition| condition.type_ == type_)
    }

    #[test]
    fn a_warning_is_reported_when_it_begins_and_not_while_it_goes_on() {
        let healthy = KindCondition::is_true("RemoteHealthy", "Healthy");
        let broken = KindCondition::is_false("RemoteHealthy", "Unhealthy").with_message("no").as_warning();
        let warning = Some(Warning { reason: "Unhealthy", message: "no".into() });
        let (first, begun) = reported(&ComponentStatus::default(), &broken, 1);
        assert_eq!(begun, warning);
        let (second, begun) = reported(&first, &broken, 2);
        assert_eq!(begun, None);
        assert_eq!(found(&second, "RemoteHealthy"), found(&first, "RemoteHealthy"), "the transition stays");
        let (third, begun) = reported(&second, &healthy, 3);
        assert_eq!(begun, None, "good news is none");
        assert_eq!(found(&third, "RemoteHealthy").map(|it| it.status.as_str()), Some("True"));
        assert_eq!(reported(&third, &broken, 4).1, warning);
    }

    #[test]
    fn what_is_not_known_now_stays_as_it_was() {
        let broken = KindCondition::is_false("RemoteHealthy", "Unhealthy").as_warning();
        let unknown = KindCondition::as_before("RemoteHealthy");
        let (nothing, _) = reported(&ComponentStatus::default(), &unknown, 1);
        assert_eq!(found(&nothing, "RemoteHealthy"), None);
        let (first, _) = reported(&nothing, &broken, 2);
        let (second, warning) = reported(&first, &unknown, 3);
        assert_eq!((found(&second, "RemoteHealthy"), warning), (found(&first, "RemoteHealthy"), None));
    }
}

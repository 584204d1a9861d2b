//! Errors of the client as errors of a system.

use harbor::{Error, Failure};
use plan::SystemError;
use std::collections::BTreeSet;

/// How many refusals a message lists.
const MOST_LISTED: usize = 5;

/// What Harbor refuses of an update that takes several steps. The driver takes each step whatever Harbor says about the
/// others, so that a name that Harbor does not have keeps no other member in the project who is to be removed.
#[derive(Debug, Default)]
pub(crate) struct Refusals(Vec<SystemError>);

impl Refusals {
    /// Notes that a step was refused. Fails with an error that every other step would meet as well.
    pub(crate) fn note(&mut self, step: Result<(), SystemError>) -> Result<(), SystemError> {
        let Err(error) = step else { return Ok(()) };
        match error {
            SystemError::Rejected { .. }
            | SystemError::InUse { .. }
            | SystemError::NotEmpty { .. }
            | SystemError::Exists => {
                self.0.push(error);
                Ok(())
            }
            SystemError::Unreachable(_)
            | SystemError::Forbidden { .. }
            | SystemError::ReadOnly(_)
            | SystemError::Gone => Err(error),
        }
    }

    /// Fails if any step was refused, with what is wrong with all of them.
    pub(crate) fn result(mut self) -> Result<(), SystemError> {
        if self.0.len() < 2 {
            return self.0.pop().map_or(Ok(()), Err);
        }
        let is_lasting = self.0.iter().all(|error| matches!(error, SystemError::Rejected { .. }));
        let (mut problems, mut remedies) = (Vec::new(), BTreeSet::new());
        for error in self.0 {
            match error {
                SystemError::Rejected { problem, remedy }
                | SystemError::InUse { problem, remedy }
                | SystemError::NotEmpty { problem, remedy } => {
                    problems.push(problem);
                    remedies.insert(remedy);
                }
                // The next attempt finds it.
                _ => {}
            }
        }
        if problems.is_empty() {
            return Err(SystemError::Exists);
        }
        let others = problems.len().saturating_sub(MOST_LISTED);
        problems.truncate(MOST_LISTED);
        if others > 0 {
            problems.push(format!("and {others} more"));
        }
        let (problem, remedy) =
            (problems.join(", "), remedies.into_iter().take(MOST_LISTED).collect::<Vec<_>>().join(", "));
        Err(if is_lasting {
            SystemError::Rejected { problem, remedy }
        } else {
            SystemError::InUse { problem, remedy }
        })
    }
}

/// What an error of Harbor means to the engine.
pub(crate) fn system_error(error: Error) -> SystemError {
    let (problem, remedy) = (error.to_string(), error.remedy().to_owned());
    match error.failure() {
        Failure::Unreachable(_)
        | Failure::DatabaseDown
        | Failure::ServerFailure { .. }
        | Failure::Unexpected(_) => SystemError::Unreachable(format!("{problem}; {remedy}")),
        Failure::ReadOnly => SystemError::ReadOnly(error.failure().to_string()),
        Failure::CredentialsRejected { .. } | Failure::Forbidden(_) => {
            SystemError::Forbidden { problem, remedy }
        }
        Failure::Conflict(_) => SystemError::Exists,
        // What a request refers to may be created later.
        Failure::InUse(_) | Failure::Dependency { .. } | Failure::NotFound(_) => {
            SystemError::InUse { problem, remedy }
        }
        Failure::Invalid(_) | Failure::Unsupported(_) => SystemError::Rejected { problem, remedy },
    }
}

/// An object cannot be as desired.
pub(crate) fn rejected(problem: impl Into<String>, remedy: impl Into<String>) -> SystemError {
    SystemError::Rejected { problem: problem.into(), remedy: remedy.into() }
}

/// Another object is missing. It may be created later.
pub(crate) fn missing(what: &str, name: &str) -> SystemError {
    SystemError::InUse {
        problem: format!("Harbor has no {what} {name}"),
        remedy: "create it, or correct the name".to_owned(),
    }
}

/// What the engine must know after an object was created: that it exists. Any other error would let the
/// engine forget that it created the object.
pub(crate) fn after_creation(error: SystemError) -> SystemError {
    match error {
        SystemError::ReadOnly(_) | SystemError::Unreachable(_) => {
            SystemError::Unreachable(format!("it was created, but it is not complete: {error}"))
        }
        error => SystemError::Unreachable(format!("it was created, but not as desired: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::{Refusals, missing, rejected};
    use plan::SystemError;

    fn refused(errors: impl IntoIterator<Item = SystemError>) -> Result<(), SystemError> {
        let mut refusals = Refusals::default();
        for error in errors {
            refusals.note(Err(error))?;
        }
        refusals.result()
    }

    #[test]
    fn several_refusals_become_one_and_the_first_five_are_listed() {
        assert_eq!(refused([]), Ok(()));
        assert_eq!(refused([missing("user", "anna")]), Err(missing("user", "anna")));
        let both = refused([missing("user", "anna"), rejected("the role is unknown", "correct it")]);
        let problem = "Harbor has no user anna, the role is unknown".to_owned();
        let remedy = "correct it, create it, or correct the name".to_owned();
        assert_eq!(both, Err(SystemError::InUse { problem, remedy }));
        let many = refused((0..7).map(|number| rejected(format!("{number} is wrong"), "correct it")));
        let problem = "0 is wrong, 1 is wrong, 2 is wrong, 3 is wrong, 4 is wrong, and 2 more".to_owned();
        assert_eq!(many, Err(SystemError::Rejected { problem, remedy: "correct it".into() }));
        assert_eq!(refused([SystemError::Exists, SystemError::Exists]), Err(SystemError::Exists));
    }

    #[test]
    fn an_error_of_the_whole_harbor_ends_the_update() {
        let down = SystemError::Unreachable("down".into());
        assert_eq!(refused([rejected("wrong", "correct it"), down.clone()]), Err(down));
    }
}

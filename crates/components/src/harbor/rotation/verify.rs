//! The last step of a pass: Harbor is asked whether it accepts the new values.
//!
//! Only reads are sent, and only when all pods have the new values and the rotation has not ended. A Harbor that the operator
//! cannot ask for a while does not keep the rotation from ending, because its pods are ready.

use super::passes::Pass;
use crate::{harbor::validated::Validated, management};
use api::v1beta1::Core;
use harborstate::{
    Found, NoFacts, State as _,
    verification::{Verification, Verified},
};
use jiff::Timestamp;
use plan::{PlanError, World, one_line};
use serde::Deserialize as _;
use std::time::Duration;

/// How long the operator tries to ask a Harbor whose pods are ready.
const PATIENCE: Duration = Duration::from_mins(2);

/// What a pass does at last, for users.
pub(super) const DOES: &str = "asks Harbor whether it accepts the new values";

/// The components that the rotation of a credential can break. Others may be unhealthy for reasons of their own.
const CONCERNED: [&str; 6] = ["core", "database", "jobservice", "redis", "registry", "registryctl"];

/// What is known about whether Harbor accepts the new values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It does.
    Accepted,
    /// It could not be asked, for this reason. Its pods are ready.
    Unasked(String),
    /// It is being asked, or it does not; what was asked, and what a user can do.
    Open(String),
}

impl Verdict {
    /// Asks Harbor. `since` is when the last of its pods became ready; where that is not known, a Harbor that
    /// cannot be asked is not asked again.
    pub fn of(
        pass: Pass,
        since: Option<Timestamp>,
        harbor: &Validated<'_>,
        world: &World<'_>,
    ) -> Result<Self, PlanError> {
        let problem = match asked(questions(pass), harbor, world)? {
            Ok(answer) => match answer.problem {
                None => return Ok(judged(pass, &answer)),
                Some(problem) => problem,
            },
            Err(problem) => problem,
        };
        let until = since.and_then(|since| since.checked_add(PATIENCE).ok());
        let Some(until) = until.filter(|until| !world.clock().is_past(*until)) else {
            return Ok(Self::Unasked(problem));
        };
        Ok(Self::Open(format!(
            "which cannot be asked yet: {problem}; the rotation ends without an answer at {until}"
        )))
    }

    /// Whether the rotation has ended.
    pub fn is_final(&self) -> bool {
        !matches!(self, Self::Open(_))
    }
}

/// What Harbor is asked after a pass.
const fn questions(pass: Pass) -> Verified {
    match pass {
        Pass::RegistryHttp | Pass::RegistryCredentials => Verified::Images,
        Pass::JobSecrets => Verified::Jobs,
        Pass::CoreKeys => Verified::Tokens,
        Pass::InternalTlsAuthority | Pass::InternalTls => Verified::Everything,
    }
}

/// Whether a pass can break a component of Harbor's health. Over TLS, Core asks all of them.
fn concerns(pass: Pass, component: &str) -> bool {
    pass.is_of_tls() || CONCERNED.contains(&component)
}

/// What Harbor answers, or why it was not asked: that is no error of the Harbor object.
fn asked(
    verified: Verified,
    harbor: &Validated<'_>,
    world: &World<'_>,
) -> Result<Result<Verification, String>, PlanError> {
    let system = harborstate::system(harbor.namespace, harbor.owner);
    let reached = world.serving::<Core>(&harbor.name).and_then(|_| management::connection(world, &system));
    match reached {
        Ok(Some(_)) => {}
        Ok(None) => return Ok(Err("the operator does not know how to reach Harbor".into())),
        Err(error @ PlanError::Unread(_)) => return Err(error),
        Err(error) => return Ok(Err(one_line(&error))),
    }
    let found = world.external(&system, Verification::COLLECTION, verified.name())?;
    let found = found.and_then(|found| Found::<Verification, NoFacts>::deserialize(&found).ok());
    Ok(found.map(|found| found.state).ok_or_else(|| "Harbor shows nothing".into()))
}

fn judged(pass: Pass, answer: &Verification) -> Verdict {
    let unhealthy: Vec<_> =
        answer.unhealthy.iter().map(String::as_str).filter(|name| concerns(pass, name)).collect();
    let failed = if unhealthy.is_empty() {
        answer.failed.iter().next().map(|(asked, why)| format!("{asked}: {why}"))
    } else {
        Some(format!("GET /api/v2.0/health: not healthy: {}", unhealthy.join(", ")))
    };
    let Some(failed) = failed else { return Verdict::Accepted };
    Verdict::Open(format!(
        "which failed: {failed}; look at the logs of Core, the registry and JobService. The operator goes on asking, and keeps the \
         value before"
    ))
}

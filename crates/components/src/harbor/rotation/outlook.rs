//! What the rotation of a Harbor goes on to, and what users learn of it.

use super::{
    Rotation,
    passes::Pass,
    progress::Progress,
    rotated::Rotated,
    turn::Turn,
    verify::{self, Verdict},
};
use crate::harbor::validated::Validated;
use api::v1beta1::rotation::{RotationPhase, RotationStatus};
use k8s_openapi::{api::core::v1::Secret, apimachinery::pkg::apis::meta::v1::Time};
use plan::{Announcement, Conclusion, ObjectKey, Outlook, PlannedStep, Point};
use serde_json::{Map, Value};

/// The field of the status.
const ROTATIONS: &str = "rotations";

/// The names of credentials, as a list.
pub(super) fn named(rotated: &[Rotated]) -> String {
    rotated.iter().map(|it| it.name()).collect::<Vec<_>>().join(" and ")
}

impl Rotation {
    /// Adds what users see of the rotation.
    pub fn add_to(&self, outlook: Outlook, harbor: &Validated<'_>) -> Outlook {
        let Outlook { mut steps, waits, certificate, .. } = outlook;
        steps.extend(Pass::ALL.into_iter().filter_map(|pass| self.planned(pass)));
        steps.extend(self.encryption_key.planned());
        let replaced = self.turns.newest.values().filter_map(Turn::replaced).cloned();
        let leaves = self.leaves.iter().flat_map(|leaves| leaves.replaced(harbor));
        let replaced =
            replaced.chain(leaves).map(|secret| ObjectKey::of::<Secret>(harbor.namespace, &secret));
        let replaced = replaced.collect();
        let waits = waits.or_else(|| self.waits(harbor));
        Outlook { steps, waits, certificate, rotations: self.states(), replaced }
    }

    /// What a pass does, if it is under way or due.
    fn planned(&self, pass: Pass) -> Option<PlannedStep> {
        let running = self.passes.iter().find(|progress| progress.pass == pass && !progress.has_ended());
        let due = self.waiting.keys().filter(|rotated| rotated.pass() == pass).copied();
        let members: Vec<_> = running.iter().flat_map(|it| it.members.clone()).chain(due).collect();
        let done = running.map_or(0, |progress| progress.step);
        let point = |about| move |text: &str| Point { about, text: text.to_owned() };
        let steps = pass.steps().iter().map(|step| step.does).chain([verify::DOES]).skip(done);
        let steps = steps.map(point("Steps"));
        (!members.is_empty()).then(|| PlannedStep {
            name: format!("the rotation of {}", named(&members)),
            points: steps.chain([point("Clients")(pass.gap())]).collect(),
        })
    }

    /// What the rotation waits for, for the status of the Harbor.
    fn waits(&self, harbor: &Validated<'_>) -> Option<(ObjectKey, String)> {
        let running = self.passes.iter().find(|progress| !progress.has_ended());
        let running = running.map(|progress| {
            let subject = progress.waits_for.clone().unwrap_or_else(|| harbor.key());
            let drains = self.drains.as_ref().filter(|_| progress.pass == Pass::JobSecrets);
            let drains = drains.map(|why| format!(": {why}")).unwrap_or_default();
            (subject, format!("the rotation of {}: {}{drains}", named(&progress.members), step(progress)))
        });
        let waiting = || {
            let (rotated, why) = self.waiting.first_key_value()?;
            Some((harbor.key(), format!("the rotation of {} {why}", rotated.name())))
        };
        let key = || Some((harbor.key(), self.encryption_key.waits()?));
        running.or_else(waiting).or_else(key)
    }

    /// The state of each credential that was rotated, is due or was asked for.
    fn states(&self) -> Vec<RotationStatus> {
        let states = Rotated::ALL.into_iter().filter_map(|rotated| {
            let turn = self.turn(rotated).filter(|turn| turn.is_rotated());
            let pass = self.passes.iter().find(|progress| progress.members.contains(&rotated));
            let running = pass.filter(|progress| !progress.has_ended()).map(step);
            let (phase, message) = match (self.refused.get(&rotated), running, self.waiting.get(&rotated)) {
                (Some(why), ..) => (RotationPhase::Refused, Some(why.clone())),
                (None, Some(step), _) => (RotationPhase::Running, Some(step)),
                (None, None, Some(why)) => (RotationPhase::Waiting, Some(why.clone())),
                (None, None, None) => (turn.map(|_| RotationPhase::Done)?, pass.and_then(unasked)),
            };
            Some(RotationStatus {
                name: rotated.name().into(),
                phase,
                request: turn.and_then(Turn::request).filter(|word| !word.is_empty()).cloned(),
                at: turn.and_then(|turn| turn.created).map(Time),
                message,
            })
        });
        states.chain(self.encryption_key.state()).collect()
    }
}

/// The step that is under way, such as `step 1 of 4 stops JobService`. The last one asks Harbor.
fn step(progress: &Progress) -> String {
    let steps = progress.pass.steps();
    let (number, all) = (progress.step.saturating_add(1), steps.len().saturating_add(1));
    match (steps.get(progress.step), &progress.verdict) {
        (Some(step), _) => format!("step {number} of {all} {}", step.does),
        (None, Some(Verdict::Open(why))) => format!("step {number} of {all} {}, {why}", verify::DOES),
        (None, _) => format!("step {number} of {all} {}", verify::DOES),
    }
}

/// What users should know of a rotation that has ended without an answer of Harbor.
fn unasked(progress: &Progress) -> Option<String> {
    match progress.verdict.as_ref()? {
        Verdict::Unasked(why) => Some(format!(
            "the pods of all components are ready, and Harbor was not asked whether it accepts the new value: {why}"
        )),
        Verdict::Accepted | Verdict::Open(_) => None,
    }
}

/// What users should learn from events: each step of a rotation, and its end.
pub(in super::super) fn news(conclusion: &Conclusion<'_>) -> Vec<Announcement> {
    let before = previous(conclusion);
    let changed = |now: &&RotationStatus| {
        let before = before.iter().find(|before| before.name == now.name);
        before.is_none_or(|before| (before.phase, &before.message) != (now.phase, &now.message))
    };
    let was_running = |now: &RotationStatus| {
        before.iter().any(|it| it.name == now.name && it.phase == RotationPhase::Running)
    };
    let told = |now: &RotationStatus| {
        let (name, message) = (&now.name, now.message.as_deref().unwrap_or_default());
        let (reason, note) = match now.phase {
            RotationPhase::Running => ("Rotating", format!("the rotation of {name}: {message}")),
            RotationPhase::Done if was_running(now) => {
                let unasked = now.message.as_ref().map(|why| format!("; {why}")).unwrap_or_default();
                ("Rotated", format!("{name} was rotated: all components have the new value{unasked}"))
            }
            RotationPhase::Refused => ("RotationRefused", format!("{name} is not rotated: {message}")),
            RotationPhase::Done | RotationPhase::Waiting => return None,
        };
        Some(Announcement { reason, note })
    };
    conclusion.rotations.unwrap_or_default().iter().filter(changed).filter_map(told).collect()
}

/// The fields of the status.
pub(in super::super) fn details(conclusion: &Conclusion<'_>) -> Map<String, Value> {
    let before = previous(conclusion);
    // What was known when a rotation ended is not found out again.
    let complete = |now: &RotationStatus| {
        let is_it = |before: &&RotationStatus| {
            (&before.name, before.phase, &before.at) == (&now.name, RotationPhase::Done, &now.at)
        };
        let said = before.iter().find(is_it).filter(|_| now.phase == RotationPhase::Done);
        let message = now.message.clone().or_else(|| said?.message.clone());
        RotationStatus { message, ..now.clone() }
    };
    // Texts and times always have a JSON form.
    let rotations = conclusion.rotations.map(|rotations| match rotations {
        [] => Value::Null,
        rotations => {
            serde_json::to_value(rotations.iter().map(complete).collect::<Vec<_>>()).unwrap_or_default()
        }
    });
    rotations.map(|rotations| (ROTATIONS.to_owned(), rotations)).into_iter().collect()
}

/// What the status says so far.
fn previous(conclusion: &Conclusion<'_>) -> Vec<RotationStatus> {
    let before = conclusion.previous.get(ROTATIONS);
    before.and_then(|before| serde_json::from_value(before.clone()).ok()).unwrap_or_default()
}

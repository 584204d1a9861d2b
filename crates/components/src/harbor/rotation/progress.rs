//! How far a pass has come, as the pods of the parts show it.
//!
//! Nothing else remembers the step: an operator that is killed at any point computes the same one again.

use super::{
    parts::both,
    passes::{Look, Pass, Step},
    pods::Pods,
    rotated::Rotated,
    turn::Turn,
    verify::Verdict,
};
use crate::harbor::{part::Part, validated::Validated};
use jiff::Timestamp;
use plan::{All as _, ObjectKey, PlanError, World};
use std::collections::BTreeMap;

/// A pass that is under way.
pub(super) struct Progress {
    pub pass: Pass,
    /// The credentials that it rotates.
    pub members: Vec<Rotated>,
    /// The step that is under way, counted from zero. After the last one, the pass has ended.
    pub step: usize,
    /// The Deployment that the step waits for.
    pub waits_for: Option<ObjectKey>,
    /// Whether Harbor accepts the new credentials, once all parts have them.
    pub verdict: Option<Verdict>,
}

impl Progress {
    /// How far a pass has come for these credentials.
    pub fn of(
        pass: Pass,
        members: &[(&Rotated, &Turn)],
        harbor: &Validated<'_>,
        world: &World<'_>,
    ) -> Result<Self, PlanError> {
        let steps = pass.steps();
        let turns = members.iter().map(|(_, turn)| *turn).collect();
        let seen = Seen { pods: of_all(pass, harbor, world)?, turns, both: both(harbor) };
        let begun = (0..steps.len()).rev().find(|step| seen.has_begun(&steps[*step])).unwrap_or_default();
        let waits_for = |step: usize| steps.get(step).and_then(|step| seen.waits_for(step));
        let step = if waits_for(begun).is_none() { begun.saturating_add(1) } else { begun };
        let verdict = if step < steps.len() {
            None
        } else {
            let created = members.iter().filter_map(|(_, turn)| turn.created).max();
            Some(verdict(pass, &seen.pods, created, harbor, world)?)
        };
        let members = members.iter().map(|(rotated, _)| **rotated).collect();
        Ok(Self { pass, members, step, waits_for: waits_for(step), verdict })
    }

    /// Whether all parts have the new credentials, and Harbor accepts them as far as it could be asked.
    pub fn has_ended(&self) -> bool {
        self.verdict.as_ref().is_some_and(Verdict::is_final)
    }
}

/// Asks Harbor when all pods have what the Secrets of a pass have. `created` is when the last of these was created.
pub(super) fn verdict(
    pass: Pass,
    pods: &BTreeMap<Part, Pods>,
    created: Option<Timestamp>,
    harbor: &Validated<'_>,
    world: &World<'_>,
) -> Result<Verdict, PlanError> {
    let settled = pods.values().filter_map(Pods::settled).max();
    // A time that is still to come, of a clock that is ahead, would have others wait longer.
    let known = [settled, created].into_iter().flatten().find(|time| world.clock().is_past(*time));
    Verdict::of(pass, known, harbor, world)
}

/// The pods of all parts that a pass changes, as far as there are any.
pub(super) fn of_all(
    pass: Pass,
    harbor: &Validated<'_>,
    world: &World<'_>,
) -> Result<BTreeMap<Part, Pods>, PlanError> {
    let parts = pass.steps().iter().flat_map(|step| step.parts).map(|(part, _)| *part);
    let pods =
        parts.map(|part| Pods::of(part, harbor, world).map(|pods| (part, pods))).collect::<Vec<_>>().all()?;
    Ok(pods.into_iter().filter_map(|(part, pods)| Some((part, pods?))).collect())
}

struct Seen<'t> {
    pods: BTreeMap<Part, Pods>,
    turns: Vec<&'t Turn>,
    /// The Secret with the users before and after.
    both: String,
}

impl Seen<'_> {
    /// Whether a part of a step has changed.
    fn has_begun(&self, step: &Step) -> bool {
        let has_changed = |(part, look): &(Part, Look)| {
            self.pods.get(part).is_some_and(|pods| match look {
                Look::New => self.turns.iter().any(|turn| pods.use_secret(&turn.secret)),
                Look::Both => pods.use_secret(&self.both),
                Look::Stopped => pods.are_unwanted(),
            })
        };
        step.parts.iter().any(has_changed)
    }

    /// The first Deployment that is not yet as a step leaves it.
    fn waits_for(&self, step: &Step) -> Option<ObjectKey> {
        let is_missing = |(part, look): &&(Part, Look)| {
            self.pods.get(part).is_some_and(|pods| match look {
                Look::New => !pods.are_ready() || self.turns.iter().any(|turn| self.lacks(pods, turn)),
                Look::Both => !pods.are_ready() || !pods.use_secret(&self.both),
                Look::Stopped => !pods.are_gone(),
            })
        };
        let (part, _) = step.parts.iter().find(is_missing)?;
        Some(self.pods.get(part)?.deployment.clone())
    }

    /// Whether pods use a credential, and not yet the new one.
    fn lacks(&self, pods: &Pods, turn: &Turn) -> bool {
        let uses_old = turn.before.as_deref().is_some_and(|before| pods.use_secret(before));
        uses_old || pods.use_secret(&self.both)
    }
}

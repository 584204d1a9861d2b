//! The Secrets of all credentials, and what users ask for.

use super::{
    internal_tls::{self, Leaves},
    passes::Pass,
    progress::Progress,
    request::Requests,
    rotated::Rotated,
    turn::{First, Names, Turn},
};
use crate::{
    harbor::{
        certificates::Issuers,
        credentials::{Credential, Credentials},
        validated::Validated,
    },
    values::whole_seconds,
};
use api::{names::ROTATE_ANNOTATION, v1beta1::rotation::RotationPhase};
use plan::{All as _, PlanError, World};
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

/// The shortest interval of a credential: a rotation replaces pods.
const SHORTEST: Duration = Duration::from_hours(1);

/// The newest turn of each credential whose Secret the operator generates.
pub(in super::super) struct Turns {
    pub(super) base: Credentials,
    pub(super) requests: Requests,
    pub(super) newest: BTreeMap<Rotated, Turn>,
    /// What a user, or the interval, asks to rotate.
    pub(super) due: Vec<Rotated>,
    /// What a user, or an interval, asks to rotate at some time.
    pub(super) asked: BTreeSet<Rotated>,
}

impl Turns {
    /// The turns, with the issuers on which the names of some Secrets depend.
    pub fn with_issuers(harbor: &Validated<'_>, world: &World<'_>) -> Result<(Issuers, Self), PlanError> {
        let issuers = Issuers::of(harbor, world);
        // What does not depend on the issuers is read at the same time.
        let tokens = issuers.as_ref().map_or(Names::Alternate, Issuers::names_of_token);
        (issuers, Self::of(harbor, tokens, world)).all()
    }

    /// Reads the Secrets; those whose keys sign tokens are named like this. Refuses names that no credential has.
    fn of(harbor: &Validated<'_>, tokens: Names, world: &World<'_>) -> Result<Self, PlanError> {
        let base = Credentials::of(harbor);
        let requests = Requests::parse(harbor.annotation(ROTATE_ANNOTATION))?;
        let intervals = Rotated::ALL.map(|rotated| interval(harbor, rotated).map(|it| (rotated, it)));
        let intervals: BTreeMap<_, _> =
            intervals.into_iter().collect::<Vec<_>>().all()?.into_iter().collect();
        let asked =
            |rotated| requests.of(rotated).is_some() || intervals.get(&rotated).is_some_and(Option::is_some);
        let asked: BTreeSet<_> = Rotated::ALL.into_iter().filter(|rotated| asked(*rotated)).collect();
        let read = |rotated: Rotated, first: &str| {
            let request = requests.of(rotated);
            let how = if asked.contains(&rotated) { First::Read } else { First::Unread };
            let names = if rotated == Rotated::Token { tokens } else { Names::Alternate };
            let turn = Turn::newest(first, names, how, request, world)?;
            let turn = if has_ended(rotated, &turn, harbor) { turn.ended() } else { turn };
            let is_due = is_due(&turn, request, intervals.get(&rotated).copied().flatten(), world);
            Ok((rotated, turn, is_due))
        };
        let ours =
            Rotated::ALL.into_iter().filter_map(|rotated| Some((rotated, first(rotated, &base, harbor)?)));
        let turns = ours
            .map(|(rotated, first)| read(rotated, &first))
            .collect::<Vec<Result<_, PlanError>>>()
            .all()?;
        let due = turns.iter().filter(|(.., is_due)| *is_due).map(|(rotated, ..)| *rotated).collect();
        let newest = turns.into_iter().map(|(rotated, turn, _)| (rotated, turn)).collect();
        Ok(Self { base, requests, newest, due, asked })
    }

    /// The turn that follows the newest one.
    pub(super) fn next(
        &self,
        rotated: Rotated,
        harbor: &Validated<'_>,
        world: &World<'_>,
    ) -> Result<Option<Turn>, PlanError> {
        let (Some(turn), Some(first)) = (self.newest.get(&rotated), first(rotated, &self.base, harbor))
        else {
            return Ok(None);
        };
        let next = turn.next(&first, self.requests.of(rotated), harbor.namespace, world)?;
        let trust = self.leaves().filter(|_| rotated == Rotated::InternalTls).map(|leaves| leaves.trust());
        Ok(Some(match trust {
            Some(trust) => next.trusting(trust),
            None => next,
        }))
    }

    /// The certificates of TLS between components, if they are issued.
    pub(super) fn leaves(&self) -> Option<Leaves> {
        Leaves::of(&self.newest)
    }

    /// How far the passes have come whose Secrets before still exist.
    pub(super) fn passes(
        &self,
        harbor: &Validated<'_>,
        world: &World<'_>,
    ) -> Result<Vec<Progress>, PlanError> {
        let tls = self.leaves().map(|leaves| leaves.progress(harbor, world)).transpose()?.flatten();
        let passes = Pass::ALL.into_iter().filter(|pass| !pass.is_of_tls()).filter_map(|pass| {
            let is_member =
                |(rotated, turn): &(&Rotated, &Turn)| rotated.pass() == pass && turn.before.is_some();
            let members: Vec<_> = self.newest.iter().filter(is_member).collect();
            (!members.is_empty()).then(|| Progress::of(pass, &members, harbor, world))
        });
        Ok(passes.collect::<Vec<_>>().all()?.into_iter().chain(tls).collect())
    }
}

/// The first Secret of what can be rotated, if the operator generates it.
fn first(rotated: Rotated, base: &Credentials, harbor: &Validated<'_>) -> Option<String> {
    match base.rotated(rotated) {
        Some(Credential::Generated(first)) => Some(first.to_string()),
        Some(Credential::Named(_)) => None,
        None => internal_tls::first(rotated, harbor),
    }
}

/// The interval of a credential. Refuses one that is too short, as the definition does where the API server knows its rules.
fn interval(harbor: &Validated<'_>, rotated: Rotated) -> Result<Option<Duration>, PlanError> {
    let spec = harbor.installation.rotation.as_ref();
    let Some(interval) = spec.and_then(|spec| rotated.interval(spec)) else { return Ok(None) };
    let field = format!("spec.rotation.{}.interval", rotated.name());
    let interval = Duration::from_secs(whole_seconds(interval, &field)?);
    if interval < SHORTEST {
        return Err(PlanError::invalid(field, "must be at least 1h", "lengthen it"));
    }
    Ok(Some(interval))
}

/// Whether the status says that all components have the newest value. Without it, a rotation whose Secret before stays would begin
/// its last step again whenever a pod is not ready.
fn has_ended(rotated: Rotated, turn: &Turn, harbor: &Validated<'_>) -> bool {
    let said = harbor.rotations.iter().find(|said| said.name == rotated.name());
    let at = said.filter(|said| said.phase == RotationPhase::Done).and_then(|said| said.at.as_ref());
    at.is_some_and(|at| Some(at.0) == turn.created)
}

fn is_due(turn: &Turn, request: Option<&String>, interval: Option<Duration>, world: &World<'_>) -> bool {
    let end = turn.created.zip(interval).and_then(|(created, interval)| created.checked_add(interval).ok());
    let is_old = end.is_some_and(|end| world.clock().is_past(end));
    turn.created.is_some() && (is_old || request.is_some() && request != turn.request())
}

//! TLS between components: a new authority in three steps, and new certificates of components in one.
//!
//! The Secret of Core stands for those of all components: its record says which turn it is, which authority signs, and which
//! other one is trusted. A new authority is created beside the one before. Then components get new certificates three times,
//! each in Secrets of their own, so that pods of two consecutive turns always accept each other:
//!
//! | turn | signed by | trusted |
//! |---|---|---|
//! | before | old | old |
//! | 1 | old | old and new |
//! | 2 | new | new and old |
//! | 3 | new | new |
//!
//! The next turn begins when all pods have the one under way, and the Secrets before it are deleted. After the last one, Harbor
//! is asked, and the Secrets before stay until it accepts the new ones.

use super::{
    Rotation,
    passes::{Pass, SERVED_OVER_TLS},
    pods::Pods,
    progress::{self, Progress},
    rotated::Rotated,
    turn::{First, Names, Turn, suffix},
    turns::Turns,
};
use crate::{
    harbor::{certificates, internal_tls, part::Part, validated::Validated},
    pods::Scheme,
};
use api::names::CONTROLLER_LABEL;
use k8s_openapi::api::core::v1::Secret;
use kube::ResourceExt as _;
use plan::{All as _, ObjectKey, PlanError, World};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The Secrets of the authorities behind the certificates of components.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in super::super) struct Trust {
    /// The one that signs them.
    pub signer: String,
    /// Another one, which components trust, too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub also: Option<String>,
}

/// The newest turns of the authority and of the certificates that it signs.
#[derive(Clone, Debug)]
pub(super) struct Leaves {
    pub authority: Turn,
    /// The turn of Core's certificate, and so of all.
    pub leaf: Turn,
}

/// The end of the names of the Secrets that have the certificates of components now.
pub(in super::super) fn current(
    harbor: &Validated<'_>,
    world: &World<'_>,
) -> Result<&'static str, PlanError> {
    let Some(first) = first(Rotated::InternalTls, harbor) else { return Ok("") };
    Ok(Turn::newest(&first, Names::Alternate, First::Unread, None, world)?.suffix())
}

/// The first Secret of the authority, or of Core's certificate, if the operator or cert-manager issues it.
pub(super) fn first(rotated: Rotated, harbor: &Validated<'_>) -> Option<String> {
    let is_issued = certificates::issues_internal(harbor);
    match rotated {
        Rotated::InternalTlsAuthority => is_issued.then(|| certificates::internal_authority(harbor)),
        Rotated::InternalTls => is_issued.then(|| secret_of(Part::Core, "", harbor)),
        _ => None,
    }
}

/// Why the operator does not rotate the authority, or the certificates, although a user asks for it.
pub(super) fn refused(
    rotated: Rotated,
    turns: &Turns,
    by_operator: bool,
    harbor: &Validated<'_>,
) -> Option<String> {
    if harbor.scheme() == Scheme::Http {
        return Some("there is no TLS between components: spec.internalTLS.enabled is not set".into());
    }
    if internal_tls::is_given(harbor.installation) {
        let field = rotated.field();
        return Some(format!(
            "{field} names the Secrets, which only you write; change the certificates there"
        ));
    }
    if !by_operator {
        return Some("cert-manager issues it; have cert-manager renew the Certificate".into());
    }
    let turn =
        turns.newest.get(&rotated).filter(|turn| rotated == Rotated::InternalTlsAuthority && !turn.is_ours);
    turn.map(|turn| {
        format!("the Secret {} is not from the operator, which does not replace it; write another authority into it", turn.secret)
    })
}

impl Leaves {
    /// The newest turns, if components have certificates that are issued.
    pub fn of(newest: &BTreeMap<Rotated, Turn>) -> Option<Self> {
        let turn = |rotated| newest.get(&rotated).cloned();
        Some(Self { authority: turn(Rotated::InternalTlsAuthority)?, leaf: turn(Rotated::InternalTls)? })
    }

    /// Which authorities are behind the certificates of the newest turn.
    pub fn trust(&self) -> Trust {
        let new = &self.authority.secret;
        let Some(old) = &self.authority.before else { return Trust { signer: new.clone(), also: None } };
        let is_known = |secret: &String| secret == old || secret == new;
        let recorded = self.leaf.trust().filter(|it| is_known(&it.signer) && it.also.iter().all(is_known));
        recorded.cloned().unwrap_or_else(|| Trust { signer: old.clone(), also: None })
    }

    /// The same for the turn that follows, while one authority replaces the other.
    fn next_trust(&self) -> Option<Trust> {
        let (new, old) = (&self.authority.secret, self.authority.before.as_ref()?);
        let Trust { signer, also } = self.trust();
        match (signer == *new, also.is_some()) {
            (false, false) => Some(Trust { signer, also: Some(new.clone()) }),
            (false, true) => Some(Trust { signer: new.clone(), also: Some(old.clone()) }),
            (true, true) => Some(Trust { signer, also: None }),
            (true, false) => None,
        }
    }

    /// Whether components get other certificates anyway, because one authority replaces the other.
    pub fn is_followed(&self) -> bool {
        self.next_trust().is_some()
    }

    /// The step that the newest turn is for, if it is for one that replaces the authority.
    fn step(&self) -> Option<usize> {
        self.authority.before.as_ref()?;
        let Trust { signer, also } = self.trust();
        match (signer == self.authority.secret, also.is_some()) {
            (false, false) => None,
            (false, true) => Some(0),
            (true, true) => Some(1),
            (true, false) => Some(2),
        }
    }

    /// How far the rotation that is under way has come.
    pub fn progress(&self, harbor: &Validated<'_>, world: &World<'_>) -> Result<Option<Progress>, PlanError> {
        let both = vec![Rotated::InternalTlsAuthority, Rotated::InternalTls];
        let (pass, members, step) = match (&self.authority.before, &self.leaf.before) {
            (Some(_), _) => (Pass::InternalTlsAuthority, both, self.step()),
            (None, Some(_)) => (Pass::InternalTls, vec![Rotated::InternalTls], Some(0)),
            (None, None) => return Ok(None),
        };
        let Some(step) = step else {
            return Ok(Some(Progress { pass, members, step: 0, waits_for: None, verdict: None }));
        };
        let pods = seen(harbor, world)?;
        let waits_for = self.lacking(&pods, harbor);
        let step = if waits_for.is_none() { step.saturating_add(1) } else { step };
        let asks = step >= pass.steps().len();
        let verdict = asks.then(|| progress::verdict(pass, &pods, self.leaf.created, harbor, world));
        let verdict = verdict.transpose()?;
        Ok(Some(Progress { pass, members, step, waits_for, verdict }))
    }

    /// The first Deployment whose pods do not all have the newest turn.
    fn lacking(&self, pods: &BTreeMap<Part, Pods>, harbor: &Validated<'_>) -> Option<ObjectKey> {
        let mut lacking =
            pods.iter().filter(|(part, pods)| !pods.are_ready() || self.is_before(**part, pods, harbor));
        lacking.next().map(|(_, pods)| pods.deployment.clone())
    }

    /// Whether the pods of a part have a certificate, or trust an authority, of another turn.
    fn is_before(&self, part: Part, pods: &Pods, harbor: &Validated<'_>) -> bool {
        // nginx trusts what Core trusts.
        let part = if part == Part::Nginx { Part::Core } else { part };
        let now = self.leaf.suffix();
        let others = (0..3).map(suffix).filter(|other| *other != now);
        !pods.use_secret(&secret_of(part, now, harbor))
            && others.into_iter().any(|other| pods.use_secret(&secret_of(part, other, harbor)))
    }

    /// The turn that follows, while one authority replaces the other and all pods have the newest turn.
    pub fn next(
        &self,
        turns: &Turns,
        harbor: &Validated<'_>,
        world: &World<'_>,
    ) -> Result<Option<Turn>, PlanError> {
        let next = self.next_trust().filter(|_| !self.leaf.is_before_ours);
        let (Some(trust), Some(first)) = (next, first(Rotated::InternalTls, harbor)) else { return Ok(None) };
        if self.step().is_some() && self.lacking(&seen(harbor, world)?, harbor).is_some() {
            return Ok(None);
        }
        let request = turns.requests.of(Rotated::InternalTls);
        let leaf = self.leaf.next(&first, request, harbor.namespace, world)?;
        // A Secret of an earlier turn may have the name, until it is deleted.
        let is_free = existing(leaf.suffix(), harbor, world)?.is_empty();
        Ok(is_free.then(|| leaf.trusting(trust)))
    }

    /// The Secrets of the turn before, as long as pods may use them, or Harbor has not accepted what replaces them for good.
    pub fn used_before(
        &self,
        passes: &[Progress],
        harbor: &Validated<'_>,
        world: &World<'_>,
    ) -> Result<Vec<String>, PlanError> {
        let Some(before) = self.leaf.suffix_before() else { return Ok(Vec::new()) };
        let is_judged =
            passes.iter().any(|it| it.pass.is_of_tls() && it.verdict.is_some() && !it.has_ended());
        if is_judged || self.lacking(&seen(harbor, world)?, harbor).is_some() {
            return existing(before, harbor, world);
        }
        Ok(Vec::new())
    }

    /// The names that the Secrets of the turn before have, whether they exist or not.
    pub fn replaced(&self, harbor: &Validated<'_>) -> Vec<String> {
        let before = self.leaf.suffix_before();
        before.into_iter().flat_map(|before| secrets(before, harbor).collect::<Vec<_>>()).collect()
    }
}

impl Rotation {
    /// The newest authority of TLS between components.
    pub fn authority(&self) -> Option<&Turn> {
        self.turns.newest.get(&Rotated::InternalTlsAuthority)
    }

    /// The certificates that components have now, and the authorities behind them.
    pub fn certificates(&self) -> Option<(Turn, Trust)> {
        let leaves = self.leaves.as_ref()?;
        Some((leaves.leaf.clone().trusting(leaves.trust()), leaves.trust()))
    }

    /// The certificate of Core with which the next turn begins, and the authorities behind it.
    pub fn next_certificate(&self) -> Option<(&Turn, &Trust)> {
        let next = self.turns.newest.get(&Rotated::InternalTls)?;
        let is_next = self.leaves.as_ref().is_some_and(|leaves| leaves.leaf.secret != next.secret);
        Some((next, next.trust()?)).filter(|_| is_next)
    }
}

/// The pods that have a certificate, or trust one.
fn seen(harbor: &Validated<'_>, world: &World<'_>) -> Result<BTreeMap<Part, Pods>, PlanError> {
    progress::of_all(Pass::InternalTls, harbor, world)
}

/// The Secret with the certificate of a part.
fn secret_of(part: Part, suffix: &str, harbor: &Validated<'_>) -> String {
    harbor.child(&certificates::of_part(part, suffix))
}

/// The Secrets of a turn.
fn secrets<'h>(suffix: &'static str, harbor: &'h Validated<'_>) -> impl Iterator<Item = String> + use<'h> {
    let parts = SERVED_OVER_TLS.iter().map(|(part, _)| *part).filter(|part| *part != Part::Nginx);
    parts.map(move |part| secret_of(part, suffix, harbor))
}

/// The Secrets of a turn that exist, and that the operator has created.
fn existing(
    suffix: &'static str,
    harbor: &Validated<'_>,
    world: &World<'_>,
) -> Result<Vec<String>, PlanError> {
    let found = secrets(suffix, harbor).map(|name| world.read::<Secret>(&name).map(|found| (name, found)));
    let found = found.collect::<Vec<_>>().all()?;
    let is_ours = |secret: &Secret| secret.labels().contains_key(CONTROLLER_LABEL);
    Ok(found
        .into_iter()
        .filter(|(_, found)| found.as_ref().is_some_and(is_ours))
        .map(|(name, _)| name)
        .collect())
}

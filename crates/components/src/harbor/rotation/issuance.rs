//! The next key that signs tokens, where cert-manager issues it.
//!
//! Its Certificate has the record of the turn for the annotations of the Secret. So the turn begins when cert-manager creates the
//! Secret, as it begins elsewhere when the operator does. Until then components keep the key that they have.

use super::{
    Rotation,
    rotated::Rotated,
    turn::{Names, Turn},
    turns::Turns,
};
use crate::harbor::{certificates::Issuers, credentials::Credential, validated::Validated};
use api::thirdparty::cert_manager::Certificate;
use k8s_openapi::api::core::v1::Secret;
use plan::{ObjectKey, PlanError, World};
use std::collections::BTreeMap;

/// A key that cert-manager issues.
pub(super) struct Issuance {
    /// The turn that begins with its Secret.
    pub next: Turn,
    /// Whether cert-manager has been asked for it.
    pub has_begun: bool,
    /// What it waits for.
    pub waits: String,
}

impl Issuance {
    /// The key that is due, or has been asked for. `None` if cert-manager issues none.
    pub fn of(
        turns: &Turns,
        refused: &BTreeMap<Rotated, String>,
        harbor: &Validated<'_>,
        issuers: &Issuers,
        world: &World<'_>,
    ) -> Result<Option<Self>, PlanError> {
        let is_due = turns.due.contains(&Rotated::Token) && !refused.contains_key(&Rotated::Token);
        let (Some(turn), Credential::Generated(base), true) = (
            turns.newest.get(&Rotated::Token),
            &turns.base.token,
            is_due && !issuers.operator_issues_token(),
        ) else {
            return Ok(None);
        };
        let next = turn.following(base, turns.requests.of(Rotated::Token));
        let key = ObjectKey::of::<Secret>(harbor.namespace, &next.secret);
        let has_begun = world.read::<Certificate>(&next.secret)?.is_some();
        let waits = if world.read::<Secret>(&next.secret)?.is_some() {
            format!(
                "waits until {key} has the annotation {}, which cert-manager writes from 1.5 on; if it is not from cert-manager, \
                 delete it",
                api::names::ROTATION_ANNOTATION
            )
        } else {
            format!("waits until cert-manager has issued {key}")
        };
        Ok(Some(Self { next, has_begun, waits }))
    }
}

impl Rotation {
    /// The Secrets with keys that cert-manager issues, and their annotations: the newest, and the next if that is due.
    pub fn issued_tokens(&self) -> impl Iterator<Item = (&str, BTreeMap<String, String>)> {
        let newest = self.turn(Rotated::Token).into_iter();
        let turns = newest.chain(self.issuance.as_ref().map(|issuance| &issuance.next));
        turns.map(|turn| (turn.secret.as_str(), turn.recorded().into_iter().collect()))
    }

    /// The Secret with the key before, while pods use it.
    pub fn token_before(&self) -> Option<&str> {
        let turn = self.turn(Rotated::Token).filter(|_| self.is_running(Rotated::Token.pass()))?;
        turn.before.as_deref()
    }
}

/// How the Secrets with the key that signs tokens are named. `used` is the one that Core has, if cert-manager may have issued it.
pub(in super::super) fn names_of_token(base: &str, used: &str, by_cert_manager: bool) -> Names {
    let number = used.strip_prefix(base).and_then(|end| end.strip_prefix('-')?.parse().ok()).unwrap_or(0);
    // The operator uses two names only.
    if by_cert_manager || number > 2 { Names::Numbered(number) } else { Names::Alternate }
}

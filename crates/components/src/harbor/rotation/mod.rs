//! Rotation: credentials inside a Harbor that the operator has generated are generated anew, and the parts of the Harbor get
//! them in an order in which they go on working together.
//!
//! What counts are the Secrets, see [`turn`], and the pods, see [`progress`]. One [`Pass`] is under way at a time, and none
//! begins during an upgrade.

mod drain;
mod encryption_key;
mod internal_tls;
mod issuance;
mod outlook;
mod parts;
mod passes;
mod pods;
mod progress;
mod request;
mod rotated;
mod turn;
mod turns;
mod verify;

pub(super) use self::{
    drain::occasion,
    internal_tls::{Trust, current as current_certificates},
    issuance::names_of_token,
    outlook::{details, news},
    rotated::Rotated,
    turn::{Names, Turn, names as names_that_take_turns},
    turns::Turns,
};

use self::{
    encryption_key::EncryptionKey,
    internal_tls::Leaves,
    issuance::Issuance,
    passes::{Look, Pass},
    progress::Progress,
};
use super::{
    certificates::Issuers, credentials::Credential, part::Part, upgrade::Upgrade, validated::Validated,
};
use k8s_openapi::api::core::v1::Secret;
use plan::{All as _, PlanError, World};
use std::collections::BTreeMap;

/// The rotation of the credentials of a Harbor.
pub(super) struct Rotation {
    turns: Turns,
    /// The passes that are under way or have just ended.
    passes: Vec<Progress>,
    /// What is due, and what it waits for.
    waiting: BTreeMap<Rotated, String>,
    /// What a user asks for, and why the operator does not do it.
    refused: BTreeMap<Rotated, String>,
    /// The Secret with the users of the registry before and after.
    both: Option<Secret>,
    /// The certificates of TLS between components that they have now.
    leaves: Option<Leaves>,
    /// The Secrets with the certificates before, while they are kept.
    leaves_before: Vec<String>,
    /// What the quiet of JobService waits for.
    drains: Option<String>,
    /// The change of the key that encrypts the database.
    encryption_key: EncryptionKey,
    /// The key that cert-manager issues now.
    issuance: Option<Issuance>,
}

impl Rotation {
    /// Finds the pass that is under way or begins now.
    pub fn of(
        turns: Turns,
        harbor: &Validated<'_>,
        upgrade: &Upgrade<'_>,
        issuers: &Issuers,
        world: &World<'_>,
    ) -> Result<Self, PlanError> {
        let refused = refused(&turns, issuers, harbor);
        let passes = turns.passes(harbor, world)?;
        let leaves = turns.leaves();
        let leaves_before = leaves.as_ref().map(|leaves| leaves.used_before(&passes, harbor, world));
        let leaves_before = leaves_before.transpose()?.unwrap_or_default();
        let (waiting, both) = (BTreeMap::new(), None);
        let drains = upgrade.quiet().waits().map(str::to_owned);
        let encryption_key = EncryptionKey::of(harbor, world)?;
        let mut this = Self {
            turns,
            passes,
            waiting,
            refused,
            both,
            leaves,
            leaves_before,
            drains,
            encryption_key,
            issuance: None,
        };
        let issuance = Issuance::of(&this.turns, &this.refused, harbor, issuers, world)?;
        this.begin(harbor, upgrade, issuance, world)?;
        this.encryption_key = this.encryption_key.clone().after(this.obstacle(upgrade));
        this.both = this.both_users(harbor, world)?;
        Ok(this)
    }

    /// Begins the first pass that is due, if nothing is in its way, or adds to the one that has just begun.
    fn begin(
        &mut self,
        harbor: &Validated<'_>,
        upgrade: &Upgrade<'_>,
        issuance: Option<Issuance>,
        world: &World<'_>,
    ) -> Result<(), PlanError> {
        if let Some(leaves) = &self.leaves
            && let Some(next) = leaves.next(&self.turns, harbor, world)?
        {
            self.turns.newest.insert(Rotated::InternalTls, next);
            self.passes = self.turns.passes(harbor, world)?;
        }
        let is_free = |rotated: &Rotated| {
            let turn = self.turns.newest.get(rotated);
            // Its Secret before may be of cert-manager.
            let is_running = *rotated == Rotated::Token && self.is_running(rotated.pass());
            !self.refused.contains_key(rotated)
                && turn.is_some_and(|turn| !turn.is_before_ours)
                && !(is_running && turn.is_some_and(|turn| turn.before.is_some()))
        };
        let due: Vec<_> = self.turns.due.iter().copied().filter(is_free).collect();
        let Some(first) = due.first() else { return Ok(()) };
        let issuance = issuance.filter(|_| due.contains(&Rotated::Token));
        let running = self.passes.iter().find(|progress| !progress.has_ended());
        let (pass, obstacle) = match running {
            Some(running) if running.step == 0 && due.iter().any(|it| it.pass() == running.pass) => {
                (running.pass, None)
            }
            Some(running) => {
                let others = outlook::named(&running.members);
                (running.pass, Some(format!("waits for the end of the rotation of {others}")))
            }
            None if let Some(begun) = issuance.as_ref().filter(|issuance| issuance.has_begun) => {
                (Rotated::Token.pass(), Some(begun.waits.clone()))
            }
            None if upgrade.is_under_way() => {
                (first.pass(), Some("waits for the end of the upgrade".to_owned()))
            }
            None if let Some(holds) = self.encryption_key.holds() => {
                (first.pass(), Some(format!("waits for the end of {holds}")))
            }
            None if pods::are_changing_passwords(harbor, world)? => (
                first.pass(),
                Some("waits until all components have restarted for another password".to_owned()),
            ),
            None => {
                let pods = progress::of_all(first.pass(), harbor, world)?;
                let unready = pods.values().find(|pods| !pods.are_ready());
                (first.pass(), unready.map(|pods| format!("waits until {} is ready", pods.deployment)))
            }
        };
        // A pass of which cert-manager issues a key begins when it has done so.
        let begins_with_issuance = match &obstacle {
            None => pass == Rotated::Token.pass() && issuance.is_some(),
            Some(_) => issuance.as_ref().is_some_and(|issuance| issuance.has_begun),
        };
        self.issuance = issuance.filter(|_| begins_with_issuance);
        let obstacle = obstacle.or_else(|| Some(self.issuance.as_ref()?.waits.clone()));
        let begins = |rotated: Rotated| obstacle.is_none() && rotated.pass() == pass;
        for rotated in due.iter().copied().filter(|it| begins(*it)) {
            if let Some(next) = self.turns.next(rotated, harbor, world)? {
                self.turns.newest.insert(rotated, next);
            }
        }
        if obstacle.is_none() {
            self.passes = self.turns.passes(harbor, world)?;
        }
        let is_issued = self.issuance.is_some();
        let why = |rotated: Rotated| match &obstacle {
            Some(_) if is_issued && rotated.pass() != Rotated::Token.pass() => {
                format!("waits for the end of the rotation of {}", Rotated::Token.name())
            }
            Some(why) => why.clone(),
            None => "waits for the end of the rotation before it".to_owned(),
        };
        self.waiting = due.into_iter().filter(|it| !begins(*it)).map(|it| (it, why(it))).collect();
        if self.turns.leaves().is_some_and(|leaves| leaves.is_followed()) {
            self.waiting.remove(&Rotated::InternalTls);
        }
        Ok(())
    }

    /// What the change of the encryption key waits for.
    fn obstacle(&self, upgrade: &Upgrade<'_>) -> Option<String> {
        let running = self.passes.iter().find(|progress| !progress.has_ended());
        let running = running.map(|running| format!("the rotation of {}", outlook::named(&running.members)));
        let issued = self.issuance.as_ref().map(|_| format!("the rotation of {}", Rotated::Token.name()));
        let upgrade = upgrade.is_under_way().then(|| "the upgrade".to_owned());
        running.or(issued).or(upgrade).map(|it| format!("waits for the end of {it}"))
    }

    /// Whether parts are getting credentials of a pass now.
    fn is_running(&self, pass: Pass) -> bool {
        self.look_at(pass).is_some_and(|progress| !progress.has_ended())
    }

    fn look_at(&self, pass: Pass) -> Option<&Progress> {
        self.passes.iter().find(|progress| progress.pass == pass)
    }

    /// What the pass that is under way leaves a part as now.
    fn look(&self, pass: Pass, part: Part) -> Option<Look> {
        let running = self.look_at(pass).filter(|progress| !progress.has_ended())?;
        pass.look(running.step, part)
    }

    fn turn(&self, rotated: Rotated) -> Option<&Turn> {
        self.turns.newest.get(&rotated).filter(|_| !self.refused.contains_key(&rotated))
    }
}

/// What is under way, as text for users: a rotation, or the change of the encryption key.
pub(super) fn under_way(harbor: &Validated<'_>, world: &World<'_>) -> Result<Option<String>, PlanError> {
    let ((issuers, turns), key) =
        (Turns::with_issuers(harbor, world), EncryptionKey::of(harbor, world)).all()?;
    let passes = turns.passes(harbor, world)?;
    let running = passes.iter().find(|progress| !progress.has_ended());
    let running = running.map(|running| format!("the rotation of {}", outlook::named(&running.members)));
    let issued = || {
        let refused = refused(&turns, &issuers, harbor);
        let issuance = Issuance::of(&turns, &refused, harbor, &issuers, world)?;
        let begun = issuance.filter(|issuance| issuance.has_begun);
        Ok(begun.map(|_| format!("the rotation of {}", Rotated::Token.name())))
    };
    let under_way = match running {
        Some(running) => Some(running),
        None => issued()?,
    };
    Ok(under_way.or_else(|| key.holds()).map(|it| format!("{it} has not ended")))
}

/// What users ask for and the operator does not do, and why.
fn refused(turns: &Turns, issuers: &Issuers, harbor: &Validated<'_>) -> BTreeMap<Rotated, String> {
    let why = |rotated: Rotated| match turns.base.rotated(rotated) {
        // One with an interval is left alone.
        Some(Credential::Named(secret)) => turns.requests.of(rotated).map(|_| {
            format!(
                "{} names the Secret {secret}, which only you write; change the value there",
                rotated.field()
            )
        }),
        Some(Credential::Generated(_)) => None,
        None => internal_tls::refused(rotated, turns, issuers.operator_issues_internal(), harbor),
    };
    turns.asked.iter().filter_map(|rotated| Some((*rotated, why(*rotated)?))).collect()
}

//! What the parts of a Harbor get while credentials are rotated.

use super::{
    Rotation,
    passes::{Look, Pass},
    rotated::Rotated,
    turn::Turn,
};
use crate::harbor::{credentials::Credentials, part::Part, validated::Validated};
use api::{
    names::REPLACE_TOGETHER_ANNOTATION,
    v1beta1::{Core, ObjectName},
};
use k8s_openapi::{ByteString, api::core::v1::Secret};
use plan::{Desired, PlanError, World};
use std::collections::BTreeMap;

/// Key of the lines for the registry, each with a user and a password.
const HTPASSWD: &str = "htpasswd";

/// The name of the Secret with the users of the registry before and after.
pub(super) fn both(harbor: &Validated<'_>) -> String {
    harbor.child("registry-basicauth-both")
}

impl Rotation {
    /// The newest credentials, with the Secrets that the operator creates for them.
    pub fn newest(&self) -> Credentials {
        self.turns.base.renamed(|rotated| Some(self.turn(rotated)?.secret.as_str().into()))
    }

    /// The credentials that a part uses now.
    pub fn credentials(&self, part: Part, harbor: &Validated<'_>) -> Credentials {
        let name = |rotated: Rotated| {
            let turn = self.turn(rotated)?;
            let before = turn.before.as_ref().filter(|_| self.is_running(rotated.pass()));
            let name = match (before, self.look(rotated.pass(), part)) {
                (None, _) | (_, Some(Look::New)) => turn.secret.clone(),
                (Some(_), Some(Look::Both)) if self.both.is_some() => both(harbor),
                (Some(before), Some(Look::Both | Look::Stopped) | None) => before.clone(),
            };
            Some(ObjectName::from(name))
        };
        self.turns.base.renamed(name)
    }

    /// The annotations of the Secret with a credential.
    pub fn annotations(&self, rotated: Rotated) -> Option<BTreeMap<String, String>> {
        self.turn(rotated).map(Turn::annotations).filter(|annotations| !annotations.is_empty())
    }

    /// Whether a credential has the second of the two user names that take turns.
    pub fn is_second(&self, rotated: Rotated) -> bool {
        self.turn(rotated).is_some_and(Turn::is_odd)
    }

    /// The Secrets besides the newest ones that are needed while passes are under way.
    pub fn secrets(&self, harbor: &Validated<'_>) -> impl Iterator<Item = Desired> {
        // The certificates before are in `leaves_before`.
        let running =
            Rotated::ALL.into_iter().filter(|it| *it != Rotated::InternalTls && self.is_running(it.pass()));
        let before = running.filter_map(|rotated| self.turn(rotated)?.before.as_ref());
        let before = before.chain(&self.leaves_before).map(|before| {
            let secret = Secret { metadata: harbor.metadata(before.as_str()), ..Secret::default() };
            // It exists, and is not created again.
            Desired::awaited(secret, "components used it until a moment ago")
        });
        let both = self.both.iter().filter(|_| self.is_running(Pass::RegistryCredentials));
        before.chain(both.cloned().map(Desired::from))
    }

    /// Core, whose pods are replaced at the same time where they must share a key, and that changes the encryption key when nothing
    /// else is under way.
    pub fn core(&self, mut core: Core) -> Core {
        self.encryption_key.write(&mut core);
        if self.is_running(Pass::CoreKeys) {
            let annotations = core.metadata.annotations.get_or_insert_default();
            annotations.insert(REPLACE_TOGETHER_ANNOTATION.into(), "true".into());
        }
        core
    }

    /// The lines for the user before and the new one, once both exist.
    pub(super) fn both_users(
        &self,
        harbor: &Validated<'_>,
        world: &World<'_>,
    ) -> Result<Option<Secret>, PlanError> {
        let running = self.turn(Rotated::RegistryCredentials);
        let Some(turn) = running.filter(|_| self.is_running(Pass::RegistryCredentials)) else {
            return Ok(None);
        };
        let Some(before) = &turn.before else { return Ok(None) };
        let lines = |secret: &str| -> Result<_, PlanError> {
            let found = world.read::<Secret>(secret)?;
            Ok(found.and_then(|found| found.data?.remove(HTPASSWD)).map(|lines| lines.0))
        };
        let (Some(mut all), Some(new)) = (lines(before)?, lines(&turn.secret)?) else { return Ok(None) };
        if !all.ends_with(b"\n") {
            all.push(b'\n');
        }
        all.extend(new);
        Ok(Some(Secret {
            metadata: harbor.metadata(both(harbor)),
            type_: Some("goharbor.io/htpasswd".into()),
            data: Some([(HTPASSWD.to_owned(), ByteString(all))].into()),
            ..Secret::default()
        }))
    }
}

//! The password of the administrator of a Harbor that this operator runs: the one in the user's Secret, and the one that Harbor
//! has.
//!
//! Harbor takes the password from Core's environment when it starts for the first time, and never again. Two Secrets of the
//! operator say what became of it: that of Core's environment keeps the password of the first start, and one of its own has
//! the password that Harbor has since the operator changed it for the first time.

use crate::secrets::{SecretKey, SecretValue, Secrets};
use api::v1beta1::{Core, CoreSpec};
use k8s_openapi::api::core::v1::Secret;
use kube::ResourceExt as _;
use plan::{All as _, ChildName, PlanError, World};

/// The key of the password of the first start, in the Secret of Core's environment.
pub(crate) const FIRST: &str = "HARBOR_ADMIN_PASSWORD";

/// The key in the Secret with the password that Harbor has.
pub(crate) const CURRENT: &str = "password";

/// What is known of the password of a Harbor's administrator.
pub(crate) struct AdminPassword {
    /// The one in the user's Secret.
    wanted: SecretValue,
    /// The one that Core had in its environment when the operator created it.
    first: Option<Vec<u8>>,
    /// The one that the operator has set since.
    changed_to: Option<Vec<u8>>,
}

impl AdminPassword {
    /// The password of a Core, with the checked value of the user's Secret.
    pub fn of(
        core: &Core,
        wanted: Result<SecretValue, PlanError>,
        world: &World<'_>,
    ) -> Result<Self, PlanError> {
        let (wanted, first, changed_to) = (wanted, first(core, world), changed_to(core, world)).all()?;
        Ok(Self { wanted, first, changed_to })
    }

    /// The password that Harbor is to have.
    pub fn wanted(&self) -> String {
        text(self.wanted.bytes())
    }

    /// The password with which Core starts for the first time, as it is in the Secret.
    pub fn first(&self) -> &[u8] {
        self.first.as_deref().unwrap_or(self.wanted.bytes())
    }

    /// The password that Harbor has.
    pub fn current(&self) -> String {
        self.changed_to.as_deref().map_or_else(|| text(self.first()), text)
    }

    /// Whether the operator has changed it since the first start.
    pub fn has_changed(&self) -> bool {
        self.changed_to.is_some()
    }
}

/// The key of the user's Secret.
pub(crate) fn admin_password_key(spec: &CoreSpec) -> SecretKey<'_> {
    SecretKey::new(
        &spec.admin_initial_password_ref,
        spec.admin_initial_password_key.as_deref().unwrap_or("secret"),
    )
}

/// The name of the Secret with the password that Harbor has since the operator has changed it.
pub(crate) fn current_secret(core: &str) -> String {
    format!("{core}-core-admin-current")
}

/// The password that Harbor has. The user's Secret may have another one already.
pub(super) fn current(core: &Core, secrets: &Secrets<'_>, world: &World<'_>) -> Result<String, PlanError> {
    let known = match changed_to(core, world)? {
        Some(password) => Some(password),
        None => first(core, world)?,
    };
    match known {
        Some(password) => Ok(text(&password)),
        None => Ok(text(secrets.value(&admin_password_key(&core.spec))?.bytes())),
    }
}

fn first(core: &Core, world: &World<'_>) -> Result<Option<Vec<u8>>, PlanError> {
    entry(&ChildName::of(&core.name_any(), "core")?, FIRST, world)
}

fn changed_to(core: &Core, world: &World<'_>) -> Result<Option<Vec<u8>>, PlanError> {
    entry(&current_secret(&core.name_any()), CURRENT, world)
}

/// A value that is not empty: with an empty password, anyone could log in.
fn entry(secret: &str, key: &str, world: &World<'_>) -> Result<Option<Vec<u8>>, PlanError> {
    let value = world.read::<Secret>(secret)?.and_then(|secret| secret.data?.remove(key));
    Ok(value.map(|value| value.0).filter(|value| !value.is_empty()))
}

/// The text of a password. A line end at the end of a file that became a Secret is no part of it.
pub(super) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_end_matches(['\r', '\n']).to_owned()
}

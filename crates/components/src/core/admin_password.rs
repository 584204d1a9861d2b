//! The password of the administrator, which follows its Secret.
//!
//! Harbor takes the password from Core's environment at its first start only. When a user changes the Secret, the operator
//! changes the password through Harbor's API, for which it needs the old one. The record of the database has the password of
//! the first start, so that a Harbor whose password never changes needs no further Secret. After a change, a Secret of its
//! own has the password that Harbor has now.

use super::{
    Core,
    record::{Memory, Record},
    validated,
};
use crate::{
    pods::Instance,
    secrets::{SecretKey, Secrets},
};
use api::v1beta1;
use harborstate::{
    Access, State as _, Trust,
    admin_password::{self, NAME, OLD_PASSWORD, PASSWORD},
};
use k8s_openapi::{
    ByteString,
    api::{apps::v1::Deployment, core::v1::Secret},
};
use kube::ResourceExt as _;
use plan::{
    Builder, Component, Connection, DeletionBehavior, Desired, External, IfAbsent, IfExists, Node, PlanError,
    System, World, starts_after,
};

/// The key in the Secret with the password that Harbor has now.
const KEY: &str = "password";

/// The password in the user's Secret, and what the operator knows of the one that Harbor has.
pub(super) struct AdminPassword {
    wanted: String,
    /// From the Secret that exists since the first change.
    changed_to: Option<String>,
    /// From the record of the database.
    first: Option<String>,
}

impl AdminPassword {
    /// The password of a Core.
    pub fn of(
        owner: &v1beta1::Core,
        secrets: &Secrets<'_>,
        world: &World<'_>,
    ) -> Result<Self, PlanError> {
        let wanted = secrets.value(&validated::admin_password(&owner.spec))?;
        let changed_to = world.read::<Secret>(&current_secret(&owner.name_any()))?.and_then(|secret| {
            let value = secret.data?.remove(KEY)?;
            Some(text(&value.0))
        });
        let first = Record::read(&owner.name_any(), world)?.and_then(|record| record.admin_password);
        Ok(Self { wanted: text(wanted.bytes()), changed_to, first })
    }

    /// The password that Harbor has, as far as the operator knows. Nothing is recorded before Core has become available:
    /// until then, it is the one in the environment.
    pub fn current(&self) -> &str {
        self.changed_to.as_ref().or(self.first.as_ref()).unwrap_or(&self.wanted)
    }

    /// The password of the first start, for the record of the database.
    pub fn first(&self) -> &str {
        self.first.as_ref().unwrap_or(&self.wanted)
    }

    /// Adds the change of the password, if it is to change, and the Secret with the password that Harbor has then.
    pub fn add<'g>(
        &self,
        core: &Instance<'_>,
        memory: &Memory,
        pods: Node<'g, Deployment>,
        graph: &mut Builder<'g>,
    ) -> Result<(), PlanError> {
        let change = if self.current() == self.wanted {
            None
        } else {
            let change = Desired::external(self.change(core)?).on_deletion(DeletionBehavior::Kept);
            Some(graph.add::<External>(change, starts_after(pods)))
        };
        if change.is_some() || self.changed_to.is_some() {
            let secret = Desired::from(self.secret(core)).on_deletion(memory.deletion());
            graph.add::<Secret>(secret, change);
        }
        Ok(())
    }

    fn change(&self, core: &Instance<'_>) -> Result<External, PlanError> {
        let system = harborstate::system(core.namespace, core.owner);
        let external = admin_password::AdminPassword {}.external(&system, NAME).map_err(|_| {
            PlanError::invalid(&system, "cannot be described", "report this as a defect of the operator")
        })?;
        let remedy = "report this as a defect of the operator".to_owned();
        Ok(External {
            write_only: [(PASSWORD, &*self.wanted), (OLD_PASSWORD, self.current())]
                .map(|(field, password)| (field.to_owned(), password.into()))
                .into_iter()
                .collect(),
            if_exists: IfExists::Adopt,
            if_absent: IfAbsent::Refuse { remedy },
            ..external
        })
    }

    fn secret(&self, core: &Instance<'_>) -> Secret {
        Secret {
            metadata: core.metadata(current_secret(core.owner)),
            type_: Some("Opaque".into()),
            data: Some([(KEY.to_owned(), ByteString(self.wanted.clone().into_bytes()))].into()),
            ..Secret::default()
        }
    }
}

/// How the operator logs in to a Core: through its Service, because the public URL may need a proxy, a DNS server or an
/// authority that the operator does not have.
pub(crate) fn access(core: &v1beta1::Core, world: &World<'_>) -> Result<Access, PlanError> {
    let namespace = core.namespace().unwrap_or_default();
    let secrets = Secrets::new(world, &namespace);
    let service = format!("{}-{}", core.name_any(), Core::NAME);
    let tls = core.spec.components.tls.as_ref().and_then(|tls| tls.certificate_ref.as_ref());
    let (scheme, trust) = match tls {
        None => ("http", Trust::Public),
        Some(secret) => {
            let authority = secrets.value(&SecretKey::new(secret, "ca.crt"))?;
            // Certificates inside a Harbor are for the names of Services, without namespaces.
            ("https", Trust::Service { authorities: text(authority.bytes()), name: service.clone() })
        }
    };
    let password = AdminPassword::of(core, &secrets, world)?;
    Ok(Access {
        url: format!("{scheme}://{service}.{namespace}.svc"),
        trust,
        username: NAME.into(),
        password: password.current().to_owned(),
    })
}

/// How to reach the Harbor of a Core, which is called by the name of the Core.
pub(super) fn connection(world: &World<'_>, system: &System) -> Result<Option<Connection>, PlanError> {
    let core = world.require::<v1beta1::Core>(&system.name)?;
    let connection = access(&core, world)?.connection();
    connection
        .map(Some)
        .map_err(|_| PlanError::invalid(system, "has no usable address", "correct the name of the Core"))
}

/// The name of the Secret with the password that Harbor has, once it has been changed.
fn current_secret(core: &str) -> String {
    format!("{core}-{}-admin-current", Core::NAME)
}

fn text(bytes: &[u8]) -> String {
    // A line end at the end of a file that became a Secret is no part of a password.
    String::from_utf8_lossy(bytes).trim_end_matches(['\r', '\n']).to_owned()
}

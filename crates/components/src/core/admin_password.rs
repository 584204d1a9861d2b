//! The change of the administrator's password in Harbor, when the user's Secret changes.

use super::validated::Validated;
use crate::management::{self, CURRENT, admin_password_key, check_password, current_secret};
use api::v1beta1::{self, Harbor};
use harborstate::admin_password::{AdminPassword, NAME, PASSWORD};
use k8s_openapi::{
    ByteString,
    api::{apps::v1::Deployment, core::v1::Secret},
};
use kube::{Resource as _, ResourceExt as _};
use plan::{
    Announcement, Builder, CountedValues, DeletionBehavior, Desired, External, IfAbsent, IfExists, Node,
    ObjectKey, PlanError, System, Violation, starts_after,
};

/// Harbor ignores the password in Core's environment after its first start, so no pod restarts for a change of it.
pub(super) fn counted(core: &Validated<'_>) -> CountedValues {
    let key = admin_password_key(core.spec);
    let secret = ObjectKey::of::<Secret>(core.instance.namespace, key.secret);
    CountedValues::default().and(secret, key.key, core.admin_password.first())
}

/// Adds the change, if there is one, and the Secret with the password that Harbor has then.
pub(super) fn add<'g>(
    owner: &v1beta1::Core,
    core: &Validated<'_>,
    pods: Node<'g, Deployment>,
    graph: &mut Builder<'g>,
) -> Result<(), PlanError> {
    let password = &core.admin_password;
    if password.wanted() == password.current() {
        add_current(core, graph);
        return Ok(());
    }
    let change = Desired::external(change(owner, core)?).on_deletion(DeletionBehavior::Kept);
    let change = graph.add::<External>(change, starts_after(pods));
    graph.add::<Secret>(current(core, password.wanted()), change);
    Ok(())
}

/// Adds the Secret with the password that Harbor has, if the operator has changed it.
pub(super) fn add_current(core: &Validated<'_>, graph: &mut Builder<'_>) {
    let password = &core.admin_password;
    if password.has_changed() {
        graph.add::<Secret>(current(core, password.current()), ());
    }
}

fn change(owner: &v1beta1::Core, core: &Validated<'_>) -> Result<External, PlanError> {
    let wanted = core.admin_password.wanted();
    let key = admin_password_key(core.spec);
    let secret = ObjectKey::of::<Secret>(core.instance.namespace, key.secret);
    let subject = format!("{secret}, key `{}`", key.key);
    let fault = check_password(wanted.as_bytes()).err();
    let external = management::object(&system(owner), NAME, &AdminPassword { as_wanted: true })?;
    Ok(External {
        write_only: [(PASSWORD.to_owned(), wanted.into())].into_iter().collect(),
        if_exists: IfExists::Adopt,
        if_absent: IfAbsent::Refuse { remedy: "report this as a defect of the operator".into() },
        fault: fault.map(|fault| Violation::new(&subject, fault.problem, fault.remedy)),
        announcement: Some(Announcement {
            reason: "AdminPasswordChanged",
            note: format!("the administrator of Harbor has the password in {subject} now"),
        }),
        ..external
    })
}

/// The Harbor of a Core. With a Harbor object it is the one that objects of day 2 name, so that they share a client.
fn system(core: &v1beta1::Core) -> System {
    let (namespace, name) = (core.namespace().unwrap_or_default(), core.name_any());
    let owner = core.owner_references().iter().find(|owner| owner.controller == Some(true));
    match owner.filter(|owner| owner.kind == Harbor::kind(&())) {
        Some(harbor) => harborstate::system(&namespace, &harbor.name),
        None => harborstate::system_of_core(&namespace, &name),
    }
}

/// It is kept with the data: the password is in the database.
fn current(core: &Validated<'_>, password: String) -> Desired {
    let secret = Secret {
        metadata: core.instance.metadata(current_secret(core.instance.owner)),
        type_: Some("Opaque".into()),
        data: Some([(CURRENT.to_owned(), ByteString(password.into_bytes()))].into()),
        ..Secret::default()
    };
    Desired::from(secret).on_deletion(core.memory.deletion())
}

//! HarborUser: a user in the database of a Harbor.
//!
//! The operator compares everything but the password, which Harbor does not show; it sends the password again when the Secret
//! has changed.
//!
//! Uses: management, secrets.

mod authentication;

use crate::{
    management::{self, Policy, Server, check_password},
    secrets::{SecretKey, Secrets},
};
use api::v1beta1::{self, HarborUserSpec};
use harborstate::user::{PASSWORD, User};
use kube::ResourceExt as _;
use plan::{All as _, Builder, Children, Component, Conclusion, Connect, External, PlanError, World};
use serde_json::{Map, Value};

/// The component behind a [`v1beta1::HarborUser`].
pub struct HarborUser;

/// The user that every Harbor has. Its password is that of the Harbor.
const ADMIN: &str = "admin";

impl Component for HarborUser {
    type Owner = v1beta1::HarborUser;

    const NAME: &'static str = "harboruser";
    const CONNECT: Connect = management::connection;

    fn children() -> Children {
        Children::none().and_external()
    }

    fn details(_: &Self::Owner, conclusion: &Conclusion<'_>) -> Map<String, Value> {
        management::fields_with_id::<User>("userID", |facts| facts.id.into(), conclusion)
    }

    fn desired(owner: &Self::Owner, world: &World<'_>, graph: &mut Builder<'_>) -> Result<(), PlanError> {
        let (spec, namespace) = (&owner.spec, owner.namespace().unwrap_or_default());
        let system = management::system(owner, &spec.target, world)?;
        let server = Server::read(&system, world)?;
        let secrets = Secrets::new(world, &namespace);
        let (password, (), ()) = (
            password(spec, &secrets),
            check_name(spec),
            authentication::check(spec, &system, &server, world),
        )
            .all()?;

        let user = User {
            email: Some(spec.email.clone()),
            realname: Some(spec.realname.clone().unwrap_or_else(|| spec.username.clone())),
            comment: Some(spec.comment.clone().unwrap_or_default()),
            sysadmin: Some(spec.sysadmin.unwrap_or_default()),
        };
        let policy =
            Policy { creation: spec.effective_creation_policy(), deletion: spec.effective_deletion_policy() };
        let write_only = [(PASSWORD.to_owned(), password.into())].into_iter().collect();
        let external = External { write_only, ..management::object(&system, &spec.username, &user)? };
        graph.add::<External>(policy.desired(external), ());
        Ok(())
    }
}

fn password(spec: &HarborUserSpec, secrets: &Secrets<'_>) -> Result<String, PlanError> {
    let key = spec.password_ref.key.as_deref().unwrap_or("password");
    let key = SecretKey::new(&spec.password_ref.name, key);
    let password = secrets.value(&key)?;
    // A line end at the end of a file that became a Secret is no part of a password.
    let length = password.bytes().iter().rposition(|byte| !b"\r\n".contains(byte)).map_or(0, |last| last + 1);
    let (password, _) = password.bytes().split_at(length);
    check_password(password).map_err(|fault| secrets.invalid(&key, fault))?;
    Ok(String::from_utf8_lossy(password).into_owned())
}

fn check_name(spec: &HarborUserSpec) -> Result<(), PlanError> {
    if spec.username != ADMIN {
        return Ok(());
    }
    Err(PlanError::invalid(
        "spec.username",
        "admin is the administrator of each Harbor, whose password the operator logs in with",
        "choose another name",
    ))
}

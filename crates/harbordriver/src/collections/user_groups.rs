//! User groups.

use super::membership::group_type;
use crate::{
    client::Client,
    failure::{missing, rejected, system_error},
    manage::{Manage, Objects, desired, shown},
};
use harbor::user_groups as api;
use harborstate::{
    NoFacts,
    members::GroupType,
    user_group::{UserGroup, name, parse},
};
use plan::{External, SystemError};
use serde_json::Value;

/// The collection `user-group`.
pub(crate) struct UserGroups;

impl Manage for UserGroups {
    async fn list(client: &Client, _: Option<&str>) -> Result<Objects, SystemError> {
        let groups = client.harbor.user_groups().list().await.map_err(system_error)?;
        let mut objects = Objects::new();
        for group in groups {
            let Some(kind) = group.kind.map(group_type) else { continue };
            let identity = if kind == GroupType::Ldap { &group.ldap_group_dn } else { &group.name };
            let state = UserGroup { group_name: Some(group.name.clone()) };
            objects.insert(name(kind, identity), shown(state, NoFacts {})?);
        }
        Ok(objects)
    }

    async fn create(client: &Client, wanted: &External) -> Result<(), SystemError> {
        client.index.forget_groups();
        let group = group(wanted)?;
        client.harbor.user_groups().create(&group).await.map(drop).map_err(system_error)
    }

    async fn update(client: &Client, wanted: &External, _: &Value) -> Result<(), SystemError> {
        let group = group(wanted)?;
        let found = client.harbor.user_groups().list().await.map_err(system_error)?;
        let Some(found) = found.iter().find(|found| group.is(found)) else {
            return Err(missing("user group", &wanted.name));
        };
        client.index.forget_groups();
        client.harbor.user_groups().rename(found.id, &group).await.map_err(system_error)
    }

    async fn delete(client: &Client, name: &str, _: &Value) -> Result<(), SystemError> {
        let groups = client.harbor.user_groups().list().await.map_err(system_error)?;
        let group = identified(name, String::new())?;
        let Some(found) = groups.iter().find(|found| group.is(found)) else { return Ok(()) };
        client.index.forget_groups();
        client.harbor.user_groups().delete(found.id).await.map(drop).map_err(system_error)
    }
}

fn group(wanted: &External) -> Result<api::NewUserGroup, SystemError> {
    let UserGroup { group_name } = desired(wanted)?;
    let group = identified(&wanted.name, group_name.clone().unwrap_or_default())?;
    match (&group, group_name) {
        (api::NewUserGroup::Http { name } | api::NewUserGroup::Oidc { name }, Some(shown))
            if *name != shown =>
        {
            Err(rejected(
                format!("the group {name} cannot be shown as {shown}"),
                "leave the name out, or describe another group",
            ))
        }
        _ => Ok(group),
    }
}

/// The group that the name of an object identifies.
fn identified(name: &str, shown: String) -> Result<api::NewUserGroup, SystemError> {
    match parse(name) {
        Some((GroupType::Ldap, dn)) => Ok(api::NewUserGroup::Ldap { dn: dn.to_owned(), name: shown }),
        Some((GroupType::Http, name)) => Ok(api::NewUserGroup::Http { name: name.to_owned() }),
        Some((GroupType::Oidc, name)) => Ok(api::NewUserGroup::Oidc { name: name.to_owned() }),
        None => {
            Err(rejected(format!("{name} names no user group"), "report this as a defect of the operator"))
        }
    }
}

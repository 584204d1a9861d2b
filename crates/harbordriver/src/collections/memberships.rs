//! Single memberships in projects.

use super::membership::{entity, role_of, show};
use crate::{
    client::Client,
    failure::{rejected, system_error},
    manage::{Manage, Objects, desired, shown},
};
use harbor::{MemberId, members::NewMember};
use harborstate::{
    NoFacts,
    member::{Membership, name, parse},
    members::{Kind, Member},
    split,
};
use plan::{External, SystemError};
use serde_json::Value;

/// The collection `member`.
pub(crate) struct Memberships;

impl Manage for Memberships {
    /// An LDAP group is listed under its name and under its distinguished name.
    async fn list(client: &Client, part: Option<&str>) -> Result<Objects, SystemError> {
        let Some(project) = part else { return Ok(Objects::new()) };
        let answer = client.harbor.project(project).members().list().await;
        let Some(members) = client.in_project(project, answer).await? else { return Ok(Objects::new()) };
        let mut objects = Objects::new();
        for (_, member) in show(client, &members).await? {
            let Member { kind, role, group_type, ldap_group_dn, .. } = member;
            let value =
                shown(Membership { role, group_type, ldap_group_dn: ldap_group_dn.clone() }, NoFacts {})?;
            if let Some(dn) = ldap_group_dn {
                objects.insert(name(project, kind, &dn), value.clone());
            }
            objects.insert(name(project, kind, &member.name), value);
        }
        Ok(objects)
    }

    async fn create(client: &Client, wanted: &External) -> Result<(), SystemError> {
        let (project, member) = member(wanted)?;
        let new = NewMember { entity: entity(client, &member).await?, role: role_of(member.role) };
        client.harbor.project(project).members().add(&new).await.map(drop).map_err(system_error)
    }

    async fn update(client: &Client, wanted: &External, _: &Value) -> Result<(), SystemError> {
        let (project, member) = member(wanted)?;
        match id(client, &wanted.name).await? {
            Some(id) => {
                let members = client.harbor.project(project).members();
                members.set_role(id, role_of(member.role)).await.map_err(system_error)
            }
            None => Self::create(client, wanted).await,
        }
    }

    async fn delete(client: &Client, name: &str, _: &Value) -> Result<(), SystemError> {
        let (project, _, _) = parts(name)?;
        let Some(id) = id(client, name).await? else { return Ok(()) };
        client.harbor.project(project).members().remove(id).await.map(drop).map_err(system_error)
    }
}

fn member(wanted: &External) -> Result<(&str, Member), SystemError> {
    let Membership { role, group_type, ldap_group_dn } = desired(wanted)?;
    let (project, kind, name) = parts(&wanted.name)?;
    Ok((project, Member { kind, group_type, ldap_group_dn, ..Member::user(name, role) }))
}

fn parts(name: &str) -> Result<(&str, Kind, &str), SystemError> {
    let parsed = split(name).and_then(|(project, member)| Some((project, parse(member)?)));
    let (project, (kind, name)) = parsed.ok_or_else(|| {
        rejected(format!("{name} names no member"), "report this as a defect of the operator")
    })?;
    Ok((project, kind, name))
}

async fn id(client: &Client, name: &str) -> Result<Option<MemberId>, SystemError> {
    let (project, kind, name) = parts(name)?;
    let members = client.harbor.project(project).members().list().await.map_err(system_error)?;
    let is_it = |member: &Member| {
        let dn = member.ldap_group_dn.as_deref();
        member.kind == kind && (member.name == name || dn == Some(name))
    };
    Ok(show(client, &members).await?.into_iter().find(|(_, member)| is_it(member)).map(|(id, _)| id))
}

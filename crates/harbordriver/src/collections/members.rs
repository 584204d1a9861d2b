//! All members of a project, as one list.

use super::{
    membership::{entity, role_of, show},
    singletons::no_project,
};
use crate::{
    client::Client,
    failure::{Refusals, system_error},
    manage::{Manage, Objects, Start, desired, found, shown},
};
use harbor::{
    Failure, MemberId,
    members::{self as api, Entity, NewMember},
};
use harborstate::{
    Found,
    members::{Facts, Kind, Member, Members},
};
use plan::{External, SystemError};
use serde_json::Value;

/// The collection `members`.
pub(crate) struct ProjectMembers;

impl Manage for ProjectMembers {
    const UPDATES: Start = Start::Known;

    async fn list(client: &Client, part: Option<&str>) -> Result<Objects, SystemError> {
        let Some(project) = part else { return Ok(Objects::new()) };
        let answer = client.harbor.project(project).members().list().await;
        let Some(members) = client.in_project(project, answer).await? else { return Ok(Objects::new()) };
        let Some(known) = client.known_project(project).await? else { return Ok(Objects::new()) };
        let members = show(client, &members).await?.into_iter().map(|(_, member)| member).collect();
        let facts = Facts { creator: known.owner_name.clone() };
        Ok([(project.to_owned(), shown(Members { members }, facts)?)].into())
    }

    async fn create(_: &Client, wanted: &External) -> Result<(), SystemError> {
        Err(no_project(&wanted.name))
    }

    /// Adds users that are missing. A number is needed for any other change, and groups are shown with more than was
    /// sent. A user that Harbor has already, such as after an answer that was lost, is a conflict.
    async fn extend(client: &Client, wanted: &External, known: &Value) -> Result<Option<Value>, SystemError> {
        let desired: Members = desired(wanted)?;
        let Found { state: mut members, facts } = found::<Members>(known)?;
        let Some(missing) = missing_users(&desired, &members, &facts.creator) else { return Ok(None) };
        let calls = client.harbor.project(&wanted.name).members();
        let mut refusals = Refusals::default();
        for member in missing {
            let entity = Entity::UserNamed(member.name.clone());
            match calls.add(&NewMember { entity, role: role_of(member.role) }).await {
                Ok(_) => drop(members.members.insert(member.clone())),
                Err(error) if matches!(error.failure(), Failure::Conflict(_)) => return Ok(None),
                Err(error) => refusals.note(Err(system_error(error)))?,
            }
        }
        refusals.result()?;
        shown(members, facts).map(Some)
    }

    async fn update(client: &Client, wanted: &External, actual: &Value) -> Result<(), SystemError> {
        let desired: Members = desired(wanted)?;
        let creator = found::<Members>(actual)?.facts.creator;
        let calls = client.harbor.project(&wanted.name).members();
        let members = show(client, &calls.list().await.map_err(system_error)?).await?;
        let mut refusals = Refusals::default();
        // Removals first: who is to lose access loses it, whatever is wrong with the others.
        let all = Members { members: members.iter().map(|(_, member)| member.clone()).collect() };
        for surplus in desired.surplus(&all, &creator) {
            if let Some((id, _)) = members.iter().find(|(_, member)| member == surplus) {
                refusals.note(calls.remove(*id).await.map(drop).map_err(system_error))?;
            }
        }
        for member in &desired.members {
            let actual = members.iter().find(|(_, actual)| member.is(actual));
            refusals.note(ensure(client, calls, member, actual).await)?;
        }
        refusals.result()
    }

    /// The members are those of the project, and go with it.
    async fn delete(_: &Client, _: &str, _: &Value) -> Result<(), SystemError> {
        Ok(())
    }
}

/// Adds a member, or gives it its role.
async fn ensure(
    client: &Client,
    calls: api::Members<'_>,
    member: &Member,
    actual: Option<&(MemberId, Member)>,
) -> Result<(), SystemError> {
    let role = role_of(member.role);
    match actual {
        Some((_, actual)) if actual.role == member.role => Ok(()),
        Some((id, _)) => calls.set_role(*id, role).await.map_err(system_error),
        None => {
            let entity = entity(client, member).await?;
            calls.add(&NewMember { entity, role }).await.map(drop).map_err(system_error)
        }
    }
}

/// The users to add; `None` if anything else differs as well.
fn missing_users<'a>(desired: &'a Members, actual: &Members, creator: &str) -> Option<Vec<&'a Member>> {
    let mut missing = Vec::new();
    for member in &desired.members {
        match actual.members.iter().find(|actual| member.is(actual)) {
            Some(actual) if actual.role == member.role => {}
            None if member.kind == Kind::User => missing.push(member),
            _ => return None,
        }
    }
    (desired.surplus(actual, creator).is_empty() && !missing.is_empty()).then_some(missing)
}

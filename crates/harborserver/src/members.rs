//! Members of projects.

use crate::{
    access::{Identity, Role},
    call::Call,
    failure::Failure,
    groups::{Group, GroupRequest},
    projects::Project,
    rest::{Column, Filter, Page, Reply, Route, Row, Sort, Term, go_struct},
    state::{Data, Id},
    users::User,
};
use serde_json::{Value, json};

/// The endpoints of members.
pub(crate) const ROUTES: &[Route] = &[
    Route::get("/projects/{project_name_or_id}/members", list),
    Route::post("/projects/{project_name_or_id}/members", create),
    Route::get("/projects/{project_name_or_id}/members/{mid}", read),
    Route::put("/projects/{project_name_or_id}/members/{mid}", update),
    Route::delete("/projects/{project_name_or_id}/members/{mid}", delete),
];

/// A user or a group in a project.
#[derive(Clone)]
pub(crate) struct Member {
    pub project: Id<Project>,
    pub entity: Entity,
    /// Any number: an update does not check it.
    pub role: i64,
}

/// Who a member is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Entity {
    User(Id<User>),
    Group(Id<Group>),
}

go_struct! { NewMember = "ProjectMember" { role_id: i64, member_user: Option<UserEntity>, member_group: Option<GroupRequest> } }
go_struct! { UserEntity = "UserEntity" { user_id: i64, username: String } }
go_struct! { RoleRequest = "RoleRequest" { role_id: i64 } }

impl Member {
    /// The role, if its number is that of one. Members with another number are invisible.
    pub fn role(&self) -> Option<Role> {
        Role::numbered(self.role)
    }

    pub fn is_user(&self, user: Id<User>) -> bool {
        self.entity == Entity::User(user)
    }
}

/// A member in a list.
struct Listed<'a> {
    id: Id<Member>,
    member: &'a Member,
    role: Role,
    name: &'a str,
}

impl Row for Listed<'_> {
    fn column(&self, name: &str) -> Option<Column> {
        (name == "entityname").then(|| Column::Text(self.name.to_owned()))
    }
}

impl Listed<'_> {
    fn show(&self) -> Value {
        let (kind, entity) = match self.member.entity {
            Entity::User(id) => ("u", id.number()),
            Entity::Group(id) => ("g", id.number()),
        };
        json!({
            "id": self.id.number(),
            "project_id": self.member.project.number(),
            "entity_id": entity,
            "entity_name": self.name,
            "entity_type": kind,
            "role_id": self.member.role,
            "role_name": self.role.name(),
        })
    }
}

/// The members that answers show: those whose role exists.
fn visible(data: &Data, project: Id<Project>) -> impl Iterator<Item = Listed<'_>> {
    data.members.iter().filter(move |(_, member)| member.project == project).filter_map(|(id, member)| {
        let name = match member.entity {
            Entity::User(id) => &data.users.get(id)?.name,
            Entity::Group(id) => &data.groups.get(id)?.name,
        };
        Some(Listed { id, member, role: member.role()?, name })
    })
}

/// Whether the caller is an administrator of any project.
pub(crate) fn administers_any(call: &Call<'_>) -> bool {
    let Identity::User { id, .. } = call.identity else { return false };
    call.data
        .members
        .iter()
        .any(|(_, member)| member.is_user(id) && member.role() == Some(Role::ProjectAdmin))
}

/// The total counts all members, whatever the name asked for and whether they are visible.
fn list(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let page = Page::of(call.request)?;
    let project = call.project("project_name_or_id", "member", "list")?;
    let filter = match call.request.parameter("entityname").filter(|name| !name.is_empty()) {
        Some(name) => Filter::default().and("entityname", Term::Exact(name.to_owned())),
        None => Filter::default(),
    };
    let mut members: Vec<_> = visible(call.data, project).filter(|member| filter.keeps(member)).collect();
    Sort::of(call.request, "entityname").apply(&mut members);
    let total = call.data.members.iter().filter(|(_, member)| member.project == project).count();
    let shown = page.cut(members).iter().map(Listed::show).collect();
    Ok(page.answer(call.request, total, shown))
}

fn create(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let wanted: NewMember = call.optional_body("project_member")?.unwrap_or_default();
    let project = call.project("project_name_or_id", "member", "create")?;
    if Role::numbered(wanted.role_id).is_none() {
        return Err(Failure::bad_request("Failed to update project member, role is not in 1,2,3"));
    }
    let entity = entity(call, &wanted)?;
    if call.data.members.find(|member| member.project == project && member.entity == entity).is_some() {
        return Err(Failure::conflict("The project member specified already exist"));
    }
    let id = call.data.members.insert(Member { project, entity, role: wanted.role_id });
    Ok(Reply::created(call.location(&id.to_string())))
}

/// The user or group that a body names, in Harbor's order of precedence.
fn entity(call: &Call<'_>, wanted: &NewMember) -> Result<Entity, Failure> {
    if let Some(user) = &wanted.member_user {
        if user.user_id > 0 {
            let id = Id::new(user.user_id);
            let known = call.data.users.get(id).is_some();
            return if known { Ok(Entity::User(id)) } else { Err(Failure::internal()) };
        }
        if !user.username.is_empty() {
            let found = call.data.users.find(|known| known.name == user.username);
            let missing = || Failure::not_found(format!("user {} is not found", user.username));
            return found.map(|(id, _)| Entity::User(id)).ok_or_else(missing);
        }
    }
    let Some(group) = &wanted.member_group else { return Err(Failure::internal()) };
    if group.id > 0 {
        let id = Id::new(group.id);
        let known = call.data.groups.get(id).is_some();
        let missing = || Failure::not_found(format!("user group with id {id} not found"));
        return known.then_some(Entity::Group(id)).ok_or_else(missing);
    }
    let found = if group.ldap_group_dn.is_empty() {
        call.data.groups.find(|known| known.name == group.group_name && known.kind == group.group_type)
    } else {
        call.data.groups.find(|known| known.ldap_dn == group.ldap_group_dn)
    };
    if let Some((id, _)) = found {
        return Ok(Entity::Group(id));
    }
    if group.group_name.is_empty() && group.ldap_group_dn.is_empty() {
        return Err(Failure::internal());
    }
    let searched = if group.group_name.is_empty() { &group.ldap_group_dn } else { &group.group_name };
    // The identity providers of the stand-in have no groups to onboard.
    Err(Failure::not_found(format!("{searched} not found: not supported")))
}

/// A member of the project that the path names. A member whose role does not exist is invisible.
fn read(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let id: Id<Member> = call.id("mid")?;
    let project = call.project("project_name_or_id", "member", "read")?;
    let found = visible(call.data, project).find(|member| member.id == id);
    let missing = || {
        Failure::not_found(format!("the project member is not found, project id {project}, member id {id}"))
    };
    Ok(Reply::json(found.ok_or_else(missing)?.show()))
}

/// Takes any role.
fn update(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let id: Id<Member> = call.id("mid")?;
    let wanted: RoleRequest = call.optional_body("role")?.unwrap_or_default();
    let project = call.project("project_name_or_id", "member", "update")?;
    if let Some(member) = call.data.members.get_mut(id).filter(|member| member.project == project) {
        member.role = wanted.role_id;
    }
    Ok(Reply::done())
}

/// Always succeeds.
fn delete(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let id: Id<Member> = call.id("mid")?;
    let project = call.project("project_name_or_id", "member", "delete")?;
    call.data.members.retain(|other, member| other != id || member.project != project);
    Ok(Reply::done())
}

//! Groups of users, which other systems manage.

use crate::{
    call::Call,
    configurations::AuthMode,
    failure::Failure,
    members::Entity,
    network::Answer,
    rest::{Column, Filter, Reply, Route, Row, Shown, Term, go_struct},
    state::Id,
};
use serde_json::Value;

/// The endpoints of groups.
pub(crate) const ROUTES: &[Route] = &[
    Route::get("/usergroups", list),
    Route::post("/usergroups", create),
    Route::get("/usergroups/search", search),
    Route::get("/usergroups/{group_id}", read),
    Route::put("/usergroups/{group_id}", rename),
    Route::delete("/usergroups/{group_id}", delete),
];

/// LDAP groups; 2 are those of the HTTP proxy, 3 those of OIDC. Harbor takes any other number, too.
const LDAP: i64 = 1;
const HTTP: i64 = 2;

/// A group.
#[derive(Clone)]
pub(crate) struct Group {
    pub name: String,
    pub kind: i64,
    pub ldap_dn: String,
}

go_struct! {
    /// A group as bodies name it.
    GroupRequest = "UserGroup" { id: i64, group_name: String, group_type: i64, ldap_group_dn: String }
}

struct Listed<'a>(Id<Group>, &'a Group);

impl Row for Listed<'_> {
    fn column(&self, name: &str) -> Option<Column> {
        match name {
            "id" => Some(Column::Number(self.0.number())),
            "groupname" => Some(Column::Text(self.1.name.clone())),
            "grouptype" => Some(Column::Number(self.1.kind)),
            "ldapgroupdn" => Some(Column::Text(self.1.ldap_dn.clone())),
            _ => None,
        }
    }
}

impl Group {
    fn show(&self) -> Shown {
        Shown::new()
            .nonzero("group_name", self.name.as_str())
            .nonzero("group_type", self.kind)
            .nonzero("ldap_group_dn", self.ldap_dn.as_str())
    }
}

impl Listed<'_> {
    fn show(&self) -> Value {
        self.1.show().nonzero("id", self.0.number()).into()
    }
}

fn missing(id: Id<Group>) -> Failure {
    Failure::not_found(format!("user group with id {id} not found"))
}

/// The groups that the way of authentication lets one see.
fn visible<'a>(call: &'a Call<'_>) -> impl Iterator<Item = Listed<'a>> {
    let only = match call.data.configuration.auth_mode(call.now) {
        AuthMode::Ldap => Some(LDAP),
        AuthMode::Http => Some(HTTP),
        AuthMode::Database | AuthMode::Oidc | AuthMode::Uaa => None,
    };
    let groups = call.data.groups.iter().map(|(id, group)| Listed(id, group));
    groups.filter(move |group| only.is_none_or(|kind| group.1.kind == kind))
}

fn list(call: &mut Call<'_>) -> Result<Reply, Failure> {
    call.on_system("user-group", "list")?;
    let mut filter = Filter::default();
    if let Some(dn) = call.request.parameter("ldap_group_dn") {
        filter = filter.and("ldap_group_dn", Term::Exact(dn.to_owned()));
    }
    if let Some(name) = call.request.parameter("group_name") {
        filter = filter.and("group_name", Term::Fuzzy(name.to_owned()));
    }
    call.listed(&filter, "group_name", visible(call), |group| group.show())
}

fn search(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let name = call.request.required("groupname")?.to_owned();
    call.authenticated()?;
    let filter = Filter::default().and("group_name", Term::Fuzzy(name));
    call.listed(&filter, "group_name", visible(call), |group| group.show())
}

fn create(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let wanted: GroupRequest = call.optional_body("usergroup")?.unwrap_or_default();
    call.on_system("user-group", "create")?;
    let GroupRequest { group_name, group_type, ldap_group_dn, .. } = wanted;
    if group_name.is_empty() {
        return Err(Failure::bad_request("group name can not be empty"));
    }
    if group_type == LDAP {
        let url = call.data.configuration.text("ldap_url", call.now);
        if ldap_group_dn.is_empty() || call.runtime.network.call(&url, None) == Answer::Silent {
            return Err(Failure::bad_request(format!("LDAP Group DN is not found: DN:{ldap_group_dn}")));
        }
    }
    let taken = call.data.groups.find(|group| match group_type {
        LDAP => group.ldap_dn == ldap_group_dn,
        _ => group.name == group_name && group.kind == group_type,
    });
    if taken.is_some() {
        return Err(Failure::conflict(format!(
            "duplicate user group, group name:{group_name}, group type: {group_type}, \
             ldap group DN: {ldap_group_dn}"
        )));
    }
    let id = call.data.groups.insert(Group { name: group_name, kind: group_type, ldap_dn: ldap_group_dn });
    Ok(Reply::created(call.location(&id.to_string())))
}

/// The answer does not repeat the number.
fn read(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let id = call.id("group_id")?;
    call.on_system("user-group", "read")?;
    Ok(Reply::json(call.data.groups.get(id).ok_or_else(|| missing(id))?.show()))
}

fn rename(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let id = call.id("group_id")?;
    let wanted: GroupRequest = call.optional_body("usergroup")?.unwrap_or_default();
    call.on_system("user-group", "update")?;
    let group = call.data.groups.get_mut(id).ok_or_else(|| missing(id))?;
    if wanted.group_name.is_empty() {
        return Err(Failure::bad_request("group name can not be empty"));
    }
    group.name = wanted.group_name;
    Ok(Reply::done())
}

fn delete(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let id = call.id("group_id")?;
    call.on_system("user-group", "delete")?;
    call.data.groups.remove(id).ok_or_else(|| missing(id))?;
    call.data.members.retain(|_, member| member.entity != Entity::Group(id));
    Ok(Reply::done())
}

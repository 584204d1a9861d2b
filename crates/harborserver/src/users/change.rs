//! Changes of users.

use super::{ADMIN, User, create::check_profile};
use crate::{
    access::Identity,
    call::Call,
    configurations::AuthMode,
    failure::Failure,
    rest::{Reply, go_struct},
    state::Id,
};

go_struct! { Profile = "UserProfile" { email: String, realname: String, comment: String } }
go_struct! { Administrator = "UserSysAdminFlag" { sysadmin_flag: bool } }

fn missing(id: Id<User>) -> Failure {
    Failure::not_found(format!("user {id} not found"))
}

pub(super) fn update(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let id: Id<User> = call.id("user_id")?;
    let wanted: Profile = call.body("profile")?;
    call.authenticated()?;
    if !matches!(call.identity, Identity::User { id: asking, .. } if asking == id) {
        call.on_system("user", "update")?;
    }
    if call.data.configuration.auth_mode(call.now) != AuthMode::Database && id != ADMIN {
        return Err(Failure::forbidden("update profile is not allowed under current auth mode"));
    }
    if call.data.users.get(id).is_none() {
        return Err(missing(id));
    }
    check_profile(&wanted.email, &wanted.realname, &wanted.comment)?;
    if call.data.users.iter().any(|(other, user)| other != id && user.email == wanted.email) {
        return Err(Failure::conflict(format!("email {} already exists", wanted.email)));
    }
    let now = call.now;
    if let Some(user) = call.data.users.get_mut(id) {
        user.email = wanted.email;
        user.realname = wanted.realname;
        user.comment = wanted.comment;
        user.updated = now;
    }
    log_update(call, id);
    Ok(Reply::done())
}

pub(super) fn set_administrator(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let id: Id<User> = call.id("user_id")?;
    let wanted: Administrator = call.body("sysadmin_flag")?;
    call.on_system("user", "update")?;
    if id == ADMIN {
        return Err(Failure::forbidden(format!("the sysadmin flag of user {id} can not be changed")));
    }
    let now = call.now;
    let user = call.data.users.get_mut(id).ok_or_else(|| missing(id))?;
    user.sysadmin = wanted.sysadmin_flag;
    user.updated = now;
    log_update(call, id);
    Ok(Reply::done())
}

pub(super) fn log_update(call: &mut Call<'_>, id: Id<User>) {
    let name = call.data.users.get(id).map(|user| user.name.clone()).unwrap_or_default();
    let operator = call.identity.name().to_owned();
    call.data.log(&operator, "update", "user", &name, call.now);
}

/// Harbor keeps the row under another name; what remains visible is that the name is free.
pub(super) fn delete(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let id: Id<User> = call.id("user_id")?;
    call.on_system("user", "delete")?;
    let oneself = matches!(call.identity, Identity::User { id: asking, .. } if asking == id);
    if id == ADMIN || oneself {
        return Err(Failure::forbidden(format!("User with ID {id} cannot be deleted")));
    }
    let user = call.data.users.remove(id).ok_or_else(|| missing(id))?;
    call.data.members.retain(|_, member| !member.is_user(id));
    let name = call.identity.name().to_owned();
    call.data.log(&name, "delete", "user", &user.name, call.now);
    Ok(Reply::done())
}

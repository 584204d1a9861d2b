//! Passwords of local users.

use super::{ADMIN, User, change::log_update};
use crate::{
    access::Identity,
    call::Call,
    configurations::AuthMode,
    failure::Failure,
    rest::{Reply, go_struct},
    secret::Secret,
    state::Id,
    version::{Change, Version},
};

go_struct! { NewPassword = "PasswordReq" { old_password: Secret, new_password: Secret } }

/// Refuses weak passwords.
pub(super) fn check(password: &Secret, version: Version) -> Result<(), Failure> {
    let limited = version.has(Change::LimitsSecrets);
    if password.is_strong(limited.then_some(128)) {
        return Ok(());
    }
    let length = if limited { "be 8-128, inclusively, characters long" } else { "be longer than 8 chars" };
    Err(Failure::bad_request(format!(
        "the password or secret must {length} with at least 1 uppercase letter, 1 lowercase letter and 1 number"
    )))
}

/// Sets a password: one's own needs the old one, those of others do not.
pub(super) fn set(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let id: Id<User> = call.id("user_id")?;
    let wanted: NewPassword = call.body("password")?;
    call.authenticated()?;
    let own = matches!(call.identity, Identity::User { id: asking, .. } if asking == id);
    if !own {
        call.on_system("user", "update")?;
    }
    if call.data.configuration.auth_mode(call.now) != AuthMode::Database && id != ADMIN {
        return Err(Failure::forbidden("update password is not allowed under current auth mode"));
    }
    let version = call.version();
    let now = call.now;
    let user =
        call.data.users.get_mut(id).ok_or_else(|| Failure::not_found(format!("user {id} not found")))?;
    if own && user.password != wanted.old_password {
        return Err(Failure::forbidden("Current password is incorrect"));
    }
    if user.password == wanted.new_password {
        return Err(Failure::bad_request("New password is identical to old password"));
    }
    check(&wanted.new_password, version)?;
    user.password = wanted.new_password;
    user.updated = now;
    log_update(call, id);
    Ok(Reply::done())
}

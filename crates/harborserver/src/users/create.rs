//! New users.

use super::User;
use crate::{
    call::Call,
    configurations::AuthMode,
    failure::Failure,
    rest::{Reply, go_struct},
    secret::Secret,
    version::{Change, Version},
};

go_struct! {
    NewUser = "UserCreationReq" {
        username: String,
        email: String,
        realname: String,
        comment: String,
        password: Secret,
    }
    rules = |user| {
        [("email", &user.email), ("username", &user.username)]
            .iter()
            .filter(|(_, text)| text.chars().count() > 255)
            .map(|(name, _)| format!("{name} in body should be at most 255 chars long"))
            .collect()
    }
}

pub(super) fn create(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let wanted: NewUser = call.body("userReq")?;
    let mode = call.data.configuration.text("auth_mode", call.now);
    if AuthMode::named(&mode) != Some(AuthMode::Database) {
        return Err(Failure::forbidden(format!(
            "creating local user is not allowed under auth mode: {mode}"
        )));
    }
    let registers = call.data.configuration.flag("self_registration", call.now);
    if !(registers && call.identity.is_anonymous()) {
        call.on_system("user", "create")?;
    }
    check(&wanted, call.version())?;
    let taken = call.data.users.find(|user| user.name == wanted.username || user.email == wanted.email);
    if taken.is_some() {
        call.data.users.burn();
        let NewUser { username, email, .. } = &wanted;
        return Err(Failure::conflict(format!("user {username} or email {email} already exists")));
    }
    let user = User {
        email: wanted.email,
        realname: wanted.realname,
        comment: wanted.comment,
        ..User::new(&wanted.username, wanted.password.reveal(), call.now)
    };
    let id = call.data.users.insert(user);
    let name = call.identity.name().to_owned();
    call.data.log(&name, "create", "user", &wanted.username, call.now);
    Ok(Reply::created(call.location(&id.to_string())))
}

fn check(wanted: &NewUser, version: Version) -> Result<(), Failure> {
    super::password::check(&wanted.password, version)?;
    check_profile(&wanted.email, &wanted.realname, &wanted.comment)?;
    if wanted.username.is_empty() || wanted.username.chars().count() > 255 {
        return Err(Failure::bad_request("username with illegal length"));
    }
    let mut illegal = vec!['"', '~', '#', '%', '$'];
    if version.has(Change::RefusesCommaInUserNames) {
        illegal.push(',');
    }
    if wanted.username.contains(illegal.as_slice()) {
        return Err(Failure::bad_request("username contains illegal characters"));
    }
    Ok(())
}

/// What is wrong with the parts of a user that can change.
pub(super) fn check_profile(email: &str, realname: &str, comment: &str) -> Result<(), Failure> {
    let well_formed = email
        .split_once('@')
        .is_some_and(|(name, host)| !name.is_empty() && host.contains('.') && !host.contains('@'));
    let problem = if email.is_empty() {
        "email can't be empty"
    } else if !well_formed {
        "email with illegal format"
    } else if realname.is_empty() || realname.chars().count() > 255 {
        "realname with illegal length"
    } else if realname.contains([',', '"', '~', '#', '%', '$']) {
        "realname contains illegal characters"
    } else if comment.chars().count() > 30 {
        "comment with illegal length"
    } else {
        return Ok(());
    };
    Err(Failure::bad_request(problem))
}

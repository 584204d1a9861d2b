//! Local users.

use crate::{
    client::Client,
    failure::{Refusals, rejected, system_error},
    manage::{Manage, Objects, Sent, desired, found, shown},
    values::secret,
};
use harbor::{
    UserId,
    users::{self as api, NewUser, Profile, Rank},
};
use harborstate::user::{Facts, PASSWORD, User};
use plan::{External, SystemError};
use serde_json::Value;

/// The collection `user`.
pub(crate) struct Users;

impl Manage for Users {
    async fn list(client: &Client, _: Option<&str>) -> Result<Objects, SystemError> {
        let users = client.harbor.users().list().await.map_err(system_error)?;
        users.iter().map(|user| Ok((user.username.clone(), state(user)?))).collect()
    }

    async fn find(client: &Client, _: &str, name: &str) -> Result<Option<Value>, SystemError> {
        let found = client.harbor.users().find(name).await.map_err(system_error)?;
        found.as_ref().map(state).transpose()
    }

    async fn create(client: &Client, wanted: &External) -> Result<(), SystemError> {
        let user: User = desired(wanted)?;
        let Some(password) = secret(wanted, PASSWORD) else {
            return Err(rejected("a new user needs a password", "name the Secret that has it"));
        };
        let profile = Profile {
            email: user.email.unwrap_or_default(),
            realname: user.realname.unwrap_or_else(|| wanted.name.clone()),
            comment: user.comment.unwrap_or_default(),
        };
        let new = NewUser { username: wanted.name.clone(), password, profile };
        let created = client.harbor.users().create(&new).await;
        // The first user keeps the mode of authentication from being changed.
        client.harbor.forget_server_info();
        created.map(drop).map_err(system_error)
    }

    async fn complete(client: &Client, wanted: &External, actual: &Value) -> Result<Sent, SystemError> {
        if wanted.differences(actual).is_empty() {
            return Ok(Sent::Nothing);
        }
        describe(client, wanted, actual).await.map(|()| Sent::Something)
    }

    async fn update(client: &Client, wanted: &External, actual: &Value) -> Result<(), SystemError> {
        let mut refusals = Refusals::default();
        refusals.note(describe(client, wanted, actual).await)?;
        if let Some(password) = secret(wanted, PASSWORD) {
            let id = UserId(found::<User>(actual)?.facts.id);
            let sent = client.harbor.users().set_password(id, &password, None).await;
            refusals.note(sent.map(drop).map_err(system_error))?;
        }
        refusals.result()
    }

    async fn delete(client: &Client, _: &str, actual: &Value) -> Result<(), SystemError> {
        let id = UserId(found::<User>(actual)?.facts.id);
        client.harbor.forget_server_info();
        client.harbor.users().delete(id).await.map(drop).map_err(system_error)
    }
}

/// Sends everything but the password.
async fn describe(client: &Client, wanted: &External, actual: &Value) -> Result<(), SystemError> {
    let user: User = desired(wanted)?;
    let actual = found::<User>(actual)?;
    let (stored, id) = (actual.state, UserId(actual.facts.id));
    let before = profile(&stored);
    let after = Profile {
        email: user.email.unwrap_or_else(|| before.email.clone()),
        realname: user.realname.unwrap_or_else(|| before.realname.clone()),
        comment: user.comment.unwrap_or_else(|| before.comment.clone()),
    };
    let mut refusals = Refusals::default();
    if before != after {
        let sent = client.harbor.users().update(id, &after).await;
        refusals.note(sent.map_err(|error| match error.failure() {
            harbor::Failure::Conflict(_) => {
                rejected(format!("another user has the mail address {}", after.email), "choose another one")
            }
            _ => system_error(error),
        }))?;
    }
    if let Some(sysadmin) = user.sysadmin.filter(|sysadmin| Some(*sysadmin) != stored.sysadmin) {
        let rank = if sysadmin { Rank::Administrator } else { Rank::Ordinary };
        refusals.note(client.harbor.users().set_rank(id, rank).await.map_err(system_error))?;
    }
    refusals.result()
}

fn profile(user: &User) -> Profile {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    Profile { email: text(&user.email), realname: text(&user.realname), comment: text(&user.comment) }
}

fn state(user: &api::User) -> Result<Value, SystemError> {
    let state = User {
        email: Some(user.profile.email.clone()),
        realname: Some(user.profile.realname.clone()),
        comment: Some(user.profile.comment.clone()),
        sysadmin: Some(user.is_administrator),
    };
    shown(state, Facts { id: user.id.0 })
}

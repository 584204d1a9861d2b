//! Credentials of requests: Harbor-Secret, then robots, then users.

use super::{Identity, locks::LOCKED};
use crate::{
    configurations::AuthMode,
    network::Answer,
    rest::Received,
    state::{Data, Id, Runtime},
    system::{Broken, Component},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use http::header::AUTHORIZATION;
use jiff::Timestamp;
use std::time::Duration;

/// The caller, and how long the answer is delayed.
pub(crate) struct Authenticated {
    pub identity: Identity,
    pub delay: Duration,
}

impl From<Identity> for Authenticated {
    fn from(identity: Identity) -> Self {
        Self { identity, delay: Duration::ZERO }
    }
}

/// Finds the caller of a request. A request with wrong credentials is treated as one without credentials.
pub(crate) fn authenticate(
    request: &Received,
    data: &Data,
    runtime: &mut Runtime,
    now: Timestamp,
) -> Authenticated {
    let Some(header) = request.header(AUTHORIZATION.as_str()) else { return Identity::Anonymous.into() };
    if let Some(secret) = header.strip_prefix("Harbor-Secret ") {
        let known = secret.trim() == runtime.installation.jobservice_secret;
        return if known { Identity::Component.into() } else { Identity::Anonymous.into() };
    }
    if let Some(token) = header.strip_prefix("Bearer ") {
        let known = runtime.tokens.get(token).filter(|_| !runtime.broken.contains(&Broken::TokenKeys));
        return known.cloned().unwrap_or(Identity::Anonymous).into();
    }
    let Some((name, password)) = basic(header) else { return Identity::Anonymous.into() };
    if runtime.unhealthy.contains(&Component::Database) {
        return Identity::Anonymous.into();
    }
    match robot(&name, &password, data, now) {
        Some(identity) => identity.into(),
        None => user(&name, &password, data, runtime, now),
    }
}

fn basic(header: &str) -> Option<(String, String)> {
    let (scheme, encoded) = header.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let decoded = String::from_utf8(STANDARD.decode(encoded.trim()).ok()?).ok()?;
    let (name, password) = decoded.split_once(':')?;
    Some((name.to_owned(), password.to_owned()))
}

fn robot(name: &str, secret: &str, data: &Data, now: Timestamp) -> Option<Identity> {
    let stored = name.strip_prefix(data.configuration.robot_prefix(now).as_str())?;
    let (id, robot) = data.robots.find(|robot| robot.stored_name == stored)?;
    (robot.secret.reveal() == secret && robot.is_active(now))
        .then(|| Identity::Robot { id, name: name.to_owned() })
}

fn user(name: &str, password: &str, data: &Data, runtime: &mut Runtime, now: Timestamp) -> Authenticated {
    if runtime.locks.is_locked(name, now) {
        return Identity::Anonymous.into();
    }
    let found = data.users.find(|user| user.is_called(name));
    let administrator = found.is_some_and(|(id, _)| id == Id::new(1));
    // The first administrator is always looked up in the database.
    if data.configuration.auth_mode(now) != AuthMode::Database && !administrator {
        return elsewhere(data, runtime, now);
    }
    match found {
        Some((id, user)) if user.password.reveal() == password => {
            Identity::User { id, name: user.name.clone(), administrator: user.sysadmin }.into()
        }
        _ => {
            runtime.locks.lock(name, now);
            Authenticated { identity: Identity::Anonymous, delay: LOCKED }
        }
    }
}

/// Looks a user up in LDAP. The LDAP server of the stand-in has no users.
fn elsewhere(data: &Data, runtime: &Runtime, now: Timestamp) -> Authenticated {
    let url = data.configuration.text("ldap_url", now);
    match runtime.network.call(&url, None) {
        Answer::Silent => Identity::Anonymous.into(),
        Answer::Healthy | Answer::Refused => Authenticated { identity: Identity::Anonymous, delay: LOCKED },
    }
}

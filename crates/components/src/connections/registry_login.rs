//! How Core and JobService log in to the registry.

use crate::{
    pods::Environment,
    secrets::{SecretKey, Secrets},
    values::{Fault, not_empty},
};
use api::v1beta1::registry_access::RegistryCredentials;
use plan::{All, PlanError};

/// The user that a component logs in as, validated against the Secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RegistryLogin<'a> {
    user: User<'a>,
    password: SecretKey<'a>,
}

/// The name of a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum User<'a> {
    /// In the spec.
    Named(&'a str),
    /// In the Secret of the password.
    Kept(SecretKey<'a>),
}

impl<'a> RegistryLogin<'a> {
    /// The user of a spec. A name in the Secret takes precedence over the one of the spec, which the operator
    /// sets.
    pub fn of(spec: &'a RegistryCredentials, secrets: &Secrets<'_>) -> Result<Self, PlanError> {
        let key = |key| SecretKey::new(&spec.password_ref, key);
        let (password, name, lines) = (key("secret"), key("username"), key("htpasswd"));
        let user = if secrets.has(&name)? { User::Kept(name) } else { User::Named(&spec.username) };
        let called = match user {
            User::Kept(name) => secrets.checked(&name, is_user).map(|name| name.bytes().to_vec()),
            User::Named(name) => Ok(name.as_bytes().to_vec()),
        };
        let is_known = |user: Vec<u8>| {
            if secrets.has(&lines)? {
                secrets.checked(&lines, |file| names(file, &user))?;
            }
            Ok(())
        };
        (called.and_then(is_known), secrets.checked(&password, not_empty)).all()?;
        Ok(Self { user, password })
    }

    /// The credentials in the environment of a component.
    pub fn environment(&self) -> Environment {
        const USERNAME: &str = "REGISTRY_CREDENTIAL_USERNAME";
        let user = match &self.user {
            User::Named(user) => Environment::default().with(USERNAME, user),
            User::Kept(key) => Environment::default().with_secret(USERNAME, key),
        };
        user.with_secret("REGISTRY_CREDENTIAL_PASSWORD", &self.password)
    }
}

/// Accepts a valid user name of an htpasswd line.
fn is_user(name: &[u8]) -> Result<(), Fault> {
    not_empty(name)?;
    if name.iter().any(|byte| *byte == b':' || byte.is_ascii_whitespace() || byte.is_ascii_control()) {
        return Err(Fault::new(
            "contains a colon or white space, which no user of the registry can have",
            "use a name without; write it with `printf` instead of `echo`",
        ));
    }
    Ok(())
}

/// Accepts an htpasswd file with a line for this user. Without one, the registry would refuse every request.
fn names(file: &[u8], user: &[u8]) -> Result<(), Fault> {
    let is_its = |line: &[u8]| line.strip_prefix(user).is_some_and(|rest| rest.starts_with(b":"));
    if file.split(|byte| *byte == b'\n').any(is_its) {
        return Ok(());
    }
    Err(Fault::new(
        "has no line for the user that Core and JobService log in as",
        "make one with `htpasswd -nbB`, or put the name of the user into the key `username`",
    ))
}

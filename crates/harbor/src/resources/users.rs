//! Local users. They exist only with the mode `db_auth`; the first one keeps that mode from being changed.

use crate::{
    Deletion, Harbor, Secret, UserId,
    client::{Call, Filter, Path},
    error::{Error, Failure},
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

impl Harbor {
    /// Users.
    pub fn users(&self) -> Users<'_> {
        Users { harbor: self }
    }
}

/// Calls about users. A user is identified by its name. `admin` is in no list.
#[derive(Clone, Copy, Debug)]
pub struct Users<'h> {
    harbor: &'h Harbor,
}

const USERS: &str = "/users";

/// What Harbor requires of a password.
pub const PASSWORD_RULES: &str = "use 8 to 128 characters, of which at least one is an upper-case letter, one a lower-case letter and one a digit";

/// Whether Harbor accepts a password, and what is wrong with it otherwise.
pub fn check_password(password: &str) -> Result<(), &'static str> {
    let has = |is_one: fn(&char) -> bool| password.chars().any(|it| is_one(&it));
    match password.chars().count() {
        0..8 => Err("is too short for a password"),
        129.. => Err("is too long for a password"),
        _ if has(char::is_ascii_uppercase) && has(char::is_ascii_lowercase) && has(char::is_ascii_digit) => {
            Ok(())
        }
        _ => Err("is no password that Harbor accepts"),
    }
}

impl Users<'_> {
    /// The built-in administrator.
    pub const ADMIN: UserId = UserId(1);

    /// All users but `admin`.
    pub async fn list(&self) -> Result<Vec<User>, Error> {
        self.harbor.get(Path::new(USERS)).pages().await
    }

    /// The user with this name.
    pub async fn find(&self, username: &str) -> Result<Option<User>, Error> {
        let filter = Filter::default().exact("username", username);
        let found: Vec<User> = self.harbor.get(Path::new(USERS)).filter(&filter).pages().await?;
        Ok(found.into_iter().find(|user| user.username == username))
    }

    /// The user with this number.
    pub async fn get(&self, user: UserId) -> Result<Option<User>, Error> {
        self.harbor.get(Path::new(USERS).id(user)).json_if_found().await
    }

    /// The user whose credentials this client has. Not for robots.
    pub async fn current(&self) -> Result<User, Error> {
        self.harbor.get(Path::new(USERS).then("current")).json().await
    }

    /// Creates a user.
    pub async fn create(&self, user: &NewUser) -> Result<UserId, Error> {
        self.harbor.post(Path::new(USERS)).body(user).created().await
    }

    /// Replaces the profile of a user.
    pub async fn update(&self, user: UserId, profile: &Profile) -> Result<(), Error> {
        self.harbor.put(Path::new(USERS).id(user)).body(profile).done().await
    }

    /// Makes a user an administrator, or an ordinary user.
    pub async fn set_rank(&self, user: UserId, rank: Rank) -> Result<(), Error> {
        let body = RankUpdate { sysadmin_flag: rank == Rank::Administrator };
        self.harbor.put(Path::new(USERS).id(user).then("sysadmin")).body(&body).done().await
    }

    /// Sets a password. It is the only way to compare it: Harbor refuses the one that is set already.
    ///
    /// An administrator needs `old` only for its own account. A system robot with the permission never does.
    pub async fn set_password(
        &self,
        user: UserId,
        new: &Secret,
        old: Option<&Secret>,
    ) -> Result<PasswordChange, Error> {
        outcome(self.password(user, new, old).done().await)
    }

    /// Sets the password of the account that this client has, which all clones use once Harbor has accepted it. Requests of
    /// clones wait meanwhile.
    pub async fn set_own_password(&self, user: UserId, new: &Secret) -> Result<PasswordChange, Error> {
        let old = self.harbor.password();
        outcome(self.password(user, new, Some(&old)).sets_own_password(new).done().await)
    }

    fn password(&self, user: UserId, new: &Secret, old: Option<&Secret>) -> Call<'_> {
        let body = PasswordUpdate { old_password: old, new_password: new };
        self.harbor.put(Path::new(USERS).id(user).then("password")).body(&body)
    }

    /// Deletes a user. Its name can be used again.
    pub async fn delete(&self, user: UserId) -> Result<Deletion, Error> {
        self.harbor.delete(Path::new(USERS).id(user)).gone().await
    }
}

fn outcome(set: Result<(), Error>) -> Result<PasswordChange, Error> {
    match set {
        Ok(()) => Ok(PasswordChange::Changed),
        Err(error) => match error.failure() {
            Failure::Invalid(message) if message.as_str().contains("identical to old password") => {
                Ok(PasswordChange::Same)
            }
            _ => Err(error),
        },
    }
}

/// A user.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct User {
    /// Its number.
    #[serde(rename = "user_id")]
    pub id: UserId,
    /// Its name.
    pub username: String,
    /// Its profile.
    #[serde(flatten)]
    pub profile: Profile,
    /// Whether it is an administrator by itself.
    #[serde(rename = "sysadmin_flag")]
    pub is_administrator: bool,
    /// Whether it is an administrator by its group.
    pub admin_role_in_auth: bool,
    /// When it was created.
    #[serde(deserialize_with = "crate::time::lenient")]
    pub creation_time: Option<Timestamp>,
    /// When it was changed.
    #[serde(deserialize_with = "crate::time::lenient")]
    pub update_time: Option<Timestamp>,
}

/// The profile of a user.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Profile {
    /// Its mail address, which no other user has.
    pub email: String,
    /// Its name in words.
    pub realname: String,
    /// A comment of at most 30 characters.
    pub comment: String,
}

/// A user to create.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NewUser {
    /// Its name.
    pub username: String,
    /// Its password: 8 to 128 characters, with an upper-case letter, a lower-case letter and a digit.
    pub password: Secret,
    /// Its profile.
    #[serde(flatten)]
    pub profile: Profile,
}

/// What a user may do in all of Harbor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rank {
    /// Everything.
    Administrator,
    /// What its memberships allow.
    Ordinary,
}

/// The result of setting a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PasswordChange {
    /// It is another one now.
    Changed,
    /// It was this one already.
    Same,
}

#[derive(Debug, Serialize)]
struct RankUpdate {
    sysadmin_flag: bool,
}

#[derive(Debug, Serialize)]
struct PasswordUpdate<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    old_password: Option<&'a Secret>,
    new_password: &'a Secret,
}

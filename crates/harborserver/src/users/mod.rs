//! Local users.

mod change;
mod create;
mod password;
mod read;

use crate::{
    clock::date_time,
    rest::{Column, Route, Row, Shown},
    secret::Secret,
    state::{Data, Id},
};
use jiff::Timestamp;
use serde_json::Value;

/// The endpoints of users.
pub(crate) const ROUTES: &[Route] = &[
    Route::get("/users", read::list),
    Route::post("/users", create::create),
    Route::get("/users/current", read::current),
    Route::get("/users/current/permissions", read::permissions),
    Route::get("/users/search", read::search),
    Route::get("/users/{user_id}", read::read),
    Route::put("/users/{user_id}", change::update),
    Route::delete("/users/{user_id}", change::delete),
    Route::put("/users/{user_id}/sysadmin", change::set_administrator),
    Route::put("/users/{user_id}/password", password::set),
];

/// The first administrator. Core looks it up in the database whatever the way of authentication is.
pub(crate) const ADMIN: Id<User> = Id::new(1);
/// Takes a number, but is never shown.
const ANONYMOUS: Id<User> = Id::new(2);

/// A user.
#[derive(Clone)]
pub(crate) struct User {
    pub name: String,
    email: String,
    realname: String,
    comment: String,
    pub password: Secret,
    pub sysadmin: bool,
    created: Timestamp,
    updated: Timestamp,
}

impl User {
    fn new(name: &str, password: &str, now: Timestamp) -> Self {
        Self {
            name: name.to_owned(),
            email: String::new(),
            realname: String::new(),
            comment: String::new(),
            password: Secret::new(password),
            sysadmin: false,
            created: now,
            updated: now,
        }
    }

    pub fn administrator(password: &str, now: Timestamp) -> Self {
        Self {
            realname: "system admin".to_owned(),
            comment: "admin user".to_owned(),
            sysadmin: true,
            ..Self::new("admin", password, now)
        }
    }

    pub fn anonymous(now: Timestamp) -> Self {
        Self { comment: "anonymous user".to_owned(), ..Self::new("anonymous", "", now) }
    }

    /// Whether this is a user name or e-mail address that the user can log in with. The anonymous user cannot log in.
    pub fn is_called(&self, name: &str) -> bool {
        (self.name == name || !self.email.is_empty() && self.email == name) && !self.password.is_empty()
    }

    fn show(&self, id: Id<Self>) -> Value {
        Shown::new()
            .with("user_id", id.number())
            .with("username", self.name.as_str())
            .nonzero("email", self.email.as_str())
            .nonzero("realname", self.realname.as_str())
            .nonzero("comment", self.comment.as_str())
            .with("sysadmin_flag", self.sysadmin)
            .with("admin_role_in_auth", false)
            .with("creation_time", date_time(self.created))
            .with("update_time", date_time(self.updated))
            .into()
    }
}

/// A user in a list.
struct Listed<'a>(Id<User>, &'a User);

impl Row for Listed<'_> {
    fn column(&self, name: &str) -> Option<Column> {
        match name {
            "userid" => Some(Column::Number(self.0.number())),
            "username" => Some(Column::Text(self.1.name.clone())),
            "email" => Some(Column::Text(self.1.email.clone())),
            "realname" => Some(Column::Text(self.1.realname.clone())),
            "creationtime" => Some(Column::Time(Some(self.1.created))),
            "updatetime" => Some(Column::Time(Some(self.1.updated))),
            _ => None,
        }
    }
}

impl Data {
    /// Users besides the first administrator. While there are any, the way of authentication cannot change.
    fn other_users(&self) -> impl Iterator<Item = Listed<'_>> {
        self.users
            .iter()
            .filter(|(id, _)| *id != ADMIN && *id != ANONYMOUS)
            .map(|(id, user)| Listed(id, user))
    }

    pub fn has_other_users(&self) -> bool {
        self.other_users().next().is_some()
    }
}

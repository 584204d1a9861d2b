//! Robots: accounts for programs.

mod change;
mod check;
mod create;
mod permission;
mod read;
mod secret;

pub(crate) use permission::Permission;

use crate::{
    clock::date_time,
    projects::Project,
    rest::{Column, Route, Row, Shown},
    secret::Secret,
    state::Id,
    version::{Change, Version},
};
use jiff::{Timestamp, ToSpan as _};
use serde_json::Value;

/// The endpoints of robots.
pub(crate) const ROUTES: &[Route] = &[
    Route::get("/robots", read::list),
    Route::post("/robots", create::create),
    Route::get("/robots/{robot_id}", read::read),
    Route::put("/robots/{robot_id}", change::update),
    Route::patch("/robots/{robot_id}", secret::refresh),
    Route::delete("/robots/{robot_id}", change::delete),
    Route::get("/projects/{project_name_or_id}/robots", read::list_of_project).until(12),
];

/// An account for programs.
#[derive(Clone)]
pub(crate) struct Robot {
    /// Without the prefix; for the robot of a project, `project+name`.
    pub stored_name: String,
    description: String,
    /// The project of a project's robot.
    pub project: Option<Id<Project>>,
    pub secret: Secret,
    disabled: bool,
    /// Days; -1 is for ever.
    duration: i64,
    /// Seconds since 1970; -1 is never.
    expires_at: i64,
    pub permissions: Vec<Permission>,
    /// False for robots of the first API.
    pub editable: bool,
    creator: Creator,
    created: Timestamp,
    updated: Timestamp,
}

/// Who created a robot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Creator {
    User(i64),
    Robot(Id<Robot>),
}

impl Robot {
    /// Whether its secret gets it in.
    pub fn is_active(&self, now: Timestamp) -> bool {
        !self.disabled && (self.expires_at == -1 || self.expires_at > now.as_second())
    }

    const fn level(&self) -> &'static str {
        if self.project.is_some() { "project" } else { "system" }
    }

    /// Sets how long it lives, counted from its creation.
    fn live_for(&mut self, days: i64) {
        self.duration = days;
        let end =
            (days != -1).then(|| self.created.checked_add((days.saturating_mul(24)).hours()).ok()).flatten();
        self.expires_at = match (days, end) {
            (-1, _) => -1,
            (_, Some(end)) => end.as_second(),
            (_, None) => i64::MAX,
        };
    }

    fn show(&self, id: Id<Self>, prefix: &str, version: Version) -> Value {
        let shown = Shown::new()
            .with("id", id.number())
            .with("name", format!("{prefix}{}", self.stored_name))
            .nonzero("description", self.description.as_str())
            .with("level", self.level())
            .with("disable", self.disabled)
            .with("duration", self.duration)
            .with("editable", self.editable)
            .with("expires_at", self.expires_at)
            .with("permissions", self.permissions.iter().map(Permission::show).collect::<Vec<_>>())
            .with("creation_time", date_time(self.created))
            .with("update_time", date_time(self.updated));
        if !version.has(Change::RobotsCreateRobots) {
            return shown.into();
        }
        let (kind, number) = match self.creator {
            Creator::User(number) => ("local", number),
            Creator::Robot(id) => ("robot", id.number()),
        };
        shown.with("creator_type", kind).with("creator_ref", number).into()
    }
}

/// A robot in a list. Its level is no column: lists look at it by themselves.
struct Listed<'a>(Id<Robot>, &'a Robot);

impl Row for Listed<'_> {
    fn column(&self, name: &str) -> Option<Column> {
        match name {
            "id" => Some(Column::Number(self.0.number())),
            "name" => Some(Column::Text(self.1.stored_name.clone())),
            "description" => Some(Column::Text(self.1.description.clone())),
            "disabled" => Some(Column::Flag(self.1.disabled)),
            "duration" => Some(Column::Number(self.1.duration)),
            "expiresat" => Some(Column::Number(self.1.expires_at)),
            "creationtime" => Some(Column::Time(Some(self.1.created))),
            _ => None,
        }
    }
}

//! The two robot accounts that take turns where rotation has an overlap.
//!
//! A turn begins when the operator creates the Secret with its password, and this Secret records what the turn was begun for.
//! So a turn that was interrupted is continued, whatever a user asks for meanwhile. The next turn waits until the previous
//! robot account is gone: a robot account has one password, and a renewal must not end credentials before their time.
//!
//! The Secret with the first password has no record. Its name says what it is for, see [`first_password`].

use super::accounts::{Account, Accounts, first_password, found, request, secret_name};
use crate::management::Projects;
use api::{names::ROTATION_ANNOTATION, v1beta1::HarborRobot};
use jiff::Timestamp;
use k8s_openapi::api::core::v1::Secret;
use kube::ResourceExt as _;
use plan::{ObjectKey, PlanError};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What a turn was begun for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Record {
    /// How many turns there were before.
    number: u64,
    /// What the user had last asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    request: Option<String>,
    /// The interval in which it began, counted from the creation of the owner.
    period: u64,
    /// The Secret with the password of the turn before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    before: Option<String>,
}

/// The time in which clients use one of the two robot accounts.
struct Turn {
    /// The Secret with its password.
    password: String,
    /// When that was created.
    created: Option<Timestamp>,
    /// Whether it is the second robot account.
    is_second: bool,
    record: Record,
}

/// The turns of the robot accounts of a HarborRobot.
pub(super) struct Turns<'a> {
    pub owner: &'a HarborRobot,
    pub projects: Projects<'a>,
    /// The name of the first robot account.
    pub name: &'a str,
    /// How long a robot account is valid after its turn.
    pub overlap: Duration,
    /// The number of the present interval, if rotation has one.
    pub period: Option<u64>,
}

impl Turns<'_> {
    /// The robot accounts that there are now.
    pub fn accounts(&self) -> Result<Accounts, PlanError> {
        let turn = self.current()?;
        let previous = self.previous(&turn)?;
        if previous.is_some() || !self.is_over(&turn) || !self.is_other_free(&turn)? {
            return Ok(Accounts { current: self.account(&turn), previous });
        }
        let next = Turn {
            password: self.password(!turn.is_second)?,
            created: None,
            is_second: !turn.is_second,
            record: Record {
                number: turn.record.number.saturating_add(1),
                request: request(self.owner).cloned(),
                period: self.period.unwrap_or_default(),
                before: Some(turn.password.clone()),
            },
        };
        Ok(Accounts { current: self.account(&next), previous: Some(self.account(&turn)) })
    }

    /// The turn that began last.
    fn current(&self) -> Result<Turn, PlanError> {
        let turns = [self.recorded(false)?, self.recorded(true)?];
        let newest = turns.into_iter().flatten().max_by_key(|turn| turn.record.number);
        newest.map_or_else(|| self.first(), Ok)
    }

    /// The turn of a robot account, if its Secret has a record.
    fn recorded(&self, is_second: bool) -> Result<Option<Turn>, PlanError> {
        let password = self.password(is_second)?;
        let Some(secret) = self.read(&password)? else { return Ok(None) };
        let record = secret.annotations().get(ROTATION_ANNOTATION);
        let record = record.and_then(|record| serde_json::from_str(record).ok());
        let created = creation(&secret);
        Ok(record.map(|record| Turn { password, created, is_second, record }))
    }

    /// The turn of the first password. Which Secret has that depends on when it was generated: a HarborRobot can have had
    /// renewals without an overlap.
    fn first(&self) -> Result<Turn, PlanError> {
        let asked = request(self.owner);
        let status = self.owner.status.as_ref();
        let done = status.map_or(asked, |status| status.last_rotation_request.as_ref());
        let period = self.period.unwrap_or_default();
        for (request, period) in
            [(asked, period), (done, period), (done, period.saturating_sub(1)), (done, 0)]
        {
            let password = first_password(self.owner, request, period)?;
            if let Some(secret) = self.read(&password)? {
                return self.unrecorded(password, creation(&secret), (request, period));
            }
        }
        self.unrecorded(first_password(self.owner, asked, period)?, None, (asked, period))
    }

    fn unrecorded(
        &self,
        password: String,
        created: Option<Timestamp>,
        (request, period): (Option<&String>, u64),
    ) -> Result<Turn, PlanError> {
        let before = period.checked_sub(1).map(|before| first_password(self.owner, request, before));
        let record = Record { number: 0, request: request.cloned(), period, before: before.transpose()? };
        // The status has the name with a prefix that an administrator chooses.
        let known = self.owner.status.as_ref().and_then(|status| status.full_name.as_ref());
        let is_second =
            known.map_or(!period.is_multiple_of(2), |login| login.ends_with(&self.account_name(true)));
        Ok(Turn { password, created, is_second, record })
    }

    /// The robot account of the turn before, while it is valid.
    fn previous(&self, turn: &Turn) -> Result<Option<Account>, PlanError> {
        let Some(password) = turn.record.before.clone() else { return Ok(None) };
        if self.read(&password)?.is_none() || self.is_overlap_over(turn)? {
            return Ok(None);
        }
        Ok(Some(Account { name: self.account_name(!turn.is_second), password, record: None }))
    }

    /// Whether the overlap at the beginning of a turn is over. It begins when Harbor has the robot account.
    fn is_overlap_over(&self, turn: &Turn) -> Result<bool, PlanError> {
        let Some(found) = found(&self.account_name(turn.is_second), self.projects)? else { return Ok(false) };
        let begun = Timestamp::from_second(found.facts.created_at).ok().max(turn.created);
        let end = begun.and_then(|begun| begun.checked_add(self.overlap).ok());
        Ok(end.is_some_and(|end| self.projects.world.clock().is_past(end)))
    }

    /// Whether a user, or the interval, asks for another turn.
    fn is_over(&self, Turn { record, .. }: &Turn) -> bool {
        record.request.as_ref() != request(self.owner)
            || self.period.is_some_and(|period| period != record.period)
    }

    /// Whether nothing is left of the last turn of the other robot account.
    fn is_other_free(&self, turn: &Turn) -> Result<bool, PlanError> {
        let password = self.password(!turn.is_second)?;
        if self.read(&password)?.is_some() {
            if turn.record.before.as_ref() == Some(&password) {
                return Ok(false);
            }
            return Err(PlanError::invalid(
                ObjectKey::of::<Secret>(self.projects.namespace, &password),
                "is not from the operator, which keeps the next password in a Secret of this name",
                "delete it",
            ));
        }
        // One that the operator did not create is reported when it is to be created.
        let known = self.owner.status.as_ref().and_then(|status| status.previous.as_ref());
        let is_ours = known.is_some_and(|previous| previous.full_name.is_some());
        Ok(!is_ours || found(&self.account_name(!turn.is_second), self.projects)?.is_none())
    }

    fn account(&self, Turn { password, is_second, record, .. }: &Turn) -> Account {
        // Texts and numbers always have a JSON form.
        let text = (record.number > 0).then(|| serde_json::to_string(record).unwrap_or_default());
        Account { name: self.account_name(*is_second), password: password.clone(), record: text }
    }

    fn account_name(&self, is_second: bool) -> String {
        if is_second { format!("{}-2", self.name) } else { self.name.to_owned() }
    }

    /// The Secret with the password of a robot account, but the first one.
    fn password(&self, is_second: bool) -> Result<String, PlanError> {
        secret_name(self.owner, Some(if is_second { "2" } else { "1" }.to_owned()))
    }

    fn read(&self, name: &str) -> Result<Option<Secret>, PlanError> {
        self.projects.world.read::<Secret>(name)
    }
}

fn creation(secret: &Secret) -> Option<Timestamp> {
    secret.creation_timestamp().map(|time| time.0)
}

//! The Secret that has a credential now, and what it was created for.
//!
//! Each rotation creates another Secret, which records what was asked for, and which Secret has the value before. So a rotation
//! begins with one request. It has ended when the Secret before is gone, whatever a user asks for meanwhile. The names alternate
//! between two, so that the operator finds the newest without a list.

use super::internal_tls::Trust;
use api::names::{CONTROLLER_LABEL, IMMUTABLE_ANNOTATION, ROTATION_ANNOTATION};
use jiff::Timestamp;
use k8s_openapi::api::core::v1::Secret;
use kube::ResourceExt as _;
use plan::{All as _, ObjectKey, PlanError, World};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a Secret was created for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Record {
    /// How many rotations there were.
    number: u64,
    /// The word with which a user had last asked for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    request: Option<String>,
    /// The Secret with the value before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    before: Option<String>,
    /// Which authorities are behind a certificate of TLS between components.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    trust: Option<Trust>,
}

/// How much of the first Secret, which has no record, is asked for: reading it costs a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum First {
    /// When it was created, and what for.
    Read,
    /// Nothing.
    Unread,
}

impl First {
    fn read(self, name: &str, world: &World<'_>) -> Result<Option<Secret>, PlanError> {
        match self {
            Self::Read => world.read(name),
            Self::Unread => Ok(None),
        }
    }
}

/// The time in which components use a Secret.
#[derive(Clone, Debug)]
pub(in super::super) struct Turn {
    /// The Secret.
    pub secret: String,
    /// When it was created, if it exists and that was asked for.
    pub created: Option<Timestamp>,
    /// Whether the operator has created it, or is going to, as far as that was asked for.
    pub is_ours: bool,
    /// The Secret with the value before, while it exists and components may use it.
    pub before: Option<String>,
    /// Whether that exists, and the operator created it: it is going to be deleted.
    pub is_before_ours: bool,
    record: Option<Record>,
}

impl Turn {
    /// The newest turn. `base` is the name of the first Secret, and `request` what a user asks for at present.
    pub fn newest(
        base: &str,
        first: First,
        request: Option<&String>,
        world: &World<'_>,
    ) -> Result<Self, PlanError> {
        let recorded = |secret: String| -> Result<_, PlanError> {
            let found = world.read::<Secret>(&secret)?;
            Ok(found.and_then(|found| Some((secret, record(&found)?, found))))
        };
        let found = (recorded(name(base, 1)), recorded(name(base, 2)), first.read(base, world)).all()?;
        let (one, two, base_secret) = found;
        let newest = [one, two].into_iter().flatten().max_by_key(|(_, record, _)| record.number);
        if let Some((secret, record, found)) = newest {
            let (created, is_ours) = (creation(&found), is_ours(&found));
            let before = record.before.clone();
            let is_left = before.as_deref().map(|before| world.read::<Secret>(before)).transpose()?.flatten();
            let before = before.filter(|_| is_left.is_some());
            let is_before_ours = is_left.as_ref().is_some_and(self::is_ours);
            return Ok(Self { secret, created, is_ours, before, is_before_ours, record: Some(record) });
        }
        let secret = base.to_owned();
        let Some(found) = base_secret else {
            // What was asked for before there was a value has no rotation of its own.
            let record =
                request.map(|request| Record { request: Some(request.clone()), ..Record::default() });
            return Ok(Self {
                secret,
                created: None,
                is_ours: true,
                before: None,
                is_before_ours: false,
                record,
            });
        };
        let (created, is_ours) = (creation(&found), is_ours(&found));
        Ok(Self { secret, created, is_ours, before: None, is_before_ours: false, record: record(&found) })
    }

    /// The word with which a user has asked for this turn, or had asked for an earlier one when it began.
    pub fn request(&self) -> Option<&String> {
        self.record.as_ref()?.request.as_ref()
    }

    /// Whether it began with a rotation.
    pub fn is_rotated(&self) -> bool {
        self.number() > 0
    }

    /// Whether it is every second turn, beginning with the first rotation.
    pub fn is_odd(&self) -> bool {
        !self.number().is_multiple_of(2)
    }

    /// The turn that follows. Refuses to use a Secret that exists already.
    pub fn next(
        &self,
        base: &str,
        request: Option<&String>,
        namespace: &str,
        world: &World<'_>,
    ) -> Result<Self, PlanError> {
        let number = self.number().saturating_add(1);
        let secret = name(base, number);
        if world.read::<Secret>(&secret)?.is_some() {
            return Err(PlanError::invalid(
                ObjectKey::of::<Secret>(namespace, &secret),
                "is not from the operator, which keeps the next credential in a Secret of this name",
                "delete it",
            ));
        }
        let request = request.or(self.request()).cloned();
        let before = Some(self.secret.clone());
        let record = Some(Record { number, request, before: before.clone(), trust: None });
        Ok(Self { secret, created: None, is_ours: true, before, is_before_ours: true, record })
    }

    /// The same with these authorities behind it, unless nothing is recorded of it.
    #[must_use]
    pub fn trusting(self, trust: Trust) -> Self {
        let record = self.record.map(|record| Record { trust: Some(trust), ..record });
        Self { record, ..self }
    }

    /// The same for the Secret of another component.
    #[must_use]
    pub fn of(self, secret: String) -> Self {
        Self { secret, ..self }
    }

    /// The authorities behind it.
    pub fn trust(&self) -> Option<&Trust> {
        self.record.as_ref()?.trust.as_ref()
    }

    /// The end of its Secret's name.
    pub fn suffix(&self) -> &'static str {
        suffix(self.number())
    }

    /// The end of the name of the Secret before, while that exists.
    pub fn suffix_before(&self) -> Option<&'static str> {
        self.before.as_ref().map(|_| suffix(self.number().saturating_sub(1)))
    }

    /// The same when all components have it. The value before may exist nevertheless: the operator does not delete the Secret of
    /// another program.
    #[must_use]
    pub fn ended(self) -> Self {
        Self { before: None, ..self }
    }

    /// The Secret with the value before, whether it exists or not.
    pub fn replaced(&self) -> Option<&String> {
        self.record.as_ref()?.before.as_ref()
    }

    /// The annotations of the Secret.
    pub fn annotations(&self) -> BTreeMap<String, String> {
        // It goes when another one replaces it.
        let immutable = self.is_rotated().then(|| (IMMUTABLE_ANNOTATION.to_owned(), "false".to_owned()));
        // Texts and numbers always have a JSON form.
        let record = self.record.as_ref().map(|record| serde_json::to_string(record).unwrap_or_default());
        let record = record.map(|record| (ROTATION_ANNOTATION.to_owned(), record));
        immutable.into_iter().chain(record).collect()
    }

    /// How many turns there were before it.
    pub fn number(&self) -> u64 {
        self.record.as_ref().map_or(0, |record| record.number)
    }
}

/// The names of all Secrets that take turns.
pub(in super::super) fn names(base: &str) -> [String; 3] {
    [0, 1, 2].map(|number| name(base, number))
}

/// The name of the Secret of a turn.
fn name(base: &str, number: u64) -> String {
    format!("{base}{}", suffix(number))
}

/// The end of the name of the Secret of a turn.
pub(super) const fn suffix(number: u64) -> &'static str {
    match number {
        0 => "",
        number if number.is_multiple_of(2) => "-2",
        _ => "-1",
    }
}

fn is_ours(secret: &Secret) -> bool {
    secret.labels().contains_key(CONTROLLER_LABEL)
}

fn record(secret: &Secret) -> Option<Record> {
    serde_json::from_str(secret.annotations().get(ROTATION_ANNOTATION)?).ok()
}

fn creation(secret: &Secret) -> Option<Timestamp> {
    secret.creation_timestamp().map(|time| time.0)
}

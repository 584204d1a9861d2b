//! The Secret that has a credential now, and what it was created for.
//!
//! Each rotation creates another Secret, which records what was asked for, and which Secret has the value before. So a rotation
//! begins with one request. It has ended when the Secret before is gone, whatever a user asks for meanwhile. The operator finds the
//! newest without a list, see [`Names`].

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

/// The names of the Secrets of rotations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Names {
    /// Two take turns.
    Alternate,
    /// Each rotation has another one: cert-manager keeps the key in a Secret that exists, and the operator does not delete the
    /// Secrets of cert-manager. The number is that of the Secret which components use.
    Numbered(u64),
}

impl Names {
    /// The name of the Secret of a rotation.
    fn of(self, base: &str, number: u64) -> String {
        match self {
            Self::Alternate => name(base, number),
            Self::Numbered(_) => format!("{base}-{number}"),
        }
    }

    /// The names that the newest Secret may have, besides that of the first one.
    fn candidates(self, base: &str) -> [String; 2] {
        let from = match self {
            Self::Alternate => 1,
            Self::Numbered(used) => used.max(1),
        };
        [from, from.saturating_add(1)].map(|number| self.of(base, number))
    }
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
    names: Names,
    record: Option<Record>,
}

impl Turn {
    /// The newest turn. `base` is the name of the first Secret, and `request` what a user asks for at present.
    pub fn newest(
        base: &str,
        names: Names,
        first: First,
        request: Option<&String>,
        world: &World<'_>,
    ) -> Result<Self, PlanError> {
        let [one, two] = names.candidates(base);
        let recorded = |secret: String| -> Result<_, PlanError> {
            let found = world.read::<Secret>(&secret)?;
            Ok(found.and_then(|found| Some((secret, record(&found)?, found))))
        };
        let found = (recorded(one), recorded(two), first.read(base, world)).all()?;
        let (one, two, base_secret) = found;
        let newest = [one, two].into_iter().flatten().max_by_key(|(_, record, _)| record.number);
        if let Some((secret, record, found)) = newest {
            let (created, is_ours) = (creation(&found), is_ours(&found));
            let before = record.before.clone();
            let is_left = before.as_deref().map(|before| world.read::<Secret>(before)).transpose()?.flatten();
            let before = before.filter(|_| is_left.is_some());
            let is_before_ours = is_left.as_ref().is_some_and(self::is_ours);
            return Ok(Self {
                secret,
                created,
                is_ours,
                before,
                is_before_ours,
                names,
                record: Some(record),
            });
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
                names,
                record,
            });
        };
        let (created, is_ours) = (creation(&found), is_ours(&found));
        let record = record(&found);
        Ok(Self { secret, created, is_ours, before: None, is_before_ours: false, names, record })
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
        let next = self.following(base, request);
        if world.read::<Secret>(&next.secret)?.is_some() {
            return Err(PlanError::invalid(
                ObjectKey::of::<Secret>(namespace, &next.secret),
                "is not from the operator, which keeps the next credential in a Secret of this name",
                "delete it",
            ));
        }
        Ok(next)
    }

    /// The same, whether its Secret exists or not.
    pub fn following(&self, base: &str, request: Option<&String>) -> Self {
        let number = self.number().saturating_add(1);
        let (secret, names) = (self.names.of(base, number), self.names);
        let request = request.or(self.request()).cloned();
        let before = Some(self.secret.clone());
        let record = Some(Record { number, request, before: before.clone(), trust: None });
        Self { secret, created: None, is_ours: true, before, is_before_ours: true, names, record }
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
        immutable.into_iter().chain(self.recorded()).collect()
    }

    /// The record, as an annotation of the Secret.
    pub fn recorded(&self) -> Option<(String, String)> {
        // Texts and numbers always have a JSON form.
        let record = self.record.as_ref().map(|record| serde_json::to_string(record).unwrap_or_default());
        record.map(|record| (ROTATION_ANNOTATION.to_owned(), record))
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

//! The pure core: desired state is a function of a spec and of the objects that it reads.
//!
//! A [`Component`] describes the objects that should exist. [`plan`] calls it until all objects that it reads are in
//! the snapshot. This crate uses no network, no clock and no randomness, so the operator, `render` and `graph` share
//! it.

mod amendment;
mod applicative;
mod aspect;
mod child;
mod class;
mod clock;
mod component;
mod component_kind;
mod conclusion;
mod defaults;
pub mod diff;
mod digest;
mod digest_key;
mod equivalence;
mod error;
mod external;
mod harbor_class;
mod htpasswd;
mod issuance;
mod key;
mod kind_condition;
pub mod managed_fields;
mod manifest;
pub mod mutation;
mod name;
mod observed;
mod outlook;
mod place;
pub mod placeholder;
mod planner;
mod readable;
mod readiness;
mod recipe;
mod references;
mod resolve;
mod restart_order;
mod sanitize;
mod status;
mod world;

pub use amendment::{Amended, Amendment};
pub use applicative::All;
pub use aspect::{Aspect, Aspects, aspects};
pub use child::{ChildKind, Children, ManagedBy, Observe};
pub use class::{Class, Classify, Subject, Verb};
pub use clock::{Clock, after};
pub use component::{Builder, Component, Connect, Owner, OwnerAccess, Placement, Scoped};
pub use component_kind::{ComponentKind, ComponentObject, Undecodable};
pub use conclusion::{Conclusion, ExternalObjects};
pub use defaults::{Defaults, NetworkPolicies, PrivilegedPods};
pub use diff::Change;
pub use digest::Digest;
pub use digest_key::{DigestKey, salted};
pub use equivalence::{equivalence, equivalent_digest};
pub use error::{PlanError, Violation};
pub use external::{
    Announcement, Claim, Comparable, Connection, Contents, External, IfAbsent, IfExists, Origin, Record,
    Sharing, Signer, System, SystemError, UnreadableRecord, Whole, comparable, outside,
};
pub use graph::{Blockers, Deps, Edge, Node, confirms, starts_after, upgrades_after};
pub use harbor_class::HarborClass;
pub use htpasswd::{BCRYPT_COST, ExpensiveLine, expensive_lines};
pub use issuance::{Issuance, Role};
pub use key::{ObjectKey, Parts, is_namespace};
pub use kind_condition::{KindCondition, Warning};
pub use manifest::{Absence, AnyManifest, DeletionBehavior, Desired, Held, Manifest, Policy};
pub use mutation::Mutation;
pub use name::ChildName;
pub use observed::{
    Adoption, Claimant, ObjectVersion, Observation, ObservedObject, OwnedFields, Ownership, Provenance, Tag,
    applied_digest, controller_of, desired_digest, is_labelled_alike, tags,
};
pub use outlook::{Outlook, PlannedStep, Point, ServedCertificate};
pub use planner::{Connected, Needed, Plan, Planned, connect_with, plan, plan_at, plan_with, until_planned};
pub use readable::Readable;
pub use readiness::{Health, Reached, Readiness};
pub use recipe::{GenerateError, Recipe, SecretGenerator, generated, secret_data};
pub use references::{Content, ContentDigests, CountedValues, KNOWN_LATER, References, stamp};
pub use resolve::{
    Action, Applied, Apply, Certificate, Gate, Known, Observed, OtherOwners, Pods, Refusal, Resolver,
    Unwanted, held, image, unwanted, wanted,
};
pub use restart_order::{RestartOrder, Restarted, Supply};
pub use sanitize::one_line;
pub use status::{
    Difference, Failure, Outcome, PAUSED, Serving, Status, StatusInput, Verdict, cause, fold, paused,
};
pub use world::{Snapshot, World, defined, served};

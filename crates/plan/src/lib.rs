//! The pure core: desired state is a function of a spec and of what it reads.
//!
//! A [`Component`] says what should exist; [`plan`] runs it until it has been shown everything it asked for. Nothing
//! here talks to a network, looks at a clock or throws dice, so the operator, `render` and `graph` share all of it.

mod applicative;
mod aspect;
mod child;
mod class;
mod component;
mod component_kind;
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
mod manifest;
pub mod mutation;
mod name;
mod observed;
mod place;
pub mod placeholder;
mod planner;
mod readable;
mod readiness;
mod recipe;
mod references;
mod resolve;
mod status;
mod words;
mod world;

pub use applicative::All;
pub use aspect::{Aspect, Aspects, aspects};
pub use child::{ChildKind, Children, ManagedBy, Observe};
pub use class::{Class, Classify};
pub use component::{Builder, Component, Owner};
pub use component_kind::{ComponentKind, ComponentObject, FIELD_MANAGER_PREFIX, Undecodable};
pub use defaults::{Defaults, NetworkPolicies, PrivilegedPods};
pub use diff::Change;
pub use digest::Digest;
pub use digest_key::{DigestKey, salted};
pub use equivalence::{counted, equivalence};
pub use error::{PlanError, Violation};
pub use external::{
    ABANDON_ANNOTATION, Claim, Comparable, Connection, EXTERNAL_ANNOTATION, EXTERNAL_FINALIZER, External,
    IfExists, Origin, Record, Signer, System, UnreadableRecord, comparable, outside,
};
pub use graph::{Blockers, Deps, Edge, Node, confirms, starts_after, upgrades_after};
pub use harbor_class::{CLASS_ANNOTATION, HarborClass};
pub use htpasswd::{BCRYPT_COST, ExpensiveLine, expensive_lines};
pub use issuance::{Issuance, Role};
pub use key::{ObjectKey, Parts, is_namespace};
pub use manifest::{AnyManifest, DeletionBehavior, Desired, Held, Manifest, Policy};
pub use mutation::Mutation;
pub use name::ChildName;
pub use observed::{
    ADOPT_ANNOTATION, Adoption, Claimant, IMMUTABLE_ANNOTATION, ObjectVersion, Observation, ObservedObject,
    OwnedFields, Ownership, PREDECESSORS_CLUSTER_LABEL, Provenance, Tag, already_applied, applied_digest,
    controller_of, desired_digest, is_item, is_labelled_alike, owned, tags,
};
pub use planner::{Connected, Plan, Planned, connect_with, plan, plan_with};
pub use readable::Readable;
pub use readiness::{Health, Reached, Readiness};
pub use recipe::{Recipe, SecretGenerator, Unmade, generated};
pub use references::{Content, ContentDigests, INPUTS_ANNOTATION, KNOWN_LATER, References, stamp};
pub use resolve::{
    Action, Applied, Apply, Certificate, Gate, Known, Observed, Pods, Refusal, Resolver, Unwanted, held,
    image, unwanted, wanted,
};
pub use status::{Difference, Failure, Outcome, PAUSED, Status, StatusInput, Verdict, fold, paused};
pub use words::told;
pub use world::{Snapshot, World, defined, served};

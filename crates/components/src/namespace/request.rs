//! What the annotations of a Namespace ask for.

use crate::management::is_project_name;
use api::{
    names::{
        HARBOR_ANNOTATION, PROJECT_ANNOTATION, ROBOT_ACCESS_ANNOTATION, ROBOT_ANNOTATION,
        ROBOT_PASSWORD_ANNOTATION, ROTATE_ROBOT_ANNOTATION, SERVICE_ACCOUNT_ANNOTATION,
    },
    v1beta1::name::ObjectName,
};
use k8s_openapi::api::core::v1::Namespace;
use kube::ResourceExt as _;
use plan::{All as _, PlanError};

/// The value of the annotation that asks for a project of the namespace's own.
const OWN: &str = "*";

/// The ServiceAccount that every namespace has.
const DEFAULT_SERVICE_ACCOUNT: &str = "default";

/// What the annotations of a Namespace ask for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Request<'a> {
    /// The HarborServerConfiguration; the default one if there is none.
    pub harbor: Option<&'a str>,
    /// The ServiceAccount whose pods pull images.
    pub service_account: &'a str,
    /// The project that they pull images from.
    pub project: Project<'a>,
}

/// A project, and the robot account to pull its images with.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Project<'a> {
    /// A project of the namespace's own, with a robot account that may do this.
    Own { access: Access },
    /// A project that exists, with a robot account that exists.
    Named { name: &'a str, robot: &'a str, password: Password<'a> },
}

/// What the robot account of a project of the namespace's own may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Pull,
    PullAndPush,
}

/// The password of a robot account that exists.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Password<'a> {
    /// It is in this Secret.
    Stored(&'a str),
    /// The operator sets a new one.
    Renewed,
}

/// Whether the annotations ask for anything.
pub(super) fn is_made(owner: &Namespace) -> bool {
    annotation(owner, PROJECT_ANNOTATION).is_some()
}

/// How messages name an annotation.
pub(super) fn field(annotation: &str) -> String {
    format!("metadata.annotations[{annotation}]")
}

impl<'a> Request<'a> {
    /// Reads the annotations, and reports all mistakes in them.
    pub fn of(owner: &'a Namespace) -> Result<Self, PlanError> {
        let service_account = name(owner, SERVICE_ACCOUNT_ANNOTATION);
        let (harbor, service_account, project) =
            (name(owner, HARBOR_ANNOTATION), service_account, Project::of(owner)).all()?;
        Ok(Self { harbor, service_account: service_account.unwrap_or(DEFAULT_SERVICE_ACCOUNT), project })
    }
}

impl<'a> Project<'a> {
    fn of(owner: &'a Namespace) -> Result<Self, PlanError> {
        match annotation(owner, PROJECT_ANNOTATION).unwrap_or_default() {
            OWN => {
                let of_others = [ROBOT_ANNOTATION, ROBOT_PASSWORD_ANNOTATION, ROTATE_ROBOT_ANNOTATION];
                let useless =
                    "is for a project that exists, and the operator creates one with a robot account";
                (access(owner), unset(owner, &of_others, useless))
                    .all()
                    .map(|(access, ())| Self::Own { access })
            }
            name => {
                let useless = "is for robot accounts that the operator creates, and this one exists";
                let (name, robot, password, ()) = (
                    project(name),
                    robot(owner),
                    Password::of(owner),
                    unset(owner, &[ROBOT_ACCESS_ANNOTATION], useless),
                )
                    .all()?;
                Ok(Self::Named { name, robot, password })
            }
        }
    }
}

impl<'a> Password<'a> {
    fn of(owner: &'a Namespace) -> Result<Self, PlanError> {
        let is_renewed = annotation(owner, ROTATE_ROBOT_ANNOTATION) == Some("true");
        match (name(owner, ROBOT_PASSWORD_ANNOTATION)?, is_renewed) {
            (Some(secret), false) => Ok(Self::Stored(secret)),
            (None, true) => Ok(Self::Renewed),
            (Some(_), true) => Err(PlanError::invalid(
                field(ROTATE_ROBOT_ANNOTATION),
                format!("is set beside {ROBOT_PASSWORD_ANNOTATION}"),
                "keep the one that says where the password comes from",
            )),
            (None, false) => Err(PlanError::invalid(
                field(ROBOT_PASSWORD_ANNOTATION),
                "is not set, and Harbor does not show the password of a robot account",
                format!(
                    "store the password in a Secret of the namespace, with the key password, and name that; or, if no other \
                     client uses the robot account, have the operator set a new one with {ROTATE_ROBOT_ANNOTATION}=true"
                ),
            )),
        }
    }
}

fn project(name: &str) -> Result<&str, PlanError> {
    if is_project_name(name) {
        return Ok(name);
    }
    let problem = format!("{name:?} is no name of a project");
    Err(PlanError::invalid(
        field(PROJECT_ANNOTATION),
        problem,
        "write the name of a project in Harbor, or * for one of the namespace's own",
    ))
}

fn robot(owner: &Namespace) -> Result<&str, PlanError> {
    let id = annotation(owner, ROBOT_ANNOTATION).unwrap_or_default();
    if id.parse::<u32>().is_ok() {
        return Ok(id);
    }
    let problem = if id.is_empty() { "is not set".to_owned() } else { format!("{id:?} is no id") };
    Err(PlanError::invalid(
        field(ROBOT_ANNOTATION),
        problem,
        "write the id of a robot account of the project, from the answer to GET /robots",
    ))
}

fn access(owner: &Namespace) -> Result<Access, PlanError> {
    match annotation(owner, ROBOT_ACCESS_ANNOTATION) {
        None | Some("pull") => Ok(Access::Pull),
        Some("push") => Ok(Access::PullAndPush),
        Some(other) => Err(PlanError::invalid(
            field(ROBOT_ACCESS_ANNOTATION),
            format!("{other:?} is no access"),
            "write pull, or push for both",
        )),
    }
}

/// Refuses annotations that have no effect.
fn unset(owner: &Namespace, annotations: &[&str], why: &str) -> Result<(), PlanError> {
    let found = annotations.iter().filter(|key| annotation(owner, key).is_some());
    let refused = found.map(|key| PlanError::invalid(field(key), why, "remove it"));
    refused.reduce(PlanError::and).map_or(Ok(()), Err)
}

/// The name of an object in an annotation.
fn name<'a>(owner: &'a Namespace, key: &str) -> Result<Option<&'a str>, PlanError> {
    match annotation(owner, key) {
        Some(text) if !ObjectName::is_valid(text) => Err(PlanError::invalid(
            field(key),
            format!("{text:?} is no name of an object"),
            "use at most 253 lower-case letters, digits, dashes and dots, with letters or digits at both ends",
        )),
        name => Ok(name),
    }
}

/// An annotation that is not empty.
fn annotation<'a>(owner: &'a Namespace, key: &str) -> Option<&'a str> {
    owner.annotations().get(key).map(String::as_str).filter(|value| !value.is_empty())
}

//! Namespace: annotations ask for a pull secret for the pods of a namespace, and for a project of its own.
//!
//! The children are objects of day 2 in that namespace, and do the work: a HarborProject and a HarborRobot, if the namespace has
//! a project of its own, and always a PullSecretBinding. The operator does not write the Namespace: the outcome
//! is in the status of the children, and mistakes in the annotations are events about the Namespace.
//!
//! The Harbor of an object cannot change. With another one, the operator deletes the children, and creates them again when they
//! are gone. The project in Harbor stays, with its images.
//!
//! Uses: management.

mod existing;
mod objects;
mod request;
#[cfg(test)]
mod tests;

use self::{
    existing::Existing,
    objects::Objects,
    request::{Project, Request, field},
};
use crate::management::{self, ProjectNames};
use api::{
    names::{HARBOR_ANNOTATION, PROJECT_ANNOTATION},
    v1beta1::{HarborProject, HarborRobot, HarborServerConfiguration, PullSecretBinding},
};
use k8s_openapi::api::core::v1;
use kube::ResourceExt as _;
use plan::{All as _, Builder, Children, Component, OwnerAccess, PlanError, World, starts_after};

/// The component behind the annotations of a [`v1::Namespace`].
pub struct Namespace;

impl Component for Namespace {
    type Owner = v1::Namespace;

    const NAME: &'static str = "namespace";
    const ACCESS: OwnerAccess = OwnerAccess::OnlyRead;

    fn has_work(owner: &Self::Owner) -> bool {
        request::is_made(owner)
    }

    fn children() -> Children {
        Children::none().and::<HarborProject>().and::<HarborRobot>().and::<PullSecretBinding>()
    }

    fn desired(owner: &Self::Owner, world: &World<'_>, graph: &mut Builder<'_>) -> Result<(), PlanError> {
        if !request::is_made(owner) {
            return Ok(());
        }
        let request = Request::of(owner)?;
        let (existing, configuration) = harbor(&request, world)?;
        let names = ProjectNames::of(&configuration, world.namespace());
        let (project, field) = (project(&request, &existing, &names), field(HARBOR_ANNOTATION));
        let is_open = management::check_open_to(&configuration, world.namespace(), owner.labels(), &field);
        let (project, ()) = (project, is_open).all()?;
        if existing.is_outside(&configuration) {
            return Ok(());
        }

        let objects = Objects::new(world.namespace(), &configuration, project);
        match &request.project {
            Project::Own { access } => {
                let project = graph.add::<HarborProject>(objects.project(), ());
                let robot = graph.add::<HarborRobot>(objects.robot(*access), starts_after(project));
                let binding = objects.binding_of_own_robot(request.service_account);
                graph.add::<PullSecretBinding>(binding, starts_after(robot));
            }
            Project::Named { robot, password, .. } => {
                let binding = objects.binding(request.service_account, robot, password);
                graph.add::<PullSecretBinding>(binding, ());
            }
        }
        Ok(())
    }
}

/// The children that exist, and the Harbor that the annotations name, in which the children are, or that is the default.
fn harbor(
    request: &Request<'_>,
    world: &World<'_>,
) -> Result<(Existing, HarborServerConfiguration), PlanError> {
    let (existing, configuration) = if let Some(name) = request.harbor {
        (Existing::read(world), management::configuration(Some(name), world)).all()?
    } else {
        // Another default moves nothing.
        let existing = Existing::read(world)?;
        let configuration = management::configuration(existing.harbor(), world)?;
        (existing, configuration)
    };
    let no_default = || {
        PlanError::invalid(
            field(HARBOR_ANNOTATION),
            "is not set, and there is no default",
            "name a HarborServerConfiguration in it, or have the administrator set default: true in one",
        )
    };
    Ok((existing, configuration.ok_or_else(no_default)?))
}

/// The name of the project. One that the operator has created keeps its name when the template changes.
fn project(
    request: &Request<'_>,
    existing: &Existing,
    names: &ProjectNames<'_>,
) -> Result<String, PlanError> {
    match (&request.project, existing.project()) {
        (Project::Own { .. }, Some(existing)) => Ok(existing.to_owned()),
        (Project::Own { .. }, None) => names.own(),
        (Project::Named { name, .. }, _) => {
            names.check(name, &field(PROJECT_ANNOTATION)).map(|()| (*name).to_owned())
        }
    }
}

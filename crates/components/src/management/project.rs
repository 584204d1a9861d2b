//! The projects that objects inside a Harbor are about.

use super::{ProjectNames, Server, system as system_of};
use api::v1beta1::{HarborProject, project_reference::ProjectReference};
use harborstate::{
    State as _,
    project::{Facts, Project},
};
use plan::{ObjectKey, PlanError, System, World};

/// The projects of a Harbor, for objects of a namespace.
#[derive(Clone, Copy)]
pub(crate) struct Projects<'a> {
    /// The Harbor.
    pub system: &'a System,
    /// What is known about it.
    pub server: &'a Server,
    /// The namespace of the objects.
    pub namespace: &'a str,
    /// Where it is looked up whether a project exists.
    pub world: &'a World<'a>,
}

impl Projects<'_> {
    /// The name of the project that an object is about, which must exist in the Harbor.
    pub fn named(&self, reference: &ProjectReference) -> Result<String, PlanError> {
        match (&reference.project_name, &reference.project_ref) {
            (None, Some(object)) => {
                let name = self.referenced(object)?.spec.project_name;
                self.names()?.check(&name, "spec.projectRef")?;
                let object = ObjectKey::of::<HarborProject>(self.namespace, object);
                self.exists(&name, object, "does not exist in Harbor yet")?;
                Ok(name)
            }
            (Some(name), None) => {
                self.existing(name, "spec.projectName")?;
                Ok(name.clone())
            }
            _ => Err(PlanError::invalid(
                "spec",
                "must have exactly one of projectRef and projectName",
                "keep the one that names the project",
            )),
        }
    }

    /// The HarborProject of a name, which must be in the same Harbor.
    pub fn referenced(&self, name: &str) -> Result<HarborProject, PlanError> {
        let project = self.world.require::<HarborProject>(name)?;
        if system_of(&project, &project.spec.target, self.world)? == *self.system {
            return Ok(project);
        }
        Err(PlanError::invalid(
            "spec.projectRef",
            format!("HarborProject {name} is in another Harbor"),
            "give both objects the same harborRef or harborServerConfig",
        ))
    }

    /// The names that projects may have for objects of the namespace.
    pub fn names(&self) -> Result<ProjectNames<'_>, PlanError> {
        ProjectNames::read(self.system, self.namespace, self.world)
    }

    /// The id of a project that a field names, if its name is allowed; `None` without a Harbor to ask.
    pub fn id(&self, name: &str, field: &str) -> Result<Option<u32>, PlanError> {
        self.existing(name, field)?;
        let found = self.world.external(self.system, Project::COLLECTION, name)?;
        let facts = found.and_then(|found| serde_json::from_value::<Facts>(found).ok());
        Ok(facts.and_then(|facts| facts.id.try_into().ok()))
    }

    /// Waits for a project that a field names, if its name is allowed.
    pub fn existing(&self, name: &str, field: &str) -> Result<(), PlanError> {
        self.names()?.check(name, field)?;
        let object = ObjectKey::external(self.system, Project::COLLECTION, name);
        self.exists(name, object, &format!("does not exist; create it in Harbor, or correct {field}"))
    }

    /// Without a cluster, nothing is known about any project.
    fn exists(&self, name: &str, object: ObjectKey, otherwise: &str) -> Result<(), PlanError> {
        let is_known = self.server.state().is_some();
        if is_known && self.world.external(self.system, Project::COLLECTION, name)?.is_none() {
            return Err(PlanError::unsettled(object, otherwise));
        }
        Ok(())
    }
}

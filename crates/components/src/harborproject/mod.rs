//! HarborProject: a project inside a Harbor, with its members, its quota and its rules.
//!
//! The project comes first. Everything in it needs the project: it is left as it is while the project is that of another
//! owner. Lists that Harbor has no names for, such as members, are one object each and are managed as a whole; a list that
//! the spec does not have is left alone.
//!
//! Uses: management, secrets, values.

mod legacy_reason;
mod members;
mod project;
mod rules;
mod status;
mod webhooks;

#[cfg(test)]
mod tests;

use crate::management::{self, Policy, ProjectNames, Server};
use api::v1beta1;
use harborstate::project_scanner::ProjectScanner;
use kube::ResourceExt as _;
use plan::{All, Builder, Children, Component, Conclusion, Connect, Contents, External, PlanError, World};
use serde_json::{Map, Value};

/// The component behind a [`v1beta1::HarborProject`].
pub struct HarborProject;

impl Component for HarborProject {
    type Owner = v1beta1::HarborProject;

    const NAME: &'static str = "harborproject";
    const CONNECT: Connect = management::connection;

    fn children() -> Children {
        Children::none().and_external()
    }

    fn details(owner: &Self::Owner, conclusion: &Conclusion<'_>) -> Map<String, Value> {
        status::fields(&owner.spec, conclusion)
    }

    fn desired(owner: &Self::Owner, world: &World<'_>, graph: &mut Builder<'_>) -> Result<(), PlanError> {
        let (spec, namespace) = (&owner.spec, owner.namespace().unwrap_or_default());
        let name = &spec.project_name;
        let system = management::system(owner, &spec.target, world)?;
        let server = Server::read(&system, world)?;
        let names = ProjectNames::read(&system, &namespace, world)?;
        let (project, members, webhooks, (), ()) = (
            project::project(spec, &namespace, &system, &server, world),
            members::members(spec, &server),
            webhooks::webhooks(spec, &namespace, &server, world),
            rules::check(spec),
            names.check(name, "spec.projectName"),
        )
            .all()?;

        let policy =
            Policy { creation: spec.effective_creation_policy(), deletion: spec.effective_deletion_policy() };
        let contents = if spec.force_destroy == Some(true) { Contents::Deleted } else { Contents::Kept };
        let project = External { contents, ..management::object(&system, name, &project)? };
        let project = policy.desired(project);
        let project = graph.add::<External>(project, ());
        let mut add = |policy: Policy, field: &'static str, part: External| {
            let part = External { described_by: Some(field), ..part };
            graph.add::<External>(policy.desired(part), project);
        };
        if let Some(members) = members {
            add(Policy::INHERENT, "spec.memberships", management::object(&system, name, &members)?);
        }
        if let Some(retention) = &spec.retention {
            let retention = management::object(&system, name, &rules::retention(retention))?;
            add(Policy::PART, "spec.retention", retention);
        }
        if let Some(rules) = &spec.immutable_tag_rules {
            let rules = management::object(&system, name, &rules::immutable(rules))?;
            add(Policy::INHERENT, "spec.immutableTagRules", rules);
        }
        for (webhook, headers, state) in webhooks {
            let name = harborstate::in_project(name, webhook);
            let external = management::object(&system, &name, &state)?;
            add(Policy::PART, "spec.webhooks", External { write_only: headers, ..external });
        }
        for label in spec.labels.iter().flatten() {
            let (name, state) =
                (harborstate::in_project(name, &label.name), management::label(&label.appearance));
            add(Policy::PART, "spec.labels", management::object(&system, &name, &state)?);
        }
        if let Some(scanner) = &spec.scanner {
            let scanner = ProjectScanner { scanner: scanner.clone() };
            add(Policy::INHERENT, "spec.scanner", management::object(&system, name, &scanner)?);
        }
        Ok(())
    }
}

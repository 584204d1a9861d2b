//! The children of a Namespace that exist.

use super::objects::{MADE_FOR, NAME};
use api::{
    names::MADE_FOR_LABEL,
    v1beta1::{
        HarborProject, HarborRobot, HarborServerConfiguration, PullSecretBinding, harbor_target::HarborTarget,
    },
};
use kube::ResourceExt as _;
use plan::{All as _, Manifest, PlanError, World};

/// The children of a Namespace that exist. Objects of users under the same names are none.
#[derive(Debug, Default)]
pub(super) struct Existing {
    project: Option<String>,
    targets: Vec<HarborTarget>,
}

impl Existing {
    /// Reads the children.
    pub fn read(world: &World<'_>) -> Result<Self, PlanError> {
        let (project, robot, binding) =
            (child::<HarborProject>(world), child::<HarborRobot>(world), child::<PullSecretBinding>(world))
                .all()?;
        let targets = [
            project.as_ref().map(|it| &it.spec.target),
            robot.as_ref().map(|it| &it.spec.target),
            binding.as_ref().map(|it| &it.spec.target),
        ];
        let targets = targets.into_iter().flatten().cloned().collect();
        Ok(Self { project: project.map(|it| it.spec.project_name), targets })
    }

    /// The HarborServerConfiguration of the children.
    pub fn harbor(&self) -> Option<&str> {
        self.targets.iter().find_map(|target| target.harbor_server_config.as_deref())
    }

    /// The name of the project of the namespace's own.
    pub fn project(&self) -> Option<&str> {
        self.project.as_deref()
    }

    /// Whether a child is not in the Harbor of this HarborServerConfiguration.
    pub fn is_outside(&self, configuration: &HarborServerConfiguration) -> bool {
        let name = configuration.name_any();
        self.targets.iter().any(|target| target.harbor_server_config.as_deref() != Some(name.as_str()))
    }
}

fn child<K: Manifest>(world: &World<'_>) -> Result<Option<K>, PlanError> {
    let is_made = |object: &K| object.labels().get(MADE_FOR_LABEL).is_some_and(|value| value == MADE_FOR);
    Ok(world.read::<K>(NAME)?.filter(is_made))
}

//! The objects that the operator creates in a namespace for its annotations.

use super::request::{Access, Password};
use api::{
    names::{MADE_FOR_LABEL, ROTATE_ROBOT_ANNOTATION},
    v1beta1::{
        HarborProject, HarborProjectSpec, HarborRobot, HarborRobotSpec, HarborServerConfiguration,
        PullSecretBinding, PullSecretBindingSpec,
        harbor_target::HarborTarget,
        harborrobot::{RobotAccess, RobotLevel, RobotPermission, RobotPermissionKind, RobotSecret},
        object_deletion_policy::ObjectDeletionPolicy,
        project_reference::ProjectReference,
        secret_reference::SecretKeyReference,
    },
};
use kube::{ResourceExt as _, core::ObjectMeta};

/// The name of each object. The names of robot accounts begin with it, as with the old operator.
pub(super) const NAME: &str = "4k8s";

/// The value of the label that all objects have.
pub(super) const MADE_FOR: &str = "namespace";

/// The objects for a project of a Harbor.
pub(super) struct Objects<'a> {
    namespace: &'a str,
    target: HarborTarget,
    project: String,
}

impl<'a> Objects<'a> {
    /// For the project of this name in the Harbor of a HarborServerConfiguration.
    pub fn new(namespace: &'a str, configuration: &HarborServerConfiguration, project: String) -> Self {
        let configuration = configuration.name_any();
        let target = HarborTarget { harbor_ref: None, harbor_server_config: Some(configuration.into()) };
        Self { namespace, target, project }
    }

    /// The project. Its images outlive the namespace, and a namespace that is created again gets them back.
    pub fn project(&self) -> HarborProject {
        let spec = HarborProjectSpec {
            target: self.target.clone(),
            project_name: self.project.clone(),
            deletion_policy: Some(ObjectDeletionPolicy::Retain),
            ..HarborProjectSpec::default()
        };
        HarborProject { metadata: self.metadata(), spec, status: None }
    }

    /// The robot account of the project.
    pub fn robot(&self, access: Access) -> HarborRobot {
        let actions: &[&str] = match access {
            Access::Pull => &["pull"],
            Access::PullAndPush => &["pull", "push"],
        };
        let access = actions
            .iter()
            .map(|&action| RobotAccess { resource: "repository".to_owned(), action: action.to_owned() });
        let permission =
            RobotPermission { kind: RobotPermissionKind::Project, namespace: None, access: access.collect() };
        let spec = HarborRobotSpec {
            target: self.target.clone(),
            robot_name: format!("{NAME}-{}", self.namespace),
            level: RobotLevel::Project,
            project: ProjectReference { project_ref: Some(NAME.into()), project_name: None },
            description: Some(format!("of namespace {}", self.namespace)),
            disabled: None,
            duration: None,
            permissions: vec![permission],
            secret: Some(RobotSecret::default()),
            rotation: None,
            creation_policy: None,
            deletion_policy: None,
        };
        HarborRobot { metadata: self.metadata(), spec, status: None }
    }

    /// Lets the pods of a ServiceAccount pull with the robot account of [`Objects::robot`].
    pub fn binding_of_own_robot(&self, service_account: &str) -> PullSecretBinding {
        let spec = PullSecretBindingSpec {
            target: self.target.clone(),
            service_account: service_account.to_owned(),
            robot_ref: Some(NAME.into()),
            ..PullSecretBindingSpec::default()
        };
        PullSecretBinding { metadata: self.metadata(), spec, status: None }
    }

    /// Lets the pods of a ServiceAccount pull with a robot account that exists.
    pub fn binding(&self, service_account: &str, robot: &str, password: &Password<'_>) -> PullSecretBinding {
        let mut metadata = self.metadata();
        let secret_ref = match password {
            Password::Stored(secret) => Some(SecretKeyReference { name: (*secret).into(), key: None }),
            Password::Renewed => {
                metadata.annotations = Some([(ROTATE_ROBOT_ANNOTATION.to_owned(), "true".to_owned())].into());
                None
            }
        };
        let spec = PullSecretBindingSpec {
            target: self.target.clone(),
            service_account: service_account.to_owned(),
            project_name: Some(self.project.clone()),
            robot_id: Some(robot.to_owned()),
            secret_ref,
            ..PullSecretBindingSpec::default()
        };
        PullSecretBinding { metadata, spec, status: None }
    }

    fn metadata(&self) -> ObjectMeta {
        ObjectMeta {
            name: Some(NAME.to_owned()),
            namespace: Some(self.namespace.to_owned()),
            labels: Some([(MADE_FOR_LABEL.to_owned(), MADE_FOR.to_owned())].into()),
            ..ObjectMeta::default()
        }
    }
}

//! The Secret that container runtimes pull images with.

use super::{account::Account, password::Password};
use crate::management::{self, DOCKER_CONFIG, DOCKER_CONFIG_TYPE, RegistryHosts, Server, robot_secret};
use api::{
    names::ROBOT_SECRET_ANNOTATION,
    v1beta1::{HarborRobot, PullSecretBinding, harborrobot::RobotSecretType},
};
use k8s_openapi::{ByteString, api::core::v1::Secret};
use kube::{ResourceExt as _, core::ObjectMeta};
use plan::{Desired, ObjectKey, PlanError, System, World};

/// The name of the Secret: that of the old operator, as long as there is one.
pub(super) fn name(owner: &PullSecretBinding, world: &World<'_>) -> Result<String, PlanError> {
    if let Some(old) = owner.annotations().get(ROBOT_SECRET_ANNOTATION).filter(|name| !name.is_empty()) {
        let found = world.read::<Secret>(old)?;
        if found.is_some_and(|secret| secret.type_.as_deref() == Some(DOCKER_CONFIG_TYPE)) {
            return Ok(old.clone());
        }
    }
    Ok(format!("{}-pull", owner.name_any()))
}

/// The name of the Secret that a HarborRobot writes.
pub(super) fn of_robot(
    robot: &str,
    system: &System,
    namespace: &str,
    world: &World<'_>,
) -> Result<String, PlanError> {
    let object = world.require::<HarborRobot>(robot)?;
    if management::system(&object, &object.spec.target, world)? != *system {
        return Err(PlanError::invalid(
            "spec.robotRef",
            format!("HarborRobot {robot} is in another Harbor"),
            "give both objects the same harborRef or harborServerConfig",
        ));
    }
    match robot_secret(&object) {
        Some((name, RobotSecretType::DockerConfigJson)) => Ok(name),
        Some((_, RobotSecretType::Opaque)) | None => Err(PlanError::invalid(
            ObjectKey::of::<HarborRobot>(namespace, robot),
            "writes no Secret that pods can pull images with",
            "set its spec.secret to {}, or spec.secret.type to dockerconfigjson",
        )),
    }
}

/// The Secret. Until there are credentials that Harbor accepts, it stays as it is.
pub(super) fn secret(
    name: &str,
    namespace: &str,
    (system, server): (&System, &Server),
    account: Option<&Account>,
    password: &Password,
    world: &World<'_>,
) -> Result<Desired, PlanError> {
    // A Harbor that is read-only may not have this password yet.
    let state = server.state().filter(|server| !(server.read_only && password.is_sent));
    let (Some(account), Some(password), Some(server)) = (account, password.known(), state) else {
        let why = "the operator writes it as soon as Harbor has the robot account and its password";
        return Ok(awaited(name, namespace, why));
    };
    let hosts = RegistryHosts::read(system, server, world)?;
    Ok(with(name, namespace, hosts.docker_config(&account.login, password)).into())
}

/// The Secret, which does not exist yet.
pub(super) fn awaited(name: &str, namespace: &str, why: &str) -> Desired {
    Desired::awaited(with(name, namespace, String::new()), why)
}

fn with(name: &str, namespace: &str, config: String) -> Secret {
    Secret {
        metadata: ObjectMeta {
            name: Some(name.to_owned()),
            namespace: Some(namespace.to_owned()),
            ..ObjectMeta::default()
        },
        type_: Some(DOCKER_CONFIG_TYPE.to_owned()),
        data: Some([(DOCKER_CONFIG.to_owned(), ByteString(config.into_bytes()))].into()),
        ..Secret::default()
    }
}

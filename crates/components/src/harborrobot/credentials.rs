//! The password of a robot account, and the Secret that pods log in with.

use super::accounts::Account;
use crate::{
    management::{DOCKER_CONFIG, DOCKER_CONFIG_TYPE, RegistryHosts, Server, check_password, robot_secret},
    secrets::{SecretKey, SecretValue, Secrets},
};
use api::{
    names::{IMMUTABLE_ANNOTATION, ROTATION_ANNOTATION},
    v1beta1::{CreationPolicy, HarborRobot, HarborRobotSpec, harborrobot::RobotSecretType},
};
use harborstate::{
    State as _,
    robot::{Facts, Robot, SECRET},
};
use k8s_openapi::{ByteString, api::core::v1::Secret};
use kube::core::ObjectMeta;
use plan::{Desired, PlanError, Recipe, System, Violation, World};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

const USERNAME: &str = "username";
const PASSWORD: &str = "password";
const OPAQUE_TYPE: &str = "Opaque";

/// The credentials of the robot accounts of a HarborRobot that has an output Secret.
pub(super) struct Credentials<'a> {
    namespace: &'a str,
    world: &'a World<'a>,
    /// The name of the output Secret.
    output: String,
    type_: RobotSecretType,
}

/// What works, and hardly does what a user wants.
pub(super) fn advice(spec: &HarborRobotSpec) -> Vec<Violation> {
    let is_unknown = spec.secret.is_none() && spec.effective_creation_policy() == CreationPolicy::Create;
    let advice = is_unknown.then(|| Violation {
        subject: "spec.secret".into(),
        problem: "is not set, so the operator does not store the password of the robot account, and Harbor does not show it".into(),
        remedy: "set it to {} to have the operator write the credentials to a Secret".into(),
    });
    advice.into_iter().collect()
}

/// The name of the output Secret.
pub(super) fn output_name(owner: &HarborRobot) -> Option<String> {
    robot_secret(owner).map(|(name, _)| name)
}

impl<'a> Credentials<'a> {
    /// The credentials, if the operator is to know them.
    pub fn new(
        owner: &HarborRobot,
        namespace: &'a str,
        world: &'a World<'a>,
    ) -> Result<Option<Self>, PlanError> {
        let Some((output, type_)) = robot_secret(owner) else {
            return match &owner.spec.rotation {
                None => Ok(None),
                Some(_) => Err(PlanError::invalid(
                    "spec.rotation",
                    "without spec.secret, the operator does not know the password of the robot account",
                    "set spec.secret, or remove spec.rotation",
                )),
            };
        };
        let credentials = Self { namespace, world, output, type_ };
        credentials.check_type()?;
        Ok(Some(credentials))
    }

    /// The Secret in which the operator keeps the password of a robot account.
    pub fn generated(&self, account: &Account) -> Desired {
        // It goes when another password replaces it.
        let immutable = (IMMUTABLE_ANNOTATION.to_owned(), "false".to_owned());
        let record = account.record.clone().map(|record| (ROTATION_ANNOTATION.to_owned(), record));
        let annotations = Some([immutable].into_iter().chain(record).collect());
        let metadata = ObjectMeta { annotations, ..self.metadata(&account.password) };
        let secret = Secret { metadata, ..Secret::default() };
        Desired::generated(secret, [(PASSWORD.to_owned(), Recipe::Password { length: 32 })])
    }

    /// The write-only fields of a robot account: its password, once that is stored. The Secret wakes the owner when it is.
    pub fn write_only(&self, account: &Account) -> Result<Map<String, Value>, PlanError> {
        let password = self.password(account)?.map(|password| (SECRET.to_owned(), text(&password).into()));
        Ok(password.into_iter().collect())
    }

    /// The Secret that pods use. Until there are credentials, it stays as it is.
    pub fn output(&self, account: &Account, system: &System, server: &Server) -> Result<Desired, PlanError> {
        if self.output == account.password {
            return Err(PlanError::invalid(
                "spec.secret.name",
                format!("the operator keeps the password in a Secret that is called {}", self.output),
                "choose another name",
            ));
        }
        let password = self.password(account)?;
        let login = self.world.external(system, Robot::COLLECTION, &account.name)?;
        let login =
            login.and_then(|robot| serde_json::from_value::<Facts>(robot).ok()).map(|robot| robot.login);
        // A Harbor that is read-only may not have this password yet.
        let state = server.state().filter(|server| !server.read_only);
        let (Some(password), Some(login), Some(server)) = (password, login, state) else {
            let keys =
                [USERNAME, PASSWORD].into_iter().chain(self.is_docker_config().then_some(DOCKER_CONFIG));
            let keys = keys.map(|key| (key.to_owned(), ByteString::default()));
            return Ok(Desired::awaited(
                self.secret(keys.collect()),
                "the operator writes it as soon as Harbor has the robot account and its password",
            ));
        };
        let password = text(&password);
        let mut data = BTreeMap::from([(USERNAME, login.clone()), (PASSWORD, password.clone())]);
        if self.is_docker_config() {
            let hosts = RegistryHosts::read(system, server, self.world)?;
            data.insert(DOCKER_CONFIG, hosts.docker_config(&login, &password));
        }
        let data = data.into_iter().map(|(key, value)| (key.to_owned(), ByteString(value.into_bytes())));
        Ok(self.secret(data.collect()).into())
    }

    fn password(&self, account: &Account) -> Result<Option<SecretValue>, PlanError> {
        let secrets = Secrets::new(self.world, self.namespace);
        let key = SecretKey::new(&account.password, PASSWORD);
        let password = secrets.optional_value(&key)?;
        // A user may have created the Secret beforehand.
        if let Some(password) = &password {
            check_password(password.bytes()).map_err(|fault| secrets.invalid(&key, fault))?;
        }
        Ok(password)
    }

    /// Refuses an output Secret whose type would have to change.
    fn check_type(&self) -> Result<(), PlanError> {
        let name = &self.output;
        let stored = self.world.read::<Secret>(name)?.and_then(|secret| secret.type_);
        match stored {
            Some(type_) if type_ != self.secret_type() => Err(PlanError::invalid(
                "spec.secret.type",
                format!("Secret {name} has the type {type_}, and Kubernetes does not let types change"),
                "delete the Secret, or choose another name in spec.secret.name",
            )),
            _ => Ok(()),
        }
    }

    fn secret(&self, data: BTreeMap<String, ByteString>) -> Secret {
        Secret {
            metadata: self.metadata(&self.output),
            type_: Some(self.secret_type().to_owned()),
            data: Some(data),
            ..Secret::default()
        }
    }

    fn metadata(&self, name: &str) -> ObjectMeta {
        ObjectMeta {
            name: Some(name.to_owned()),
            namespace: Some(self.namespace.to_owned()),
            ..ObjectMeta::default()
        }
    }

    const fn is_docker_config(&self) -> bool {
        matches!(self.type_, RobotSecretType::DockerConfigJson)
    }

    const fn secret_type(&self) -> &'static str {
        if self.is_docker_config() { DOCKER_CONFIG_TYPE } else { OPAQUE_TYPE }
    }
}

fn text(password: &SecretValue) -> String {
    String::from_utf8_lossy(password.bytes()).into_owned()
}

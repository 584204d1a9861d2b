//! The store of images: a storage driver of the registry, with its parameters, credentials and files.

mod object_stores;
mod parameters;

pub(super) use self::parameters::Parameters;

use super::{files::Files, settings::Settings};
use crate::{
    pods::{file_mount, secret_volume},
    secrets::Secrets,
    values::parse_yaml,
};
use api::v1beta1::registry::storage::{
    RegistryFilesystemSpec, RegistryStorageDriverSpec, RegistryStorageSpec,
};
use k8s_openapi::api::core::v1::VolumeMount;
use plan::{All, PlanError};
use serde_json::Value;
use std::collections::BTreeMap;

const FIELD: &str = "spec.storage.driver";

/// Where a volume is mounted. It must not change: existing volumes have their images there.
const DIRECTORY: &str = "/var/lib/registry";

const VOLUME: &str = "storage";

/// A store. The registry controller uses it, too.
pub(super) struct Driver {
    /// The name of the driver.
    pub name: &'static str,
    /// The parameters in the configuration file.
    pub parameters: Parameters,
    /// Its secret settings.
    pub credentials: Settings,
    /// Its volumes.
    pub files: Files,
}

impl Driver {
    /// The only store that a spec names, with validated credentials.
    pub fn of(spec: &RegistryStorageSpec, secrets: &Secrets<'_>) -> Result<Self, PlanError> {
        let (mut driver, options) = (chosen(&spec.driver, secrets), options(&spec.driver_options)).all()?;
        for (name, value) in options {
            driver.parameters = driver.parameters.with(name, value);
        }
        Ok(driver)
    }

    fn named(name: &'static str, parameters: Parameters) -> Self {
        Self { name, parameters, credentials: Settings::default(), files: Files::default() }
    }
}

fn chosen(spec: &RegistryStorageDriverSpec, secrets: &Secrets<'_>) -> Result<Driver, PlanError> {
    let RegistryStorageDriverSpec { filesystem: volume, s3, swift, azure, gcs, oss, in_memory } = spec;
    let mut set = [
        volume.as_ref().map(filesystem),
        s3.as_ref().map(|s3| object_stores::s3(s3, secrets)),
        swift.as_ref().map(|swift| object_stores::swift(swift, secrets)),
        azure.as_ref().map(|azure| object_stores::azure(azure, secrets)),
        gcs.as_ref().map(|gcs| object_stores::gcs(gcs, secrets)),
        oss.as_ref().map(|oss| object_stores::oss(oss, secrets)),
        in_memory.as_ref().map(|_| Ok(Driver::named("inmemory", Parameters::default()))),
    ]
    .into_iter()
    .flatten();
    match (set.next(), set.count()) {
        (Some(driver), 0) => driver,
        (first, others) => Err(PlanError::invalid(
            FIELD,
            format!("names {} stores", others + usize::from(first.is_some())),
            "name exactly one of filesystem, s3, swift, azure, gcs, oss and inmemory",
        )),
    }
}

fn filesystem(spec: &RegistryFilesystemSpec) -> Result<Driver, PlanError> {
    let prefix = spec.prefix.as_deref().unwrap_or_default().trim_start_matches('/');
    if prefix.split('/').any(|part| part == "..") {
        return Err(PlanError::invalid(
            format_args!("{FIELD}.filesystem.prefix"),
            "leads out of the volume",
            "name a directory within it, without `..`",
        ));
    }
    let mount = VolumeMount {
        name: VOLUME.into(),
        mount_path: DIRECTORY.into(),
        sub_path: Some(prefix.to_owned()).filter(|prefix| !prefix.is_empty()),
        ..VolumeMount::default()
    };
    let parameters =
        Parameters::default().with("rootdirectory", DIRECTORY).with("maxthreads", spec.max_threads);
    let driver = Driver::named("filesystem", parameters);
    Ok(Driver { files: Files::default().with(spec.volume_source.volume(VOLUME), mount), ..driver })
}

/// Options that are secret and must not be in a ConfigMap.
const SECRET: [&str; 6] =
    ["accesskeysecret", "accountkey", "credentials", "password", "secretkey", "sessiontoken"];

/// Further options, parsed as in the configuration file, where `true` is not a text.
fn options(spec: &BTreeMap<String, String>) -> Result<Vec<(&str, Value)>, PlanError> {
    let option = |(name, value): (&'_ String, &String)| {
        let field = format!("spec.storage.driverOptions[{name}]");
        if SECRET.contains(&name.as_str()) {
            return Err(PlanError::invalid(
                field,
                "is a secret, and everyone who may read ConfigMaps could read it there",
                format!("put it into a Secret and refer to that in {FIELD}"),
            ));
        }
        parse_yaml(value).map_err(|fault| fault.at(field))
    };
    let values = spec.iter().map(option).collect::<Vec<_>>().all()?;
    Ok(spec.keys().map(String::as_str).zip(values).collect())
}

/// One file of a Secret.
fn key_file(volume: &str, secret: &str, key: &str, file: &str, path: &str) -> Files {
    Files::default().with(secret_volume(volume, secret, &[(key, file)]), file_mount(volume, file, path))
}

//! The store of charts: a volume, or one of five object stores.

use crate::{
    pods::{Environment, file_mount, secret_volume, sub_path, writable_mount},
    secrets::{SecretKey, Secrets},
    values::not_empty,
};
use api::v1beta1::{
    chartmuseum::storage::{
        ChartMuseumAmazonSpec, ChartMuseumFilesystemSpec, ChartMuseumGcsSpec, ChartMuseumOpenstackSpec,
        ChartMuseumOssSpec, ChartMuseumStorageSpec,
    },
    storage::AzureSpec,
};
use k8s_openapi::api::core::v1::{Volume, VolumeMount};
use plan::{All, PlanError};

const FIELD: &str = "spec.chart.storage";

const VOLUME: &str = "storage";
const DIRECTORY: &str = "/mnt/chartstorage";

const GCS_KEY: &str = "GCS_KEY_DATA";
const GCS_VOLUME: &str = "gcs-key";
const GCS_FILE: &str = "gcs-key.json";
const GCS_PATH: &str = "/etc/gcs/gcs-key.json";

/// A store, with its credentials.
pub(super) enum Store<'a> {
    Amazon(&'a ChartMuseumAmazonSpec, AmazonKeys<'a>),
    Azure(&'a AzureSpec, Option<SecretKey<'a>>),
    Filesystem(&'a ChartMuseumFilesystemSpec, Option<String>),
    Google(&'a ChartMuseumGcsSpec),
    Openstack(&'a ChartMuseumOpenstackSpec, SecretKey<'a>),
    Alibaba(&'a ChartMuseumOssSpec, SecretKey<'a>),
}

/// The credentials of Amazon's store, or one with the same API. Unset, the environment of the pod provides
/// them.
pub(super) struct AmazonKeys<'a> {
    access: Option<SecretKey<'a>>,
    secret: Option<SecretKey<'a>>,
}

impl<'a> Store<'a> {
    /// The only store that a spec describes. Its Secrets must exist.
    pub fn of(spec: &'a ChartMuseumStorageSpec, secrets: &Secrets<'_>) -> Result<Self, PlanError> {
        let ChartMuseumStorageSpec { amazon, azure, filesystem, gcs, openstack, oss, .. } = spec;
        let sound = |key: SecretKey<'a>| secrets.checked(&key, not_empty).map(|_| key);
        let secret = |secret: &'a str| sound(SecretKey::new(secret, "secret"));
        match (amazon, azure, filesystem, gcs, openstack, oss) {
            (Some(spec), None, None, None, None, None) => {
                let access = spec.access_key_ref.as_deref().map(|name| SecretKey::new(name, "accesskey"));
                if access.is_some() && set(spec.access_key_id.as_ref()).is_some() {
                    return Err(PlanError::invalid(
                        "spec.chart.storage.amazon.accessKeyRef",
                        "is set beside accessKeyID",
                        "leave one of them",
                    ));
                }
                let key = spec.access_secret_ref.as_deref();
                let (access, secret) = (access.map(sound).transpose(), key.map(secret).transpose()).all()?;
                Ok(Self::Amazon(spec, AmazonKeys { access, secret }))
            }
            (None, Some(spec), None, None, None, None) => {
                Ok(Self::Azure(spec, spec.account_key_ref.as_deref().map(secret).transpose()?))
            }
            (None, None, Some(spec), None, None, None) => {
                let prefix = sub_path(spec.prefix.as_deref(), "spec.chart.storage.filesystem.prefix")?;
                Ok(Self::Filesystem(spec, prefix))
            }
            (None, None, None, Some(spec), None, None) => {
                sound(SecretKey::new(&spec.key_data_secret_ref, GCS_KEY))?;
                Ok(Self::Google(spec))
            }
            (None, None, None, None, Some(spec), None) => {
                Ok(Self::Openstack(spec, secret(openstack_password(spec)?)?))
            }
            (None, None, None, None, None, Some(spec)) => {
                Ok(Self::Alibaba(spec, secret(&spec.access_secret_ref)?))
            }
            (None, None, None, None, None, None) => {
                Err(PlanError::invalid(FIELD, "names no store", "describe one, such as filesystem or amazon"))
            }
            _ => Err(PlanError::invalid(FIELD, "names more than one store", "leave one of them")),
        }
    }

    /// The settings of ChartMuseum for its store.
    pub fn environment(&self) -> Environment {
        let store = |name: &str| Environment::default().with("STORAGE", name);
        match self {
            Self::Filesystem(..) => store("local").with("STORAGE_LOCAL_ROOTDIR", DIRECTORY),
            Self::Amazon(spec, keys) => amazon(store("amazon"), spec, keys),
            Self::Azure(spec, key) => azure(store("microsoft"), spec, key.as_ref()),
            Self::Google(spec) => store("google")
                .with("GOOGLE_APPLICATION_CREDENTIALS", GCS_PATH)
                .with("STORAGE_GOOGLE_BUCKET", &spec.bucket)
                .with("STORAGE_GOOGLE_PREFIX", folder(spec.path_prefix.as_deref())),
            Self::Openstack(spec, password) => openstack(store("openstack"), spec, password),
            Self::Alibaba(spec, key) => store("alibaba")
                .with("ALIBABA_CLOUD_ACCESS_KEY_ID", &spec.access_key_id)
                .with_secret("ALIBABA_CLOUD_ACCESS_KEY_SECRET", key)
                .with("STORAGE_ALIBABA_BUCKET", &spec.bucket)
                .with("STORAGE_ALIBABA_ENDPOINT", &spec.endpoint)
                .with("STORAGE_ALIBABA_PREFIX", folder(spec.path_prefix.as_deref())),
        }
    }

    /// The volume of the store, if it needs one.
    pub fn volume(&self) -> Option<Volume> {
        match self {
            Self::Filesystem(spec, _) => Some(spec.volume_source.volume(VOLUME)),
            Self::Google(spec) => {
                Some(secret_volume(GCS_VOLUME, &spec.key_data_secret_ref, &[(GCS_KEY, GCS_FILE)]))
            }
            Self::Amazon(..) | Self::Azure(..) | Self::Openstack(..) | Self::Alibaba(..) => None,
        }
    }

    /// The mount of that volume.
    pub fn mount(&self) -> Option<VolumeMount> {
        match self {
            // The operator's predecessor applied the prefix twice, so the charts of users who set one are in a
            // directory of the same name below it. ChartMuseum must find them again.
            Self::Filesystem(_, prefix) => Some(VolumeMount {
                sub_path: prefix.as_ref().map(|prefix| format!("{prefix}/{prefix}")),
                ..writable_mount(VOLUME, DIRECTORY)
            }),
            Self::Google(_) => Some(file_mount(GCS_VOLUME, GCS_FILE, GCS_PATH)),
            Self::Amazon(..) | Self::Azure(..) | Self::Openstack(..) | Self::Alibaba(..) => None,
        }
    }
}

fn amazon(environment: Environment, spec: &ChartMuseumAmazonSpec, keys: &AmazonKeys<'_>) -> Environment {
    let environment = match &keys.access {
        Some(key) => environment.with_secret("AWS_ACCESS_KEY_ID", key),
        None => environment.with_some("AWS_ACCESS_KEY_ID", set(spec.access_key_id.as_ref())),
    };
    let environment = match &keys.secret {
        Some(key) => environment.with_secret("AWS_SECRET_ACCESS_KEY", key),
        None => environment,
    };
    environment
        .with("STORAGE_AMAZON_BUCKET", &spec.bucket)
        .with("STORAGE_AMAZON_PREFIX", folder(spec.prefix.as_deref()))
        .with_some("STORAGE_AMAZON_REGION", set(spec.region.as_ref()))
        .with_some("STORAGE_AMAZON_ENDPOINT", set(spec.endpoint.as_ref()))
        .with_some("STORAGE_AMAZON_SSE", set(spec.server_side_encryption.as_ref()))
}

fn azure(environment: Environment, spec: &AzureSpec, key: Option<&SecretKey<'_>>) -> Environment {
    let environment = environment.with_some("AZURE_STORAGE_ACCOUNT", set(spec.account_name.as_ref()));
    let environment = match key {
        Some(key) => environment.with_secret("AZURE_STORAGE_ACCESS_KEY", key),
        None => environment,
    };
    environment
        .with("AZURE_BASE_URL", &spec.base_url)
        .with_some("STORAGE_MICROSOFT_CONTAINER", set(spec.container.as_ref()))
        .with("STORAGE_MICROSOFT_PREFIX", folder(Some(&spec.path_prefix)))
}

/// OpenStack accepts a name or an id of each, not both.
fn openstack(
    environment: Environment,
    spec: &ChartMuseumOpenstackSpec,
    password: &SecretKey<'_>,
) -> Environment {
    let either =
        |environment: Environment, name: (&str, Option<&String>), id: (&str, Option<&String>)| match set(
            name.1
        ) {
            Some(value) => environment.with(name.0, value),
            None => environment.with_some(id.0, set(id.1)),
        };
    let environment = environment.with("OS_AUTH_URL", &spec.authentication_url);
    let environment =
        either(environment, ("OS_USERNAME", spec.username.as_ref()), ("OS_USERID", spec.user_id.as_ref()))
            .with_secret("OS_PASSWORD", password);
    let environment = either(
        environment,
        ("OS_USER_DOMAIN_NAME", spec.domain.as_ref()),
        ("OS_USER_DOMAIN_ID", spec.domain_id.as_ref()),
    );
    let environment = either(
        environment,
        ("OS_TENANT_NAME", spec.tenant.as_ref()),
        ("OS_TENANT_ID", spec.tenant_id.as_ref()),
    );
    environment
        .with("STORAGE_OPENSTACK_CONTAINER", &spec.container)
        .with("STORAGE_OPENSTACK_PREFIX", folder(spec.prefix.as_deref()))
        .with_some("STORAGE_OPENSTACK_REGION", set(spec.region.as_ref()))
}

fn openstack_password(spec: &ChartMuseumOpenstackSpec) -> Result<&str, PlanError> {
    spec.password_ref.as_deref().ok_or_else(|| {
        PlanError::invalid(
            "spec.chart.storage.openstack.passwordRef",
            "is not set, and OpenStack requires a password",
            "name a Secret with the password under `secret`",
        )
    })
}

fn set(value: Option<&String>) -> Option<&String> {
    value.filter(|value| !value.is_empty())
}

/// The folder of charts below a prefix. A leading slash is part of the names of objects in Azure and OpenStack,
/// so it stays.
fn folder(prefix: Option<&str>) -> String {
    let prefix = prefix.unwrap_or_default();
    let root = if prefix.starts_with('/') { "/" } else { "" };
    let parts = prefix.split('/').filter(|part| !part.is_empty() && *part != ".").chain(["chart_storage"]);
    format!("{root}{}", parts.collect::<Vec<_>>().join("/"))
}

#[cfg(test)]
mod tests {
    use super::folder;

    #[test]
    fn charts_are_in_the_folder_they_always_were_in() {
        for (prefix, expected) in [
            (None, "chart_storage"),
            (Some(""), "chart_storage"),
            (Some("/azure/harbor/charts"), "/azure/harbor/charts/chart_storage"),
            (Some("a//b/"), "a/b/chart_storage"),
            (Some("/"), "/chart_storage"),
        ] {
            assert_eq!(folder(prefix), expected, "{prefix:?}");
        }
    }
}

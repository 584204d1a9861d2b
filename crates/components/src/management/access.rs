//! How to reach a Harbor.

use super::admin_password::{self, text};
use crate::{
    secrets::{SecretKey, Secrets},
    values::whole_seconds,
};
use api::v1beta1::{Core, Harbor, HarborServerConfiguration, harborserverconfiguration::AccessCredential};
use harborstate::{Access, Trust};
use k8s_openapi::api::core::v1::{Namespace, Secret};
use kube::{
    ResourceExt as _,
    core::{Selector, SelectorExt as _},
};
use plan::{ChildName, Connection, ObjectKey, PlanError, System, World};
use std::{collections::BTreeMap, str::FromStr as _, time::Duration};

/// The user that every Harbor has.
const ADMIN: &str = "admin";

/// How often a Harbor is compared at most. API servers without CEL do not refuse a shorter interval.
const SHORTEST_INTERVAL: Duration = Duration::from_secs(30);

/// How to reach a Harbor for an object in the namespace of the world.
pub(crate) fn connection(world: &World<'_>, system: &System) -> Result<Option<Connection>, PlanError> {
    let namespace = world.namespace();
    let (access, uid, interval) = match system.namespace.as_str() {
        "" => described(&system.name, namespace, world)?,
        _ => match harborstate::core_of(system) {
            Some(core) => alone(core, namespace, world)?,
            None => installed(&system.name, namespace, world)?,
        },
    };
    let connection = access
        .connection()
        .map_err(|_| PlanError::invalid(system, "has no usable address", "correct the URL of the Harbor"))?;
    Ok(Some(connection.identified_by(&uid).listed_every(interval)))
}

/// How to reach a Harbor, the uid of the object that stands for it, and how often it is compared if that object says so.
type Reached = (Access, String, Option<Duration>);

/// A Harbor that this operator runs: the Service of its Core, because the public URL may need a proxy, a DNS server or an
/// authority that the operator does not have.
fn installed(harbor: &str, namespace: &str, world: &World<'_>) -> Result<Reached, PlanError> {
    let name = ChildName::of(harbor, "harbor")?;
    let uid = world.require::<Harbor>(harbor)?.uid().unwrap_or_default();
    let core = world.serving::<Core>(&name).map_err(|error| match error {
        PlanError::Missing(_) => {
            let harbor = ObjectKey::of::<Harbor>(namespace, harbor);
            PlanError::unsettled(harbor, "has no Core yet")
        }
        error => error,
    })?;
    Ok((within(&core, &name, namespace, world)?, uid, None))
}

/// The Harbor of a Core that belongs to no Harbor object.
fn alone(core: &str, namespace: &str, world: &World<'_>) -> Result<Reached, PlanError> {
    let found = world.serving::<Core>(core)?;
    let uid = found.uid().unwrap_or_default();
    Ok((within(&found, core, namespace, world)?, uid, None))
}

/// Inside the cluster, as the administrator.
fn within(core: &Core, name: &str, namespace: &str, world: &World<'_>) -> Result<Access, PlanError> {
    let secrets = Secrets::new(world, namespace);
    let service = ChildName::of(name, "core")?;
    let tls = core.spec.components.tls.as_ref().and_then(|tls| tls.certificate_ref.as_ref());
    let (scheme, trust) = match tls {
        None => ("http", Trust::Public),
        Some(secret) => {
            let authority = secrets.value(&SecretKey::new(secret, "ca.crt"))?;
            // Certificates inside a Harbor are for the names of Services, without namespaces.
            ("https", Trust::Service { authorities: text(authority.bytes()), name: service.to_string() })
        }
    };
    Ok(Access {
        url: format!("{scheme}://{service}.{namespace}.svc"),
        trust,
        username: ADMIN.into(),
        password: admin_password::current(core, &secrets, world)?,
    })
}

/// A Harbor that a HarborServerConfiguration describes.
fn described(name: &str, namespace: &str, world: &World<'_>) -> Result<Reached, PlanError> {
    let Some(configuration) = world.read_cluster_wide::<HarborServerConfiguration>(name)? else {
        return Err(PlanError::Missing([ObjectKey::of::<HarborServerConfiguration>("", name)].into()));
    };
    if !namespace.is_empty() {
        is_open_to(&configuration, namespace, world)?;
    }
    let interval = configuration.spec.interval.as_ref();
    let field = || format!("HarborServerConfiguration {name}, spec.interval");
    let seconds = interval.map(|interval| whole_seconds(interval, field())).transpose()?;
    let interval = seconds.map(|seconds| Duration::from_secs(seconds).max(SHORTEST_INTERVAL));
    Ok((access(&configuration, world)?, configuration.uid().unwrap_or_default(), interval))
}

/// Whether objects of a namespace may use the Harbor of a HarborServerConfiguration.
pub(super) fn is_open(name: &str, namespace: &str, world: &World<'_>) -> Result<bool, PlanError> {
    let Some(configuration) = world.read_cluster_wide::<HarborServerConfiguration>(name)? else {
        return Ok(false);
    };
    match is_open_to(&configuration, namespace, world) {
        Ok(()) => Ok(true),
        Err(PlanError::Invalid(_)) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Refuses objects of namespaces that a HarborServerConfiguration does not select. Without a selector it is open to all.
fn is_open_to(
    configuration: &HarborServerConfiguration,
    namespace: &str,
    world: &World<'_>,
) -> Result<(), PlanError> {
    if configuration.spec.namespace_selector.is_none() {
        return Ok(());
    }
    let found = world.read_cluster_wide::<Namespace>(namespace)?;
    let labels = found.and_then(|found| found.metadata.labels).unwrap_or_default();
    check_open_to(configuration, namespace, &labels, "spec.harborServerConfig")
}

/// Refuses a namespace with these labels that a HarborServerConfiguration does not select, which a field names.
pub(crate) fn check_open_to(
    configuration: &HarborServerConfiguration,
    namespace: &str,
    labels: &BTreeMap<String, String>,
    field: &str,
) -> Result<(), PlanError> {
    let selector = configuration.spec.namespace_selector.clone().unwrap_or_default();
    let selector = Selector::try_from(selector).map_err(|_| {
        let field = format!("{}, spec.namespaceSelector", configuration.name_any());
        PlanError::invalid(field, "is no valid label selector", "correct it")
    })?;
    if selector.matches(labels) {
        return Ok(());
    }
    Err(PlanError::invalid(
        field,
        format!(
            "HarborServerConfiguration {} is not open to namespace {namespace}: its namespaceSelector does not match the \
             labels of the namespace",
            configuration.name_any()
        ),
        "ask its administrator, or name another one",
    ))
}

/// How a HarborServerConfiguration says that its Harbor is reached.
pub(super) fn access(
    configuration: &HarborServerConfiguration,
    world: &World<'_>,
) -> Result<Access, PlanError> {
    let spec = &configuration.spec;
    let AccessCredential { namespace, access_secret_ref } = &spec.access_credential;
    let credential = |key| value(world, namespace, access_secret_ref, key);
    let trust = match (&spec.ca_ref, spec.insecure) {
        (_, Some(true)) => Trust::Unverified,
        (Some(ca), _) => {
            let key = ca.key.as_deref().unwrap_or("ca.crt");
            Trust::Authorities(value(world, &ca.namespace, &ca.name, key)?)
        }
        (None, _) => Trust::Public,
    };
    let has_scheme = spec.server_url.contains("://");
    let url = if has_scheme { spec.server_url.clone() } else { format!("https://{}", spec.server_url) };
    harbor::Address::from_str(&url).map_err(|error| {
        PlanError::invalid("spec.serverURL", error.to_string(), "write it as https://harbor.example.com")
    })?;
    Ok(Access { url, trust, username: credential("accessKey")?, password: credential("accessSecret")? })
}

fn value(world: &World<'_>, namespace: &str, secret: &str, key: &str) -> Result<String, PlanError> {
    let object = ObjectKey::of::<Secret>(namespace, secret);
    let Some(found) = world.read_in::<Secret>(namespace, secret)? else {
        return Err(PlanError::Missing([object].into()));
    };
    let bytes = found.data.unwrap_or_default().remove(key).map(|bytes| bytes.0).filter(|it| !it.is_empty());
    let missing = || {
        PlanError::invalid(format_args!("{object}, key `{key}`"), "does not exist", "add it to the Secret")
    };
    bytes.map(|bytes| text(&bytes)).ok_or_else(missing)
}

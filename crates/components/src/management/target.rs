//! Which Harbor an object takes effect in.

use super::access::is_open;
use api::{
    names::EXTERNAL_ANNOTATION,
    v1beta1::{
        Harbor, HarborCluster, HarborConfiguration, HarborServerConfiguration,
        harbor_target::{HarborKind, HarborReference, HarborTarget},
    },
};
use kube::{Resource, ResourceExt as _};
use plan::{ObjectKey, PlanError, Record, System, World};

/// The Harbor in which an object takes effect. A Harbor that this operator runs is named by its namespace and its Harbor
/// object, any other by its HarborServerConfiguration alone.
pub(crate) fn system<K: Resource<DynamicType = ()>>(
    owner: &K,
    target: &HarborTarget,
    world: &World<'_>,
) -> Result<System, PlanError> {
    let namespace = owner.namespace().unwrap_or_default();
    match (&target.harbor_ref, &target.harbor_server_config) {
        (Some(reference), None) => {
            Ok(harborstate::system(&namespace, &harbor(reference, &namespace, world)?))
        }
        (None, Some(configuration)) => Ok(harborstate::system("", configuration)),
        (None, None) => match bound(owner) {
            Some(system) => Ok(system),
            None => Ok(harborstate::system("", &default(world)?)),
        },
        (Some(_), Some(_)) => Err(PlanError::invalid(
            "spec",
            "must not have both harborRef and harborServerConfig",
            "keep the one that names the Harbor",
        )),
    }
}

/// The Harbor in which the operator manages something for an object that names none. Another default does not move it.
fn bound<K: Resource<DynamicType = ()>>(owner: &K) -> Option<System> {
    let annotation = owner.annotations().get(EXTERNAL_ANNOTATION).map(String::as_str);
    let record = Record::parse(annotation, None).ok()?;
    let mut systems = record.iter().filter_map(|(key, _)| key.system());
    systems.find(|system| system.kind == harborstate::KIND && system.namespace.is_empty()).cloned()
}

/// The name of the HarborServerConfiguration for objects that name no Harbor.
fn default(world: &World<'_>) -> Result<String, PlanError> {
    if let Some(name) = &world.defaults().harbor {
        return Ok(name.clone());
    }
    let default = oldest_default(world)?;
    default.map(|default| default.name_any()).ok_or_else(|| {
        PlanError::invalid(
            "spec",
            "names no Harbor, and there is no default",
            "set harborRef or harborServerConfig, or have the administrator set default: true in a \
             HarborServerConfiguration",
        )
    })
}

/// The HarborServerConfiguration of this name, or the one for objects that name no Harbor, if there is one.
pub(crate) fn configuration(
    name: Option<&str>,
    world: &World<'_>,
) -> Result<Option<HarborServerConfiguration>, PlanError> {
    match name.or(world.defaults().harbor.as_deref()) {
        Some(name) => {
            let missing = || ObjectKey::of::<HarborServerConfiguration>("", name);
            let found = world.read_cluster_wide(name)?;
            found.map(Some).ok_or_else(|| PlanError::Missing([missing()].into()))
        }
        None => oldest_default(world),
    }
}

/// Refuses a default beside an older one.
pub(crate) fn check_default(owner: &HarborServerConfiguration, world: &World<'_>) -> Result<(), PlanError> {
    if owner.spec.default != Some(true) {
        return Ok(());
    }
    match oldest_default(world)? {
        Some(older) if older.name_any() != owner.name_any() => Err(PlanError::invalid(
            "spec.default",
            format!("HarborServerConfiguration {} is the default already, and is older", older.name_any()),
            "set it to false in one of the two",
        )),
        _ => Ok(()),
    }
}

fn oldest_default(world: &World<'_>) -> Result<Option<HarborServerConfiguration>, PlanError> {
    let all = world.read_all::<HarborServerConfiguration>()?;
    let defaults = all.into_iter().filter(|it| it.spec.default == Some(true));
    Ok(defaults.min_by_key(|it| (it.creation_timestamp().map(|time| time.0), it.name_any())))
}

/// Whether a HarborConfiguration is about this Harbor.
pub(crate) fn is_about(
    configuration: &HarborConfiguration,
    system: &System,
    world: &World<'_>,
) -> Result<bool, PlanError> {
    let namespace = configuration.namespace().unwrap_or_default();
    match (configuration.spec.harbor(), &configuration.spec.harbor_server_config) {
        (Some(reference), None) if namespace == system.namespace => {
            match harbor(&reference, &namespace, world) {
                Ok(name) => Ok(name == system.name),
                Err(PlanError::Missing(_)) => Ok(false),
                Err(error) => Err(error),
            }
        }
        (None, Some(name)) if system.namespace.is_empty() && name.as_str() == system.name => {
            is_open(name, &namespace, world)
        }
        _ => Ok(false),
    }
}

/// The name of the Harbor object.
fn harbor(reference: &HarborReference, namespace: &str, world: &World<'_>) -> Result<String, PlanError> {
    let HarborReference { name, kind } = reference;
    let of_cluster = || format!("{name}-harbor");
    match kind {
        Some(HarborKind::Harbor) => Ok(name.to_string()),
        Some(HarborKind::HarborCluster) => Ok(of_cluster()),
        None if world.read::<HarborCluster>(name)?.is_some() => Ok(of_cluster()),
        None if world.read::<Harbor>(name)?.is_some() => Ok(name.to_string()),
        None => Err(PlanError::Missing([ObjectKey::of::<Harbor>(namespace, name)].into())),
    }
}

/// Whether an object stands for a Harbor, or is the part of one that serves its API.
pub(crate) fn is_harbor(object: &ObjectKey) -> bool {
    ["Harbor", "HarborCluster", "HarborServerConfiguration", "Core"].contains(&object.kind.as_str())
}

//! The location of the data of a Harbor, read from its existing components.

use super::{Harbor, databases::Database, part::Part, parts, validated::Validated};
use crate::data::{DataService, Move, check_moves, location_of_images};
use api::v1beta1::{self, Core, Registry};
use k8s_openapi::api::core::v1::ConfigMap;
use plan::{All, Component, ObjectKey, PlanError, World};

/// Refuses another location for the images or the database of an existing Harbor.
///
/// Redis is not checked: two differ only in their host, which may be another name of the same server.
pub(super) fn allowed(
    owner: &v1beta1::Harbor,
    harbor: &Validated<'_>,
    world: &World<'_>,
) -> Result<(), PlanError> {
    let (images, database) = (images(harbor, world), database(harbor, world)).all()?;
    let key = ObjectKey::of::<<Harbor as Component>::Owner>(
        harbor.namespace,
        owner.metadata.name.as_deref().unwrap_or_default(),
    );
    check_moves(&key, owner.metadata.annotations.as_ref(), images.into_iter().chain(database))
}

fn images(harbor: &Validated<'_>, world: &World<'_>) -> Result<Option<Move>, PlanError> {
    if !has_run(harbor, Part::Registry, world)? {
        return Ok(None);
    }
    Ok(world.read::<Registry>(&harbor.name)?.map(|existing| Move {
        service: DataService::Storage,
        field: "spec.imageChartStorage",
        from: location_of_images(&existing.spec.storage.driver),
        to: location_of_images(&parts::store_of_images(&harbor.spec.image_chart_storage)),
    }))
}

fn database(harbor: &Validated<'_>, world: &World<'_>) -> Result<Option<Move>, PlanError> {
    if !has_run(harbor, Part::Core, world)? {
        return Ok(None);
    }
    let place = |name: Option<&str>| format!("the database {:?}", name.unwrap_or_default());
    Ok(world.read::<Core>(&harbor.name)?.map(|existing| Move {
        service: DataService::Database,
        field: "spec.database.prefix",
        from: place(existing.spec.database.connection.database.as_deref()),
        to: place(harbor.database(Database::Core).database.as_deref()),
    }))
}

/// Whether a component has a ConfigMap, without which it never ran. A ConfigMap hardly ever changes, unlike the
/// component, and the operator watches all ConfigMaps, so reading it costs no request.
pub(super) fn has_run(harbor: &Validated<'_>, part: Part, world: &World<'_>) -> Result<bool, PlanError> {
    Ok(world.read::<ConfigMap>(&harbor.child(part.name()))?.is_some())
}

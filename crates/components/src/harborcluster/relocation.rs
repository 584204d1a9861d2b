//! Data does not move by itself: a service that is to be found elsewhere is refused until a user says that it was moved.

use super::{cluster::Cluster, place};
use api::v1beta1::Harbor;
use plan::{All, ObjectKey, PlanError};

/// Names the services, separated by commas, whose data a user has moved to where the spec says it is.
pub(super) const MOVED_ANNOTATION: &str = "goharbor.io/data-moved";

/// Refuses to point an existing Harbor at another place than the one where its data is.
pub(super) fn allowed(cluster: &Cluster<'_>, existing: &Harbor, wanted: &Harbor) -> Result<(), PlanError> {
    let key = ObjectKey::of::<Harbor>(cluster.namespace, wanted.metadata.name.as_deref().unwrap_or_default());
    let (current, wanted) = (&existing.spec, &wanted.spec);
    let judge = |service: &str, from: String, to: String| {
        if from == to || confirmed(cluster, service) {
            return Ok(());
        }
        Err(PlanError::invalid(
            format_args!("spec.{service}"),
            format!("{key} has its data in {from}, and not in {to}"),
            format!(
                "restore the former, or move the data and then set the annotation {MOVED_ANNOTATION}: {service}"
            ),
        ))
    };
    let ((), (), ()) = (
        judge(
            "cache",
            place::of_cache(cluster, &current.redis.server),
            place::of_cache(cluster, &wanted.redis.server),
        ),
        judge(
            "database",
            place::of_database(cluster, &current.database),
            place::of_database(cluster, &wanted.database),
        ),
        judge(
            "storage",
            place::of_storage(cluster, &current.image_chart_storage),
            place::of_storage(cluster, &wanted.image_chart_storage),
        ),
    )
        .all()?;
    Ok(())
}

fn confirmed(cluster: &Cluster<'_>, service: &str) -> bool {
    let annotation = cluster.metadata.annotations.as_ref().and_then(|all| all.get(MOVED_ANNOTATION));
    annotation.is_some_and(|services| services.split(',').any(|named| named.trim() == service))
}

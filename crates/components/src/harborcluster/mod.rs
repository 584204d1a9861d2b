//! HarborCluster: Harbor together with its database, Redis and storage, which run in this cluster or elsewhere.
//!
//! Each of the three services is a folder: the operators that can run it, and the Harbor's settings for it. The
//! Harbor waits for all three.
//!
//! Uses: certificates, connections, data, exposure, harbor, pods, secrets, values, versions.

mod cache;
mod cluster;
mod database;
mod harbor;
mod location;
mod relocation;
mod storage;
#[cfg(test)]
mod tests;
mod volume;

use self::{cache::Cache, cluster::Cluster, database::Database, storage::Storage};
use crate::connections::postgres_advice;
use api::v1beta1::{self, harborcluster::HarborClusterState};
use plan::{
    All, Aspect, Builder, Children, Component, Conclusion, Desired, PlanError, Verdict, Violation, World,
    starts_after,
};
use serde_json::{Map, Value, json};

/// The component behind a [`v1beta1::HarborCluster`].
pub struct HarborCluster;

const CACHE: Aspect = Aspect::new("CacheReady");
const DATABASE: Aspect = Aspect::new("DatabaseReady");
const STORAGE: Aspect = Aspect::new("StorageReady");
const SERVICE: Aspect = Aspect::new("ServiceReady");

impl Component for HarborCluster {
    type Owner = v1beta1::HarborCluster;

    const NAME: &'static str = "harborcluster";
    const ASPECTS: &'static [Aspect] = &[CACHE, DATABASE, STORAGE, SERVICE];

    fn details(owner: &Self::Owner, conclusion: &Conclusion<'_>) -> Map<String, Value> {
        let Conclusion { verdict, status, .. } = conclusion;
        let state = match verdict {
            Verdict::Ready => HarborClusterState::Healthy,
            Verdict::Stalled { .. } => HarborClusterState::Unhealthy,
            Verdict::Progressing { .. } | Verdict::Interrupted => HarborClusterState::Provisioning,
        };
        let policy = owner.spec.installation.deletion_policy.unwrap_or_default();
        let changes =
            status.conditions.iter().filter_map(|condition| condition.last_transition_time.as_ref());
        // Stored conditions have whole seconds. With fractions, the status would change with every restart.
        let second = changes.map(|time| time.0.as_second()).max();
        let revision = second.and_then(|second| second.checked_mul(1_000_000_000)).unwrap_or_default();
        Map::from_iter([
            ("status".to_owned(), json!(state)),
            ("revision".to_owned(), json!(revision)),
            ("deletionPolicy".to_owned(), json!(policy)),
        ])
    }

    fn advice(owner: &Self::Owner) -> Vec<Violation> {
        let external = owner.spec.database.spec.postgresql.as_ref();
        let database = external.and_then(|it| postgres_advice(it, "spec.database.spec.postgresql"));
        crate::harbor::advice(&owner.spec.installation).into_iter().chain(database).collect()
    }

    fn children() -> Children {
        let children = storage::children(database::children(cache::children(Children::none())));
        children.and::<v1beta1::Harbor>()
    }

    fn desired(owner: &Self::Owner, world: &World<'_>, graph: &mut Builder<'_>) -> Result<(), PlanError> {
        let cluster = Cluster::of(owner, world.defaults())?;
        let (existing, cache, database, storage) = (
            world.read::<v1beta1::Harbor>(&harbor::name(&cluster)),
            Cache::of(&cluster, world),
            Database::of(&cluster, world),
            Storage::of(&cluster, world),
        )
            .all()?;
        let harbor = harbor::harbor(&cluster, &cache, &database, &storage);
        if let Some(existing) = existing.filter(|existing| relocation::is_its_own(&cluster, existing)) {
            relocation::allowed(&cluster, &existing, &harbor)?;
        }
        let cache = cache.add(graph);
        let database = database.add(graph);
        let storage = storage.add(graph);
        let harbor = Desired::from(harbor).of(SERVICE);
        graph.add::<v1beta1::Harbor>(harbor, starts_after((cache, database, storage)));
        Ok(())
    }
}

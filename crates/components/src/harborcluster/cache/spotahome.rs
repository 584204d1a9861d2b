//! A Redis that Spotahome's operator runs, from a `RedisFailover`.
//!
//! That operator copies the labels of the `RedisFailover` to everything that it creates, so the watches of
//! children see it; and to pods, so a changed label restarts every server.

use super::{SERVICE, behind_sentinels, password, required};
use crate::{
    harborcluster::{
        CACHE,
        cluster::Cluster,
        volume::{Volume, VolumeRequest},
    },
    pods::check_resource_claims,
    versions::{named_image, with_pull_settings},
};
use api::names::{CONTROLLER_LABEL, HARBOR_CLUSTER_LABEL, INSTANCE_LABEL, NAME_LABEL};
use api::{
    thirdparty::spotahome::{
        AuthSettings, RedisClaim, RedisClaimMetadata, RedisFailover, RedisFailoverSpec, RedisPods,
        RedisSettings, RedisStorage, SentinelSettings,
    },
    v1beta1::{
        harborcluster::cache::{self as requested, RedisServerSpec},
        image::{ImagePullPolicy, ImageSpec},
        redis::RedisSpec,
    },
};
use k8s_openapi::api::{
    apps::v1::{Deployment, StatefulSet},
    core::v1::Secret,
};
use kube::core::ObjectMeta;
use plan::{All, Builder, ChildName, DeletionBehavior, Deps, Desired, PlanError, World};
use std::collections::BTreeMap;

const FIELD: &str = "spec.cache.spec.redisFailover";

/// The default number of servers and of sentinels.
const DEFAULT_REPLICAS: i32 = 3;

/// A Redis that Spotahome's operator runs.
pub(super) struct Failover {
    name: ChildName,
    password: Desired,
    resource: RedisFailover,
    servers: StatefulSet,
    sentinels: Deployment,
}

impl Failover {
    /// Validates the HarborCluster's settings for it.
    pub fn of(cluster: &Cluster<'_>, world: &World<'_>) -> Result<Self, PlanError> {
        let wanted = cluster.spec.cache.spec.redis_failover.as_ref();
        let wanted = required(wanted, "redisFailover", "set its operatorVersion")?;
        // The version of Spotahome's operator has no effect.
        let requested::RedisFailoverSpec { image, operator_version: _, server, sentinel } = wanted;
        let server = server.clone().unwrap_or_else(unspecified_server);
        let sentinels = sentinel.as_ref().map_or(0, |requested::RedisSentinelSpec { replicas }| *replicas);
        let RedisServerSpec {
            replicas: servers,
            service_account_name,
            resources,
            // In `volume`.
            storage_class_name: _,
            storage: _,
        } = &server;
        let (name, servers, sentinels, ()) = (
            cluster.child("redis"),
            replicas(*servers, "server"),
            replicas(sentinels, "sentinel"),
            check_resource_claims(resources.as_ref(), format_args!("{FIELD}.server")),
        )
            .all()?;
        let existing = world.read::<RedisFailover>(&name)?;
        let existing = existing.map(|failover| failover.spec).unwrap_or_default();
        let labels = labels(cluster);
        let claim = RedisClaim {
            metadata: RedisClaimMetadata { name: cluster.name.to_owned(), labels: labels.clone() },
            spec: volume(&server, existing.redis.storage.as_ref())?.claim(),
        };
        let image = with_pull_settings(image.clone(), cluster.spec.installation.image_source.as_ref());
        let pods = |replicas, existing: RedisPods| RedisPods {
            replicas: Some(replicas),
            resources: resources.clone(),
            ..pods(&image, existing)
        };
        let spec = RedisFailoverSpec {
            redis: RedisSettings {
                pods: pods(servers, existing.redis.pods),
                service_account_name: service_account_name.clone().filter(|name| !name.is_empty()),
                storage: Some(RedisStorage {
                    keep_after_deletion: cluster.deletion_of_data() == DeletionBehavior::Kept,
                    persistent_volume_claim: Some(claim),
                }),
            },
            sentinel: SentinelSettings { pods: pods(sentinels, existing.sentinel.pods) },
            auth: Some(AuthSettings { secret_path: name.to_string() }),
        };
        let metadata = ObjectMeta { labels: Some(labels), ..cluster.metadata(&*name) };
        let metadata_of = |name: String| cluster.metadata(name);
        Ok(Self {
            password: password::secret(cluster, &name),
            resource: RedisFailover { metadata, spec },
            servers: StatefulSet { metadata: metadata_of(format!("rfr-{name}")), ..StatefulSet::default() },
            sentinels: Deployment { metadata: metadata_of(self::sentinels(&name)), ..Deployment::default() },
            name,
        })
    }

    /// The Harbor's settings for it.
    pub fn settings(&self) -> RedisSpec {
        behind_sentinels(sentinels(&self.name), &self.name)
    }

    /// Adds its children. A `RedisFailover` has no status, so its readiness is that of what its operator
    /// creates. Servers are ready when they are or follow the master; sentinels when they know the master.
    pub fn add<'g>(self, graph: &mut Builder<'g>) -> impl Deps<'g> + use<'g> {
        let why = "Spotahome's Redis operator makes it";
        let password = graph.add::<Secret>(self.password, ());
        let failover = graph.add::<RedisFailover>(Desired::from(self.resource).of(CACHE), password);
        let servers = graph.add::<StatefulSet>(Desired::awaited(self.servers, why).of(CACHE), failover);
        let sentinels = graph.add::<Deployment>(Desired::awaited(self.sentinels, why).of(CACHE), failover);
        (servers, sentinels)
    }
}

/// The volume of each server, given the existing one.
fn volume(server: &RedisServerSpec, existing: Option<&RedisStorage>) -> Result<Volume, PlanError> {
    let field = format!("{FIELD}.server");
    let request = VolumeRequest {
        field: &field,
        service: SERVICE,
        size: server.storage.as_deref(),
        class: server.storage_class_name.as_deref(),
    };
    let claim = existing.and_then(|storage| storage.persistent_volume_claim.as_ref());
    Volume::of(&request, claim.and_then(|claim| Volume::claimed(&claim.spec)))
}

/// The servers of a spec without settings for them.
fn unspecified_server() -> RedisServerSpec {
    RedisServerSpec { replicas: 0, ..RedisServerSpec::default() }
}

/// The requested number; zero means the default.
fn replicas(wanted: i64, of: &str) -> Result<i32, PlanError> {
    match i32::try_from(wanted) {
        Ok(0) => Ok(DEFAULT_REPLICAS),
        Ok(some) if some > 0 => Ok(some),
        _ => Err(PlanError::invalid(
            format_args!("{FIELD}.{of}.replicas"),
            format!("{wanted} is not a number of pods"),
            "use a small positive number",
        )),
    }
}

/// Pods with the image that the user requests. A default image never changes: the servers would restart, and a
/// mirror may lack the new one. By default, its operator would pull the image at every start.
fn pods(wanted: &ImageSpec, existing: RedisPods) -> RedisPods {
    let ImageSpec { image: _, image_pull_policy, image_pull_secrets } = wanted;
    let policy = image_pull_policy.unwrap_or(ImagePullPolicy::IfNotPresent);
    RedisPods {
        image: named_image(wanted).map(ToOwned::to_owned).or(existing.image),
        image_pull_policy: Some(policy.as_str().to_owned()),
        image_pull_secrets: image_pull_secrets.clone(),
        ..RedisPods::default()
    }
}

/// Labels of a `RedisFailover`. As with the operator's predecessor, they include those of its HarborCluster,
/// which cannot override the ones that the operator relies on.
fn labels(cluster: &Cluster<'_>) -> BTreeMap<String, String> {
    let mut labels = BTreeMap::from([
        (NAME_LABEL.to_owned(), "cache".to_owned()),
        (INSTANCE_LABEL.to_owned(), cluster.namespace.to_owned()),
    ]);
    labels.extend(cluster.metadata.labels.clone().unwrap_or_default());
    labels.remove(CONTROLLER_LABEL);
    labels.insert(HARBOR_CLUSTER_LABEL.to_owned(), cluster.name.to_owned());
    labels
}

/// The name of the Service and of the Deployment that its operator creates for the sentinels of a
/// `RedisFailover`.
pub(super) fn sentinels(name: &str) -> String {
    format!("rfs-{name}")
}

//! A Redis that the operator of OT-Container-Kit runs, from a `RedisReplication` and a `RedisSentinel`.
//!
//! That operator copies the labels of both to everything that it creates, where they override its own, and into
//! selectors. So they get labels that never change, and none of the HarborCluster's: with a label `app`, the
//! selectors would match servers and sentinels alike.

use super::{MASTER_SET, SERVICE, behind_sentinels, password, required};
use crate::{
    harborcluster::{
        CACHE,
        cluster::Cluster,
        volume::{Volume, VolumeRequest},
    },
    pods::check_resource_claims,
    versions::with_pull_settings,
};
use api::{
    thirdparty::opstree::{
        KubernetesConfig, PasswordKey, RedisReplication, RedisReplicationSpec, RedisSentinel,
        RedisSentinelSpec, ReplicationClaim, ReplicationStorage, SentinelConfig,
    },
    v1beta1::{
        harborcluster::cache::{self as requested, ReplicationServerSpec},
        image::ImageSpec,
        redis::RedisSpec,
    },
};
use k8s_openapi::api::{
    apps::v1::StatefulSet,
    core::v1::{EnvVarSource, PodSecurityContext, ResourceRequirements, Secret, SecretKeySelector},
};
use plan::{All, Builder, ChildName, DeletionBehavior, Deps, Desired, PlanError, World};

const FIELD: &str = "spec.cache.spec.redisReplication";

/// Group that owns the files in the images of OT-Container-Kit, which run as the user of the same number.
const REDIS: i64 = 1000;

/// A Redis that the operator of OT-Container-Kit runs.
pub(super) struct Replication {
    name: ChildName,
    password: Desired,
    resource: RedisReplication,
    servers: StatefulSet,
    sentinel: RedisSentinel,
    sentinels: StatefulSet,
}

impl Replication {
    /// Validates the HarborCluster's settings for it.
    pub fn of(cluster: &Cluster<'_>, world: &World<'_>) -> Result<Self, PlanError> {
        let wanted = cluster.spec.cache.spec.redis_replication.as_ref();
        let wanted = required(wanted, "redisReplication", "set its image and sentinel.image")?;
        let requested::RedisReplicationSpec {
            image,
            image_pull_policy,
            image_pull_secrets,
            server,
            sentinel,
        } = wanted;
        let ReplicationServerSpec {
            replicas: servers,
            service_account_name,
            resources,
            // In `volume`.
            storage_class_name: _,
            storage: _,
        } = server;
        let requested::ReplicationSentinelSpec {
            image: sentinel_image,
            replicas: sentinel_replicas,
            resources: sentinel_resources,
        } = sentinel;
        let (name, ..) = (
            cluster.child("redis"),
            // The longest name of a child of its operator.
            cluster.child("redis-sentinel-additional"),
            check_resource_claims(resources.as_ref(), format_args!("{FIELD}.server")),
            check_resource_claims(sentinel_resources.as_ref(), format_args!("{FIELD}.sentinel")),
        )
            .all()?;
        let pulled = with_pull_settings(
            ImageSpec {
                image: None,
                image_pull_policy: *image_pull_policy,
                image_pull_secrets: image_pull_secrets.clone(),
            },
            cluster.spec.installation.image_source.as_ref(),
        );
        let pods = |image: &str, resources: Option<&ResourceRequirements>| KubernetesConfig {
            image: image.to_owned(),
            image_pull_policy: pulled.image_pull_policy.map(|policy| policy.as_str().to_owned()),
            image_pull_secrets: pulled.image_pull_secrets.clone(),
            resources: resources.cloned(),
            redis_secret: None,
        };
        let existing = world.read::<RedisReplication>(&name)?;
        let volume = volume(server, existing.as_ref().and_then(|existing| existing.spec.storage.as_ref()))?;
        let replication = RedisReplicationSpec {
            cluster_size: *servers,
            kubernetes_config: KubernetesConfig {
                redis_secret: Some(PasswordKey { name: name.to_string(), key: password::KEY.to_owned() }),
                ..pods(image, resources.as_ref())
            },
            service_account_name: service_account_name.clone().filter(|name| !name.is_empty()),
            pod_security_context: Some(writable_volumes()),
            storage: Some(ReplicationStorage {
                keep_after_delete: cluster.deletion_of_data() == DeletionBehavior::Kept,
                volume_claim_template: Some(ReplicationClaim { spec: volume.claim() }),
            }),
        };
        let sentinel = RedisSentinelSpec {
            cluster_size: *sentinel_replicas,
            kubernetes_config: pods(sentinel_image, sentinel_resources.as_ref()),
            redis_sentinel_config: Some(sentinel_config(&name, *sentinel_replicas)),
        };
        let set = |name: String| StatefulSet { metadata: cluster.metadata(name), ..StatefulSet::default() };
        Ok(Self {
            password: password::secret(cluster, &name),
            resource: RedisReplication {
                metadata: cluster.metadata(&*name),
                spec: replication,
                status: None,
            },
            servers: set(name.to_string()),
            sentinel: RedisSentinel { metadata: cluster.metadata(&*name), spec: sentinel },
            sentinels: set(sentinels(&name)),
            name,
        })
    }

    /// The Harbor's settings for it.
    pub fn settings(&self) -> RedisSpec {
        behind_sentinels(sentinels(&self.name), &self.name)
    }

    /// Adds its children. Sentinels do not wait for servers: their operator makes them wait, and they are
    /// needed most when there is no master.
    pub fn add<'g>(self, graph: &mut Builder<'g>) -> impl Deps<'g> + use<'g> {
        let why = "the Redis operator of OT-Container-Kit makes it";
        let awaited = |set| Desired::awaited(set, why).of(CACHE);
        let password = graph.add::<Secret>(self.password, ());
        let replication = graph.add::<RedisReplication>(Desired::from(self.resource).of(CACHE), password);
        let servers = graph.add::<StatefulSet>(awaited(self.servers), replication);
        let sentinel = graph.add::<RedisSentinel>(Desired::from(self.sentinel).of(CACHE), password);
        let sentinels = graph.add::<StatefulSet>(awaited(self.sentinels), sentinel);
        (servers, sentinels)
    }
}

/// Lets the servers write to their volumes, which belong to root by default. Their operator does not set a
/// security context.
fn writable_volumes() -> PodSecurityContext {
    PodSecurityContext {
        fs_group: Some(REDIS),
        fs_group_change_policy: Some("OnRootMismatch".into()),
        ..PodSecurityContext::default()
    }
}

/// The volume of each server, given the existing one.
fn volume(
    server: &ReplicationServerSpec,
    existing: Option<&ReplicationStorage>,
) -> Result<Volume, PlanError> {
    let field = format!("{FIELD}.server");
    let request = VolumeRequest {
        field: &field,
        service: SERVICE,
        size: server.storage.as_ref().map(|size| size.0.as_str()),
        class: server.storage_class_name.as_deref(),
    };
    let claim = existing.and_then(|storage| storage.volume_claim_template.as_ref());
    Volume::of(&request, claim.and_then(|claim| Volume::claimed(&claim.spec)))
}

/// The name of the Service and of the `StatefulSet` that its operator creates for a `RedisSentinel`.
pub(super) fn sentinels(name: &str) -> String {
    format!("{name}-sentinel")
}

/// The sentinels of the servers `name`, with a majority as the quorum: the default of 2 would exceed a single
/// sentinel.
fn sentinel_config(name: &ChildName, sentinels: i32) -> SentinelConfig {
    let password = SecretKeySelector {
        name: name.to_string(),
        key: password::KEY.to_owned(),
        ..SecretKeySelector::default()
    };
    SentinelConfig {
        redis_replication_name: name.to_string(),
        master_group_name: Some(MASTER_SET.to_owned()),
        quorum: Some((sentinels / 2 + 1).to_string()),
        redis_replication_password: Some(EnvVarSource {
            secret_key_ref: Some(password),
            ..EnvVarSource::default()
        }),
    }
}

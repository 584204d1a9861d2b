//! Calls the stand-in of an object.

use crate::{
    caches::{opstree, spotahome},
    cert_manager::{certificate, issuer},
    databases::{cloud_native_pg, zalando},
    kind::Kind,
    minio,
    network::{http_route, ingress, service},
    volume,
    workloads::{deployment, job, pod, replica_set, stateful_set},
    world::World,
    write::ReconcileError,
};
use kube::core::DynamicObject;
use std::time::Duration;

/// When a stand-in must be called again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// After a change.
    Change,
    /// After this time, or after a change.
    After(Duration),
}

/// Does what the cluster would do about an object in its current state.
pub(crate) async fn reconcile(
    world: &World,
    kind: Kind,
    object: &DynamicObject,
) -> Result<Next, ReconcileError> {
    match kind {
        Kind::Pod => return pod::reconcile(world, object).await,
        Kind::PersistentVolumeClaim => return volume::reconcile(world, object).await,
        _ if object.metadata.deletion_timestamp.is_some() => return Ok(Next::Change),
        _ => {}
    }
    match kind {
        Kind::Deployment => deployment::reconcile(world, object).await,
        Kind::ReplicaSet => replica_set::reconcile(world, object).await,
        Kind::StatefulSet => stateful_set::reconcile(world, object).await,
        Kind::Job => job::reconcile(world, object).await,
        Kind::Service => service::reconcile(world, object).await,
        Kind::Ingress => ingress::reconcile(world, object).await,
        Kind::HttpRoute => http_route::reconcile(world, object).await,
        Kind::Issuer | Kind::ClusterIssuer => issuer::reconcile(world, kind, object).await,
        Kind::Certificate => certificate::reconcile(world, object).await,
        Kind::Postgresql => zalando::reconcile(world, object).await,
        Kind::PostgresCluster => cloud_native_pg::reconcile(world, object).await,
        Kind::RedisFailover => spotahome::reconcile(world, object).await,
        Kind::Redis | Kind::RedisReplication | Kind::RedisSentinel => {
            opstree::reconcile(world, kind, object).await
        }
        Kind::Tenant => minio::reconcile(world, object).await,
        Kind::Pod | Kind::PersistentVolumeClaim | Kind::EndpointSlice | Kind::Secret | Kind::ConfigMap => {
            Ok(Next::Change)
        }
    }
}

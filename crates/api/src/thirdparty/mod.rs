//! Foreign kinds the operator writes, reduced to the fields it uses.
//!
//! Fields a foreign controller adds are not modelled; server-side apply leaves them alone.

pub mod cert_manager;
pub mod cloud_native_pg;
pub mod gateway;
pub mod minio;
pub mod monitoring;
pub mod opstree;
pub mod spotahome;
pub mod zalando;

/// The API groups of these kinds: none of them needs to be installed.
pub const OPTIONAL_GROUPS: [&str; 8] = [
    "acid.zalan.do",
    "cert-manager.io",
    "databases.spotahome.com",
    "gateway.networking.k8s.io",
    "minio.min.io",
    "monitoring.coreos.com",
    "postgresql.cnpg.io",
    "redis.redis.opstreelabs.in",
];

#[cfg(test)]
mod tests {
    use super::{
        OPTIONAL_GROUPS, cert_manager::Certificate, cloud_native_pg::PostgresCluster, gateway::HTTPRoute,
        minio::Tenant, monitoring::ServiceMonitor, opstree::RedisReplication, spotahome::RedisFailover,
        zalando::Postgresql,
    };
    use kube::Resource as _;

    #[test]
    fn every_group_is_that_of_a_kind() {
        let groups = [
            Postgresql::group(&()),
            Certificate::group(&()),
            RedisFailover::group(&()),
            HTTPRoute::group(&()),
            Tenant::group(&()),
            ServiceMonitor::group(&()),
            PostgresCluster::group(&()),
            RedisReplication::group(&()),
        ];
        assert_eq!(groups, OPTIONAL_GROUPS);
    }
}

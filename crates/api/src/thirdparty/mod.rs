//! Foreign kinds the operator writes, reduced to the fields it uses.
//!
//! Fields a foreign controller adds are not modelled; server-side apply leaves them alone.

pub mod cert_manager;
pub mod gateway;
pub mod monitoring;
pub mod opstree;
pub mod spotahome;

/// The API groups of these kinds: none of them needs to be installed.
pub const OPTIONAL_GROUPS: [&str; 5] = [
    "cert-manager.io",
    "gateway.networking.k8s.io",
    "monitoring.coreos.com",
    "redis.redis.opstreelabs.in",
    "databases.spotahome.com",
];

#[cfg(test)]
mod tests {
    use super::{
        OPTIONAL_GROUPS, cert_manager::Certificate, gateway::HTTPRoute, monitoring::ServiceMonitor,
        opstree::RedisReplication, spotahome::RedisFailover,
    };
    use kube::Resource as _;

    #[test]
    fn every_group_is_that_of_a_kind() {
        let groups = [
            Certificate::group(&()),
            HTTPRoute::group(&()),
            ServiceMonitor::group(&()),
            RedisReplication::group(&()),
            RedisFailover::group(&()),
        ];
        assert_eq!(groups, OPTIONAL_GROUPS);
    }
}

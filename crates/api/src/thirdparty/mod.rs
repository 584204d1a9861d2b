//! Foreign kinds the operator writes, reduced to the fields it uses.
//!
//! Fields a foreign controller adds are not modelled; server-side apply leaves them alone.

pub mod cert_manager;
pub mod gateway;
pub mod minio;
pub mod monitoring;

/// The API groups of these kinds: none of them needs to be installed.
pub const OPTIONAL_GROUPS: [&str; 4] =
    ["cert-manager.io", "gateway.networking.k8s.io", "minio.min.io", "monitoring.coreos.com"];

#[cfg(test)]
mod tests {
    use super::{
        OPTIONAL_GROUPS, cert_manager::Certificate, gateway::HTTPRoute, minio::Tenant,
        monitoring::ServiceMonitor,
    };
    use kube::Resource as _;

    #[test]
    fn every_group_is_that_of_a_kind() {
        let groups =
            [Certificate::group(&()), HTTPRoute::group(&()), Tenant::group(&()), ServiceMonitor::group(&())];
        assert_eq!(groups, OPTIONAL_GROUPS);
    }
}

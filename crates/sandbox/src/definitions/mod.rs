//! Definitions of the third-party kinds. They are small, strict for the fields that Harbor depends on, and open for
//! others.

mod builder;
mod cert_manager;
mod gateway;
mod minio;
mod monitoring;
mod postgres;
mod redis;

use builder::Definition;
use serde_json::Value;

/// The definitions of all third-party kinds, as `CustomResourceDefinition`s.
pub fn all() -> Vec<Value> {
    let kinds = [
        cert_manager::issuer(),
        cert_manager::cluster_issuer(),
        cert_manager::certificate(),
        gateway::http_route(),
        monitoring::service_monitor(),
        postgres::zalando(),
        postgres::cloud_native_pg(),
        redis::failover(),
        redis::standalone(),
        redis::replication(),
        redis::sentinel(),
        minio::tenant(),
    ];
    kinds.into_iter().map(Definition::into_value).collect()
}

#[cfg(test)]
mod tests {
    use super::all;
    use crate::kind::DEFINED;
    use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
    use std::collections::BTreeSet;

    #[test]
    fn every_kind_with_a_stand_in_has_a_definition() {
        let defined: BTreeSet<(String, String, String)> = all()
            .into_iter()
            .map(|value| serde_json::from_value::<CustomResourceDefinition>(value).unwrap().spec)
            .map(|spec| (spec.group, spec.versions[0].name.clone(), spec.names.plural))
            .collect();
        for kind in DEFINED {
            let resource = kind.resource();
            assert!(defined.contains(&(resource.group, resource.version, resource.plural)), "{kind:?}");
        }
    }
}

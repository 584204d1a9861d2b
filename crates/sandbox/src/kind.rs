//! The kinds that the stand-ins watch.

use kube::core::{ApiResource, GroupVersionKind};

/// Defines [`Kind`] and its lists from one table of groups, versions, kinds and plurals.
macro_rules! kinds {
    ($($(#[$attribute:meta])* $list:ident { $($kind:ident => $names:expr,)+ })+) => {
        /// A kind that the stand-ins watch. Objects are stored in this order.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub(crate) enum Kind {
            $($($kind,)+)+
        }

        $($(#[$attribute])* pub(crate) const $list: &[Kind] = &[$(Kind::$kind),+];)+

        impl Kind {
            fn names(self) -> (&'static str, &'static str, &'static str, &'static str) {
                match self {
                    $($(Self::$kind => $names,)+)+
                }
            }
        }
    };
}

kinds! {
    /// Kinds that every cluster has.
    BUILT_IN {
        Deployment => ("apps", "v1", "Deployment", "deployments"),
        ReplicaSet => ("apps", "v1", "ReplicaSet", "replicasets"),
        StatefulSet => ("apps", "v1", "StatefulSet", "statefulsets"),
        Job => ("batch", "v1", "Job", "jobs"),
        Pod => ("", "v1", "Pod", "pods"),
        PersistentVolumeClaim => ("", "v1", "PersistentVolumeClaim", "persistentvolumeclaims"),
        Service => ("", "v1", "Service", "services"),
        EndpointSlice => ("discovery.k8s.io", "v1", "EndpointSlice", "endpointslices"),
        Ingress => ("networking.k8s.io", "v1", "Ingress", "ingresses"),
        Secret => ("", "v1", "Secret", "secrets"),
        ConfigMap => ("", "v1", "ConfigMap", "configmaps"),
    }
    /// Kinds that exist once their definition is installed.
    DEFINED {
        HttpRoute => ("gateway.networking.k8s.io", "v1", "HTTPRoute", "httproutes"),
        Issuer => ("cert-manager.io", "v1", "Issuer", "issuers"),
        ClusterIssuer => ("cert-manager.io", "v1", "ClusterIssuer", "clusterissuers"),
        Certificate => ("cert-manager.io", "v1", "Certificate", "certificates"),
        Postgresql => ("acid.zalan.do", "v1", "postgresql", "postgresqls"),
        PostgresCluster => ("postgresql.cnpg.io", "v1", "Cluster", "clusters"),
        RedisFailover => ("databases.spotahome.com", "v1", "RedisFailover", "redisfailovers"),
        Redis => ("redis.redis.opstreelabs.in", "v1beta2", "Redis", "redis"),
        RedisReplication => ("redis.redis.opstreelabs.in", "v1beta2", "RedisReplication", "redisreplications"),
        RedisSentinel => ("redis.redis.opstreelabs.in", "v1beta2", "RedisSentinel", "redissentinels"),
        Tenant => ("minio.min.io", "v2", "Tenant", "tenants"),
    }
}

impl Kind {
    /// Its API resource.
    pub fn resource(self) -> ApiResource {
        let (group, version, kind, plural) = self.names();
        ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk(group, version, kind), plural)
    }

    /// Whether its objects are namespaced.
    pub fn namespaced(self) -> bool {
        self != Self::ClusterIssuer
    }

    /// The kind that an owner reference names, if the stand-ins watch it.
    pub fn named(api_version: &str, kind: &str) -> Option<Self> {
        let group = api_version.split_once('/').map_or("", |(group, _)| group);
        BUILT_IN.iter().chain(DEFINED).copied().find(|each| {
            let (its_group, _, its_kind, _) = each.names();
            its_group == group && its_kind == kind
        })
    }

    /// The kind that a definition with this group and plural defines, if the stand-ins watch it.
    pub fn defined_by(group: &str, plural: &str) -> Option<Self> {
        DEFINED.iter().copied().find(|each| {
            let (its_group, _, _, its_plural) = each.names();
            its_group == group && its_plural == plural
        })
    }
}

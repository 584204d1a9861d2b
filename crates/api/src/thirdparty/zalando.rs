//! `acid.zalan.do/v1`: PostgreSQL as Zalando's operator runs it.

use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A PostgreSQL with standby servers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CustomResource, JsonSchema)]
#[kube(
    group = "acid.zalan.do",
    version = "v1",
    kind = "postgresql",
    root = "Postgresql",
    plural = "postgresqls",
    namespaced,
    status = "PostgresqlStatus",
    derive = "PartialEq"
)]
#[serde(rename_all = "camelCase")]
pub struct PostgresqlSpec {
    /// Whose it is; its name begins with it.
    #[serde(default)]
    pub team_id: String,

    /// Number of servers.
    #[serde(default)]
    pub number_of_instances: i32,

    /// The volume of each server.
    #[serde(default)]
    pub volume: PostgresqlVolume,

    /// Users, and what each may do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub users: Option<BTreeMap<String, Option<Vec<String>>>>,

    /// Databases, and who owns each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub databases: Option<BTreeMap<String, String>>,

    /// What manages the servers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patroni: Option<Patroni>,

    /// PostgreSQL itself.
    #[serde(default)]
    pub postgresql: PostgresqlSettings,

    /// Compute resources of each server; those of Zalando's operator unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<PostgresqlResources>,

    /// The image; that of Zalando's operator unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub docker_image: Option<String>,
}

/// A volume.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PostgresqlVolume {
    /// Size.
    #[serde(default)]
    pub size: String,

    /// Class; the default class of the cluster unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage_class: Option<String>,
}

/// What manages the servers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Patroni {
    /// Options of `initdb`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initdb: Option<BTreeMap<String, String>>,

    /// Lines of `pg_hba.conf`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pg_hba: Option<Vec<String>>,
}

/// PostgreSQL itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PostgresqlSettings {
    /// Major version.
    #[serde(default)]
    pub version: String,

    /// Lines of `postgresql.conf`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameters: Option<BTreeMap<String, String>>,
}

/// Compute resources of a server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PostgresqlResources {
    /// What it gets at least.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests: Option<PostgresqlAmounts>,

    /// What it gets at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<PostgresqlAmounts>,
}

/// Amounts of compute resources; `0` leaves one to Zalando's operator.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PostgresqlAmounts {
    /// Processors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<String>,

    /// Memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
}

/// What Zalando's operator reports.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PostgresqlStatus {
    /// State in one word, such as `Running`.
    #[serde(default, rename = "PostgresClusterStatus")]
    pub state: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use kube::Resource as _;
    use serde_json::json;

    #[test]
    fn a_cluster_is_spelt_as_zalando_spells_it() {
        let written = json!({
            "teamId": "postgresql-ns",
            "numberOfInstances": 3,
            "volume": {"size": "1Gi", "storageClass": "fast"},
            "users": {"harbor": ["superuser", "createdb"]},
            "databases": {"core": "harbor"},
            "patroni": {"initdb": {"encoding": "UTF8"}, "pg_hba": ["local all all trust"]},
            "postgresql": {"version": "15", "parameters": {"max_connections": "1024"}},
            "resources": {"requests": {"cpu": "0", "memory": "0"}, "limits": {"cpu": "1", "memory": "1Gi"}},
            "dockerImage": "spilo",
        });

        let spec: PostgresqlSpec = serde_json::from_value(written.clone()).unwrap();

        assert_eq!(serde_json::to_value(spec).unwrap(), written);
        assert_eq!((&*Postgresql::kind(&()), &*Postgresql::plural(&())), ("postgresql", "postgresqls"));
    }

    #[test]
    fn what_others_left_out_or_empty_can_be_read() {
        for spec in [json!({}), json!({"users": {"a": null}, "databases": null, "patroni": {"pg_hba": null}})]
        {
            assert!(serde_json::from_value::<PostgresqlSpec>(spec.clone()).is_ok(), "{spec}");
        }
    }
}

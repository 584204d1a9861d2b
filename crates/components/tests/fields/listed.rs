//! Fields that change nothing, or only when something is done, and fields of which every value is refused, each with the reason.

use crate::schema::{Field, Path, Step};
use serde_json::Value;

/// Fields of kinds, for a reason.
pub struct Row {
    kinds: &'static str,
    /// What the fields are in.
    parent: &'static str,
    fields: &'static str,
    pub reason: &'static str,
}

const fn row(kinds: &'static str, parent: &'static str, fields: &'static str, reason: &'static str) -> Row {
    Row { kinds, parent, fields, reason }
}

/// Fields that are accepted and change nothing. The reference says so of each.
pub const WITHOUT_EFFECT: &[Row] = &[
    row(
        "RegistryController",
        "spec",
        "nodeSelector replicas serviceAccountName templateAnnotations templateLabels tolerations",
        "it runs in the pods of the registry, and the operator's predecessor took these without a word",
    ),
    row(
        "Harbor HarborCluster",
        "spec.registryctl",
        "nodeSelector replicas serviceAccountName templateAnnotations templateLabels tolerations",
        "it runs in the pods of the registry, and the operator's predecessor took these without a word",
    ),
    row("ChartMuseum", "spec.chart.storage.gcs", "chunksize", "ChartMuseum has no such setting"),
    row("Core", "spec", "configExpiration", "no Harbor since 2.5 reads CFG_EXPIRATION"),
    row("Core", "spec.components.chartRepository", "absoluteURL", "a setting of ChartMuseum, not of Core"),
    row("Core", "spec.components.registry", "sync", "no Harbor since 2.5 reads SYNC_REGISTRY"),
    row("Core", "spec.components.trivy", "url", "Core talks to the adapter only; required since ever"),
    row("Exporter", "spec.database", "encryptionKeyRef", "it reads nothing encrypted; required since ever"),
    row("Registry", "spec.storage.driver.azure", "pathPrefix", "a prefix of charts, which are ChartMuseum's"),
    row("HarborCluster", "spec.cache.spec.redisFailover", "operatorVersion", "for information"),
    row("HarborCluster", "spec.database.spec.zlandoPostgreSql", "operatorVersion", "for information"),
    row("HarborCluster", "spec.storage.spec.minIO", "operatorVersion", "for information"),
    row(
        "HarborCluster",
        "spec.database.spec.zlandoPostgreSql",
        "connectTimeout sslConfig",
        "the operator's predecessor ignored them, and does not say what they were for",
    ),
    row(
        "HarborCluster",
        "spec.database.spec.zlandoPostgreSql",
        "imagePullPolicy imagePullSecrets",
        "a postgresql resource of Zalando's operator has no room for them",
    ),
    row("HarborCluster", "spec.storage.spec.minIO", "mc", "the MinIO operator makes the bucket itself"),
    row(
        "HarborCluster",
        "spec.storage.spec.minIO.volumeClaimTemplate",
        "apiVersion kind status",
        "claims are of one kind, and their status is the cluster's",
    ),
];

/// Fields that decide when something is done, and not what.
pub const WHEN: &[Row] = &[
    row("Harbor", "spec.upgrade", "drainTimeout", "how long an upgrade waits for the jobs that run"),
    row("Harbor", "spec.rotation", "drainTimeout", "how long a rotation waits for the jobs that run"),
];

/// Fields of which no value is accepted, or none but the one that is the default.
pub const REFUSED: &[Row] = &[
    row("Harbor", "spec.upgrade", "downtime hops", "other values refuse an upgrade, and nothing else"),
    row(
        "RegistryController",
        "spec",
        "affinity autoscaling podDisruptionBudget priorityClassName revisionHistoryLimit topologySpreadConstraints",
        "it runs in the pods of the registry",
    ),
    row(
        "Harbor",
        "spec.registryctl",
        "affinity autoscaling podDisruptionBudget priorityClassName revisionHistoryLimit topologySpreadConstraints",
        "it runs in the pods of the registry",
    ),
    row("RegistryController", "spec", "registryRef", "it runs beside the Registry of its own name"),
    row(
        "ChartMuseum Core Exporter JobService NotaryServer NotarySigner Portal Registry RegistryController Trivy",
        "spec.resources",
        "claims",
        "the pods have no resource claims",
    ),
    row("Harbor", "spec.nginx.resources", "claims", "the pods have no resource claims"),
    row(
        "HarborCluster",
        "spec.cache.spec.redisFailover.server.resources",
        "claims",
        "the pods have no resource claims",
    ),
    row(
        "HarborCluster",
        "spec.cache.spec.redisReplication.server.resources",
        "claims",
        "the pods have no resource claims",
    ),
    row(
        "HarborCluster",
        "spec.cache.spec.redisReplication.sentinel.resources",
        "claims",
        "the pods have no resource claims",
    ),
    row(
        "HarborCluster",
        "spec.database.spec.cloudNativePG.resources",
        "claims",
        "the pods have no resource claims",
    ),
    row(
        "HarborCluster",
        "spec.database.spec.zlandoPostgreSql.resources",
        "claims",
        "the pods have no resource claims",
    ),
    row("HarborCluster", "spec.storage.spec.minIO.resources", "claims", "the pods have no resource claims"),
    row(
        "ChartMuseum",
        "spec.cache.redis",
        "certificateRef tls username",
        "ChartMuseum ended before Harbor knew them",
    ),
    row("Exporter", "spec", "autoscaling", "every pod of the exporter reports the same metrics"),
    row("JobService", "spec.loggers", "database", "only the logs of jobs can be kept in the database"),
    row("Registry", "spec.http", "net", "a Unix socket cannot be reached from outside the container"),
];

impl Row {
    /// Whether it lists fields of a kind.
    pub fn is_about(&self, kind: &str) -> bool {
        self.kinds.split(' ').any(|listed| listed == kind)
    }

    /// Whether it lists a field, or what the field is in.
    pub fn lists(&self, kind: &str, field: &Field) -> bool {
        self.is_about(kind) && self.paths().any(|path| path.is_above(&field.path))
    }

    /// What it lists and is no field.
    pub fn unknown(&self, fields: &[Field]) -> Vec<Path> {
        self.paths().filter(|path| !fields.iter().any(|field| path.is_above(&field.path))).collect()
    }

    fn paths(&self) -> impl Iterator<Item = Path> {
        let step = |name: &str| Step::Field(name.to_owned());
        let parent: Vec<Step> = self.parent.split('.').map(step).collect();
        self.fields.split(' ').map(move |name| Path(parent.clone()).to(step(name)))
    }
}

/// An object of ours without the fields that change nothing: all others are the business of its own kind.
pub fn without_listed(mut object: Value) -> Value {
    let kind = object["kind"].as_str().unwrap_or_default().to_owned();
    for row in WITHOUT_EFFECT.iter().filter(|row| row.is_about(&kind)) {
        for path in row.paths() {
            let parents = path.parents().iter().map(|step| match step {
                Step::Field(name) => name.as_str(),
                Step::Item => panic!("{path} goes through a list"),
            });
            let parent = parents.into_iter().try_fold(&mut object, |at, name| at.get_mut(name));
            if let Some(Value::Object(fields)) = parent {
                fields.remove(path.name());
            }
        }
    }
    object
}

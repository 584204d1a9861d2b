//! Values of a field: by its schema, and by hand where the schema is not precise enough.

use crate::schema::{Field, Path};
use api::{
    bounds::LABEL_PATTERN,
    v1beta1::{duration::GoDuration, name::ObjectName},
};
use serde_json::{Value, json};

/// Values to try, at least two of them wherever there are two.
pub fn values(field: &Field) -> Vec<Value> {
    by_hand(&field.path).unwrap_or_else(|| by_schema(&field.schema, &field.path))
}

/// The least that a schema accepts: what it requires, and nothing else.
pub fn minimal(schema: &Value, path: &Path) -> Value {
    match schema["type"].as_str() {
        Some("object") if schema["properties"].is_object() => {
            let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
            let field = |name: &str| {
                let path = path.to(crate::schema::Step::Field(name.to_owned()));
                let schema = &schema["properties"][name];
                let value = by_hand(&path).and_then(|values| values.into_iter().next());
                (name.to_owned(), value.unwrap_or_else(|| minimal(schema, &path)))
            };
            Value::Object(required.map(field).collect())
        }
        Some("array") if schema["items"]["properties"].is_object() => {
            json!([minimal(&schema["items"], &path.to(crate::schema::Step::Item))])
        }
        _ => by_schema(schema, path).swap_remove(0),
    }
}

/// Two names of things that exist nowhere but in these tests.
pub const NAMES: [&str; 2] = ["field-a", "field-b"];

fn by_schema(schema: &Value, path: &Path) -> Vec<Value> {
    if let Some(values) = schema["enum"].as_array() {
        return values.clone();
    }
    if schema["x-kubernetes-int-or-string"] == true {
        return vec![json!(1), json!(2)];
    }
    match schema["type"].as_str() {
        Some("boolean") => vec![json!(true), json!(false)],
        Some("integer") => integers(schema),
        Some("number") => vec![json!(0.5), json!(0.25)],
        Some("string") => by_pattern(schema["pattern"].as_str(), path),
        Some("array") if schema["items"]["properties"].is_object() => vec![minimal(schema, path)],
        Some("array") => lists(by_schema(&schema["items"], path)),
        Some("object") if schema["properties"].is_object() => vec![minimal(schema, path)],
        Some("object") if schema["additionalProperties"].is_object() => {
            let values = by_schema(&schema["additionalProperties"], path);
            values.into_iter().map(|value| json!({"example.com/field": value})).collect()
        }
        _ => panic!("{path}: no value is known for {schema}"),
    }
}

fn integers(schema: &Value) -> Vec<Value> {
    #[allow(clippy::cast_possible_truncation, reason = "bounds are whole numbers")]
    let bound = |name: &str| schema[name].as_f64().map(|bound| bound as i64);
    let least = bound("minimum").unwrap_or(0).max(1) + 1;
    let most = bound("maximum").unwrap_or(i64::MAX);
    vec![least.min(most).into(), (least + 1).min(most).into()]
}

/// Lists of one item each, and of all of them.
fn lists(items: Vec<Value>) -> Vec<Value> {
    let all = Value::Array(items.clone());
    items.into_iter().map(|item| json!([item])).chain([all]).collect()
}

fn by_pattern(pattern: Option<&str>, path: &Path) -> Vec<Value> {
    let values = match pattern {
        None
        | Some(
            ObjectName::PATTERN
            | ObjectName::OPTIONAL_PATTERN
            | LABEL_PATTERN
            | r"^[-._a-zA-Z0-9]+$"
            | r"^[^\s'\\]+$",
        ) => NAMES,
        Some(GoDuration::PATTERN) => ["3h", "6h"],
        Some("^https?://.*$" | "^https?://.+$") => ["https://a.example.com", "https://b.example.com"],
        Some(r"^[0-9]+(\.[0-9]+)?(Ki|Mi|Gi|Ti|Pi|Ei|k|M|G|T|P|E)?$") => ["200Gi", "300Gi"],
        Some("^/.+$") => ["/a", "/b"],
        Some("^oss-.*$") => ["oss-a", "oss-b"],
        Some("^(/(.+/)?)?$") => ["/a/", "/b/"],
        Some(r"^v?[0-9]+\.[0-9]+\.[0-9]+(-[-._0-9A-Za-z]+)?$") => ["2.15.1", "2.15.2"],
        Some(pattern) => panic!("{path}: no value is known for {pattern}"),
    };
    values.map(Value::from).into()
}

/// Fields whose schema is not precise enough, by the end of their path.
fn by_hand(path: &Path) -> Option<Vec<Value>> {
    let ends = |endings: &str| endings.split(' ').any(|ending| path.ends_with(ending));
    let found = BY_HAND.iter().find(|(endings, _)| ends(endings));
    found.map(|(_, values)| serde_saphyr::from_str(values).unwrap())
}

/// Ends of paths, and values for each, as YAML.
const BY_HAND: &[(&str, &str)] = &[
    // No Harbor with ChartMuseum supports it.
    ("spec.cache.redis.tls", "[true]"),
    // As in a pod.
    ("affinity", "[{podAntiAffinity: {}}, {nodeAffinity: {}}]"),
    ("tolerations", "[[{key: a, operator: Exists}], [{key: b, operator: Exists}]]"),
    (
        "topologySpreadConstraints",
        "[[{maxSkew: 1, topologyKey: a, whenUnsatisfiable: ScheduleAnyway}], \
          [{maxSkew: 2, topologyKey: a, whenUnsatisfiable: ScheduleAnyway}]]",
    ),
    ("initContainers", "[[{name: a, image: example.com/a}], [{name: b, image: example.com/b}]]"),
    ("imagePullSecrets", "[[{name: field-a}], [{name: field-b}]]"),
    (
        "extraEnv[].valueFrom",
        "[{fieldRef: {fieldPath: metadata.name}}, {fieldRef: {fieldPath: metadata.uid}}]",
    ),
    ("resources.limits", "[{memory: 1Gi, cpu: 1}, {memory: 2Gi, cpu: 2}]"),
    ("resources.requests", "[{memory: 100Mi, cpu: 100m}, {memory: 200Mi, cpu: 200m}]"),
    ("volume volumeSource", "[{persistentVolumeClaim: {claimName: field-a}}, {emptyDir: {sizeLimit: 5Gi}}]"),
    (
        "volumeClaimTemplate.metadata",
        "[{labels: {example.com/field: a}}, {annotations: {example.com/field: b}}]",
    ),
    (
        "volumeClaimTemplate.spec",
        "[{storageClassName: field-a, resources: {requests: {storage: 1Ti}}}, \
          {storageClassName: field-b, resources: {requests: {storage: 1Ti}}}]",
    ),
    ("volumeClaimTemplate.status", "[{phase: Bound}, {phase: Lost}]"),
    // Quantities.
    ("server.storage cloudNativePG.storage zlandoPostgreSql.storage", "[5Gi, 6Gi]"),
    // Names and times.
    ("updateStrategyType", "[RollingUpdate, Recreate]"),
    ("otel.timeout spec.timeout", "[3m, 6m]"),
    ("proxy.components", "[[core], [jobservice]]"),
    ("driver.inmemory", "[{}]"),
    ("swift.authversion", "['2', '3']"),
    ("zlandoPostgreSql.version", "['16', '17']"),
    // Addresses.
    ("httpNodePort httpsNodePort", "[30010, 30011]"),
    ("clusterIP loadBalancerIP", "[192.0.2.1, 192.0.2.2]"),
    ("loadBalancerSourceRanges", "[[192.0.2.0/24], [198.51.100.0/24]]"),
];

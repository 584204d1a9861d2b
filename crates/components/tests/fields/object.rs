//! Setting a field of an object, with what the field needs and without what contradicts it.

use crate::{
    schema::{Field, Path, Step},
    values::minimal,
};
use serde_json::Value;

/// The object in which a field can be set: with its parents, their required fields and what the field needs,
/// and without what contradicts it.
pub fn scaffold(object: &Value, schema: &Value, path: &Path) -> Value {
    let mut object = object.clone();
    build(&mut object, schema, path);
    for (anchor, below, needed) in NEEDED {
        if let Some(steps) = anchored(path, anchor, below) {
            let needed = serde_saphyr::from_str(needed).unwrap();
            json_patch::merge(at(&mut object, steps).unwrap(), &needed);
        }
    }
    for (anchor, alternatives) in ALTERNATIVES {
        let alternatives = alternatives.split(' ');
        let chosen = |name: &&str| anchored(path, anchor, name).is_some();
        if let Some((chosen, steps)) =
            alternatives.clone().find(chosen).and_then(|name| Some((name, anchored(path, anchor, name)?)))
        {
            let fields = at(&mut object, steps).and_then(Value::as_object_mut).unwrap();
            alternatives.filter(|name| *name != chosen).for_each(|name| drop(fields.remove(name)));
        }
    }
    object
}

/// Fields of which there can be one: how the path to what they are in ends, and their names.
const ALTERNATIVES: &[(&str, &str)] = &[
    ("", "autoscaling replicas"),
    ("podDisruptionBudget", "minAvailable maxUnavailable"),
    ("imageChartStorage", "filesystem s3 swift azure gcs oss"),
    ("storage.driver", "filesystem s3 swift azure gcs oss inmemory"),
    ("chart.storage", "amazon azure filesystem gcs openstack oss"),
    ("s3", "accesskey accesskeyRef"),
    ("cloudNativePG", "image imageCatalogRef"),
    ("openstack", "tenant tenantID"),
    ("openstack", "username userid"),
];

/// What fields need to have an effect: the end of the path of what is changed, the rest of the path to the
/// field, and a merge patch in YAML.
const NEEDED: &[(&str, &str, &str)] = &[
    ("trace", "jaeger.agent", "{enabled: true, provider: jaeger, jaeger: {mode: agent}}"),
    ("trace", "jaeger.collector", "{enabled: true, provider: jaeger, jaeger: {mode: collector}}"),
    (
        "trace",
        "jaeger.mode",
        "{enabled: true, provider: jaeger, jaeger: {agent: {host: a}, collector: {endpoint: http://a}}}",
    ),
    ("trace", "otel", "{enabled: true, provider: otel}"),
    (
        "trace",
        "provider",
        "{enabled: true, jaeger: {mode: agent, agent: {host: a}}, otel: {endpoint: a, urlPath: a}}",
    ),
    ("jaeger", "agent", "{agent: {host: a}}"),
    ("redis", "sentinels", "{sentinelMasterSet: field-a}"),
    ("storage.driver", "azure", "{azure: {accountname: a, container: a, accountkeyRef: field-a}}"),
    ("storage.driver", "swift", "{swift: {username: a, passwordRef: field-a}}"),
    ("chart.storage", "openstack", "{openstack: {username: a, tenant: a, passwordRef: field-a}}"),
    (
        "internalTLS",
        "certificates",
        "{enabled: true, certificates: {core: a, jobservice: a, registry: a, portal: a, trivy: a, chartmuseum: a, \
          notaryserver: a}}",
    ),
    (
        "cache",
        "kind",
        "{spec: {redis: {host: a}, redisFailover: {operatorVersion: a}, redisReplication: {image: a, sentinel: {image: a}}}}",
    ),
    (
        "storage.spec",
        "minIO.redirect",
        "{redirect: null, minIO: {redirect: {expose: {ingress: {host: a.example.com}}}}}",
    ),
    ("storage", "spec.s3", "{kind: S3}"),
    ("storage", "spec.swift", "{kind: Swift}"),
    ("storage", "spec.azure", "{kind: Azure}"),
    ("storage", "spec.gcs", "{kind: Gcs}"),
    ("storage", "spec.oss", "{kind: Oss}"),
    ("storage", "spec.fileSystem", "{kind: FileSystem}"),
];

/// The object with a field set, in a scaffold made for it.
pub fn with(scaffold: &Value, field: &Field, value: Value) -> Value {
    let mut object = scaffold.clone();
    at(&mut object, field.path.parents()).unwrap()[field.path.name()] = value;
    object
}

/// The object without a field.
pub fn without(scaffold: &Value, field: &Field) -> Value {
    let mut object = scaffold.clone();
    let parent = at(&mut object, field.path.parents()).and_then(Value::as_object_mut);
    parent.unwrap().remove(field.path.name());
    object
}

/// Adds the parents of a field.
fn build(object: &mut Value, schema: &Value, path: &Path) {
    let (mut at, mut schema, mut walked) = (object, schema, Path(Vec::new()));
    for step in path.parents() {
        walked = walked.to(step.clone());
        match step {
            Step::Field(name) if walked.0.len() == 1 => at = &mut at[name],
            Step::Field(name) => {
                schema = &schema["properties"][name];
                let fields = at.as_object_mut().unwrap();
                at = fields.entry(name.clone()).or_insert_with(|| minimal(schema, &walked));
            }
            Step::Item => {
                schema = &schema["items"];
                let items = at.as_array_mut().unwrap();
                if items.is_empty() {
                    items.push(minimal(schema, &walked));
                }
                at = &mut items[0];
            }
        }
    }
}

/// The steps to `anchor`, where the path goes through it and on through `below`.
fn anchored<'p>(path: &'p Path, anchor: &str, below: &str) -> Option<&'p [Step]> {
    let through = |depth: &usize| {
        let (above, rest) = path.0.split_at(*depth);
        let (above, rest) = (format!(".{}", Path(above.into())), format!("{}.", Path(rest.into())));
        let anchored = anchor.is_empty() || above.ends_with(&format!(".{anchor}"));
        anchored && rest.strip_prefix(below).is_some_and(|rest| rest.starts_with(['.', '[']))
    };
    (1..path.0.len()).find(through).map(|depth| &path.0[..depth])
}

fn at<'v>(object: &'v mut Value, steps: &[Step]) -> Option<&'v mut Value> {
    steps.iter().try_fold(object, |at, step| match step {
        Step::Field(name) => at.get_mut(name),
        Step::Item => at.get_mut(0),
    })
}

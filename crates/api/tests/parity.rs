//! Our schemas say what the Go operator's said, field by field.
//!
//! `parity/facts.tsv` holds one line for each field of its 16 kinds: kind, path, type, required or optional, and
//! constraints as JSON. Kubernetes types are one line each; where the Go operator's files are here, what is inside them
//! is compared too: ours must have every property and require nothing more.
//!
//! The table begins below the root. There, ours require `spec` and theirs did not, because an object without one could
//! never be installed; and only ours never require `metadata`, because an API server always has it.

#![allow(clippy::unwrap_used, clippy::panic)] // this is a test, helpers included

#[path = "parity/additions.rs"]
mod additions;
mod schema;
mod shared;

use additions::{ADDITIONS, CHART};
use schema::{Fact, facts, foreign, schema as schema_of};
use serde_json::Value;
use shared::{files, shared};
use std::collections::{BTreeMap, BTreeSet};

const TABLE: &str = include_str!("parity/facts.tsv");

/// A difference on purpose: end of the path, how the fact is changed, why.
type Difference = (&'static str, fn(&mut Fact), &'static str);

/// Fields of ours that differ on purpose.
const DIFFERENCES: [Difference; 18] = [
    (
        ".spec.version",
        |fact| {
            let anchored = match fact.constraints["pattern"].as_str().unwrap() {
                r"[0-9]+\.[0-9]+\.[0-9]+" => r"v?[0-9]+\.[0-9]+\.[0-9]+(-[-._0-9A-Za-z]+)?".to_owned(),
                semantic => format!("v?{semantic}"),
            };
            fact.constraints.insert("pattern".to_owned(), anchored.into());
        },
        "what may be around a version is said, where the pattern was not anchored",
    ),
    (
        ".spec.serverURL",
        |fact| {
            let pattern = fact.constraints["pattern"].as_str().unwrap();
            let (address, name) = pattern.split_once("$|^").unwrap();
            fact.constraints
                .insert("pattern".to_owned(), format!("(.*{address}(?::[0-9]{{1,5}})?/?|{name}.*)").into());
        },
        "what may be around an address is said, where the pattern was not anchored, and an address may have a port",
    ),
    (
        "",
        |fact| {
            if fact.constraints.get("pattern").is_some_and(|pattern| pattern == "SECONDS") {
                fact.constraints.insert("pattern".to_owned(), "DURATION".into());
            }
        },
        "one pattern for all durations; that for seconds refused nothing, so there are others",
    ),
    (
        ".trace.sampleRate",
        |fact| "number".clone_into(&mut fact.type_),
        "a share may be a fraction, as Harbor reads it",
    ),
    (
        "HarborProject\t.spec.harborServerConfig",
        |fact| fact.required = false,
        "harborRef names a Harbor of the same namespace instead, and there may be a default",
    ),
    (
        "PullSecretBinding\t.spec.harborServerConfig",
        |fact| fact.required = false,
        "harborRef names a Harbor of the same namespace instead, and there may be a default",
    ),
    (
        "PullSecretBinding\t.spec.projectId",
        |fact| fact.required = false,
        "projectName, or a HarborRobot in robotRef, names the project instead; a rule asks for one of them",
    ),
    (
        "PullSecretBinding\t.spec.robotId",
        |fact| fact.required = false,
        "robotRef names a HarborRobot instead; a rule asks for one of them",
    ),
    (
        ".memberships[].role",
        |fact| {
            let roles =
                serde_json::json!(["projectAdmin", "developer", "guest", "maintainer", "limitedGuest"]);
            fact.constraints.insert("enum".to_owned(), roles);
        },
        "Harbor has a fifth role",
    ),
    (
        ".spec.storageQuota",
        |fact| {
            let pattern = "^([1-9][0-9]*(Ti|Gi|Mi|Ki)|unlimited|-1)$";
            fact.constraints.insert("pattern".to_owned(), pattern.into());
        },
        "a quota can be unlimited",
    ),
    (
        ".spec.core.tokenIssuer",
        |fact| fact.required = false,
        "without cert-manager the operator makes the key itself",
    ),
    (
        ".spec.database.kind",
        |fact| {
            let kinds = serde_json::json!(["PostgreSQL", "Zlando/PostgreSQL", "CloudNativePG"]);
            fact.constraints.insert("enum".to_owned(), kinds);
        },
        "CloudNativePG runs PostgreSQL too",
    ),
    (
        ".network.ipFamilies[]",
        |fact| {
            fact.constraints.insert("enum".to_owned(), serde_json::json!(["IPv4", "IPv6"]));
        },
        "the webhook of Harbor and HarborCluster refused anything else; the schema now does, for all kinds",
    ),
    (
        ".spec.cache.kind",
        |fact| {
            let kinds = serde_json::json!(["Redis", "RedisFailover", "RedisReplication"]);
            fact.constraints.insert("enum".to_owned(), kinds);
        },
        "there are two operators of Redis to choose from",
    ),
    (
        ".ingress.controller",
        |fact| {
            let known = serde_json::json!(["default", "gce", "ncp", "contour", "alb", "f5-bigip"]);
            fact.constraints.insert("enum".to_owned(), known);
        },
        CHART,
    ),
    (
        "",
        |fact| {
            if fact.type_ == "integer" {
                "integer/int64".clone_into(&mut fact.type_);
            }
        },
        "Go's int has 64 bits on every platform we run on; saying so refuses no value it could hold",
    ),
    (
        "HarborCluster\t.status.status",
        |fact| fact.required = false,
        "of an object that it cannot decode, the operator reports the error only",
    ),
    (
        "HarborCluster\t.status.revision",
        |fact| fact.required = false,
        "of an object that it cannot decode, the operator reports the error only",
    ),
];

/// Properties of Kubernetes types that Kubernetes itself has withdrawn since.
const WITHDRAWN: [&str; 2] =
    ["volumeClaimTemplate.spec.resources.claims", "volumeClaimTemplate.status.resizeStatus"];

fn ours() -> BTreeMap<String, Fact> {
    api::crds::all().iter().flat_map(|crd| facts(&serde_json::to_value(crd).unwrap())).collect()
}

fn table() -> BTreeMap<String, Fact> {
    let parse = |line: &str| {
        let columns: Vec<&str> = line.split('\t').collect();
        let fact = Fact {
            type_: columns[2].to_owned(),
            required: columns[3] == "required",
            constraints: columns
                .get(4)
                .map(|constraints| serde_json::from_str(constraints).unwrap())
                .unwrap_or_default(),
        };
        (format!("{}\t{}", columns[0], columns[1]), fact)
    };
    TABLE.lines().map(parse).collect()
}

#[test]
fn every_field_of_the_go_operator_is_as_it_was() {
    let ours = ours();
    let mut problems = Vec::new();
    let mut used = BTreeSet::new();
    for (path, theirs) in table() {
        let Some(our) = ours.get(&path) else {
            problems.push(format!("{path} is missing"));
            continue;
        };
        let mut expected = theirs.clone();
        for (index, (end, change, _)) in DIFFERENCES.iter().enumerate() {
            if path.ends_with(end) {
                let before = expected.clone();
                change(&mut expected);
                if before != expected {
                    used.insert(index);
                }
            }
        }
        let our = &without_bounds(our.clone(), &expected);
        if *our != expected {
            problems.push(format!("{path}\n  was  {}\n  is   {}", theirs.columns(), our.columns()));
        }
    }

    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert_eq!(used.len(), DIFFERENCES.len(), "a listed difference no longer exists");
}

/// The fact as it would be without what bounds the value more tightly than the Go operator did: lengths, and that a name is
/// a name, a duration is a duration, and any other pattern is about the whole value.
fn without_bounds(mut our: Fact, theirs: &Fact) -> Fact {
    for bound in ["maxItems", "maxLength"] {
        if !theirs.constraints.contains_key(bound) {
            our.constraints.remove(bound);
        }
    }
    match (our.constraints.get("pattern").and_then(Value::as_str), theirs.constraints.get("pattern")) {
        (Some("NAME" | "OPTIONAL_NAME" | "LABEL" | "DURATION"), None) => {
            our.constraints.remove("pattern");
        }
        (Some(pattern), Some(_)) => {
            let whole = pattern.strip_prefix('^').and_then(|rest| rest.strip_suffix('$'));
            if let Some(whole) =
                whole.filter(|whole| theirs.constraints["pattern"] == *whole).map(Value::from)
            {
                our.constraints.insert("pattern".to_owned(), whole);
            }
        }
        _ => {}
    }
    our
}

#[test]
fn every_field_we_added_is_listed_with_its_reason() {
    let table = table();
    let kind = |path: &str| path.split('\t').next().unwrap().to_owned();
    let theirs: BTreeSet<String> = table.keys().map(|path| kind(path)).collect();
    let of_a_kind_they_had = |path: &String| theirs.contains(&kind(path));
    let added: Vec<String> =
        ours().into_keys().filter(of_a_kind_they_had).filter(|path| !table.contains_key(path)).collect();
    // An entry stands for the field, for its items and for everything below.
    let below = |end: &str| [".", "[", "{"].map(|next| format!("{end}{next}"));
    let listed = |path: &String| {
        let within = |end: &str| below(end).iter().any(|part| path.contains(part));
        ADDITIONS.iter().any(|(end, _)| path.ends_with(end) || within(end))
    };

    let unlisted: Vec<&String> = added.iter().filter(|path| !listed(path)).collect();

    assert!(unlisted.is_empty(), "{unlisted:#?}");
    assert!(!added.is_empty());
}

#[test]
fn the_table_is_what_the_go_operators_files_say() {
    let Some(folder) = shared("upstream-crds") else { return };

    let theirs: BTreeMap<String, Fact> = files(&folder)
        .iter()
        .flat_map(|(_, text)| facts(&serde_saphyr::from_str::<Value>(text).unwrap()))
        .collect();

    let lines: Vec<String> =
        theirs.iter().map(|(path, fact)| format!("{path}\t{}", fact.columns())).collect();
    assert_eq!(lines, TABLE.lines().collect::<Vec<_>>());
}

#[test]
fn kubernetes_types_have_every_property_they_had_and_require_nothing_more() {
    let Some(folder) = shared("upstream-crds") else { return };
    let ours: BTreeMap<String, Value> = api::crds::all()
        .iter()
        .map(|crd| (crd.metadata.name.clone().unwrap(), serde_json::to_value(crd).unwrap()))
        .collect();
    let mut problems = Vec::new();
    let mut compared = 0;

    for (_, text) in files(&folder) {
        let theirs: Value = serde_saphyr::from_str(&text).unwrap();
        let name = theirs["metadata"]["name"].as_str().unwrap();
        let (theirs, ours) = (schema_of(&theirs), schema_of(&ours[name]));
        let spec = |schema: &Value| schema["properties"]["spec"].clone();
        embedded(&spec(theirs), &spec(ours), name, false, &mut problems, &mut compared);
    }

    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(compared > 1000, "compared only {compared} properties");
}

/// Compares what lies within Kubernetes types, wherever they are below `theirs`.
fn embedded(
    theirs: &Value,
    ours: &Value,
    path: &str,
    within: bool,
    problems: &mut Vec<String>,
    compared: &mut usize,
) {
    let within = within || foreign(path).is_some();
    if WITHDRAWN.iter().any(|withdrawn| path.ends_with(withdrawn)) {
        return;
    }
    if within {
        *compared += 1;
        if ours.is_null() {
            problems.push(format!("{path} is missing"));
            return;
        }
        if theirs["type"] != ours["type"] {
            problems.push(format!("{path} was {} and is {}", theirs["type"], ours["type"]));
        }
        for name in ours["required"].as_array().into_iter().flatten() {
            if !theirs["required"].as_array().is_some_and(|required| required.contains(name)) {
                problems.push(format!("{path} now requires {name}"));
            }
        }
    }
    for (name, property) in theirs["properties"].as_object().into_iter().flatten() {
        let path = format!("{path}.{name}");
        embedded(property, &ours["properties"][name], &path, within, problems, compared);
    }
    for (key, suffix) in [("items", "[]"), ("additionalProperties", "{}")] {
        if theirs[key].is_object() {
            embedded(&theirs[key], &ours[key], &format!("{path}{suffix}"), within, problems, compared);
        }
    }
}

#[test]
fn kubernetes_types_are_whole_and_not_maps_of_anything() {
    let jobservices = api::crds::all()
        .iter()
        .map(|crd| serde_json::to_value(crd).unwrap())
        .find(|crd| crd["metadata"]["name"] == "jobservices.goharbor.io")
        .unwrap();
    let spec = &schema_of(&jobservices)["properties"]["spec"]["properties"];
    let volume = &spec["storage"]["properties"]["scanDataExports"]["properties"]["volumeSource"];

    for source in
        ["configMap", "csi", "emptyDir", "ephemeral", "nfs", "persistentVolumeClaim", "projected", "secret"]
    {
        assert!(volume["properties"][source]["type"] == "object", "{source}");
    }
    assert_eq!(volume["required"], Value::Null);
    assert_eq!(
        spec["resources"]["properties"]["limits"]["additionalProperties"]["x-kubernetes-int-or-string"],
        true
    );
    assert_eq!(spec["imagePullSecrets"]["items"]["required"], Value::Null);
}

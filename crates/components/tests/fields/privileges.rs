//! No field of any kind is a way to the node or to the API server: wherever a definition takes a volume, a container or
//! annotations of pods, what reaches further is refused, and the refusal names that field.

use crate::{
    bases::{Base, Kind},
    object,
    schema::Field,
};
use serde_json::{Value, json};

/// Something that must be refused in a field.
struct Hostile {
    value: Value,
    /// The rest of the path that the refusal has to name.
    below: &'static str,
    /// What is in every object that has it, as JSON.
    trace: &'static str,
}

fn hostile(field: &Field) -> Vec<Hostile> {
    if field.schema["properties"].get("hostPath").is_some() {
        let token = json!({"serviceAccountToken": {"path": "token"}});
        return vec![
            Hostile { value: json!({"hostPath": {"path": "/"}}), below: ".hostPath", trace: "hostPath" },
            Hostile {
                value: json!({"projected": {"sources": [token]}}),
                below: ".projected.sources[0].serviceAccountToken",
                trace: "serviceAccountToken",
            },
        ];
    }
    match field.path.name() {
        "templateAnnotations" => vec![Hostile {
            value: json!({"container.apparmor.security.beta.kubernetes.io/core": "unconfined"}),
            below: "[container.apparmor.security.beta.kubernetes.io/core]",
            trace: "unconfined",
        }],
        "initContainers" => vec![Hostile {
            value: json!([{"name": "a", "securityContext": {"privileged": true}}]),
            below: "[0].securityContext.privileged",
            trace: "\"privileged\":true",
        }],
        _ => Vec::new(),
    }
}

/// Fields that hold what Kubernetes defines, and nothing of which reaches further than a pod may.
const HARMLESS: [&str; 4] = ["affinity", "topologySpreadConstraints", "extraEnv", "extraEnv[].valueFrom"];

#[test]
fn nothing_in_any_field_of_any_kind_reaches_the_node() {
    let mut tried = 0;
    for component in components::all() {
        let kind = Kind::of(&component.resource().kind);
        for field in kind.fields() {
            let hostile = hostile(&field);
            let harmless = HARMLESS.iter().any(|path| field.path.ends_with(path));
            assert!(
                !hostile.is_empty() || harmless || !takes_anything(&field.schema),
                "{} {} takes anything: try something hostile in it",
                kind.name,
                field.path
            );
            for hostile in hostile {
                tried += 1;
                assert_refused(&kind, &field, &hostile);
            }
        }
    }
    assert!(tried >= 78, "{tried} fields are fewer than there were");
}

/// Whether the definition leaves it to Kubernetes to check a value, or its items.
fn takes_anything(schema: &Value) -> bool {
    [schema, &schema["items"]].iter().any(|it| it["x-kubernetes-preserve-unknown-fields"] == true)
}

fn assert_refused(kind: &Kind, field: &Field, hostile: &Hostile) {
    let Hostile { value, below, trace } = hostile;
    let expected = format!("{}{below}: ", field.path.to_string().replace("[]", "[0]"));
    let mut answers = Vec::new();
    for base in &kind.bases {
        match tried(kind, base, field, value) {
            Err(error) if error.contains("--allow-privileged-pods") && error.contains(&expected) => return,
            Err(error) => answers.push(error),
            Ok(rendered) => {
                let place = format!("{} {}: {value} in {}", kind.name, field.path, base.name);
                assert!(!rendered.contains(trace), "{place} is accepted");
                answers.push(format!("{place} has no effect"));
            }
        }
    }
    panic!("{} {}: {value} is never refused: {}", kind.name, field.path, answers.join("\n"));
}

/// All that is rendered, as JSON.
fn tried(kind: &Kind, base: &Base, field: &Field, value: &Value) -> Result<String, String> {
    let before = object::scaffold(&base.owner, &kind.schema, &field.path);
    let rendered = base.render(&object::with(&before, field, value.clone()))?;
    Ok(rendered.values().map(|it| it.object.to_string()).collect())
}

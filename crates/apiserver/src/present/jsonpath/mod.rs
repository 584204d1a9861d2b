//! JSONPath in the dialect of Kubernetes, for printer columns, scale paths and selectable fields.

mod evaluate;
mod parse;

use serde_json::Value;

/// A parsed path.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct JsonPath {
    steps: Vec<Step>,
}

/// Why a path is invalid, or cannot be evaluated on an object.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PathError {
    /// The text is not a path.
    #[error("{0}")]
    Syntax(String),
    /// The object does not have the shape that the path expects.
    #[error("{0}")]
    Mismatch(String),
}

#[derive(Debug, Clone, PartialEq)]
enum Step {
    Field(String),
    /// `.*`
    Wildcard,
    /// `..`
    Descend,
    /// `[0]`, `[*]`, `[1:3]`
    Slice(Slice),
    /// `['a','b']`
    Union(Vec<JsonPath>),
    /// `[?(@.a)]`
    Exists(JsonPath),
    /// `[?(@.a=="b")]`
    Compare(JsonPath, Operator, Operand),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Slice {
    start: Option<i64>,
    end: End,
    step: Option<i64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// The list's end.
    Open,
    /// One after the start, for `[3]`.
    AfterStart,
    At(i64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

#[derive(Debug, Clone, PartialEq)]
enum Operand {
    Literal(Value),
    Path(JsonPath),
}

impl JsonPath {
    /// Parses a path such as `.status.conditions[?(@.type=="Ready")].status`.
    pub fn parse(text: &str) -> Result<Self, PathError> {
        parse::path(text)
    }

    /// The values at the path; none if a field is missing.
    pub fn find<'v>(&self, value: &'v Value) -> Result<Vec<&'v Value>, PathError> {
        evaluate::walk(&self.steps, vec![value])
    }
}

#[cfg(test)]
mod tests {
    use super::{JsonPath, PathError};
    use serde_json::{Value, json};

    fn jsonpath<'v>(path: &str, object: &'v Value) -> Result<Vec<&'v Value>, PathError> {
        JsonPath::parse(path)?.find(object)
    }

    fn found(path: &str, object: &Value) -> Vec<Value> {
        jsonpath(path, object).unwrap().into_iter().cloned().collect()
    }

    fn harbor() -> Value {
        json!({
            "metadata": {"annotations": {"goharbor.dev/owner": "me"}},
            "spec": {"replicas": 2, "hosts": ["a", "b", "c"]},
            "status": {"conditions": [
                {"type": "Ready", "status": "True", "observedGeneration": 3},
                {"type": "Paused", "status": "False", "observedGeneration": 1},
            ]},
        })
    }

    #[test]
    fn fields_indices_and_slices_are_followed() {
        let object = harbor();
        assert_eq!(found(".spec.replicas", &object), [json!(2)]);
        assert_eq!(found("$.spec['replicas']", &object), [json!(2)]);
        assert_eq!(found(".spec.hosts[0]", &object), [json!("a")]);
        assert_eq!(found(".spec.hosts[-1]", &object), [json!("c")]);
        assert_eq!(found(".spec.hosts[1:]", &object), [json!("b"), json!("c")]);
        assert_eq!(found(".spec.hosts[::2]", &object), [json!("a"), json!("c")]);
        assert_eq!(found(".spec.hosts[*]", &object), [json!("a"), json!("b"), json!("c")]);
        assert_eq!(found(".spec.hosts[0,2]", &object), [json!("a"), json!("c")]);
        assert_eq!(found(".spec.*", &object), [json!(["a", "b", "c"]), json!(2)]);
        assert_eq!(found("..type", &object), [json!("Ready"), json!("Paused")]);
    }

    #[test]
    fn a_dot_in_a_key_is_escaped() {
        let object = harbor();
        assert_eq!(found(r".metadata.annotations.goharbor\.dev/owner", &object), [json!("me")]);
        assert_eq!(found(r".metadata.annotations['goharbor\.dev/owner']", &object), [json!("me")]);
    }

    #[test]
    fn filters_pick_list_items() {
        let object = harbor();
        assert_eq!(found(r#".status.conditions[?(@.type=="Ready")].status"#, &object), [json!("True")]);
        assert_eq!(found(".status.conditions[?(@.type=='Ready')].status", &object), [json!("True")]);
        assert_eq!(found(".status.conditions[?(@.type!='Ready')].type", &object), [json!("Paused")]);
        assert_eq!(found(".status.conditions[?(@.observedGeneration > 2)].type", &object), [json!("Ready")]);
        assert_eq!(found(".status.conditions[?(@.reason)].type", &object), Vec::<Value>::new());
        assert_eq!(found(r#".status.conditions[?(@.type=="a)b")].type"#, &object), Vec::<Value>::new());
    }

    #[test]
    fn what_is_missing_is_nothing_and_what_does_not_fit_is_an_error() {
        let object = harbor();
        assert_eq!(found(".status.missing.field[0]", &object), Vec::<Value>::new());
        assert_eq!(
            jsonpath(".spec.hosts[7]", &object),
            Err(PathError::Mismatch("array index out of bounds: index 7, length 3".into()))
        );
        assert!(matches!(jsonpath(".spec[0]", &object), Err(PathError::Mismatch(_))));
    }

    #[test]
    fn unreadable_paths_are_refused() {
        for path in [".a[", ".a[?(@.b", ".a[x]", ".a]", ".a[?(@.b=='c)]", "....", ".a[?(@.b=~1)]"] {
            assert!(matches!(jsonpath(path, &json!({})), Err(PathError::Syntax(_))), "{path}");
        }
        let deep = format!("{}@.a{}", "[?(".repeat(500), ")]".repeat(500));
        assert!(matches!(jsonpath(&deep, &json!({})), Err(PathError::Syntax(_))));
    }
}

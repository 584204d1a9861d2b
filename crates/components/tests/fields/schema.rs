//! The fields of a kind, as its definition lists them.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde_json::Value;
use std::fmt;

/// Ends of paths to fields that hold a Kubernetes type. They are tried as a whole: what is below them goes to Kubernetes
/// as it is, so a component either hands the object on or drops it.
///
/// `resources` is not among them, nor is a claim's template: other operators' kinds have no room for all of them.
const WHOLE: [&str; 10] = [
    "imagePullSecrets",
    "initContainers",
    "namespaceSelector",
    "tolerations",
    "valueFrom",
    "volume",
    "volumeClaimTemplate.metadata",
    "volumeClaimTemplate.spec",
    "volumeClaimTemplate.status",
    "volumeSource",
];

/// One field of a kind.
#[derive(Clone, Debug)]
pub struct Field {
    /// How it is reached from the object.
    pub path: Path,
    /// What it may hold.
    pub schema: Value,
    /// Whether the object it is in can do without it.
    pub optional: bool,
    /// Whether it has fields of its own that are tried.
    pub inner: bool,
    /// Whether its description, or that of something it is in, says that it has no effect.
    pub says_so: bool,
}

/// The steps from an object to a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path(pub Vec<Step>);

/// A step from a value to one below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// To a field of an object.
    Field(String),
    /// To the first item of a list.
    Item,
}

/// Every field of a kind's `spec`, each after those it is in.
pub fn fields(schema: &Value) -> Vec<Field> {
    let mut fields = Vec::new();
    below(&Path(vec![Step::Field("spec".into())]), schema, says_so(schema), &mut fields);
    fields
}

/// The schema of a kind's `spec`.
pub fn schema(definition: &CustomResourceDefinition) -> Value {
    let definition = serde_json::to_value(definition).unwrap();
    definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"].clone()
}

fn below(path: &Path, schema: &Value, parent_says_so: bool, fields: &mut Vec<Field>) {
    let required =
        |name: &String| schema["required"].as_array().is_some_and(|all| all.contains(&name.as_str().into()));
    for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
        let path = path.to(Step::Field(name.clone()));
        let (inside, steps) = inside(schema);
        let inner = inside["properties"].is_object() && !WHOLE.iter().any(|whole| path.ends_with(whole));
        let says_so = parent_says_so || says_so(schema);
        fields.push(Field {
            path: path.clone(),
            schema: schema.clone(),
            optional: !required(name),
            inner,
            says_so,
        });
        if inner {
            below(&Path(path.0.into_iter().chain(steps).collect()), inside, says_so, fields);
        }
    }
}

fn says_so(schema: &Value) -> bool {
    schema["description"].as_str().is_some_and(|description| description.contains("no effect"))
}

/// Where the fields of a value are: its own, or those of its items.
fn inside(schema: &Value) -> (&Value, Option<Step>) {
    match schema["type"].as_str() {
        Some("array") => (&schema["items"], Some(Step::Item)),
        _ => (schema, None),
    }
}

impl Field {
    /// Whether it holds a single value.
    pub fn is_scalar(&self) -> bool {
        matches!(self.schema["type"].as_str(), Some("boolean" | "integer" | "string"))
    }
}

impl Path {
    /// One step further.
    pub fn to(&self, step: Step) -> Self {
        Self(self.0.iter().cloned().chain([step]).collect())
    }

    /// The steps to what the field is in.
    pub fn parents(&self) -> &[Step] {
        self.0.split_last().unwrap().1
    }

    /// Whether it leads to another, or further.
    pub fn is_above(&self, other: &Self) -> bool {
        other.0.starts_with(&self.0)
    }

    /// Whether its last fields are these.
    pub fn ends_with(&self, fields: &str) -> bool {
        format!(".{self}").ends_with(&format!(".{fields}"))
    }

    /// The name of the field it leads to.
    pub fn name(&self) -> &str {
        match self.0.last() {
            Some(Step::Field(name)) => name,
            _ => panic!("{self} leads to no field"),
        }
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, step) in self.0.iter().enumerate() {
            match step {
                Step::Field(name) if number > 0 => write!(f, ".{name}")?,
                Step::Field(name) => f.write_str(name)?,
                Step::Item => f.write_str("[]")?,
            }
        }
        Ok(())
    }
}

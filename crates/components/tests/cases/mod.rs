//! Objects and their inputs, as files.

use kube::core::DynamicObject;
use plan::{Component, ComponentKind, Defaults, ObjectKey, Plan, PlanError, Planned, Snapshot, plan_with};
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

/// A certificate that signs itself, as it is in the inputs.
pub const CERTIFICATE: &str = "\
-----BEGIN CERTIFICATE-----
MIIBNTCB6KADAgECAgEBMAUGAytlcDAZMRcwFQYDVQQDDA5mb3IgdGVzdHMgb25s
eTAgFw0yNjExMTYwODM1NTNaGA8yMTI2MTAyMzA4MzU1M1owGTEXMBUGA1UEAwwO
Zm9yIHRlc3RzIG9ubHkwKjAFBgMrZXADIQDuEukIUgXfJVC7PPEvinjis17UPIQn
bq/1gINSsHtHcqNTMFEwHQYDVR0OBBYEFKXhn4/F9E5ltkL+nC+9Tcg5vTRBMB8G
A1UdIwQYMBaAFKXhn4/F9E5ltkL+nC+9Tcg5vTRBMA8GA1UdEwEB/wQFMAMBAf8w
BQYDK2VwA0EAYmfCc0y1UKy4GGWIdHMSA1HR1ImnVrTrFVFwqTMq84k++J63cBz0
ciaaRDMU36fKe998X3mfEL9cSIdfOOhXDQ==
-----END CERTIFICATE-----
";

/// An object and everything it may read.
pub struct Case<C: Component> {
    pub owner: C::Owner,
    pub inputs: Vec<Value>,
    /// API groups the cluster does not serve.
    pub without: Vec<String>,
    /// The operator's defaults.
    pub defaults: Defaults,
}

impl<C: Component> Case<C> {
    /// The case in `tests/golden/<component>/<name>`.
    pub fn golden(name: &str) -> Self {
        Self::load(&golden_directory::<C>().join(name))
    }

    /// The case in a directory; its file `without`, if there is one, names a group on each line.
    pub fn load(directory: &Path) -> Self {
        let case = Self::read(&directory.join("in.yaml"), &directory.join("inputs"));
        Self { without: unserved(directory), ..case }
    }

    pub fn read(owner: &Path, inputs: &Path) -> Self {
        let owner = serde_saphyr::from_str(&text(owner)).unwrap();
        Self { owner, inputs: documents(inputs), without: Vec::new(), defaults: Defaults::default() }
    }

    /// The plan, with everything that is not among the inputs absent, and every kind served that is not left out.
    pub fn plan(&self) -> Result<Plan, PlanError> {
        let pass = |snapshot: &Snapshot| plan_with::<C>(&self.owner, snapshot, &self.defaults);
        planned(pass, &self.inputs, &self.without)
    }

    /// The children, in the order they are applied.
    pub fn children(&self) -> Vec<Value> {
        let plan = self.plan().unwrap();
        plan.graph.iter().map(|(_, desired, _)| desired.object.to_json().unwrap()).collect()
    }
}

impl<C: Component> Case<C> {
    /// With another value for a key of an input.
    pub fn with(mut self, secret: &str, key: &str, value: impl AsRef<[u8]>) -> Self {
        let secret = self.inputs.iter_mut().find(|input| input["metadata"]["name"] == secret).unwrap();
        secret["data"][key] = base64(value.as_ref());
        self
    }

    /// Without an input.
    pub fn without(mut self, secret: &str) -> Self {
        self.inputs.retain(|input| input["metadata"]["name"] != secret);
        self
    }

    /// The object with one field of its JSON changed.
    pub fn set(mut self, pointer: &str, value: Value) -> Self {
        let mut json = serde_json::to_value(&self.owner).unwrap();
        set(&mut json, pointer, value);
        self.owner = serde_json::from_value(json).unwrap();
        self
    }

    /// The object with one annotation changed.
    pub fn annotated(self, annotation: &str, value: &str) -> Self {
        let key = annotation.replace('/', "~1");
        self.set(&format!("/metadata/annotations/{key}"), value.into())
    }

    /// The first child of a kind.
    pub fn child(&self, kind: &str) -> Value {
        self.children().into_iter().find(|child| child["kind"] == kind).unwrap()
    }

    /// Why there is no plan.
    pub fn error(&self) -> String {
        self.plan().unwrap_err().to_string()
    }
}

/// A case of any component.
#[derive(Clone)]
pub struct AnyCase {
    pub component: ComponentKind,
    pub owner: Value,
    pub inputs: Vec<Value>,
    pub without: Vec<String>,
}

impl AnyCase {
    /// All golden cases of a component, with their directories.
    pub fn all(component: &ComponentKind) -> Vec<(PathBuf, Self)> {
        let directories = files(&golden_cases(component.name));
        directories
            .into_iter()
            .map(|directory| (directory.clone(), Self::load(component, &directory)))
            .collect()
    }

    /// See [`Case::load`].
    pub fn load(component: &ComponentKind, directory: &Path) -> Self {
        Self {
            component: component.clone(),
            owner: serde_saphyr::from_str(&text(&directory.join("in.yaml"))).unwrap(),
            inputs: documents(&directory.join("inputs")),
            without: unserved(directory),
        }
    }

    /// See [`Case::plan`].
    pub fn plan(&self) -> Result<Plan, PlanError> {
        let owner = self.component.decode(self.owner.clone()).unwrap();
        planned(|snapshot| owner.plan(snapshot, &Defaults::default()), &self.inputs, &self.without)
    }

    /// See [`Case::children`].
    pub fn children(&self) -> Vec<Value> {
        let plan = self.plan().unwrap();
        plan.graph.iter().map(|(_, desired, _)| desired.object.to_json().unwrap()).collect()
    }

    /// See [`Case::set`].
    pub fn set(mut self, pointer: &str, value: Value) -> Self {
        set(&mut self.owner, pointer, value);
        self
    }
}

fn planned(
    pass: impl Fn(&Snapshot) -> Planned,
    inputs: &[Value],
    without: &[String],
) -> Result<Plan, PlanError> {
    let read = |key: ObjectKey| {
        let served = key.is_kind() && !without.contains(&key.group);
        (key, served.then(plan::served))
    };
    let known = inputs.iter().map(entry).collect();
    plan::until_planned(known, pass, |needed| needed.keys.into_iter().map(read).collect())
}

fn set(owner: &mut Value, pointer: &str, value: Value) {
    let mut at = owner;
    for field in pointer.split('/').skip(1) {
        at = &mut at[field.replace("~1", "/")];
    }
    *at = value;
}

fn documents(directory: &Path) -> Vec<Value> {
    let documents = |file: &PathBuf| -> Vec<Value> { serde_saphyr::from_multiple(&text(file)).unwrap() };
    let files = if directory.exists() { files(directory) } else { Vec::new() };
    files.iter().flat_map(documents).map(stored).collect()
}

fn unserved(directory: &Path) -> Vec<String> {
    let without = fs::read_to_string(directory.join("without")).unwrap_or_default();
    without.lines().map(Into::into).collect()
}

pub fn golden_directory<C: Component>() -> PathBuf {
    golden_cases(C::NAME)
}

fn golden_cases(component: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(component)
}

pub fn files(directory: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn text(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// As the API server would store it: without `stringData`.
fn stored(mut secret: Value) -> Value {
    let texts = secret.as_object_mut().unwrap().remove("stringData").unwrap_or(json!({}));
    for (key, value) in texts.as_object().unwrap() {
        secret["data"][key] = base64(value.as_str().unwrap().as_bytes());
    }
    secret
}

pub fn base64(bytes: &[u8]) -> Value {
    serde_json::to_value(k8s_openapi::ByteString(bytes.to_vec())).unwrap()
}

fn entry(input: &Value) -> (ObjectKey, Option<Arc<DynamicObject>>) {
    (key(input), Some(Arc::new(serde_json::from_value(input.clone()).unwrap())))
}

/// Which object a document describes.
pub fn key(input: &Value) -> ObjectKey {
    let field = |pointer: &str| input.pointer(pointer).unwrap().as_str().unwrap();
    let group = field("/apiVersion").split_once('/').map(|(group, _)| group).unwrap_or_default();
    ObjectKey::new(group, field("/kind"), field("/metadata/namespace"), field("/metadata/name"))
}

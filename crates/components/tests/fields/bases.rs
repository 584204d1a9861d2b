//! Objects in which fields are tried: the golden cases, those with the most fields first.

use crate::{
    cases::{AnyCase, golden_directory},
    object,
    rendering::{Rendering, Surroundings},
    schema::{self, Field, schema},
    values::values,
};
use api::crds;
use components::{registry::Registry, registrycontroller::RegistryController};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use plan::{Component as _, ComponentKind};
use serde_json::Value;
use std::path::Path;

/// A kind, and objects of it to try its fields in.
pub struct Kind {
    pub name: String,
    /// The kinds of its children.
    pub children: Vec<String>,
    pub definition: CustomResourceDefinition,
    /// What its `spec` may hold.
    pub schema: Value,
    pub bases: Vec<Base>,
}

/// An object, and the objects that it reads.
pub struct Base {
    /// The name of the golden case.
    pub name: String,
    pub owner: Value,
    around: Surroundings,
    /// An object whose children show the effect: a RegistryController has no children of its own.
    companion: Option<Value>,
}

/// An object in which a field is tried, with its parents and what it needs to have an effect.
pub struct Trial {
    /// With the field as the base has it.
    pub before: Value,
    /// Without it.
    pub without: Value,
    /// With each of some values.
    pub with: Vec<Value>,
}

impl Kind {
    /// The kind of this name.
    pub fn of(name: &str) -> Self {
        let all = components::all();
        let component = all.iter().find(|component| component.resource().kind == name).unwrap();
        let definition = crds::of(name).unwrap();
        Self {
            name: name.to_owned(),
            children: component.children.iter().map(|kind| kind.resource.kind.clone()).collect(),
            schema: schema(&definition),
            definition,
            bases: bases(component),
        }
    }

    /// Every field of its `spec`, each after those it is in.
    pub fn fields(&self) -> Vec<Field> {
        schema::fields(&self.schema)
    }

    /// A field, tried in one of the bases.
    pub fn trial(&self, base: &Base, field: &Field) -> Trial {
        let before = object::scaffold(&base.owner, &self.schema, &field.path);
        let without = object::without(&before, field);
        let with = values(field).into_iter().map(|value| object::with(&before, field, value)).collect();
        Trial { before, without, with }
    }
}

impl Base {
    /// The children of an object in the place of this one.
    pub fn render(&self, owner: &Value) -> Rendering {
        let mut rendered = self.around.render(owner)?;
        if let Some(companion) = &self.companion {
            let mut around = self.around.clone();
            around.objects.push(owner.clone());
            rendered.extend(around.render(companion)?);
        }
        Ok(rendered)
    }
}

fn bases(component: &ComponentKind) -> Vec<Base> {
    let cases = AnyCase::all(component);
    let mut bases: Vec<Base> = cases.into_iter().map(|(directory, case)| base(&directory, case)).collect();
    bases.sort_by_key(|base| std::cmp::Reverse(base.owner.to_string().len()));
    bases
}

fn base(directory: &Path, case: AnyCase) -> Base {
    let name = directory.file_name().unwrap().to_str().unwrap().to_owned();
    let AnyCase { component, owner, inputs, without } = case;
    let mut around = Surroundings { objects: inputs, unserved: without };
    let companion = (component.name == RegistryController::NAME).then(|| {
        let registry = golden_directory::<Registry>().join(&name);
        let registry = AnyCase::load(&ComponentKind::of::<Registry>(), &registry);
        let others = registry.inputs.into_iter().filter(|it| it["kind"] != owner["kind"]);
        around.objects.extend(others);
        registry.owner
    });
    Base { name, owner, around, companion }
}

//! Objects in which fields are tried: the golden cases, those with the most fields first.

use crate::{
    cases::{Case, files, golden_directory},
    object,
    rendering::{Rendering, Surroundings},
    schema::{self, Field, schema},
    values::values,
};
use api::crds;
use components::{Visitor, registry::Registry, registrycontroller::RegistryController};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::Resource;
use plan::Component;
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
        struct Find<'n>(&'n str, Option<Kind>);

        impl Visitor for Find<'_> {
            fn visit<C: Component>(&mut self) {
                if C::Owner::kind(&()) == self.0 {
                    let definition = crds::of(self.0).unwrap();
                    self.1 = Some(Kind {
                        name: self.0.to_owned(),
                        children: C::children().iter().map(|kind| kind.resource.kind.clone()).collect(),
                        schema: schema(&definition),
                        definition,
                        bases: bases::<C>(),
                    });
                }
            }
        }

        let mut find = Find(name, None);
        components::for_each(&mut find);
        find.1.unwrap()
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

fn bases<C: Component>() -> Vec<Base> {
    let mut bases: Vec<Base> =
        files(&golden_directory::<C>()).iter().map(|directory| base::<C>(directory)).collect();
    bases.sort_by_key(|base| std::cmp::Reverse(base.owner.to_string().len()));
    bases
}

fn base<C: Component>(directory: &Path) -> Base {
    let name = directory.file_name().unwrap().to_str().unwrap().to_owned();
    let (owner, mut around) = read::<C>(directory);
    let companion = (C::NAME == RegistryController::NAME).then(|| {
        let (registry, beside) = read::<Registry>(&golden_directory::<Registry>().join(&name));
        let others = beside.objects.into_iter().filter(|it| it["kind"] != owner["kind"]);
        around.objects.extend(others);
        registry
    });
    Base { name, owner, around, companion }
}

fn read<C: Component>(directory: &Path) -> (Value, Surroundings) {
    let Case { owner, inputs, without, .. } = Case::<C>::load(directory);
    (serde_json::to_value(owner).unwrap(), Surroundings { objects: inputs, unserved: without })
}

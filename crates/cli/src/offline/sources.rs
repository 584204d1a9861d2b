//! The files that `render` and `graph` read.

use super::{
    fields,
    object_store::ObjectStore,
    renderer::{OwnedObjects, Owner, Renderer},
};
use crate::{
    flags::DefaultsArgs,
    manifests::{DEFAULT_NAMESPACE, Document, Object, file_names, read_directory, read_file},
    operator::{GROUP, component, kind_names},
    output::{Error, Failure, warn},
};
use api::{conversion::Version, thirdparty::OPTIONAL_GROUPS};
use clap::{Args, builder::PossibleValuesParser};
use plan::{ComponentKind, Placement};
use std::path::PathBuf;

/// Files with objects, and with the Secrets and ConfigMaps that those read.
#[derive(Debug, Args)]
pub struct Sources {
    /// YAML or JSON file with objects, and with the Secrets and ConfigMaps they read; - is standard input
    #[arg(short = 'f', long = "file", value_name = "FILE", required = true, num_args = 1..)]
    files: Vec<PathBuf>,

    /// Directory of YAML and JSON files with the Secrets and ConfigMaps that the objects read
    #[arg(long, value_name = "DIR")]
    inputs: Option<PathBuf>,

    /// Also plan the children that have children themselves
    #[arg(long)]
    recursive: bool,

    /// API group of an optional kind that the cluster does not serve [default: it serves all]
    #[arg(long, value_name = "GROUP", value_parser = PossibleValuesParser::new(OPTIONAL_GROUPS))]
    without: Vec<String>,

    #[command(flatten)]
    defaults: DefaultsArgs,
}

/// The result for all objects in the files.
#[derive(Debug)]
pub struct Rendering {
    /// Their children, in the order of the objects.
    pub owners: Vec<OwnedObjects>,
    /// Why others could not be rendered.
    pub errors: Vec<Error>,
    /// Secrets and ConfigMaps that pods need and that are missing.
    pub unmet: Vec<Error>,
}

impl Sources {
    /// Reads all files and renders every object that has a component.
    pub fn render(&self, components: Vec<ComponentKind>) -> Result<Rendering, Failure> {
        let (owners, store) = self.load(&components)?;
        let mut renderer = Renderer::new(components, store, self.defaults.defaults(), self.recursive);
        let owners = owners.into_iter().filter_map(|owner| renderer.render(owner)).collect();
        let Renderer { errors, unmet, .. } = renderer;
        Ok(Rendering { owners, errors, unmet })
    }

    /// The objects to render, and the store that answers their reads.
    fn load(&self, components: &[ComponentKind]) -> Result<(Vec<Owner>, ObjectStore), Failure> {
        let mut owners: Vec<Owner> = Vec::new();
        let mut store = ObjectStore::without(self.without.iter().cloned());
        let mut errors = Vec::new();
        for object in objects(self.files.iter().map(|file| read_file(file)), &mut errors) {
            match owner(object, components) {
                Ok(Role::Owner(object)) => {
                    let owner =
                        Owner { place: object.place(), key: object.key.clone(), json: object.json.clone() };
                    errors.extend(store.insert_given(object).err());
                    if owners.iter().all(|other| other.key != owner.key) {
                        owners.push(owner);
                    }
                }
                Ok(Role::Input(object)) => errors.extend(store.insert_given(object).err()),
                Err(error) => errors.push(error),
            }
        }
        for object in objects(self.inputs.iter().map(|directory| read_directory(directory)), &mut errors) {
            errors.extend(store.insert_given(object).err());
        }
        if errors.is_empty() && owners.is_empty() {
            let remedy =
                format!("give a file with an object of one of these kinds: {}", kind_names(components));
            errors.push(Error::input(
                file_names(&self.files),
                "contains no object that the operator reconciles",
                remedy,
            ));
        }
        Failure::unless_empty(errors).map(|()| (owners, store))
    }
}

/// The objects of all documents that can be read.
fn objects(
    documents: impl Iterator<Item = Result<Vec<Document>, Error>>,
    errors: &mut Vec<Error>,
) -> Vec<Object> {
    let mut objects = Vec::new();
    for read in documents {
        let read = read.map_err(|error| errors.push(error)).unwrap_or_default();
        for document in read {
            objects.extend(Object::all(document).map_err(|error| errors.push(error)).unwrap_or_default());
        }
    }
    objects
}

/// The role of an object in a file.
enum Role {
    /// Its children are rendered.
    Owner(Object),
    /// Owners may read it.
    Input(Object),
}

fn owner(object: Object, components: &[ComponentKind]) -> Result<Role, Error> {
    let Some(kind) = component(components, &object.key) else {
        if object.key.group != GROUP {
            return Ok(Role::Input(object));
        }
        let problem = format!("this version of the operator does not reconcile {} objects", object.key.kind);
        let remedy = format!("remove it, or give one of these kinds instead: {}", kind_names(components));
        return Err(Error::input(object.place(), problem, remedy));
    };
    if object.version != kind.resource().version {
        let problem = format!("apiVersion {GROUP}/{} is not supported", object.version);
        let remedy = if object.version == Version::V1alpha3.name() {
            "convert the file with `harbor-operator convert`".to_owned()
        } else {
            format!("write it as {}", kind.resource().api_version)
        };
        return Err(Error::input(object.place(), problem, remedy));
    }
    // One that cannot be decoded is reported when it is planned.
    if kind.decode(object.json.clone()).is_ok_and(|owner| !owner.has_work()) {
        return Ok(Role::Input(object));
    }
    let object = match kind.placement() {
        Placement::Namespaced => object.in_namespace(DEFAULT_NAMESPACE),
        Placement::ClusterWide => object,
    };
    for field in fields::unknown_fields(&object.key, &object.version, &object.json) {
        let kind = &object.key.kind;
        warn(format_args!("{}: {field} is not a field of {kind} and is ignored", object.place()));
    }
    Ok(Role::Owner(object))
}

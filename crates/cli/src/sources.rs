//! What `render` and `graph` start from.

use crate::{
    error::{Error, Failure},
    expand::{Expander, Expansion, Owner},
    fields, input, inputs_dir,
    known::Known,
    object::{DEFAULT_NAMESPACE, Object},
    plan_offline::{component, names},
    run::DefaultsArgs,
    terminal,
};
use api::thirdparty::OPTIONAL_GROUPS;
use clap::{Args, builder::PossibleValuesParser};
use plan::ComponentKind;
use std::path::PathBuf;

/// The API group of our own kinds.
pub const GROUP: &str = "goharbor.io";

/// Files with objects, and with what those read.
#[derive(Debug, Args)]
pub struct Sources {
    /// YAML or JSON file with objects, and with what they read; - is standard input
    #[arg(short = 'f', long = "file", value_name = "FILE", required = true, num_args = 1..)]
    files: Vec<PathBuf>,

    /// Directory of YAML and JSON files with the Secrets and ConfigMaps that are read
    #[arg(long, value_name = "DIR")]
    inputs: Option<PathBuf>,

    /// Also expand children that have children themselves
    #[arg(long)]
    recursive: bool,

    /// API group of an optional kind that the cluster does not serve; all are served unless given here
    #[arg(long, value_name = "GROUP", value_parser = PossibleValuesParser::new(OPTIONAL_GROUPS))]
    without: Vec<String>,

    #[command(flatten)]
    defaults: DefaultsArgs,
}

/// What became of the objects in the files.
#[derive(Debug)]
pub struct Expanded {
    /// Their children, in the order of the objects.
    pub expansions: Vec<Expansion>,
    /// Why others could not be expanded.
    pub errors: Vec<Error>,
    /// What pods would not find.
    pub unmet: Vec<Error>,
}

impl Sources {
    /// Reads everything and expands every object that has children.
    pub fn expand(&self, components: Vec<ComponentKind>) -> Result<Expanded, Failure> {
        let (owners, known) = self.load(&components)?;
        let mut expander = Expander::new(components, known, self.defaults.defaults(), self.recursive);
        let expansions = owners.into_iter().filter_map(|owner| expander.expand(owner)).collect();
        let Expander { errors, unmet, .. } = expander;
        Ok(Expanded { expansions, errors, unmet })
    }

    /// The objects to expand and what they may read.
    fn load(&self, components: &[ComponentKind]) -> Result<(Vec<Owner>, Known), Failure> {
        let mut owners: Vec<Owner> = Vec::new();
        let mut known = Known::without(self.without.iter().cloned());
        let mut errors = Vec::new();
        for object in objects(self.files.iter().map(|file| input::read(file)), &mut errors) {
            match owner(object, components) {
                Ok(Role::Owner(object)) => {
                    let owner =
                        Owner { place: object.place(), key: object.key.clone(), json: object.json.clone() };
                    errors.extend(known.give(object).err());
                    if owners.iter().all(|other| other.key != owner.key) {
                        owners.push(owner);
                    }
                }
                Ok(Role::Input(object)) => errors.extend(known.give(object).err()),
                Err(error) => errors.push(error),
            }
        }
        for object in objects(self.inputs.iter().map(|directory| inputs_dir::read(directory)), &mut errors) {
            errors.extend(known.give(object).err());
        }
        if errors.is_empty() && owners.is_empty() {
            let files: Vec<_> = self.files.iter().map(|file| file.display().to_string()).collect();
            let remedy = format!("give a file with an object of one of these kinds: {}", names(components));
            errors.push(Error::input(files.join(", "), "holds no object that has children", remedy));
        }
        Failure::unless_empty(errors).map(|()| (owners, known))
    }
}

/// The objects of all documents that can be read.
fn objects(
    documents: impl Iterator<Item = Result<Vec<input::Document>, Error>>,
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

/// What an object in a file is there for.
enum Role {
    /// Its children are wanted.
    Owner(Object),
    /// Others read it.
    Input(Object),
}

fn owner(object: Object, components: &[ComponentKind]) -> Result<Role, Error> {
    let Some(kind) = component(components, &object.key) else {
        if object.key.group != GROUP {
            return Ok(Role::Input(object));
        }
        let problem = format!("this version of the operator does not run {} objects", object.key.kind);
        let remedy = format!("remove it, or give one of these kinds instead: {}", names(components));
        return Err(Error::input(object.place(), problem, remedy));
    };
    if object.version != kind.resource().version {
        let problem = format!("apiVersion {GROUP}/{} cannot be read", object.version);
        return Err(Error::input(
            object.place(),
            problem,
            format!("write it as {}", kind.resource().api_version),
        ));
    }
    let object = object.in_namespace(DEFAULT_NAMESPACE);
    for field in fields::check(&object.key, &object.version, &object.json).unknown {
        let kind = &object.key.kind;
        terminal::warn(format_args!("{}: {field} is not a field of {kind} and is ignored", object.place()));
    }
    Ok(Role::Owner(object))
}

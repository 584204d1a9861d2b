//! The schemas of custom kinds: pruning, defaults, validation and rules, as kube-apiserver does them.

mod correlation;
mod defaults;
mod dialect;
mod field_errors;
mod formats;
mod lists;
mod lower;
mod names;
mod node;
mod openapi;
mod parsed;
mod patterns;
mod prune;
mod rule;
mod rules;
mod scalars;
mod structural;
mod values;

pub(crate) use defaults::{apply_defaults, drop_nulls};
pub(crate) use prune::prune;
pub(crate) use scalars::shorten_numbers;

use super::{Schema, path::Path};
use crate::failure::{Cause, Fault};
use correlation::Correlation;
use node::Node;
use serde_json::Value;
use std::sync::Arc;

/// The schema of one version of a custom kind.
#[derive(Debug, Clone)]
pub(crate) struct CustomSchema {
    /// The part that merging and presenting objects needs.
    pub schema: Arc<Schema>,
    /// The whole schema, with compiled rules and patterns.
    root: Arc<Node>,
}

impl CustomSchema {
    /// Parses the `openAPIV3Schema` of a definition that is stored, and so was checked before.
    pub fn stored(schema: &Value) -> Self {
        parsed::known(schema).unwrap_or_else(|| Self::compiled(schema, Node::root(schema)))
    }

    /// Parses the `openAPIV3Schema` that all versions of a definition share, as Kubernetes does.
    #[cfg(test)]
    pub fn parse(schema: &Value) -> Result<Self, Vec<Cause>> {
        Self::parse_at("spec.validation.openAPIV3Schema", schema)
    }

    /// Parses the `openAPIV3Schema` at a path, which is part of errors.
    pub fn parse_at(place: &str, schema: &Value) -> Result<Self, Vec<Cause>> {
        if let Some(known) = parsed::known(schema) {
            return Ok(known);
        }
        let mut wrong = structural::wrong(schema, place);
        let root = Node::root(schema);
        if wrong.is_empty() {
            wrong = structural::wrong_defaults(&root, place);
        }
        if wrong.is_empty() {
            wrong = structural::wrong_rules(&root, place);
        }
        if wrong.is_empty() { Ok(Self::compiled(schema, root)) } else { Err(wrong) }
    }

    fn compiled(schema: &Value, root: Node) -> Self {
        let valid = Self { schema: Arc::new(lower::root(&root)), root: Arc::new(root) };
        parsed::keep(schema, &valid);
        valid
    }
}

/// The problems of an object, whose old version is `old`.
pub(crate) fn validate(schema: &CustomSchema, new: &Value, old: Option<&Value>) -> Vec<Cause> {
    let correlation = match old {
        Some(old) => Correlation::root(&schema.root, new, old),
        None => Correlation::none(),
    };
    let mut causes = openapi::wrong(&schema.root, new, correlation);
    causes.extend(lists::wrong_embedded(&schema.root, new));
    if old.is_none_or(|old| lists::wrong(&schema.root, old).is_empty()) {
        causes.extend(lists::wrong(&schema.root, new));
    }
    if schema.root.has_rules {
        if causes.iter().any(blocks_rules) {
            causes.push(field_errors::invalid(&Path::default(), &Value::Null, UNCHECKED));
        } else {
            causes.extend(rules::broken(&schema.root, new, old, correlation));
        }
    }
    causes
}

const UNCHECKED: &str = "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";

fn blocks_rules(cause: &Cause) -> bool {
    matches!(
        cause.fault,
        Fault::NotSupported | Fault::Required | Fault::TooLong | Fault::TooMany | Fault::TypeInvalid
    )
}

//! The owner of a child that outlives its owner.

use super::Mutation;
use crate::{AnyManifest, ObjectKey, Owner, PlanError};
use api::names::KEPT_ANNOTATION;

/// Names the owner of a child in an annotation, so that the child is not deleted with its owner.
#[derive(Clone, Debug)]
pub struct KeptFor(String);

impl KeptFor {
    /// This owner, and any later one of the same name.
    pub fn owner<O: Owner>(owner: &O) -> Self {
        let name = owner.meta().name.as_deref().unwrap_or_default();
        Self(format!("{}.{}/{name}", O::kind(&()), O::group(&())))
    }

    /// The owner of a child in `namespace`, from the value of the child's annotation.
    pub fn parse(value: &str, namespace: &str) -> Option<ObjectKey> {
        let (kind, name) = value.split_once('/')?;
        let (kind, group) = kind.split_once('.')?;
        let filled = [group, kind, name].iter().all(|part| !part.is_empty());
        filled.then(|| ObjectKey::new(group, kind, namespace, name))
    }
}

impl Mutation for KeptFor {
    fn mutate(&self, object: &mut dyn AnyManifest) -> Result<(), PlanError> {
        let meta = object.meta_mut();
        meta.owner_references = None;
        meta.annotations.get_or_insert_default().insert(KEPT_ANNOTATION.to_owned(), self.0.clone());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use api::v1beta1::Portal;
    use k8s_openapi::api::core::v1::Secret;
    use serde_json::json;

    #[test]
    fn the_annotation_is_parsed_back_to_the_owner() {
        let portal: Portal =
            serde_json::from_value(json!({"metadata": {"name": "acme"}, "spec": {}})).unwrap();
        let mut secret = Secret::default();
        KeptFor::owner(&portal).mutate(&mut secret).unwrap();
        let value = &secret.metadata.annotations.unwrap()[KEPT_ANNOTATION];
        assert_eq!(value, "Portal.goharbor.io/acme");
        assert_eq!(KeptFor::parse(value, "ns"), Some(ObjectKey::of::<Portal>("ns", "acme")));
    }

    #[test]
    fn a_malformed_annotation_names_no_owner() {
        for value in ["", "acme", "Harbor/acme", "Harbor.goharbor.io/", ".goharbor.io/acme"] {
            assert_eq!(KeptFor::parse(value, "ns"), None, "{value}");
        }
    }
}

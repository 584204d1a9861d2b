//! Labels of every child.

use super::Mutation;
use crate::{AnyManifest, Component, PlanError};
use api::names::{COMPONENT_LABEL, CONTROLLER_LABEL, INSTANCE_LABEL, MANAGED_BY_LABEL, NAME_LABEL};
use kube::Resource;
use std::collections::BTreeMap;

/// Adds labels to objects and to their pods. Labels that a component has set stay.
#[derive(Clone, Debug)]
pub struct Labels(BTreeMap<String, String>);

impl Labels {
    /// These labels.
    pub fn new(labels: BTreeMap<String, String>) -> Self {
        Self(labels)
    }

    /// The recommended Kubernetes labels and the label of the operator. None of them may depend on the operator's
    /// version, because an upgrade of the operator must not restart pods.
    pub fn of<C: Component>(owner: &C::Owner) -> Self {
        let instance = owner.meta().name.clone().unwrap_or_default();
        let labels = [
            (CONTROLLER_LABEL, C::NAME),
            (COMPONENT_LABEL, C::NAME),
            (INSTANCE_LABEL, &instance),
            (MANAGED_BY_LABEL, "harbor-operator"),
            (NAME_LABEL, "harbor"),
        ];
        Self(labels.into_iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect())
    }

    fn add(&self, labels: &mut Option<BTreeMap<String, String>>) {
        let labels = labels.get_or_insert_default();
        for (key, value) in &self.0 {
            labels.entry(key.clone()).or_insert_with(|| value.clone());
        }
    }
}

impl Mutation for Labels {
    fn mutate(&self, object: &mut dyn AnyManifest) -> Result<(), PlanError> {
        self.add(&mut object.meta_mut().labels);
        if let Some(pods) = object.pod_template_mut() {
            self.add(&mut pods.metadata.get_or_insert_default().labels);
        }
        Ok(())
    }
}

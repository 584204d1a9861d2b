//! The OpenAPI definitions of the built-in kinds.

use serde_json::Value;
use std::{collections::BTreeMap, sync::LazyLock};

static DEFINITIONS: LazyLock<BTreeMap<String, Value>> = LazyLock::new(BTreeMap::new);

/// Every definition by its name (`io.k8s.api.apps.v1.Deployment`), references as `#/components/schemas/NAME`, with the
/// `x-kubernetes-*` extensions that Kubernetes publishes.
pub(crate) fn definitions() -> &'static BTreeMap<String, Value> {
    &DEFINITIONS
}

//! The admission plugin ServiceAccount.

use super::Write;
use crate::{failure::Failure, server::ServiceAccounts, store::Key};
use serde_json::{Value, json};

/// Marks the pod that shows a static pod. Such pods have no ServiceAccount.
const MIRROR: &str = "kubernetes.io/config.mirror";

impl Write<'_> {
    /// Gives a new pod the ServiceAccount `default` unless it names another one, and the pull secrets of its ServiceAccount
    /// unless it names some. The ServiceAccount must exist.
    pub(super) fn give_service_account(&self, pod: &str, object: &mut Value) -> Result<(), Failure> {
        let is_mirror = !object["metadata"]["annotations"][MIRROR].is_null();
        if !self.resource.is("", "pods") || is_mirror {
            return Ok(());
        }
        let state = self.server.state();
        if state.service_accounts == ServiceAccounts::Optional {
            return Ok(());
        }
        let namespace = self.namespace.unwrap_or_default();
        let name = match object["spec"]["serviceAccountName"].as_str().unwrap_or_default() {
            "" => "default".to_owned(),
            name => name.to_owned(),
        };
        let key = Key {
            group: "".into(),
            plural: "serviceaccounts".into(),
            namespace: namespace.into(),
            name: name.as_str().into(),
        };
        let Some(account) = state.store.get(&key) else {
            let why = format!(
                "error looking up service account {namespace}/{name}: serviceaccount {name:?} not found"
            );
            return Err(Failure::forbidden(&self.resource.group, &self.resource.plural, pod, &why));
        };
        let spec = &mut object["spec"];
        if spec["imagePullSecrets"].as_array().is_none_or(Vec::is_empty)
            && let Some(secrets) =
                account["imagePullSecrets"].as_array().filter(|secrets| !secrets.is_empty())
        {
            spec["imagePullSecrets"] = json!(secrets);
        }
        spec["serviceAccountName"] = name.as_str().into();
        // The name that the field had first.
        spec["serviceAccount"] = name.into();
        Ok(())
    }
}

//! The ServiceAccount whose pods pull images.

use api::{names::ROBOT_SECRET_ANNOTATION, v1beta1::PullSecretBinding};
use k8s_openapi::api::core::v1::ServiceAccount;
use kube::{ResourceExt as _, core::ObjectMeta};
use plan::{Amended, Amendment, Desired, ObjectKey};
use serde_json::json;

/// What Kubernetes does not do by itself: it copies the list into a pod when the pod is created.
const NOTE: &str = "pods that were created before do not use it; delete those that cannot pull images, so that they are created \
                    again";

/// The ServiceAccount with a Secret among its pull secrets.
pub(super) fn amended(name: &str, namespace: &str, secret: &str) -> Desired {
    let metadata = ObjectMeta {
        name: Some(name.to_owned()),
        namespace: Some(namespace.to_owned()),
        ..ObjectMeta::default()
    };
    let object = ServiceAccount { metadata, ..ServiceAccount::default() };
    Desired::amended(object, item(secret), NOTE)
}

/// What the old operator added to the ServiceAccount.
pub(super) fn left_behind(owner: &PullSecretBinding) -> Vec<Amended> {
    let namespace = owner.namespace().unwrap_or_default();
    let object = ObjectKey::of::<ServiceAccount>(&namespace, &owner.spec.service_account);
    let secret = owner.annotations().get(ROBOT_SECRET_ANNOTATION);
    secret.map(|secret| Amended::new(&object, item(secret))).into_iter().collect()
}

fn item(secret: &str) -> Amendment {
    Amendment { list: "/imagePullSecrets".into(), item: json!({"name": secret}) }
}

//! The fields of the status that only projects have. Scripts for the old operator read them.

use crate::management::Legacy;
use api::v1beta1::HarborProject;
use harborstate::{State, members::Members, project, retention::Retention};
use plan::{Conclusion, Digest, ExternalObjects, ObjectKey};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

pub(super) fn fields(owner: &HarborProject, conclusion: &Conclusion<'_>) -> Map<String, Value> {
    let name = &owner.spec.project_name;
    let project: Option<project::Facts> = found::<project::Project, _>(name, conclusion.external);
    let retention: Option<harborstate::retention::Facts> = found::<Retention, _>(name, conclusion.external);
    let members: Option<Members> = found::<Members, _>(name, conclusion.external);
    let mut fields = Legacy::fields(conclusion);
    let ids = BTreeMap::from([
        ("projectID", project.as_ref().map(|project| json!(project.id))),
        ("quotaID", project.as_ref().and_then(|project| project.quota_id).map(Value::from)),
        ("retentionID", retention.map(|retention| json!(retention.id))),
        (
            "membershipHash",
            members.and_then(|it| Digest::of(&it.members).ok()).map(|it| json!(it.to_string())),
        ),
    ]);
    for (field, value) in ids {
        // While the Harbor does not answer, what was known of it stays.
        let known = value.or_else(|| conclusion.previous.get(field).cloned());
        fields.extend(known.map(|value| (field.to_owned(), value)));
    }
    fields
}

/// The object of a collection, in whichever Harbor it is: a HarborProject has one.
fn found<S: State, T: DeserializeOwned>(name: &str, external: &ExternalObjects) -> Option<T> {
    let is_it = |key: &&ObjectKey| key.kind == S::COLLECTION && key.name == name;
    let key = external.keys().find(is_it)?;
    serde_json::from_value(external.get(key)?.data.clone()).ok()
}

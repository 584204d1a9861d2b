//! The fields of the status that only projects have. Scripts for the old operator read them.

use super::legacy_reason;
use crate::management::{self, Legacy, found};
use api::v1beta1::HarborProjectSpec;
use harborstate::{members::Members, project::Project, retention::Retention};
use plan::{Conclusion, Digest};
use serde_json::{Map, Value, json};

pub(super) fn fields(spec: &HarborProjectSpec, conclusion: &Conclusion<'_>) -> Map<String, Value> {
    let project = found::<Project>(conclusion).next().map(|(_, found)| found.facts);
    let retention = found::<Retention>(conclusion).next().map(|(_, found)| found.facts);
    let members =
        found::<Members>(conclusion).next().and_then(|(_, found)| Digest::of(&found.state.members).ok());
    let fields = [
        ("projectID", project.as_ref().map(|project| json!(project.id))),
        ("quotaID", project.as_ref().and_then(|project| project.quota_id).map(Value::from)),
        ("retentionID", retention.map(|retention| json!(retention.id))),
        ("membershipHash", members.map(|digest| json!(digest.to_string()))),
    ];
    let known = fields.into_iter().flat_map(|(name, value)| management::field(name, value, conclusion));
    let managed = management::managed_fields::<Project>(conclusion);
    let legacy = Legacy::fields(conclusion, |cause| legacy_reason::word(spec, cause));
    legacy.into_iter().chain(managed).chain(known).collect()
}

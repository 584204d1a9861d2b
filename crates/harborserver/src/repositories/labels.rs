//! Labels on artifacts.

use crate::{
    call::Call,
    failure::Failure,
    labels::{Label, LabelRequest},
    rest::Reply,
    state::Id,
};

pub(super) fn add(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let wanted: LabelRequest = call.body("label")?;
    let (_, id) = call.artifact("artifact-label", "create")?;
    let label: Id<Label> = Id::new(wanted.id);
    if call.data.labels.get(label).is_none() {
        return Err(Failure::not_found(format!("label {label} not found")));
    }
    let artifact = call.data.artifacts.get_mut(id).ok_or_else(Failure::internal)?;
    if artifact.labels.contains(&label) {
        return Err(Failure::conflict(format!("label {label} is already added to the artifact {id}")));
    }
    artifact.labels.push(label);
    Ok(Reply::done())
}

pub(super) fn remove(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let label: Id<Label> = call.id("label_id")?;
    let (_, id) = call.artifact("artifact-label", "delete")?;
    let artifact = call.data.artifacts.get_mut(id).ok_or_else(Failure::internal)?;
    let before = artifact.labels.len();
    artifact.labels.retain(|known| *known != label);
    if artifact.labels.len() == before {
        return Err(Failure::not_found(format!("reference with label {label} and artifact {id} not found")));
    }
    Ok(Reply::done())
}

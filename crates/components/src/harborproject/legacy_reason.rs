//! The words that the old operator had for why a project is not as it should be. Scripts read them in `status.reason`.

use crate::management;
use api::v1beta1::HarborProjectSpec;
use harborstate::{State as _, members::Members, project::Project, server::Server};
use plan::{ObjectKey, Subject, Verb};

const CLIENT: &str = "HarborClientError";
const FIND: &str = "FindProjectError";
const APPLY: &str = "ApplyProjectError";
const UPDATE: &str = "UpdateProjectError";
const QUOTA: &str = "UpdateProjectQuotaError";
const MEMBERS: &str = "UpdateProjectMembersError";
const DELETE: &str = "DeleteProjectError";

/// The word for a cause. Parts of projects that the old operator did not have count as the project.
pub(super) fn word(spec: &HarborProjectSpec, cause: &Subject) -> &'static str {
    match &cause.object {
        _ if cause.verb == Some(Verb::Delete) => DELETE,
        Some(object) if management::is_harbor(object) => CLIENT,
        Some(object) if object.system().is_none() => of_dependency(spec, object),
        Some(object) => of_part(object, cause),
        None => cause.fields.first().map_or(APPLY, |field| of_field(spec, field)),
    }
}

/// The word for an object inside the Harbor.
fn of_part(object: &ObjectKey, Subject { verb, fields, .. }: &Subject) -> &'static str {
    let is_quota = |field: &String| field == "storage_quota";
    match (object.kind.as_str(), verb) {
        (Server::COLLECTION, _) => CLIENT,
        (Members::COLLECTION, _) => MEMBERS,
        (Project::COLLECTION, Some(Verb::Read)) => FIND,
        (Project::COLLECTION, Some(Verb::Update)) if !fields.is_empty() && fields.iter().all(is_quota) => {
            QUOTA
        }
        (Project::COLLECTION, Some(Verb::Update)) => UPDATE,
        (Project::COLLECTION, _) => APPLY,
        _ => UPDATE,
    }
}

/// The word for an object of the cluster that is missing.
fn of_dependency(spec: &HarborProjectSpec, object: &ObjectKey) -> &'static str {
    match object.kind.as_str() {
        "Secret" => of_secret(spec, &object.name),
        _ => APPLY,
    }
}

/// The word for a Secret: one with credentials of the Harbor, unless it is for a webhook.
fn of_secret(spec: &HarborProjectSpec, secret: &str) -> &'static str {
    let webhooks = spec.webhooks.iter().flatten().flat_map(|webhook| &webhook.targets);
    let mut headers = webhooks.filter_map(|target| target.auth_header_ref.as_ref());
    if headers.any(|header| *header.name == *secret) { UPDATE } else { CLIENT }
}

/// The word for a field that is wrong, or for a Secret that is.
fn of_field(spec: &HarborProjectSpec, field: &str) -> &'static str {
    let secret = field.split(',').next().and_then(|object| object.strip_prefix("Secret "));
    match secret.and_then(|secret| secret.rsplit('/').next()) {
        Some(secret) => of_secret(spec, secret),
        None if field.starts_with("spec.harbor") => CLIENT,
        None if field.starts_with("spec.storageQuota") => QUOTA,
        None if field.starts_with("spec.memberships") => MEMBERS,
        None => APPLY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use api::v1beta1::{HarborRegistryEndpoint, HarborServerConfiguration};
    use harborstate::retention::Retention;
    use k8s_openapi::api::core::v1::Secret;
    use serde_json::json;

    #[test]
    fn every_cause_has_the_word_of_the_old_operator() {
        let target = json!({"type": "http", "address": "https://ci", "authHeaderRef": {"name": "header"}});
        let webhooks = json!([{"name": "ci", "targets": [target], "eventTypes": ["PUSH_ARTIFACT"]}]);
        let spec = json!({"harborServerConfig": "acme", "projectName": "alpha", "webhooks": webhooks});
        let spec: HarborProjectSpec = serde_json::from_value(spec).unwrap();
        let about = |object: ObjectKey| Subject::of(&object);
        let outside = |collection| ObjectKey::external(&harborstate::system("", "acme"), collection, "alpha");
        let done = |verb, collection| Subject { verb: Some(verb), ..Subject::of(&outside(collection)) };
        let field = |field: &str| Subject { fields: vec![field.to_owned()], ..Subject::default() };
        let update = |fields: &[&str]| Subject {
            fields: fields.iter().map(|&field| field.to_owned()).collect(),
            ..done(Verb::Update, Project::COLLECTION)
        };
        for (cause, expected) in [
            (about(ObjectKey::of::<HarborServerConfiguration>("", "acme")), CLIENT),
            (about(ObjectKey::of::<Secret>("ns", "admin")), CLIENT),
            (done(Verb::Read, Server::COLLECTION), CLIENT),
            (field("spec.harborServerConfig"), CLIENT),
            (done(Verb::Read, Project::COLLECTION), FIND),
            (done(Verb::Create, Project::COLLECTION), APPLY),
            (about(outside(Project::COLLECTION)), APPLY),
            (about(ObjectKey::of::<HarborRegistryEndpoint>("ns", "hub")), APPLY),
            (field("spec.metadata.proxySpeedKb"), APPLY),
            (update(&["metadata.public", "storage_quota"]), UPDATE),
            (done(Verb::Create, Retention::COLLECTION), UPDATE),
            (about(ObjectKey::of::<Secret>("ns", "header")), UPDATE),
            (field("Secret ns/header, key `authHeader`"), UPDATE),
            (update(&["storage_quota"]), QUOTA),
            (field("spec.storageQuota"), QUOTA),
            (done(Verb::Update, Members::COLLECTION), MEMBERS),
            (field("spec.memberships"), MEMBERS),
            (done(Verb::Delete, Project::COLLECTION), DELETE),
        ] {
            assert_eq!(word(&spec, &cause), expected, "{cause:?}");
        }
    }
}

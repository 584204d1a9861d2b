//! The words that the old operator had for why settings are not applied. Scripts read them in `status.reason`.

use super::{checks::SETTINGS_LOCKED, passwords};
use crate::management;
use api::v1beta1::HarborConfigurationSpec;
use plan::{Subject, Verb, Verdict};

const CLUSTER: &str = "HarborClusterError";
const CLIENT: &str = "HarborClientError";
const ASSEMBLE: &str = "AssembleConfigurationError";
const APPLY: &str = "ApplyConfigurationError";

/// The word for a cause: the Harbor does not exist, it cannot be reached, the settings cannot be put together, or Harbor
/// does not take them.
pub(super) fn word(spec: &HarborConfigurationSpec, verdict: &Verdict, cause: &Subject) -> &'static str {
    match &cause.object {
        Some(object) if management::is_harbor(object) => CLUSTER,
        Some(object) if object.system().is_none() => of_secret(spec, &object.name),
        Some(_) if cause.verb == Some(Verb::Read) => CLIENT,
        Some(_) => APPLY,
        None if verdict.reason() == SETTINGS_LOCKED => APPLY,
        None => cause.fields.first().map_or(APPLY, |field| of_field(spec, field)),
    }
}

/// The word for a Secret that is missing.
fn of_secret(spec: &HarborConfigurationSpec, secret: &str) -> &'static str {
    let mut settings = spec.configuration.as_deref().into_iter().flat_map(passwords::references);
    if settings.any(|(_, name)| name == secret) { ASSEMBLE } else { CLIENT }
}

/// The word for a field that is wrong, or for a Secret that is.
fn of_field(spec: &HarborConfigurationSpec, field: &str) -> &'static str {
    if field.starts_with("spec.harbor") {
        return CLUSTER;
    }
    let secret = field.split(',').next().and_then(|object| object.strip_prefix("Secret "));
    let name = secret.and_then(|secret| secret.rsplit('/').next());
    name.map_or(ASSEMBLE, |name| of_secret(spec, name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use api::v1beta1::{Harbor, HarborServerConfiguration};
    use harborstate::{State as _, configuration, server};
    use k8s_openapi::api::core::v1::Secret;
    use plan::ObjectKey;
    use serde_json::json;

    #[test]
    fn every_cause_has_the_word_of_the_old_operator() {
        let spec = json!({"harborServerConfig": "acme", "configuration": {"ldapSearchPassword": "ldap"}});
        let spec: HarborConfigurationSpec = serde_json::from_value(spec).unwrap();
        let harbor = harborstate::system("", "acme");
        let about = |object: ObjectKey| Subject::of(&object);
        let done = |verb, collection| {
            let object = ObjectKey::external(&harbor, collection, "x");
            Subject { verb: Some(verb), ..Subject::of(&object) }
        };
        let field = |field: &str| Subject { fields: vec![field.to_owned()], ..Subject::default() };
        let stalled = |reason| Verdict::Stalled { reason, message: String::new() };
        for (cause, reason, expected) in [
            (about(ObjectKey::of::<Harbor>("ns", "main")), "DependencyMissing", CLUSTER),
            (about(ObjectKey::of::<HarborServerConfiguration>("", "acme")), "DependencyMissing", CLUSTER),
            (field("spec.harborServerConfig"), "InvalidSpec", CLUSTER),
            (about(ObjectKey::of::<Secret>("ns", "admin")), "DependencyMissing", CLIENT),
            (field("Secret ns/admin, key `accessKey`"), "InvalidSpec", CLIENT),
            (done(Verb::Read, server::Server::COLLECTION), "ExternalUnreachable", CLIENT),
            (about(ObjectKey::of::<Secret>("ns", "ldap")), "DependencyMissing", ASSEMBLE),
            (field("Secret ns/ldap, key `ldap_search_password`"), "InvalidSpec", ASSEMBLE),
            (field("spec.configuration.authMode"), "InvalidSpec", ASSEMBLE),
            (field("spec.configuration"), SETTINGS_LOCKED, APPLY),
            (done(Verb::Update, configuration::Configuration::COLLECTION), "ExternalRejected", APPLY),
            (Subject::default(), "DeadlineExceeded", APPLY),
        ] {
            assert_eq!(word(&spec, &stalled(reason), &cause), expected, "{cause:?}");
        }
    }
}

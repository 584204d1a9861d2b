//! Creates the API handle for every request for a single object.
//!
//! A client puts namespace and name into the path of a request unescaped. With the name `../../victim/secrets/creds`, a
//! proxy that normalises paths would return an object of another namespace. Planning refuses such names and reports the
//! field. This is the last check, for names from any other source.

use crate::ReconcileError;
use kube::{
    Api, Client, Resource,
    core::{ApiResource, DynamicResourceScope},
};
use plan::{ObjectKey, PlanError};

/// The API of a kind in the namespace of `key`, or of the cluster if it has none, for requests for that object.
///
/// # Errors
/// When namespace or name are invalid.
pub(crate) fn api_of<K>(
    client: &Client,
    resource: &ApiResource,
    key: &ObjectKey,
) -> Result<Api<K>, ReconcileError>
where
    K: Resource<DynamicType = ApiResource, Scope = DynamicResourceScope>,
{
    addressable(key)?;
    Ok(match key.namespace.as_str() {
        "" => Api::all_with(client.clone(), resource),
        namespace => Api::namespaced_with(client.clone(), namespace, resource),
    })
}

/// Refuses an object with an invalid name or namespace: a request for it could go to another object.
pub(crate) fn addressable(key: &ObjectKey) -> Result<(), ReconcileError> {
    if key.is_addressable() {
        return Ok(());
    }
    let quoted = |text: &str| text.chars().take(80).collect::<String>();
    Err(ReconcileError::Plan(PlanError::invalid(
        format_args!("a {}", key.kind),
        format!("{:?} in {:?} cannot be its name and namespace", quoted(&key.name), quoted(&key.namespace)),
        "correct the field that names it",
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use apiserver::ApiServer;
    use kube::{
        api::GetParams,
        core::{DynamicObject, Request},
    };
    use plan::{Class, Classify as _};
    use proptest::prelude::*;
    use std::{fs, path::Path};

    /// Texts that are names, texts that are almost names, and any texts.
    fn texts() -> impl Strategy<Value = String> {
        prop_oneof![
            "[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?",
            "[-a-z0-9./%?#\\\\ :;@{}A\n]{0,12}",
            "(\\.\\./){1,3}[a-z]{1,5}/secrets/[a-z]{1,5}",
            any::<String>(),
        ]
    }

    fn client() -> Client {
        Client::new(ApiServer::builder().build().unwrap(), "default")
    }

    fn secrets() -> ApiResource {
        ApiResource::erase::<k8s_openapi::api::core::v1::Secret>(&())
    }

    #[tokio::test]
    async fn every_request_goes_to_the_named_object_and_no_other() {
        let (client, secrets) = (client(), secrets());
        let mut runner = proptest::test_runner::TestRunner::deterministic();
        let law = |(namespace, name): (String, String)| {
            let key = ObjectKey::dynamic(&secrets, &namespace, &name);
            let Ok(api) = api_of::<DynamicObject>(&client, &secrets, &key) else { return Ok(()) };
            let sent = Request::new(api.resource_url()).get(&key.name, &GetParams::default()).unwrap();
            let place = if namespace.is_empty() { String::new() } else { format!("namespaces/{namespace}/") };
            prop_assert_eq!(sent.uri().path(), format!("/api/v1/{place}secrets/{name}"));
            let segments: Vec<_> = sent.uri().path().split('/').skip(1).collect();
            prop_assert_eq!(segments.len(), if namespace.is_empty() { 4 } else { 6 });
            prop_assert!(
                segments.iter().all(|segment| !segment.is_empty() && !segment.chars().all(|c| c == '.'))
            );
            prop_assert_eq!(sent.uri().query().unwrap_or_default(), "");
            Ok(())
        };
        runner.run(&(texts(), texts()), law).unwrap();
    }

    #[tokio::test]
    async fn a_path_instead_of_a_name_is_an_invalid_spec() {
        let (client, secrets) = (client(), secrets());
        let names = ["../../victim/secrets/creds", "..", ".", "", "a/b", "a?b", "a#b", "a%2fb", "a b", "A"];
        let keys = names.iter().flat_map(|name| {
            let object = ObjectKey::dynamic(&secrets, "ns", name);
            let placed = (!name.is_empty()).then(|| ObjectKey::dynamic(&secrets, name, "a"));
            [Some(object), placed].into_iter().flatten()
        });
        for key in keys {
            let failure = api_of::<DynamicObject>(&client, &secrets, &key).unwrap_err();
            assert_eq!(failure.class(), Class::Invalid, "{failure}");
        }
        assert!(
            api_of::<DynamicObject>(&client, &secrets, &ObjectKey::dynamic(&secrets, "ns", "a.b")).is_ok()
        );
    }

    #[test]
    fn no_other_file_creates_an_api_handle_for_an_object() {
        fn sources(directory: &Path, found: &mut Vec<(String, String)>) {
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    sources(&path, found);
                } else {
                    found.push((path.display().to_string(), fs::read_to_string(&path).unwrap()));
                }
            }
        }
        let mut found = Vec::new();
        sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
        let others: Vec<_> = found
            .iter()
            .filter(|(path, _)| !path.ends_with("cluster/address.rs"))
            .filter(|(_, text)| {
                // Tests come last in a file.
                let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
                code.contains("Api::namespaced_with(")
            })
            .map(|(path, _)| path.rsplit("src/").next().unwrap_or_default())
            .collect();
        // A watch names no object, and its namespace comes from a flag.
        assert_eq!(others, ["cluster/reach.rs"]);
    }
}

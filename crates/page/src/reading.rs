//! Reads the object of a page from the cluster, and its last events.

use crate::mask::mask;
use jiff::Timestamp;
use k8s_openapi::api::core::v1::Event;
use kube::{
    Api, Client,
    api::ListParams,
    core::{ApiResource, DynamicObject},
};
use plan::{ObjectKey, Readable};
use pods::{Report, Standing};
use serde_json::Value;
use std::{collections::BTreeMap, time::Duration};

/// Where events about objects of the whole cluster are.
const DEFAULT_NAMESPACE: &str = "default";
/// How long a page waits for the API server.
const TIMEOUT: Duration = Duration::from_secs(5);
/// Most events that are listed; the server does not sort them.
const LISTED: u32 = 500;
/// Most events that are shown.
const SHOWN: usize = 20;
const UNWRITABLE: &str = "it cannot be written as text";

/// Reads objects of the kinds it knows.
#[derive(Clone)]
pub(crate) struct Reader {
    client: Client,
    /// By group and kind.
    kinds: BTreeMap<(String, String), ApiResource>,
}

/// The result of a read, or a sentence that explains the failure.
pub(crate) type Read<T> = Result<T, String>;

/// An event, with the fields that are shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ShownEvent {
    pub(crate) at: Option<Timestamp>,
    /// Whether its type is `Warning`.
    pub(crate) warning: bool,
    pub(crate) reason: String,
    pub(crate) message: String,
    pub(crate) count: i32,
}

impl Reader {
    pub(crate) fn new(client: Client, kinds: impl IntoIterator<Item = ApiResource>) -> Self {
        let kinds = kinds.into_iter().map(|kind| ((kind.group.clone(), kind.kind.clone()), kind));
        Self { client, kinds: kinds.collect() }
    }

    /// The kind of an object, if it is one that is read.
    pub(crate) fn kind(&self, key: &ObjectKey) -> Option<&ApiResource> {
        self.kinds.get(&(key.group.clone(), key.kind.clone()))
    }

    /// The object as the API server stores it, without secrets.
    pub(crate) async fn object(&self, key: &ObjectKey) -> Read<Value> {
        let kind = self.kind(key);
        let kind =
            kind.ok_or_else(|| format!("objects of the kind {} are not read by this page", key.kind))?;
        let api: Api<DynamicObject> = match key.namespace.as_str() {
            "" => Api::all_with(self.client.clone(), kind),
            namespace => Api::namespaced_with(self.client.clone(), namespace, kind),
        };
        let object = in_time(api.get_opt(&key.name), "get", kind).await?;
        let mut object = object.ok_or("it does not exist")?;
        object.types.get_or_insert_with(|| kube::core::TypeMeta {
            api_version: kind.api_version.clone(),
            kind: kind.kind.clone(),
        });
        let mut object = serde_json::to_value(object).map_err(|_| UNWRITABLE)?;
        mask(&mut object);
        Ok(object)
    }

    /// What the pods of these workloads report.
    pub(crate) async fn pods(&self, workloads: &BTreeMap<ObjectKey, Standing>, now: Timestamp) -> Report {
        pods::read(&self.client, workloads, now).await
    }

    /// The last events about an object, the newest first.
    pub(crate) async fn events(&self, key: &ObjectKey) -> Read<Vec<ShownEvent>> {
        let namespace = if key.namespace.is_empty() { DEFAULT_NAMESPACE } else { &key.namespace };
        let api: Api<Event> = Api::namespaced(self.client.clone(), namespace);
        let about = format!("involvedObject.kind={},involvedObject.name={}", key.kind, key.name);
        let params = ListParams::default().fields(&about).limit(LISTED);
        let kind = ApiResource::erase::<Event>(&());
        let events = in_time(api.list(&params), "list", &kind).await?;
        let mut shown: Vec<_> = events.items.into_iter().map(ShownEvent::of).collect();
        shown.sort_by_key(|event| std::cmp::Reverse(event.at));
        shown.truncate(SHOWN);
        Ok(shown)
    }
}

impl ShownEvent {
    fn of(event: Event) -> Self {
        let series = event.series.as_ref().and_then(|series| series.last_observed_time.as_ref());
        let at = series.or(event.event_time.as_ref()).map(|time| time.0);
        let at = event.last_timestamp.or(event.first_timestamp).map(|time| time.0).max(at);
        let count = event.series.and_then(|series| series.count).or(event.count).unwrap_or(1);
        Self {
            at: at.or(event.metadata.creation_timestamp.map(|time| time.0)),
            warning: event.type_.as_deref() == Some("Warning"),
            reason: event.reason.unwrap_or_default(),
            // Other programs write it, and may quote what a container logged.
            message: event.message.map(|message| pods::masked(&message)).unwrap_or_default(),
            count,
        }
    }
}

async fn in_time<T>(
    request: impl Future<Output = kube::Result<T>>,
    verb: &str,
    kind: &ApiResource,
) -> Read<T> {
    match tokio::time::timeout(TIMEOUT, request).await {
        Ok(Ok(read)) => Ok(read),
        Ok(Err(kube::Error::Api(status))) if status.is_forbidden() => {
            let group = if kind.group.is_empty() { "\"\"" } else { &kind.group };
            Err(format!(
                "the operator may not {verb} {} (API group {group}); allow it in its role",
                kind.plural
            ))
        }
        Ok(Err(kube::Error::Api(status))) => Err(format!("the API server refused: {}", status.reason)),
        Ok(Err(_)) => Err("the API server cannot be reached".to_owned()),
        Err(_elapsed) => Err(format!("the API server did not answer in {} s", TIMEOUT.as_secs())),
    }
}

/// A manifest as YAML.
pub(crate) fn yaml(object: &Value) -> Read<String> {
    // Long lines are not folded, as in `kubectl get -o yaml`.
    let options = serde_saphyr::ser_options! { folded_wrap_chars: usize::MAX };
    serde_saphyr::to_string_with_options(&Readable(object), options).map_err(|_| UNWRITABLE.to_owned())
}

#[cfg(test)]
mod tests {
    use super::ShownEvent;
    use k8s_openapi::api::core::v1::Event;

    #[test]
    fn what_looks_like_a_secret_in_an_event_is_not_shown() {
        let message = "Back-off: cannot connect to postgres://harbor:swordfish@db:5432".to_owned();
        let shown = ShownEvent::of(Event { message: Some(message), ..Event::default() });
        assert!(shown.message.contains("cannot connect to postgres://"), "{}", shown.message);
        assert!(!shown.message.contains("swordfish"), "{}", shown.message);
    }
}

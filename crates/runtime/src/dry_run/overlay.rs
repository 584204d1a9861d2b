//! A cluster on which everything is only tried.
//!
//! Whoever uses its client writes nothing: every write becomes a dry run, and deletions are not even sent, since a
//! server reads of a deletion whether to try it only from its body. What a write was answered with is what later reads
//! see, so that one thing can be tried after another.

use super::field_ownership::{relinquish, restore};
use crate::apply::{put_empty, take_empty};
use http::{Method, Request, Response, StatusCode, Uri, header::CONTENT_TYPE};
use kube::{
    Client,
    client::Body,
    core::{ApiResource, DynamicObject},
};
use plan::{Change, ObjectKey, diff::Fate};
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// What was tried, in order.
pub(super) struct Overlay {
    client: Client,
    props: Mutex<Objects>,
}

#[derive(Default)]
struct Objects {
    objects: Vec<Tried>,
    /// Where each of them is, by the path under which the API serves it.
    places: HashMap<String, usize>,
}

/// An object that is not what the cluster has.
struct Tried {
    before: Option<Value>,
    after: Option<Value>,
    /// Whether it stands in for what somebody else is going to make.
    stand_in: bool,
}

impl Overlay {
    pub(super) fn new(client: Client) -> Arc<Self> {
        Arc::new(Self { client, props: Mutex::default() })
    }

    /// Talks to the cluster as it is.
    pub(super) fn cluster(&self) -> &Client {
        &self.client
    }

    /// A client on whose writes nothing happens.
    pub(super) fn client(self: &Arc<Self>) -> Client {
        let (overlay, namespace) = (Arc::clone(self), self.client.default_namespace().to_owned());
        let service = tower::service_fn(move |request: Request<Body>| {
            let overlay = Arc::clone(&overlay);
            async move { overlay.perform(request).await }
        });
        Client::new(service, namespace)
    }

    /// Everything that was tried and would change something.
    pub(super) fn changes(&self) -> Vec<Change> {
        let props = self.props();
        let tried = props.objects.iter().filter(|prop| !prop.stand_in);
        tried
            .filter_map(|Tried { before, after, .. }| {
                Change::between(key(after.as_ref().or(before.as_ref())?), before.clone(), after.clone())
            })
            .collect()
    }

    /// What objects in a namespace have come to, in the order in which they were tried.
    pub(super) fn objects(&self, namespace: &str) -> Vec<(ObjectKey, DynamicObject)> {
        let props = self.props();
        let present = props.objects.iter().filter_map(|prop| prop.after.as_ref());
        let decoded =
            present.filter_map(|object| Some((key(object), serde_json::from_value(object.clone()).ok()?)));
        decoded.filter(|(key, _): &(ObjectKey, _)| key.namespace == namespace).collect()
    }

    /// Whether an object has come to be another than it is.
    pub(super) fn is_changed(&self, wanted: &ObjectKey) -> bool {
        self.changes().iter().any(|change| change.key == *wanted)
    }

    /// Whether an object does not exist yet.
    pub(super) fn is_created(&self, wanted: &ObjectKey) -> bool {
        self.changes().iter().any(|change| change.key == *wanted && change.fate() == Fate::Created)
    }

    /// Has an object be there that somebody else is going to make.
    pub(super) fn stand_in(&self, resource: &ApiResource, object: Value) {
        let path = path(resource, &key(&object));
        self.props().put(path, Tried { before: None, after: Some(object), stand_in: true });
    }

    /// Has an object be gone that the cluster deletes by itself.
    pub(super) fn gone(&self, resource: &ApiResource, object: DynamicObject) {
        let Ok(before) = serde_json::to_value(object) else { return };
        let path = path(resource, &key(&before));
        self.props().put(path, Tried { before: Some(before), after: None, stand_in: false });
    }

    async fn perform(&self, request: Request<Body>) -> kube::Result<Response<Body>> {
        match *request.method() {
            Method::GET => {
                if let Some(prop) = self.props().get(request.uri().path()) {
                    return Ok(prop.after.as_ref().map_or_else(not_found, |it| answer(StatusCode::OK, it)));
                }
            }
            Method::DELETE => return self.delete(request.uri().path()).await,
            _ => return self.write(request).await,
        }
        self.client.send(request).await
    }

    async fn delete(&self, path: &str) -> kube::Result<Response<Body>> {
        let before = self.before(path).await?;
        self.props().put(path.to_owned(), Tried { before, after: None, stand_in: false });
        let done = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"});
        Ok(answer(StatusCode::OK, &done))
    }

    async fn write(&self, request: Request<Body>) -> kube::Result<Response<Body>> {
        let (mut parts, body) = request.into_parts();
        let body = body.collect_bytes().await?;
        let path = match parts.method {
            Method::POST => {
                let created: Value = serde_json::from_slice(&body).map_err(kube::Error::SerdeError)?;
                format!("{}/{}", parts.uri.path(), created["metadata"]["name"].as_str().unwrap_or_default())
            }
            _ => parts.uri.path().to_owned(),
        };
        let before = self.before(&path).await?;
        let is_apply =
            parts.headers.get(CONTENT_TYPE).is_some_and(|kind| kind == "application/apply-patch+yaml");
        parts.uri = tried(&parts.uri)?;
        let uri = parts.uri.clone();
        let earlier = self.props().get(&path).and_then(|prop| prop.after.clone()).filter(|_| is_apply);
        let owners = earlier.as_ref().and_then(|earlier| changed_owners(before.as_ref()?, earlier));
        let mut body = body.to_vec();
        let ours = match &owners {
            Some(_) => take_owners(&mut body)?,
            None => Value::Null,
        };
        let again = parts.clone();
        let mut response = self.client.send(Request::from_parts(parts, Body::from(body.clone()))).await?;
        let mut emptied = Vec::new();
        if response.status() == StatusCode::UNPROCESSABLE_ENTITY && earlier.is_some() {
            // A server tries this on what it has stored, where what kept objects from becoming empty still is.
            let mut object: Value = serde_json::from_slice(&body).map_err(kube::Error::SerdeError)?;
            emptied = take_empty(&mut object);
            let body = serde_json::to_vec(&object).map_err(kube::Error::SerdeError)?;
            response = self.client.send(Request::from_parts(again, Body::from(body))).await?;
        }
        if !response.status().is_success() {
            return Ok(response);
        }
        let status = response.status();
        let body = response.into_body().collect_bytes().await?;
        let mut after: Value = serde_json::from_slice(&body).map_err(kube::Error::SerdeError)?;
        for place in emptied {
            put_empty(&mut after, &place);
        }
        if let Some(owners) = owners {
            let ours = ours.as_array().cloned().unwrap_or_default();
            after["metadata"]["ownerReferences"] = owners.into_iter().chain(ours).collect();
        }
        if let Some(earlier) = earlier {
            after = self.after_handover(uri, before.as_ref(), &earlier, after).await?;
        }
        self.props().put(path, Tried { before, after: Some(after.clone()), stand_in: false });
        Ok(answer(status, &after))
    }

    /// A server tries an apply on what it has stored, where what was tried before, that fields change hands, has not
    /// happened. So what an apply would take away from those who had them is taken away here, what it would leave is put
    /// back, and the server is asked what it makes of the result.
    async fn after_handover(
        &self,
        uri: Uri,
        stored: Option<&Value>,
        earlier: &Value,
        applied: Value,
    ) -> kube::Result<Value> {
        let mut wanted = applied;
        let relinquished = relinquish(&mut wanted, earlier);
        let restored = stored.is_some_and(|stored| restore(&mut wanted, stored, earlier));
        if !relinquished && !restored {
            return Ok(wanted);
        }
        let body = serde_json::to_vec(&wanted).map_err(kube::Error::SerdeError)?;
        let request = Request::put(uri)
            .header(CONTENT_TYPE, "application/json")
            .body(Body::from(body))
            .map_err(kube::Error::HttpError)?;
        let response = self.client.send(request).await?;
        if !response.status().is_success() {
            return Ok(wanted);
        }
        let body = response.into_body().collect_bytes().await?;
        serde_json::from_slice(&body).map_err(kube::Error::SerdeError)
    }

    /// The object as the cluster has it.
    async fn before(&self, path: &str) -> kube::Result<Option<Value>> {
        if let Some(prop) = self.props().get(path) {
            return Ok(prop.before.clone());
        }
        let request = Request::get(path).body(Body::empty()).map_err(kube::Error::HttpError)?;
        let response = self.client.send(request).await?;
        if !response.status().is_success() {
            return Ok(None);
        }
        let body = response.into_body().collect_bytes().await?;
        serde_json::from_slice(&body).map(Some).map_err(kube::Error::SerdeError)
    }

    fn props(&self) -> MutexGuard<'_, Objects> {
        self.props.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Objects {
    fn put(&mut self, path: String, prop: Tried) {
        if let Some(&place) = self.places.get(&path) {
            self.objects[place] = prop;
        } else {
            self.places.insert(path, self.objects.len());
            self.objects.push(prop);
        }
    }

    fn get(&self, path: &str) -> Option<&Tried> {
        self.places.get(path).map(|&place| &self.objects[place])
    }
}

/// The owners of an object after they were changed, if they were. A server tries an apply on what it has stored, and
/// refuses a second controller where the first was only tried to be removed; so there they are left to us.
fn changed_owners(before: &Value, after: &Value) -> Option<Vec<Value>> {
    let owners =
        |object: &Value| object["metadata"]["ownerReferences"].as_array().cloned().unwrap_or_default();
    let (before, after) = (owners(before), owners(after));
    (before != after).then_some(after)
}

/// Takes the owners out of an object that is to be applied.
fn take_owners(body: &mut Vec<u8>) -> kube::Result<Value> {
    let mut object: Value = serde_json::from_slice(body).map_err(kube::Error::SerdeError)?;
    let owners = object["metadata"].as_object_mut().and_then(|metadata| metadata.remove("ownerReferences"));
    *body = serde_json::to_vec(&object).map_err(kube::Error::SerdeError)?;
    Ok(owners.unwrap_or_default())
}

/// The same, as a dry run.
fn tried(uri: &Uri) -> kube::Result<Uri> {
    let query = uri.query().unwrap_or_default();
    let uri = format!("{}?{query}&dryRun=All", uri.path());
    uri.parse().map_err(|error: http::uri::InvalidUri| kube::Error::HttpError(error.into()))
}

fn path(resource: &ApiResource, key: &ObjectKey) -> String {
    use kube::Resource as _;
    format!("{}/{}", DynamicObject::url_path(resource, Some(&key.namespace)), key.name)
}

fn key(object: &Value) -> ObjectKey {
    let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let group = text("/apiVersion").split_once('/').map_or("", |(group, _)| group);
    ObjectKey::new(group, text("/kind"), text("/metadata/namespace"), text("/metadata/name"))
}

fn answer(status: StatusCode, body: &Value) -> Response<Body> {
    let mut response = Response::new(Body::from(body.to_string().into_bytes()));
    *response.status_mut() = status;
    response
}

fn not_found() -> Response<Body> {
    let status = json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "reason": "NotFound", "message": "not found", "code": 404,
    });
    answer(StatusCode::NOT_FOUND, &status)
}

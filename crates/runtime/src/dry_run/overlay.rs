//! An overlay over the cluster that holds the results of dry runs.
//!
//! Its client writes nothing. It sends every write with `dryRun`. It does not send deletions at all, because the API
//! server reads the `dryRun` option of a deletion only from its body. Later reads return the answers to earlier
//! writes, so that steps can build on each other.

use http::{Method, Request, Response, StatusCode, Uri, header::CONTENT_TYPE};
use kube::{
    Client,
    client::Body,
    core::{ApiResource, DynamicObject},
};
use plan::{
    Change, ObjectKey,
    diff::ChangeType,
    managed_fields::{put_empty, relinquish, restore, take_empty},
};
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// The results of all dry runs, in order.
pub(super) struct Overlay {
    client: Client,
    objects: Mutex<Objects>,
}

#[derive(Default)]
struct Objects {
    entries: Vec<Entry>,
    /// The position of each object in the list, by its API path.
    places: HashMap<String, usize>,
}

/// An object whose state differs from the cluster.
struct Entry {
    before: Option<Value>,
    after: Option<Value>,
    /// Whether it is a placeholder for an object that another program is going to create.
    stand_in: bool,
}

impl Overlay {
    pub(super) fn new(client: Client) -> Arc<Self> {
        Arc::new(Self { client, objects: Mutex::default() })
    }

    /// A client for the real state of the cluster.
    pub(super) fn cluster(&self) -> &Client {
        &self.client
    }

    /// A client that reads through the overlay and writes only to it.
    pub(super) fn client(self: &Arc<Self>) -> Client {
        let (overlay, namespace) = (Arc::clone(self), self.client.default_namespace().to_owned());
        let service = tower::service_fn(move |request: Request<Body>| {
            let overlay = Arc::clone(&overlay);
            async move { overlay.perform(request).await }
        });
        Client::new(service, namespace)
    }

    /// All changes, without placeholders.
    pub(super) fn changes(&self) -> Vec<Change> {
        let objects = self.entries();
        let tried = objects.entries.iter().filter(|entry| !entry.stand_in);
        tried
            .filter_map(|Entry { before, after, .. }| {
                Change::between(key(after.as_ref().or(before.as_ref())?), before.clone(), after.clone())
            })
            .collect()
    }

    /// The objects of a namespace in the overlay, and the Namespace itself, in order.
    pub(super) fn objects(&self, namespace: &str) -> Vec<(ObjectKey, DynamicObject)> {
        let objects = self.entries();
        let present = objects.entries.iter().filter_map(|entry| entry.after.as_ref());
        let decoded =
            present.filter_map(|object| Some((key(object), serde_json::from_value(object.clone()).ok()?)));
        decoded.filter(|(key, _): &(ObjectKey, _)| key.home() == namespace).collect()
    }

    /// Whether an object would change.
    pub(super) fn is_changed(&self, wanted: &ObjectKey) -> bool {
        self.changes().iter().any(|change| change.key == *wanted)
    }

    /// Whether an object would be created.
    pub(super) fn is_created(&self, wanted: &ObjectKey) -> bool {
        self.changes()
            .iter()
            .any(|change| change.key == *wanted && change.change_type() == ChangeType::Created)
    }

    /// Adds a placeholder for an object that another program is going to create.
    pub(super) fn stand_in(&self, resource: &ApiResource, object: Value) {
        let path = path(resource, &key(&object));
        self.entries().put(path, Entry { before: None, after: Some(object), stand_in: true });
    }

    /// Marks an object as deleted that the garbage collector would delete.
    pub(super) fn gone(&self, resource: &ApiResource, object: DynamicObject) {
        let Ok(before) = serde_json::to_value(object) else { return };
        let path = path(resource, &key(&before));
        self.entries().put(path, Entry { before: Some(before), after: None, stand_in: false });
    }

    async fn perform(&self, request: Request<Body>) -> kube::Result<Response<Body>> {
        match *request.method() {
            Method::GET => {
                if let Some(entry) = self.entries().get(request.uri().path()) {
                    return Ok(entry.after.as_ref().map_or_else(not_found, |it| answer(StatusCode::OK, it)));
                }
            }
            Method::DELETE => return self.delete(request.uri().path()).await,
            _ => return self.write(request).await,
        }
        self.client.send(request).await
    }

    async fn delete(&self, path: &str) -> kube::Result<Response<Body>> {
        let before = self.before(path).await?;
        self.entries().put(path.to_owned(), Entry { before, after: None, stand_in: false });
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
        let earlier = self.entries().get(&path).and_then(|entry| entry.after.clone()).filter(|_| is_apply);
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
            // The API server performs the dry run on the stored object, which still has the fields that the operator
            // would have removed before.
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
        self.entries().put(path, Entry { before, after: Some(after.clone()), stand_in: false });
        Ok(answer(status, &after))
    }

    /// The API server performs the dry run of an apply on the stored object, in which an earlier dry run of a
    /// hand-over or a release did not happen. So this removes and restores the fields that the apply would have
    /// removed and left after that, and sends the result to the API server, again as a dry run.
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

    /// The object in the cluster.
    async fn before(&self, path: &str) -> kube::Result<Option<Value>> {
        if let Some(entry) = self.entries().get(path) {
            return Ok(entry.before.clone());
        }
        let request = Request::get(path).body(Body::empty()).map_err(kube::Error::HttpError)?;
        let response = self.client.send(request).await?;
        if !response.status().is_success() {
            return Ok(None);
        }
        let body = response.into_body().collect_bytes().await?;
        serde_json::from_slice(&body).map(Some).map_err(kube::Error::SerdeError)
    }

    fn entries(&self) -> MutexGuard<'_, Objects> {
        self.objects.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Objects {
    fn put(&mut self, path: String, entry: Entry) {
        if let Some(&place) = self.places.get(&path) {
            self.entries[place] = entry;
        } else {
            self.places.insert(path, self.entries.len());
            self.entries.push(entry);
        }
    }

    fn get(&self, path: &str) -> Option<&Entry> {
        self.places.get(path).map(|&place| &self.entries[place])
    }
}

/// The owners of an object, if an earlier dry run changed them. The API server performs the dry run of an apply on
/// the stored object, which still has the removed controller, and would refuse a second one. So the overlay sets the
/// owners.
fn changed_owners(before: &Value, after: &Value) -> Option<Vec<Value>> {
    let owners =
        |object: &Value| object["metadata"]["ownerReferences"].as_array().cloned().unwrap_or_default();
    let (before, after) = (owners(before), owners(after));
    (before != after).then_some(after)
}

/// Removes the owners from the body of an apply and returns them.
fn take_owners(body: &mut Vec<u8>) -> kube::Result<Value> {
    let mut object: Value = serde_json::from_slice(body).map_err(kube::Error::SerdeError)?;
    let owners = object["metadata"].as_object_mut().and_then(|metadata| metadata.remove("ownerReferences"));
    *body = serde_json::to_vec(&object).map_err(kube::Error::SerdeError)?;
    Ok(owners.unwrap_or_default())
}

/// The same URI with the `dryRun` parameter.
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

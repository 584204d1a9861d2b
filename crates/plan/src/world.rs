//! The reads of a component: its only access to the cluster.

use crate::{
    Clock, Defaults, Digest, Health, Manifest, ObjectKey, PlanError, Reached, Readiness, System,
    defaults::NOTHING,
    place::{NOWHERE, Places, misnamed},
};
use api::v1beta1::name::ObjectName;
use jiff::Timestamp;
use k8s_openapi::api::core::v1::Pod;
use kube::{
    Resource,
    core::{ApiResource, ClusterResourceScope, DynamicObject, ObjectMeta},
};
use serde::de::{DeserializeOwned, value::MapDeserializer};
use serde_json::Value;
use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

/// All objects that were read so far; `None` for an object that does not exist. For a kind, `Some` is [`served`].
pub type Snapshot = BTreeMap<ObjectKey, Option<Arc<DynamicObject>>>;

/// What of an object is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Interest {
    Spec,
    Status,
}

/// Answers the reads of a component from a [`Snapshot`] and records them.
///
/// The recorded reads are the objects whose changes trigger a reconcile, the input of change detection, and the objects
/// that `render` needs as files.
pub struct World<'a> {
    namespace: &'a str,
    snapshot: &'a Snapshot,
    defaults: &'a Defaults,
    places: Places<'a>,
    reads: RefCell<BTreeSet<ObjectKey>>,
    statuses: RefCell<BTreeSet<ObjectKey>>,
    clock: Clock,
}

impl<'a> World<'a> {
    /// A world with the objects of `namespace` that are in `snapshot`.
    pub fn new(namespace: &'a str, snapshot: &'a Snapshot) -> Self {
        let (reads, statuses) = (RefCell::default(), RefCell::default());
        let clock = Clock::new(Timestamp::UNIX_EPOCH);
        Self { namespace, snapshot, defaults: &NOTHING, places: NOWHERE, reads, statuses, clock }
    }

    /// The same world with these defaults of the administrator.
    #[must_use]
    pub fn with_defaults(self, defaults: &'a Defaults) -> Self {
        Self { defaults, ..self }
    }

    /// The same world at this time; 1970 unless set.
    #[must_use]
    pub fn at(self, now: Timestamp) -> Self {
        Self { clock: Clock::new(now), ..self }
    }

    /// The same world for an owner whose fields error messages can name.
    #[must_use]
    pub(crate) fn with_places(self, places: Places<'a>) -> Self {
        Self { places, ..self }
    }

    /// The namespace in which the owner has children, see [`ObjectKey::home`].
    pub fn namespace(&self) -> &'a str {
        self.namespace
    }

    /// The defaults of the administrator. They do not change while the operator runs.
    pub fn defaults(&self) -> &'a Defaults {
        self.defaults
    }

    /// Reads an object of the owner's namespace, without its status: a change of the status does not trigger
    /// planning. To wait for a status, use [`crate::Desired::awaited`]. Returns `None` if the object does not exist,
    /// and [`PlanError::Unread`] if it was not read yet. An invalid name is refused and not read, because it could be
    /// a path to another object.
    pub fn read<K: Manifest>(&self, name: &str) -> Result<Option<K>, PlanError> {
        self.read_at(ObjectKey::of::<K>(self.namespace, name))
    }

    /// Reads an object of any namespace, like [`World::read`]. Only for what a cluster-wide object refers to: the users of one
    /// namespace must not have the operator read what is in another.
    pub fn read_in<K: Manifest>(&self, namespace: &str, name: &str) -> Result<Option<K>, PlanError> {
        self.read_at(ObjectKey::of::<K>(namespace, name))
    }

    /// Reads an object that lives in no namespace, like [`World::read`].
    pub fn read_cluster_wide<K>(&self, name: &str) -> Result<Option<K>, PlanError>
    where
        K: Resource<DynamicType = (), Scope = ClusterResourceScope> + DeserializeOwned,
    {
        self.read_at(ObjectKey::of::<K>("", name))
    }

    /// Reads all objects of a kind that the operator reconciles, of all namespaces that it serves, without their statuses.
    /// Each change of any of them triggers planning. Objects that cannot be decoded are left out.
    pub fn read_all<K>(&self) -> Result<Vec<K>, PlanError>
    where
        K: Resource<DynamicType = ()> + DeserializeOwned,
    {
        self.listed(ObjectKey::all_of::<K>())
    }

    /// Reads the pods of a Job of the owner's namespace, with their statuses. No change of them triggers planning: the Job
    /// changes its own status when one of them ends.
    pub fn pods_of_job(&self, job: &str) -> Result<Vec<Pod>, PlanError> {
        self.listed(ObjectKey::pods_of_job(self.namespace, job))
    }

    fn listed<K: DeserializeOwned>(&self, key: ObjectKey) -> Result<Vec<K>, PlanError> {
        self.reads.borrow_mut().insert(key.clone());
        let found = self.snapshot.get(&key).ok_or_else(|| PlanError::Unread([key].into()))?;
        let objects = found.as_ref().and_then(|found| found.data.as_array()).into_iter().flatten();
        Ok(objects.filter_map(|object| serde_json::from_value(object.clone()).ok()).collect())
    }

    /// Reads an object of the operator's own kinds that must serve requests, possibly with an earlier spec. A change of its
    /// status triggers planning.
    ///
    /// # Errors
    /// [`PlanError::Unsettled`] until it serves; [`PlanError::Missing`] if it does not exist.
    pub fn serving<K: Manifest>(&self, name: &str) -> Result<K, PlanError> {
        let key = ObjectKey::of::<K>(self.namespace, name);
        let Some(object) = self.look_up(&key, Interest::Status)? else {
            return Err(PlanError::Missing([key].into()));
        };
        let health = serde_json::to_value(object).and_then(Health::by_conditions);
        let Health { readiness, reached, .. } = health.unwrap_or_else(|_| Health::undecodable());
        match readiness {
            _ if reached >= Reached::Available => decode(&key, object, Interest::Spec),
            Readiness::Progressing(why) | Readiness::Failed(why) => Err(PlanError::unsettled(key, why)),
            Readiness::Ready => decode(&key, object, Interest::Spec),
        }
    }

    /// Reads an object of the owner's namespace together with its status. A change of its status triggers planning.
    pub fn with_status<K: Manifest>(&self, name: &str) -> Result<Option<K>, PlanError> {
        let key = ObjectKey::of::<K>(self.namespace, name);
        let object = self.look_up(&key, Interest::Status)?;
        object.map(|object| decode(&key, object, Interest::Status)).transpose()
    }

    fn read_at<K: DeserializeOwned>(&self, key: ObjectKey) -> Result<Option<K>, PlanError> {
        self.look_up(&key, Interest::Spec)?.map(|object| decode(&key, object, Interest::Spec)).transpose()
    }

    fn look_up(&self, key: &ObjectKey, interest: Interest) -> Result<Option<&'a DynamicObject>, PlanError> {
        if !ObjectName::is_valid(&key.name) {
            return Err(misnamed(key, self.places));
        }
        self.reads.borrow_mut().insert(key.clone());
        if interest == Interest::Status {
            self.statuses.borrow_mut().insert(key.clone());
        }
        let found = self.snapshot.get(key).ok_or_else(|| PlanError::Unread([key.clone()].into()))?;
        Ok(found.as_deref())
    }

    /// Looks up an object in a system outside the cluster, as the system describes it. The operator lists the collection every
    /// few minutes, and the owner is reconciled again when the object has changed. Before the first list the answer is
    /// [`PlanError::Unread`]. A component that asks says in [`crate::Component::CONNECT`] how to reach the system.
    pub fn external(
        &self,
        system: &System,
        collection: &str,
        name: &str,
    ) -> Result<Option<Value>, PlanError> {
        let key = ObjectKey::external(system, collection, name);
        self.reads.borrow_mut().insert(key.clone());
        match self.snapshot.get(&key) {
            None => Err(PlanError::Unread([key].into())),
            Some(object) => Ok(object.as_ref().map(|object| object.data.clone())),
        }
    }

    /// Looks up a sibling that must exist.
    pub fn require<K: Manifest>(&self, name: &str) -> Result<K, PlanError> {
        self.read(name)?.ok_or_else(|| PlanError::Missing([ObjectKey::of::<K>(self.namespace, name)].into()))
    }

    /// The time. The owner is planned again when an answer about it will be another one.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Whether the API server serves a kind: cert-manager, the Gateway API and the Prometheus operator are optional.
    /// Returns [`PlanError::Unread`] if that was not read yet. The kind must be among the component's children.
    pub fn serves<K: Resource<DynamicType = ()>>(&self) -> Result<bool, PlanError> {
        let key = ObjectKey::kind_of::<K>();
        self.reads.borrow_mut().insert(key.clone());
        match self.snapshot.get(&key) {
            None => Err(PlanError::Unread([key].into())),
            Some(answer) => Ok(answer.is_some()),
        }
    }

    /// The enum values that the installed definition of a kind allows for a field, which is a path with dots. `None`
    /// if the definition does not list them or the operator cannot read it. Returns [`PlanError::Unread`] if it was
    /// not read yet. The kind must be among the component's children. Use it only for decisions that are made once: a
    /// change of the definition does not trigger a reconcile.
    pub fn allowed<K: Resource<DynamicType = ()>>(
        &self,
        field: &str,
    ) -> Result<Option<Vec<String>>, PlanError> {
        let key = ObjectKey::definition_of::<K>();
        self.reads.borrow_mut().insert(key.clone());
        let schema = self.snapshot.get(&key).ok_or_else(|| PlanError::Unread([key].into()))?;
        let values = schema.as_ref().and_then(|schema| {
            let field = field.split('.').fold(&schema.data, |schema, part| &schema["properties"][part]);
            field["enum"].as_array()
        });
        Ok(values.map(|values| values.iter().filter_map(Value::as_str).map(str::to_owned).collect()))
    }

    /// The objects whose status was read.
    pub(crate) fn statuses(&self) -> BTreeSet<ObjectKey> {
        self.statuses.borrow().clone()
    }

    /// The objects that were read, whether they exist or not.
    pub fn into_reads(self) -> BTreeSet<ObjectKey> {
        self.reads.into_inner()
    }
}

/// The entry of a [`Snapshot`] for a kind that the API server serves. It has a resource version, so that change
/// detection treats it like an object.
pub fn served() -> Arc<DynamicObject> {
    let metadata = ObjectMeta { resource_version: Some("served".into()), ..ObjectMeta::default() };
    Arc::new(DynamicObject { types: None, metadata, data: Value::Null })
}

/// The entry of a [`Snapshot`] for the definition of a kind with this schema. Its resource version is a digest of the
/// schema.
pub fn defined(schema: Value) -> Result<Arc<DynamicObject>, serde_json::Error> {
    let version = Digest::of(&schema)?.to_string();
    let metadata = ObjectMeta { resource_version: Some(version), ..ObjectMeta::default() };
    Ok(Arc::new(DynamicObject { types: None, metadata, data: schema }))
}

/// The API resource of a kind that a component may read.
pub(crate) fn resource_of<K: Manifest>() -> ApiResource {
    ApiResource::erase::<K>(&())
}

/// Decodes an object without a copy of it: this happens at each read of each pass.
fn decode<K: DeserializeOwned>(
    key: &ObjectKey,
    object: &DynamicObject,
    interest: Interest,
) -> Result<K, PlanError> {
    let decoded = serde_json::to_value(&object.metadata).and_then(|metadata| {
        let types = object.types.as_ref().map(|types| (types.api_version.as_str(), types.kind.as_str()));
        let types = types.map(|(version, kind)| [("apiVersion", version.into()), ("kind", kind.into())]);
        let head: Vec<(&str, Value)> = types.into_iter().flatten().chain([("metadata", metadata)]).collect();
        let fields = object.data.as_object().into_iter().flatten();
        let fields = fields.filter(|(name, _)| interest == Interest::Status || *name != "status");
        let fields = fields.map(|(name, value)| (name.as_str(), value));
        let all = head.iter().map(|(name, value)| (*name, value)).chain(fields);
        K::deserialize(MapDeserializer::new(all))
    });
    // The decoder's message quotes the invalid value, which may be a secret.
    decoded.map_err(|_: serde_json::Error| {
        PlanError::invalid(
            key,
            format!("is not a valid {}", key.kind),
            "compare its fields with `kubectl explain`",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use api::thirdparty::cert_manager::Certificate;
    use k8s_openapi::api::core::v1::Secret;

    #[test]
    fn a_secret_that_cannot_be_decoded_is_named_and_not_quoted() {
        let object =
            serde_json::json!({"metadata": {"name": "s"}, "data": {"password": 12345, "other": "hunter2"}});
        let object: DynamicObject = serde_json::from_value(object).unwrap();
        let snapshot = Snapshot::from([(ObjectKey::of::<Secret>("ns", "s"), Some(Arc::new(object)))]);
        let error = World::new("ns", &snapshot).require::<Secret>("s").unwrap_err().to_string();
        assert_eq!(error, "Secret ns/s: is not a valid Secret; compare its fields with `kubectl explain`");
    }

    #[test]
    fn an_object_is_read_without_its_status() {
        let object = serde_json::json!({
            "metadata": {"name": "c"}, "spec": {"secretName": "s", "issuerRef": {"name": "i"}},
            "status": {"conditions": []},
        });
        let object: DynamicObject = serde_json::from_value(object).unwrap();
        let snapshot = Snapshot::from([(ObjectKey::of::<Certificate>("ns", "c"), Some(Arc::new(object)))]);
        let read = World::new("ns", &snapshot).require::<Certificate>("c").unwrap();
        assert_eq!((read.spec.secret_name.as_str(), read.status), ("s", None));
    }

    #[test]
    fn an_object_is_read_with_its_status_on_request_and_its_status_is_watched() {
        let object = serde_json::json!({
            "metadata": {"name": "c"}, "spec": {"secretName": "s", "issuerRef": {"name": "i"}},
            "status": {"conditions": []},
        });
        let object: DynamicObject = serde_json::from_value(object).unwrap();
        let key = ObjectKey::of::<Certificate>("ns", "c");
        let snapshot = Snapshot::from([(key.clone(), Some(Arc::new(object)))]);
        let world = World::new("ns", &snapshot);
        let read = world.with_status::<Certificate>("c").unwrap().unwrap();
        assert!(read.status.is_some());
        assert_eq!(world.statuses(), [key].into());
    }

    #[test]
    fn every_read_is_recorded_whether_the_object_exists_or_not() {
        let snapshot = Snapshot::from([(ObjectKey::of::<Secret>("ns", "absent"), None)]);
        let world = World::new("ns", &snapshot);
        assert_eq!(world.read::<Secret>("absent"), Ok(None));
        let unread = [ObjectKey::of::<Secret>("ns", "unread")];
        assert_eq!(world.read::<Secret>("unread"), Err(PlanError::Unread(unread.clone().into())));
        assert_eq!(world.into_reads(), [ObjectKey::of::<Secret>("ns", "absent"), unread[0].clone()].into());
    }

    #[test]
    fn an_invalid_name_is_refused_and_not_read() {
        for name in
            ["../../victim/secrets/creds", "..", "", "a/b", "a?watch=true", "a#b", "a%2fb", "{definition}"]
        {
            let snapshot = Snapshot::new();
            let world = World::new("ns", &snapshot);
            assert!(matches!(world.read::<Secret>(name), Err(PlanError::Invalid(_))), "{name:?}");
            assert!(matches!(world.require::<Secret>(name), Err(PlanError::Invalid(_))), "{name:?}");
            assert_eq!(world.into_reads(), BTreeSet::new(), "{name:?}");
        }
    }

    #[test]
    fn whether_a_kind_is_served_is_a_read_like_any_other() {
        let key = ObjectKey::kind_of::<Certificate>();
        let asked = |snapshot: Snapshot| World::new("ns", &snapshot).serves::<Certificate>();
        assert_eq!(asked(Snapshot::new()), Err(PlanError::Unread([key.clone()].into())));
        assert_eq!(asked([(key.clone(), None)].into()), Ok(false));
        assert_eq!(asked([(key, Some(served()))].into()), Ok(true));
    }

    #[test]
    fn an_object_outside_the_cluster_is_looked_up_like_anything_else() {
        let system = System::new("harbor", "ns", "acme");
        let key = ObjectKey::external(&system, "project", "alpha");
        let asked = |snapshot: Snapshot| World::new("ns", &snapshot).external(&system, "project", "alpha");
        assert_eq!(asked(Snapshot::new()), Err(PlanError::Unread([key.clone()].into())));
        assert_eq!(asked([(key.clone(), None)].into()), Ok(None));
        let value = serde_json::json!({"public": true});
        let found = crate::outside(value.clone()).unwrap();
        assert_eq!(asked([(key, Some(found))].into()), Ok(Some(value)));
    }

    #[test]
    fn the_values_that_a_definition_allows_are_a_read_like_any_other() {
        let key = ObjectKey::definition_of::<Certificate>();
        let asked = |snapshot: Snapshot| World::new("ns", &snapshot).allowed::<Certificate>("spec.size");
        assert_eq!(asked(Snapshot::new()), Err(PlanError::Unread([key.clone()].into())));
        assert_eq!(asked([(key.clone(), None)].into()), Ok(None), "the definition is unknown");
        let schema =
            |size: Value| serde_json::json!({"properties": {"spec": {"properties": {"size": size}}}});
        let free = defined(schema(serde_json::json!({"type": "string"}))).unwrap();
        assert_eq!(asked([(key.clone(), Some(free))].into()), Ok(None), "any value");
        let some = defined(schema(serde_json::json!({"type": "string", "enum": ["s", "l"]}))).unwrap();
        assert_eq!(asked([(key, Some(some))].into()), Ok(Some(vec!["s".into(), "l".into()])));
    }
}

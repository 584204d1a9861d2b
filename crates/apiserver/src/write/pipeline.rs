//! The steps of every change.

use super::{
    Intent, Ownership, Part, Write, Written,
    admission::{Hooks, Request},
    deletion, metadata,
};
use crate::{
    access::{Access, Authorizer, Grant, RoleKind, confirm_no_escalation},
    admission::Operation,
    failure::{Cause, Failure},
    fields,
    kinds::{self, Origin, Resource},
    request::FieldValidation,
    schema,
    state::State,
    store::Key,
};
use http::StatusCode;
use serde_json::{Value, json};
use std::sync::Arc;

/// The largest object that is stored, the same as etcd's limit for a request.
const LARGEST_OBJECT: usize = 1_572_864;
/// How often a change is retried because the object changed meanwhile.
const ATTEMPTS: usize = 16;

/// What became of a commit.
enum Commit {
    /// The object that the new one was computed from has changed.
    Stale,
    /// The object is stored already.
    Nothing,
    /// The object would have been stored.
    DryRun,
    /// The object is stored like this.
    Stored(Arc<Value>),
}

impl Write<'_> {
    /// Changes the stored object. `intent` returns the object that the client wants, given the stored one.
    pub(super) async fn carry_out(
        &self,
        key: &Key,
        intent: impl Fn(Option<&Value>) -> Result<Intent, Failure>,
    ) -> Result<Written, Failure> {
        for _ in 0..ATTEMPTS {
            let stored = self.server.state().store.get(key).cloned();
            let live = match &stored {
                Some(stored) => Some(self.server.shown_one(&self.resource, stored).await?),
                None => None,
            };
            let intent = intent(live.as_ref())?;
            let (object, warnings) = self.prepared(key, live.as_ref(), intent).await?;
            let code = if live.is_some() { StatusCode::OK } else { StatusCode::CREATED };
            let to_store = self.server.to_store(&self.resource, object.clone()).await?;
            let object = match self.commit(key, stored.as_ref(), live.as_ref(), &object, to_store)? {
                Commit::Stale => continue,
                Commit::Nothing => live.unwrap_or(object),
                Commit::DryRun => object,
                Commit::Stored(after) => self.server.shown_one(&self.resource, &after).await?,
            };
            return Ok(Written { code, object, warnings });
        }
        Err(Failure::conflict(
            &self.resource.group,
            &self.resource.plural,
            &key.name,
            "the object has been modified; please apply your changes to the latest version and try again",
        ))
    }

    /// The object as it is stored.
    async fn prepared(
        &self,
        key: &Key,
        live: Option<&Value>,
        intent: Intent,
    ) -> Result<(Value, Vec<String>), Failure> {
        let Intent { mut object, ownership, mut problems } = intent;
        let sent = object.clone();
        match (shaped(&self.resource, &mut object, ownership), ownership) {
            // An apply has refused unknown fields already.
            (Ok(_), Ownership::Settled) => {}
            (Ok(unknown), _) => problems.extend(unknown),
            (Err(failure), Ownership::OfPatched) => return Err(rejected_patch(&sent, why(&failure))),
            (Err(failure), _) => return Err(failure),
        }
        let mut warnings = self.judged(problems, ownership, &sent)?;
        if let Some(live) = live {
            metadata::same_object(&self.resource, key, live, &mut object)?;
        }

        let request = Request {
            resource: &self.resource,
            subresource: self.part.subresource(),
            namespace: self.namespace,
            name: &key.name,
            operation: if live.is_some() { Operation::Update } else { Operation::Create },
            user: self.user,
            old: live,
            dry_run: self.options.dry_run,
        };
        if live.is_none() {
            self.give_service_account(&key.name, &mut object)?;
        }
        let hooks = Hooks::configured(self.server, &request);
        if let Some(hooks) = &hooks {
            let (mutated, raised) = hooks.mutate(&request, object).await?;
            object = mutated;
            shaped(&self.resource, &mut object, ownership)?;
            warnings.extend(raised);
        }

        let now = self.server.clock.stamp();
        if ownership != Ownership::Settled {
            let manager = self.manager(&now);
            let reset = kinds::reset_fields(&self.resource, self.part.subresource());
            fields::update(&self.resource.schema, live, &mut object, &manager, reset);
        }
        match (live, self.part) {
            (None, _) => {
                let uid = self.server.state().uid();
                metadata::set_identity(&self.resource, &mut object, uid, &now);
                kinds::prepare_create(&self.resource, &mut object, self.server.clock.now());
            }
            (Some(live), Part::Status) => kinds::prepare_status(&self.resource, live, &mut object),
            (Some(live), Part::EphemeralContainers) => {
                kinds::prepare_ephemeral_containers(&self.resource, live, &mut object);
            }
            (Some(live), Part::Main | Part::Scale) => {
                kinds::prepare_update(&self.resource, live, &mut object);
            }
        }
        if let Some(live) = live {
            metadata::count_generation(&self.resource, live, &mut object);
        }
        kinds::canonicalise(&self.resource, &mut object);
        let mut causes = self.broken_rules(live, &object);
        if causes.is_empty() {
            causes = self.allocated(key, &mut object);
        }
        if !causes.is_empty() {
            return Err(Failure::invalid(
                &self.resource.storage_group,
                &self.resource.kind,
                &key.name,
                &causes,
            ));
        }
        self.escalates_nothing(key, live, &object)?;
        self.may_own(&key.name, live, &object)?;
        if self.resource.origin == Origin::Custom {
            schema::shorten_numbers(&mut object);
        }
        warnings.extend(kinds::warnings(&self.resource, &object));
        if let Some(hooks) = &hooks {
            warnings.extend(hooks.validate(&request, Some(&object)).await?);
        }
        Ok((object, warnings))
    }

    /// Stores an object.
    fn commit(
        &self,
        key: &Key,
        stored: Option<&Arc<Value>>,
        live: Option<&Value>,
        object: &Value,
        to_store: Value,
    ) -> Result<Commit, Failure> {
        let mut state = self.server.state();
        let unchanged = match (state.store.get(key), stored) {
            (None, None) => true,
            (Some(now), Some(then)) => Arc::ptr_eq(now, then),
            _ => false,
        };
        if !unchanged {
            return Ok(Commit::Stale);
        }
        if live.is_none() {
            // The deletion of its namespace or definition may have begun while webhooks were called.
            self.still_served(&state)?;
            self.open_in(&state, &key.name)?;
        }
        if self.resource.is("", "services") && self.lacks_addresses(&state, key, object) {
            return Ok(Commit::Stale);
        }
        let goes = live.is_some() && deletion::may_go(object);
        // A write that changes nothing still stores the object in the version that its kind is stored in now.
        let is_current = stored.is_some_and(|stored| stored["apiVersion"] == to_store["apiVersion"]);
        if !goes && is_current && live.is_some_and(|live| fields::same_but_for_times(live, object)) {
            return Ok(Commit::Nothing);
        }
        if self.options.dry_run {
            return Ok(Commit::DryRun);
        }
        if serde_json::to_vec(&to_store).map_or(0, |bytes| bytes.len()) > LARGEST_OBJECT {
            return Err(Failure::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                "",
                "etcdserver: request is too large",
            ));
        }
        let left = if goes { None } else { Some(to_store.clone()) };
        let change = state.commit(key, left);
        let after = change.after.unwrap_or_else(|| Arc::new(to_store));
        state.settle(self.server.controllers, &self.server.clock);
        Ok(Commit::Stored(after))
    }

    fn still_served(&self, state: &State) -> Result<(), Failure> {
        let Resource { group, version, plural, .. } = &*self.resource;
        match state.kinds.find(group, version, plural) {
            Some(_) => Ok(()),
            None => Err(Failure::generic(
                StatusCode::NOT_FOUND,
                "NotFound",
                "the server could not find the requested resource",
            )),
        }
    }

    /// Whether another Service took an address or a port that this one was just given.
    fn lacks_addresses(&self, state: &State, key: &Key, object: &Value) -> bool {
        let mut object = object.clone();
        !self.allocated_in(state, key, &mut object).is_empty()
    }

    pub(super) fn manager<'a>(&'a self, now: &'a str) -> fields::Manager<'a> {
        fields::Manager {
            name: &self.manager,
            subresource: self.part.subresource(),
            api_version: &self.api_version,
            now,
        }
    }

    /// Refuses roles and bindings that grant permissions that their writer does not hold.
    fn escalates_nothing(&self, key: &Key, live: Option<&Value>, object: &Value) -> Result<(), Failure> {
        if self.server.access == Access::Open || self.resource.group != "rbac.authorization.k8s.io" {
            return Ok(());
        }
        let Some(kind) = RoleKind::from_plural(&self.resource.plural) else { return Ok(()) };
        let state = self.server.state();
        let authorizer = Authorizer { access: self.server.access, roles: &*state };
        let requested = if live.is_some() { &*key.name } else { "" };
        let grant = Grant { kind, namespace: &key.namespace, requested, object, old: live };
        confirm_no_escalation(&authorizer, self.user, &grant)
    }

    /// Allocates the addresses and ports that a Service lacks.
    fn allocated(&self, key: &Key, object: &mut Value) -> Vec<Cause> {
        self.allocated_in(&self.server.state(), key, object)
    }

    fn allocated_in(&self, state: &State, key: &Key, object: &mut Value) -> Vec<Cause> {
        if !self.resource.is("", "services") {
            return Vec::new();
        }
        let others = state.store.objects("", "services", None).filter(|other| {
            let metadata = &other["metadata"];
            metadata["name"] != *key.name || metadata["namespace"] != *key.namespace
        });
        let mut free = kinds::Addresses::of(others.map(|service| &**service));
        kinds::allocate(&self.resource, object, &mut free).err().unwrap_or_default()
    }

    /// The violated rules of the kind.
    fn broken_rules(&self, live: Option<&Value>, object: &Value) -> Vec<Cause> {
        let mut causes = match (live, self.part) {
            (None, _) => kinds::validate_create(&self.resource, object),
            (Some(live), Part::Status) => kinds::validate_status(&self.resource, live, object),
            (Some(live), Part::EphemeralContainers) => {
                kinds::validate_ephemeral_containers(&self.resource, live, object)
            }
            (Some(live), Part::Main | Part::Scale) => kinds::validate_update(&self.resource, live, object),
        };
        if let Some(custom) = &self.resource.structural {
            causes.extend(schema::validate(custom, object, live));
            causes.extend(kinds::wrong_scale(&self.resource, object, self.part == Part::Status));
        }
        causes
    }

    /// Handles problems of fields as the client requested: ignores them, returns warnings, or fails.
    fn judged(
        &self,
        problems: Vec<String>,
        ownership: Ownership,
        sent: &Value,
    ) -> Result<Vec<String>, Failure> {
        match self.options.field_validation {
            _ if problems.is_empty() => Ok(Vec::new()),
            FieldValidation::Ignore => Ok(Vec::new()),
            FieldValidation::Warn => Ok(problems),
            FieldValidation::Strict if ownership == Ownership::Settled => {
                Err(Failure::bad_request(format!("error strict decoding patch: {}", problems.join(", "))))
            }
            FieldValidation::Strict if ownership == Ownership::OfPatched => {
                Err(rejected_patch(sent, &format!("strict decoding error: {}", problems.join(", "))))
            }
            FieldValidation::Strict => {
                Err(schema::strict_failure(&self.resource.kind, &self.resource.version, &problems))
            }
        }
    }
}

/// Decodes an object by the schema of its kind: drops unknown fields and sets defaults. Returns the unknown fields.
fn shaped(resource: &Resource, object: &mut Value, ownership: Ownership) -> Result<Vec<String>, Failure> {
    let Some(custom) = &resource.structural else {
        let unknown = schema::decode(&resource.schema, object)?;
        kinds::default(resource, object);
        kinds::canonicalise(resource, object);
        return Ok(unknown);
    };
    if let Some(problem) = schema::metadata_problem(object) {
        return Err(Failure::bad_request(format!(
            "{kind} in version {:?} cannot be handled as a {kind}: {problem}",
            resource.version,
            kind = resource.kind,
        )));
    }
    let unknown = schema::prune(custom, object);
    if ownership != Ownership::Settled {
        schema::drop_nulls(custom, object);
    }
    schema::apply_defaults(custom, object);
    Ok(unknown)
}

/// The failure of a patch whose result cannot be decoded.
fn rejected_patch(patched: &Value, why: &str) -> Failure {
    Failure::invalid("", "", "", &[Cause::invalid("patch", &json!(patched.to_string()), why)])
}

/// The message without the name of the kind.
fn why(failure: &Failure) -> &str {
    failure.message.split_once(": ").map_or(&*failure.message, |(_, why)| why)
}

//! The scale subresource: a small object that represents the number of replicas of a larger one.

use super::{Document, Intent, Ownership, PatchFormat, Write, Written, body::yaml};
use crate::{
    failure::{Cause, Failure},
    kinds::{Origin, Resource, Scale},
    state::State,
};
use serde_json::{Value, json};

impl Write<'_> {
    /// Replaces the scale of an object.
    pub async fn update_scale(&self, name: &str, document: Document) -> Result<Written, Failure> {
        let sent = document.object;
        check_kind(&sent)?;
        if let Some(other) = sent["metadata"]["name"].as_str().filter(|other| *other != name) {
            return Err(Failure::bad_request(format!(
                "the name of the object ({other}) does not match the name on the URL ({name})"
            )));
        }
        self.rescale(name, |_| Ok(sent.clone())).await
    }

    /// Patches the scale of an object.
    pub async fn patch_scale(
        &self,
        name: &str,
        format: PatchFormat,
        body: &[u8],
    ) -> Result<Written, Failure> {
        match format {
            PatchFormat::Apply => self.apply_scale(name, body).await,
            _ => self.rescale(name, |scale| self.patched(scale, format, body)).await,
        }
    }

    /// Applies a scale: it represents a configuration of the object with the number of replicas and nothing else.
    async fn apply_scale(&self, name: &str, body: &[u8]) -> Result<Written, Failure> {
        let scale = yaml(body)?.object;
        check_kind(&scale)?;
        let not_found = || Failure::not_found(&self.resource.group, &self.resource.plural, name);
        let paths = self.resource.subresources.scale.as_ref().ok_or_else(not_found)?;
        if self.server.state().store.get(&State::key(&self.resource, self.namespace, name)).is_none() {
            return Err(not_found());
        }
        let mut configuration = json!({
            "apiVersion": self.resource.api_version(),
            "kind": self.resource.kind,
            "metadata": {"name": name},
        });
        if let Some(replicas) = scale["spec"].get("replicas") {
            set(&mut configuration, &paths.spec_replicas, replicas.clone());
        }
        let own = format!("using {}", self.resource.api_version());
        let applied = self.patch(name, PatchFormat::Apply, configuration.to_string().as_bytes()).await;
        let mut written = applied.map_err(|failure| failure.reworded(&own, "using autoscaling/v1"))?;
        written.object = scale_of(&self.resource, paths, &written.object);
        Ok(written)
    }

    async fn rescale(
        &self,
        name: &str,
        intend: impl Fn(&Value) -> Result<Value, Failure>,
    ) -> Result<Written, Failure> {
        let paths = self.resource.subresources.scale.as_ref();
        let not_found = || Failure::not_found(&self.resource.group, &self.resource.plural, name);
        let paths = paths.ok_or_else(not_found)?;
        let key = State::key(&self.resource, self.namespace, name);
        let mut written = self
            .carry_out(&key, |live| {
                let live = live.ok_or_else(not_found)?;
                let scale = intend(&scale_of(&self.resource, paths, live))?;
                let replicas = scale["spec"].get("replicas").cloned().unwrap_or(json!(0));
                let is_custom = self.resource.origin == Origin::Custom;
                if is_custom
                    && get(live, &paths.spec_replicas).is_none()
                    && scale["spec"].get("replicas").is_none()
                {
                    let path = &paths.spec_replicas;
                    return Err(Failure::bad_request(format!(
                        "the spec replicas field {path:?} cannot be empty"
                    )));
                }
                // For a custom kind, the object itself is invalid.
                if replicas.as_i64().is_none_or(|count| count < 0 && !is_custom) {
                    let cause =
                        Cause::invalid("spec.replicas", &replicas, "must be greater than or equal to 0");
                    return Err(Failure::invalid("autoscaling", "Scale", name, &[cause]));
                }
                let mut object = live.clone();
                set(&mut object, &paths.spec_replicas, replicas);
                if let Some(version) = scale["metadata"]["resourceVersion"].as_str().filter(|v| !v.is_empty())
                {
                    object["metadata"]["resourceVersion"] = version.into();
                }
                Ok(Intent { object, ownership: Ownership::OfDifferences, problems: Vec::new() })
            })
            .await?;
        written.object = scale_of(&self.resource, paths, &written.object);
        Ok(written)
    }
}

fn check_kind(scale: &Value) -> Result<(), Failure> {
    let sent = |field: &str| scale[field].as_str().filter(|text| !text.is_empty());
    if sent("kind").is_some_and(|kind| kind != "Scale") {
        let (kind, version) = (sent("kind").unwrap_or_default(), sent("apiVersion").unwrap_or_default());
        return Err(Failure::bad_request(format!(
            "{kind} in version {version:?} cannot be handled as a Scale: expected a Scale of autoscaling/v1"
        )));
    }
    Ok(())
}

/// The scale of an object; an error if a custom object has no number of replicas.
pub(crate) fn shown_scale(resource: &Resource, paths: &Scale, object: &Value) -> Result<Value, Failure> {
    if resource.origin == Origin::Custom && get(object, &paths.spec_replicas).is_none() {
        let path = &paths.spec_replicas;
        return Err(Failure::internal(format!("the spec replicas field {path:?} does not exist")));
    }
    Ok(scale_of(resource, paths, object))
}

/// The scale of an object.
fn scale_of(resource: &Resource, paths: &Scale, object: &Value) -> Value {
    let mut metadata = serde_json::Map::new();
    for field in ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"] {
        if let Some(value) = object["metadata"].get(field) {
            metadata.insert(field.into(), value.clone());
        }
    }
    let count = |path: &str| get(object, path).and_then(Value::as_i64).unwrap_or(0);
    let mut scale = json!({
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": metadata,
        "spec": {},
        "status": {"replicas": count(&paths.status_replicas)},
    });
    // Zero is omitted, as in an integer field of a built-in kind.
    if count(&paths.spec_replicas) != 0 {
        scale["spec"]["replicas"] = count(&paths.spec_replicas).into();
    }
    let selector = match (&paths.label_selector, resource.custom.is_some()) {
        (Some(path), true) => get(object, path).and_then(Value::as_str).map(str::to_owned),
        (Some(path), false) => get(object, path).map(selector_text),
        (None, _) => None,
    };
    if let Some(selector) = selector.filter(|selector| !selector.is_empty()) {
        scale["status"]["selector"] = selector.into();
    }
    scale
}

/// A label selector in the format of a query.
fn selector_text(selector: &Value) -> String {
    let labels = selector["matchLabels"].as_object().into_iter().flatten();
    let labels = labels.map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default()));
    let expressions = selector["matchExpressions"].as_array().into_iter().flatten().map(|expression| {
        let key = expression["key"].as_str().unwrap_or_default();
        let values = expression["values"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let values = values.collect::<Vec<_>>().join(",");
        match expression["operator"].as_str() {
            Some("NotIn") => format!("{key} notin ({values})"),
            Some("Exists") => key.to_owned(),
            Some("DoesNotExist") => format!("!{key}"),
            _ => format!("{key} in ({values})"),
        }
    });
    labels.chain(expressions).collect::<Vec<_>>().join(",")
}

fn get<'a>(object: &'a Value, path: &str) -> Option<&'a Value> {
    parts(path).try_fold(object, |value, part| value.get(part))
}

fn set(object: &mut Value, path: &str, value: Value) {
    let place = parts(path).fold(object, |place, part| {
        if !place.is_object() {
            *place = json!({});
        }
        &mut place[part]
    });
    *place = value;
}

fn parts(path: &str) -> impl Iterator<Item = &str> {
    path.split('.').filter(|part| !part.is_empty())
}

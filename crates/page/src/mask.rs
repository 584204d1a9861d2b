//! Masks a manifest: no values of Secrets, and no fields that only machines read.

use serde_json::{Map, Value};

/// Replaces a hidden value.
pub(crate) const HIDDEN: &str = "(hidden)";

/// Hides values that must not be shown. The keys of Secrets stay, their values do not.
///
/// The operator keeps secrets in Secrets. Other programs may not, so fields and URLs that usually contain a secret are
/// hidden in all kinds.
pub(crate) fn mask(object: &mut Value) {
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("managedFields");
        if let Some(annotations) = metadata.get_mut("annotations").and_then(Value::as_object_mut) {
            annotations.retain(|name, _| !is_last_applied(name));
            if annotations.is_empty() {
                metadata.remove("annotations");
            }
        }
    }
    if object["kind"] == "Secret" {
        for field in ["data", "stringData"] {
            object.get_mut(field).into_iter().for_each(hide);
        }
    }
    hide_within(object);
}

/// Whether an annotation has a copy of the object, with the values of a Secret. Some clients write one.
fn is_last_applied(annotation: &str) -> bool {
    annotation.rsplit('/').next().is_some_and(|name| name.starts_with("last-applied"))
}

/// Hides all values, at any depth.
fn hide(value: &mut Value) {
    match value {
        Value::Object(fields) => fields.values_mut().for_each(hide),
        Value::Array(items) => items.iter_mut().for_each(hide),
        Value::Null => {}
        Value::Bool(_) | Value::Number(_) | Value::String(_) => *value = HIDDEN.into(),
    }
}

fn hide_within(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            hide_variable(fields);
            for (name, value) in fields {
                match value {
                    Value::String(text) if is_password(name) && !text.is_empty() => *text = HIDDEN.into(),
                    value => hide_within(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(hide_within),
        Value::String(text) => *text = without_credentials(text),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Hides the value of an environment variable whose name says that it is a secret.
fn hide_variable(fields: &mut Map<String, Value>) {
    let secret = fields.get("name").and_then(Value::as_str).is_some_and(is_secret_variable);
    if let Some(Value::String(value)) = fields.get_mut("value").filter(|_| secret) {
        *value = HIDDEN.into();
    }
}

fn is_secret_variable(name: &str) -> bool {
    const SECRETS: [&str; 5] = ["PASSWORD", "PASSWD", "SECRET", "TOKEN", "CREDENTIAL"];
    const PLACES: [&str; 5] = ["_FILE", "_PATH", "_DIR", "_NAME", "_URL"];
    let name = name.to_uppercase();
    SECRETS.iter().any(|word| name.contains(word)) && !PLACES.iter().any(|place| name.ends_with(place))
}

/// Fields that hold a password; a reference to one ends differently.
fn is_password(field: &str) -> bool {
    let field = field.to_lowercase();
    ["password", "passwd", "secretkey", "accesskey", "privatekey"].iter().any(|word| field.ends_with(word))
}

/// A text in which URLs have no passwords.
fn without_credentials(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("://") {
        let (before, url) = rest.split_at(start + "://".len());
        shown.push_str(before);
        let end = url.find(|c: char| c == '/' || c == '"' || c == '\'' || c.is_whitespace());
        let (authority, after) = url.split_at(end.unwrap_or(url.len()));
        match authority.rsplit_once('@').map(|(user, host)| (user.split_once(':'), host)) {
            Some((Some((user, _)), host)) => shown.extend([user, ":", HIDDEN, "@", host]),
            _ => shown.push_str(authority),
        }
        rest = after;
    }
    shown + rest
}

#[cfg(test)]
mod tests {
    use super::mask;
    use serde_json::{Value, json};

    fn masked(mut object: Value) -> Value {
        mask(&mut object);
        object
    }

    #[test]
    fn of_a_secret_the_keys_are_shown_and_no_value() {
        let secret = json!({
            "kind": "Secret", "type": "Opaque",
            "metadata": {
                "name": "s",
                "annotations": {
                    "kubectl.kubernetes.io/last-applied-configuration": "{\"data\":{\"key\":\"aHVudGVyMg==\"}}",
                    "example.com/last-applied": "hunter2", "kept": "yes",
                },
                "managedFields": [{"manager": "kubectl"}],
            },
            "data": {"key": "aHVudGVyMg==", "none": null}, "stringData": {"text": "hunter2", "odd": ["hunter2", 7]},
        });
        let expected = json!({
            "kind": "Secret", "type": "Opaque",
            "metadata": {"name": "s", "annotations": {"kept": "yes"}},
            "data": {"key": "(hidden)", "none": null},
            "stringData": {"text": "(hidden)", "odd": ["(hidden)", "(hidden)"]},
        });
        assert_eq!(masked(secret), expected);
    }

    #[test]
    fn a_config_map_is_shown_as_it_is() {
        let config = json!({"kind": "ConfigMap", "data": {"app.conf": "port: 80\n"}});
        assert_eq!(masked(config.clone()), config);
    }

    #[test]
    fn what_looks_like_a_secret_elsewhere_is_hidden_and_references_are_not() {
        let object = json!({"kind": "Tenant", "spec": {
            "adminPassword": "hunter2", "adminPasswordRef": "admin", "secretName": "creds",
            "env": [{"name": "DB_PASSWORD", "value": "hunter2"}, {"name": "TOKEN_FILE", "value": "/etc/token"},
                    {"name": "LOG_LEVEL", "value": "info"},
                    {"name": "OTHER_PASSWORD", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}],
        }});
        let expected = json!({"kind": "Tenant", "spec": {
            "adminPassword": "(hidden)", "adminPasswordRef": "admin", "secretName": "creds",
            "env": [{"name": "DB_PASSWORD", "value": "(hidden)"}, {"name": "TOKEN_FILE", "value": "/etc/token"},
                    {"name": "LOG_LEVEL", "value": "info"},
                    {"name": "OTHER_PASSWORD", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}],
        }});
        assert_eq!(masked(object), expected);
    }

    #[test]
    fn urls_are_shown_without_passwords() {
        let text =
            "a: redis://user:hunter2@host:6379/1\nb: redis://:p@ss@host\nc: https://core.example/x@y:z";
        let shown =
            "a: redis://user:(hidden)@host:6379/1\nb: redis://:(hidden)@host\nc: https://core.example/x@y:z";
        assert_eq!(masked(json!({"data": {"x": text}})), json!({"data": {"x": shown}}));
    }
}

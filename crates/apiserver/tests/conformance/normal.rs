//! What differs between two runs on the same server is replaced by what it stands for.
//!
//! A value that the scenario itself mentions is not the server's invention, and stays.

use crate::managed_fields;
use crate::transcript::{Entry, Transcript};
use regex::{Captures, Regex};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// A pattern, and what its matches become.
type Rule = (Regex, &'static str);

static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    [
        (r"\b20[2-9]\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z\b", "<microtime>"),
        (r"\b20[2-9]\d-\d\d-\d\dT\d\d:\d\d:\d\dZ\b", "<time>"),
        (r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", "<uid>"),
        (r"\b10\.(?:0|96)\.\d{1,3}\.\d{1,3}\b", "<ip>"),
    ]
    .into_iter()
    .map(|(pattern, stands_for)| (Regex::new(pattern).unwrap(), stands_for))
    .collect()
});

/// Texts that tell of the server's inner life.
static WORDINGS: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    [
        (r"(into Go (?:struct field|value)) \S+ of type \S+", "$1 <field> of type <type>"),
        (r"(into Go value) of type \S+", "$1 of type <type>"),
        (r"too old resource version: \d+ \(\d+\)", "too old resource version: <old> (<oldest>)"),
        (
            r"Too large resource version: \d+, current: \d+",
            "Too large resource version: <large>, current: <current>",
        ),
        // The whole object, in the order of the server's own structs.
        (r#"(Invalid value: )"\{.*\}""#, "$1<object>"),
        (r"\bhash=[0-9A-F]+", "hash=<hash>"),
        (r"\brequest is \d+ bytes\b", "request is <n> bytes"),
    ]
    .into_iter()
    .map(|(pattern, stands_for)| (Regex::new(pattern).unwrap(), stands_for))
    .collect()
});

/// Collects names for the server's inventions in a first pass, replaces them in a second.
struct Names<'s> {
    namespace: &'s str,
    scenario: &'s str,
    /// Texts that are replaced wherever they occur.
    texts: BTreeMap<String, String>,
    /// Resource versions, by where they were first seen.
    versions: BTreeMap<String, String>,
}

/// The transcript of any run.
pub fn normalise(transcript: Transcript, namespace: &str, scenario: &str) -> Transcript {
    let mut names = Names { namespace, scenario, texts: BTreeMap::new(), versions: BTreeMap::new() };
    names.texts.insert(namespace.to_owned(), "{ns}".to_owned());
    for entry in &transcript.0 {
        let mut seen = 0;
        for value in entry.body.iter().chain(&entry.events) {
            names.learn(value, &entry.step, &mut seen);
        }
    }
    Transcript(transcript.0.into_iter().map(|entry| names.entry(entry)).collect())
}

impl Names<'_> {
    fn learn(&mut self, value: &Value, step: &str, seen: &mut usize) {
        match value {
            Value::Object(object) => {
                if let Some(Value::Object(metadata)) = object.get("metadata") {
                    self.learn_metadata(metadata, is_current_state(object), step, seen);
                }
                object.values().for_each(|value| self.learn(value, step, seen));
            }
            Value::Array(list) => list.iter().for_each(|value| self.learn(value, step, seen)),
            _ => {}
        }
    }

    fn learn_metadata(&mut self, metadata: &Map<String, Value>, list: bool, step: &str, seen: &mut usize) {
        let text = |key| metadata.get(key).and_then(Value::as_str);
        if let (Some(prefix), Some(name)) = (text("generateName"), text("name"))
            && name.starts_with(prefix)
        {
            let prefix = prefix.replace(self.namespace, "{ns}");
            self.texts.insert(name.to_owned(), format!("{prefix}<generated>"));
        }
        if let (Some(name), Some(uid)) = (text("name"), text("uid"))
            && !self.scenario.contains(uid)
            && !self.texts.contains_key(uid)
        {
            let name = name.replace(self.namespace, "{ns}");
            let same = |known: &&String| known.starts_with(&format!("<uid:{name}>"));
            let earlier = self.texts.values().filter(same).count();
            let again = if earlier > 0 { format!("#{}", earlier + 1) } else { String::new() };
            self.texts.insert(uid.to_owned(), format!("<uid:{name}>{again}"));
        }
        if let Some(version) = text("resourceVersion")
            && !list
            && is_number(version)
            && !self.versions.contains_key(version)
        {
            *seen += 1;
            let which = if *seen > 1 { format!("/{seen}") } else { String::new() };
            self.versions.insert(version.to_owned(), format!("<{step}{which}>"));
        }
    }

    fn entry(&self, mut entry: Entry) -> Entry {
        entry.body = entry.body.map(|body| self.value(body));
        entry.events = entry.events.into_iter().map(|event| self.value(event)).collect();
        for values in entry.headers.values_mut() {
            for value in values {
                *value = self.text(value);
            }
        }
        entry
    }

    fn value(&self, value: Value) -> Value {
        match value {
            Value::Object(object) => {
                let current = is_current_state(&object);
                let member = |(key, value): (String, Value)| {
                    let value = match key.as_str() {
                        "metadata" => readable(value, current),
                        "cells" => ages(value),
                        _ => value,
                    };
                    (self.text(&key), self.member(&key, value))
                };
                Value::Object(object.into_iter().map(member).collect())
            }
            Value::Array(list) => Value::Array(list.into_iter().map(|value| self.value(value)).collect()),
            Value::String(text) => Value::String(self.text(&text)),
            other => other,
        }
    }

    fn member(&self, key: &str, value: Value) -> Value {
        match (key, &value) {
            ("nodePort" | "healthCheckNodePort", Value::Number(port))
                if port.as_u64() > Some(0) && !self.scenario.contains(&port.to_string()) =>
            {
                "<port>".into()
            }
            ("token", Value::String(_)) => "<token>".into(),
            // Made from the name of the group, which may be made from the name of the namespace.
            ("storageVersionHash", Value::String(_)) => "<hash>".into(),
            ("resourceVersion", Value::String(version)) => {
                self.versions.get(version).map_or_else(|| value.clone(), |name| name.as_str().into())
            }
            _ => self.value(value),
        }
    }

    fn text(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (known, name) in &self.texts {
            if text.contains(known) {
                text = text.replace(known, name);
            }
        }
        for (pattern, stands_for) in RULES.iter() {
            let replacement = |found: &Captures<'_>| {
                let found = &found[0];
                if self.scenario.contains(found) { found.to_owned() } else { (*stands_for).to_owned() }
            };
            text = pattern.replace_all(&text, replacement).into_owned();
        }
        for (pattern, stands_for) in WORDINGS.iter() {
            text = pattern.replace_all(&text, *stands_for).into_owned();
        }
        text
    }
}

/// Metadata without what only a machine can read.
fn readable(value: Value, current: bool) -> Value {
    let Value::Object(mut metadata) = value else { return value };
    if let Some(Value::Array(entries)) = metadata.remove("managedFields") {
        metadata.insert("managedFields".to_owned(), managed_fields::readable(entries));
    }
    if current {
        if let Some(version) = metadata.get_mut("resourceVersion")
            && version.as_str().is_some_and(is_number)
        {
            *version = "<current>".into();
        }
        if let Some(token) = metadata.get_mut("continue")
            && token.as_str() != Some("")
        {
            *token = "<continue>".into();
        }
    }
    Value::Object(metadata)
}

/// Lists, tables and bookmarks tell the version of the store, which others move on as well.
fn is_current_state(object: &Map<String, Value>) -> bool {
    let kind = object.get("kind").and_then(Value::as_str).unwrap_or_default();
    kind.ends_with("List") || kind == "Table" || is_bookmark(object)
}

/// Of a bookmark's object, there is nothing but the version.
fn is_bookmark(object: &Map<String, Value>) -> bool {
    let nameless = object.get("metadata").is_some_and(|metadata| metadata.get("name").is_none());
    nameless && object.get("metadata").is_some_and(|metadata| metadata.get("uid").is_none())
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text != "0" && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// How old an object is depends on who runs the test.
fn ages(cells: Value) -> Value {
    let Value::Array(cells) = cells else { return cells };
    let cell = |cell: Value| match cell.as_str() {
        Some(text) if text.len() > 1 && text.ends_with('s') && is_age(text) => "<age>".into(),
        _ => cell,
    };
    Value::Array(cells.into_iter().map(cell).collect())
}

fn is_age(text: &str) -> bool {
    text[..text.len() - 1].bytes().all(|byte| byte.is_ascii_digit())
}

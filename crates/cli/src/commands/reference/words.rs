//! The description of one field, for a cell of a table.

use api::{
    bounds,
    v1beta1::{duration::GoDuration, name::ObjectName},
};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    JSONSchemaProps, JSONSchemaPropsOrArray, JSONSchemaPropsOrBool,
};

/// Patterns that have a name, which is easier to understand than the pattern.
const NAMED_PATTERNS: [(&str, &str); 4] = [
    (ObjectName::PATTERN, "the name of an object"),
    (ObjectName::OPTIONAL_PATTERN, "the name of an object"),
    (bounds::LABEL_PATTERN, "a DNS label"),
    (GoDuration::PATTERN, "a duration such as `1h30m`"),
];

/// The schema of the elements of a list or map; the schema itself if it is neither.
pub fn element(schema: &JSONSchemaProps) -> &JSONSchemaProps {
    match (&schema.items, &schema.additional_properties) {
        (Some(JSONSchemaPropsOrArray::Schema(items)), _) => element(items),
        (_, Some(JSONSchemaPropsOrBool::Schema(values))) => element(values),
        _ => schema,
    }
}

/// The step from a field to the fields of its elements: `[]` for a list, `.*` for a map.
pub fn step(schema: &JSONSchemaProps) -> &'static str {
    match (&schema.items, &schema.additional_properties) {
        (Some(_), _) => "[]",
        (_, Some(JSONSchemaPropsOrBool::Schema(_))) => ".*",
        _ => "",
    }
}

/// The type, given that of the element.
pub fn shape(schema: &JSONSchemaProps, innermost: &str) -> String {
    match (&schema.items, &schema.additional_properties) {
        (Some(JSONSchemaPropsOrArray::Schema(items)), _) => format!("list of {}", shape(items, innermost)),
        (_, Some(JSONSchemaPropsOrBool::Schema(values))) => format!("map of {}", shape(values, innermost)),
        _ => innermost.to_owned(),
    }
}

/// The type of a field that is neither list nor map.
pub fn simple_type(schema: &JSONSchemaProps) -> &str {
    match (schema.type_.as_deref(), schema.format.as_deref()) {
        _ if schema.x_kubernetes_int_or_string == Some(true) => "integer or string",
        (Some("string"), Some("date-time")) => "time",
        (Some(type_), _) => type_,
        (None, _) => "any",
    }
}

/// The constraints on a value, a sentence each.
pub fn constraints(schema: &JSONSchemaProps) -> Vec<String> {
    let element = element(schema);
    let mut sentences = Vec::new();
    if let Some(values) = &element.enum_ {
        let values = values.iter().map(|value| code(&json(&value.0))).collect::<Vec<_>>();
        sentences.push(format!("One of {}.", values.join(", ")));
    }
    let bounded = |exclusive: Option<bool>, inclusive: &'static str, otherwise: &'static str| match exclusive
    {
        Some(true) => otherwise,
        _ => inclusive,
    };
    if let Some(least) = element.minimum {
        sentences.push(format!("{} {least}.", bounded(element.exclusive_minimum, "At least", "More than")));
    }
    if let Some(most) = element.maximum {
        sentences.push(format!("{} {most}.", bounded(element.exclusive_maximum, "At most", "Less than")));
    }
    let name = element
        .pattern
        .as_ref()
        .and_then(|pattern| NAMED_PATTERNS.iter().find(|(known, _)| known == pattern).map(|(_, name)| *name));
    // The index has the default, and a named pattern its own length.
    let is_default = |most: &i64| name.is_some() || matches!(*most, bounds::CHARACTERS | bounds::DIGITS);
    match (element.min_length, element.max_length.filter(|most| !is_default(most))) {
        (Some(1), None) => sentences.push("Not empty.".to_owned()),
        (Some(least), None) => sentences.push(format!("At least {least} characters.")),
        (None, Some(most)) => sentences.push(format!("At most {most} characters.")),
        (Some(least), Some(most)) => sentences.push(format!("{least} to {most} characters.")),
        (None, None) => {}
    }
    if let Some(least) = schema.min_items {
        sentences.push(format!("At least {least} of them."));
    }
    let most = schema.max_items.filter(|most| *most != bounds::ITEMS);
    let most = most.or(schema.max_properties.filter(|most| *most != bounds::ENTRIES));
    if let Some(most) = most {
        sentences.push(format!("At most {most} of them."));
    }
    if let Some(pattern) = &element.pattern {
        sentences
            .push(name.map_or_else(|| format!("Matches {}.", code(pattern)), |name| format!("Is {name}.")));
    }
    if element.properties.is_none() {
        sentences.extend(rules(element).map(|message| format!("Refused: {message}.")));
    }
    sentences
}

/// The messages of its validation rules.
pub fn rules(schema: &JSONSchemaProps) -> impl Iterator<Item = String> + '_ {
    let rules = schema.x_kubernetes_validations.iter().flatten();
    rules.map(|rule| rule.message.clone().unwrap_or_else(|| code(&rule.rule)))
}

/// The default, if there is one.
pub fn default(schema: &JSONSchemaProps) -> Option<String> {
    schema.default.as_ref().map(|value| code(&json(&value.0)))
}

/// A piece of code. Patterns may contain back ticks no more than YAML does.
pub fn code(text: &str) -> String {
    format!("`{text}`")
}

/// A cell of a table: one line, escaped so that it neither ends the cell nor is HTML.
pub fn cell(text: &str) -> String {
    let mut inside_code = false;
    let mut cell = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '`' => inside_code = !inside_code,
            '|' => cell.push('\\'),
            '<' if !inside_code => cell.push('\\'),
            _ => {}
        }
        cell.push(if letter == '\n' { ' ' } else { letter });
    }
    cell
}

/// Strings as they are, anything else as JSON.
fn json(value: &serde_json::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

//! Validation against a schema, without rules, with the messages and the peculiarities of kube-openapi.

use super::{
    correlation::Correlation,
    field_errors, formats,
    node::{Additional, Node},
    scalars::{described, fits, in_range, is_multiple, same},
};
use crate::{
    failure::Cause,
    schema::{Type, path::Path},
};
use serde_json::{Map, Number, Value};

/// The problems of a value.
pub(super) fn wrong(node: &Node, value: &Value, correlation: Correlation<'_>) -> Vec<Cause> {
    wrong_at(&mut Path::default(), node, value, correlation)
}

/// The problems of a value at a path.
pub(super) fn wrong_at(
    path: &mut Path,
    node: &Node,
    value: &Value,
    correlation: Correlation<'_>,
) -> Vec<Cause> {
    let mut findings = Findings::default();
    Validation { path }.value(node, value, correlation, &mut findings);
    findings.causes
}

/// Errors, and the number of successful checks, which decides which of several alternatives to report.
#[derive(Default)]
struct Findings {
    causes: Vec<Cause>,
    matches: usize,
}

impl Findings {
    fn add(&mut self, cause: Cause) {
        if !self.causes.contains(&cause) {
            self.causes.push(cause);
        }
    }

    fn merge(&mut self, other: Findings) {
        self.matches += other.matches;
        for cause in other.causes {
            self.add(cause);
        }
    }
}

struct Validation<'p> {
    path: &'p mut Path,
}

impl Validation<'_> {
    /// Errors about a value that has not changed are dropped.
    fn value(&mut self, node: &Node, value: &Value, correlation: Correlation<'_>, findings: &mut Findings) {
        let mut found = self.findings(node, value, correlation);
        if !found.causes.is_empty() && correlation.is_unchanged() {
            found.causes.clear();
        }
        findings.merge(found);
    }

    fn findings(&mut self, node: &Node, value: &Value, correlation: Correlation<'_>) -> Findings {
        let mut findings = Findings::default();
        if self.path.is_too_deep() {
            return findings;
        }
        self.kind(node, value, &mut findings);
        if value.is_null() {
            self.choice(node, value, &mut findings);
            return findings;
        }
        self.junctors(node, value, correlation, &mut findings);
        match value {
            Value::String(text) => {
                self.text(node, text, &mut findings);
                self.format(node, text, &mut findings);
            }
            Value::Number(number) => self.number(node, number, &mut findings),
            Value::Array(items) => self.items(node, items, correlation, &mut findings),
            _ => {}
        }
        self.choice(node, value, &mut findings);
        findings.matches += 2;
        if let Value::Object(map) = value {
            self.fields(node, map, correlation, &mut findings);
            findings.matches += 1;
        }
        findings
    }

    fn kind(&mut self, node: &Node, value: &Value, findings: &mut Findings) {
        let format = formats::effective(node);
        if node.kind.is_none() && format.is_none() {
            return;
        }
        findings.matches += 1;
        let expected = node.kind.map_or("", Type::name);
        if value.is_null() {
            if node.kind.is_some() && !node.nullable {
                findings.add(self.mistyped(expected, "null"));
            }
            return;
        }
        let (actual, native) = described(value);
        let matches = fits(node.kind, value);
        let is_sequence = matches!(value, Value::String(_) | Value::Array(_));
        let is_numeric = matches!(node.kind, Some(Type::Integer | Type::Number | Type::IntOrString));
        match format {
            Some(format) if !is_sequence && !matches && native != format => {
                findings.add(self.mistyped(format, native));
            }
            Some(_) if is_sequence && !is_numeric => findings.matches += 1,
            _ if matches => findings.matches += 1,
            _ => findings.add(self.mistyped(expected, actual)),
        }
    }

    fn mistyped(&self, expected: &str, actual: &str) -> Cause {
        let detail =
            format!("{} in body must be of type {expected}: {}", self.path, field_errors::quoted(actual));
        field_errors::mistyped(self.path, &Value::String(actual.to_owned()), detail)
    }

    fn junctors(
        &mut self,
        node: &Node,
        value: &Value,
        correlation: Correlation<'_>,
        findings: &mut Findings,
    ) {
        findings.matches += 2;
        if !node.any_of.is_empty() {
            let (valid, best) = self.alternatives(&node.any_of, value, correlation, true);
            if valid == 0 {
                findings.add(field_errors::nowhere(format!(
                    "{} must validate at least one schema (anyOf)",
                    self.quoted()
                )));
            }
            findings.merge(best);
        }
        if !node.one_of.is_empty() {
            let (valid, best) = self.alternatives(&node.one_of, value, correlation, false);
            let problem = match valid {
                0 => Some("Found none valid".to_owned()),
                1 => None,
                many => Some(format!("Found {many} valid alternatives")),
            };
            if let Some(problem) = problem {
                let quoted = self.quoted();
                findings.add(field_errors::nowhere(format!(
                    "{quoted} must validate one and only one schema (oneOf). {problem}"
                )));
            }
            if valid < 2 {
                findings.merge(best);
            }
        }
        let mut valid = 0;
        for part in &node.all_of {
            let found = self.findings(part, value, correlation);
            valid += usize::from(found.causes.is_empty());
            findings.merge(found);
        }
        if valid != node.all_of.len() {
            let extent = if valid == 0 { ". None validated" } else { "" };
            findings.add(field_errors::nowhere(format!(
                "{} must validate all the schemas (allOf){extent}",
                self.quoted()
            )));
        }
        if let Some(not) = &node.not
            && self.findings(not, value, correlation).causes.is_empty()
        {
            findings
                .add(field_errors::nowhere(format!("{} must not validate the schema (not)", self.quoted())));
        }
    }

    /// How many alternatives match a value, and which result to report: the first success or the closest failure.
    fn alternatives(
        &mut self,
        alternatives: &[Node],
        value: &Value,
        correlation: Correlation<'_>,
        one_is_enough: bool,
    ) -> (usize, Findings) {
        let mut valid = 0;
        let mut best: Option<Findings> = None;
        for alternative in alternatives {
            let found = self.findings(alternative, value, correlation);
            if found.causes.is_empty() {
                valid += 1;
                if valid == 1 {
                    best = Some(found);
                }
                if one_is_enough {
                    break;
                }
            } else if valid == 0 && best.as_ref().is_none_or(|best| found.matches > best.matches) {
                best = Some(found);
            }
        }
        (valid, best.unwrap_or_default())
    }

    fn text(&mut self, node: &Node, text: &str, findings: &mut Findings) {
        findings.matches += 1;
        let bounds = &node.bounds;
        let length = u64::try_from(text.chars().count()).unwrap_or(u64::MAX);
        let shown = || Value::String(text.to_owned());
        if let Some(most) = bounds.max_length.filter(|most| length > *most) {
            findings.add(field_errors::too_long(self.path, most));
        } else if let Some(least) = bounds.min_length.filter(|least| length < *least) {
            let detail = format!("{} in body should be at least {least} chars long", self.path);
            findings.add(field_errors::invalid(self.path, &shown(), detail));
        } else if let Some(pattern) = bounds.pattern.as_ref().filter(|pattern| !pattern.is_match(text)) {
            let detail = format!("{} in body should match '{pattern}'", self.path);
            findings.add(field_errors::invalid(self.path, &shown(), detail));
        }
    }

    fn format(&mut self, node: &Node, text: &str, findings: &mut Findings) {
        let Some(format) = formats::effective(node).filter(|format| formats::is_textual(format)) else {
            return;
        };
        findings.matches += 1;
        if !formats::matches(format, text) {
            findings.add(self.mistyped(format, text));
        }
    }

    fn number(&mut self, node: &Node, number: &Number, findings: &mut Findings) {
        findings.matches += 2;
        let bounds = &node.bounds;
        let (name, format) = (node.kind.map_or("", Type::name), formats::effective(node));
        if !in_range(node.kind, format, number) {
            let format = format
                .map_or_else(|| "(default format)".to_owned(), |format| format!("with format {format}"));
            findings.add(field_errors::nowhere(format!(
                "Checked value must be of type {name} {format} in {}",
                self.path
            )));
        }
        let shown = Value::Number(number.clone());
        let actual = number.as_f64().unwrap_or(f64::NAN);
        let limit = |limit: f64| {
            if number.is_f64() { field_errors::float(limit) } else { field_errors::float(limit.trunc()) }
        };
        // If the number is an integer, Go uses only the integer part of a factor.
        if let Some(factor) =
            bounds.multiple_of.map(|factor| if number.is_f64() { factor } else { factor.trunc() })
        {
            if factor <= 0.0 {
                let factor = field_errors::float(factor);
                let detail =
                    format!("factor MultipleOf declared for {} must be positive: {factor}", self.path);
                findings.add(field_errors::invalid_shown(self.path, &factor, &detail));
            } else if !is_multiple(number, factor) {
                let detail = format!("{} in body should be a multiple of {}", self.path, limit(factor));
                findings.add(field_errors::invalid(self.path, &shown, detail));
            }
        }
        if let Some(least) = bounds.minimum
            && (actual < least || (bounds.exclusive_minimum && actual <= least))
        {
            let than = if bounds.exclusive_minimum { "greater than" } else { "greater than or equal to" };
            let detail = format!("{} in body should be {than} {}", self.path, limit(least));
            findings.add(field_errors::invalid(self.path, &shown, detail));
        }
        if let Some(most) = bounds.maximum
            && (actual > most || (bounds.exclusive_maximum && actual >= most))
        {
            let than = if bounds.exclusive_maximum { "less than" } else { "less than or equal to" };
            let detail = format!("{} in body should be {than} {}", self.path, limit(most));
            findings.add(field_errors::invalid(self.path, &shown, detail));
        }
    }

    fn items(&mut self, node: &Node, items: &[Value], correlation: Correlation<'_>, findings: &mut Findings) {
        findings.matches += 2;
        if let Some(item) = &node.items {
            for (index, value) in items.iter().enumerate() {
                let mark = self.path.index(index);
                self.value(item, value, correlation.index(index), findings);
                self.path.leave(mark);
            }
        }
        let count = u64::try_from(items.len()).unwrap_or(u64::MAX);
        if let Some(least) = node.bounds.min_items.filter(|least| count < *least) {
            let detail = format!("{} in body should have at least {least} items", self.path);
            findings.add(field_errors::invalid(self.path, &Value::from(count), detail));
        }
        if let Some(most) = node.bounds.max_items.filter(|most| count > *most) {
            findings.add(field_errors::too_many(self.path, items.len(), most));
        }
    }

    fn choice(&mut self, node: &Node, value: &Value, findings: &mut Findings) {
        let choices = &node.bounds.choices;
        let is_one = |choice: &Value| !value.is_null() && same(choice, value);
        if !choices.is_empty() && !choices.iter().any(is_one) {
            let words: Vec<String> = choices
                .iter()
                .map(|choice| choice.as_str().map_or_else(|| choice.to_string(), str::to_owned))
                .collect();
            findings.add(field_errors::not_supported(self.path, value, &words));
        }
    }

    fn fields(
        &mut self,
        node: &Node,
        map: &Map<String, Value>,
        correlation: Correlation<'_>,
        findings: &mut Findings,
    ) {
        let bounds = &node.bounds;
        let count = u64::try_from(map.len()).unwrap_or(u64::MAX);
        if let Some(least) = bounds.min_properties.filter(|least| count < *least) {
            let detail = format!("{} in body should have at least {least} properties", self.path);
            findings.add(field_errors::invalid(self.path, &Value::from(count), detail));
        }
        if let Some(most) = bounds.max_properties.filter(|most| count > *most) {
            findings.add(field_errors::too_many(self.path, map.len(), most));
        }
        for (name, value) in map {
            let Some(field) = node.field(name) else {
                if matches!(node.additional, Additional::Nothing) {
                    let detail = format!("{}.{name} in body is a forbidden property", self.path);
                    findings.add(field_errors::invalid(self.path, &Value::String(name.clone()), detail));
                }
                continue;
            };
            let mark = self.path.field(name);
            self.value(field, value, correlation.key(name), findings);
            self.path.leave(mark);
        }
        for name in bounds.required.iter().filter(|name| !map.contains_key(*name)) {
            let mark = self.path.field(name);
            findings.add(field_errors::required(self.path, ""));
            self.path.leave(mark);
        }
    }

    fn quoted(&self) -> String {
        field_errors::quoted(self.path.text())
    }
}

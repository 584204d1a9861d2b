//! Evaluates the rules of a schema.

use super::{
    correlation::{Correlation, same_item},
    dialect::LIBRARY,
    field_errors,
    node::Node,
    rule::{Reason, Rule},
    values,
};
use crate::{
    failure::Cause,
    schema::{Type, path::Path},
};
use kube::core::cel::cel::{Context, ExecutionError, IdedExpr, Value as Cel, objects::OptionalValue};
use serde_json::Value;
use std::sync::Arc;

/// The maximum length of a computed message.
const MESSAGE: usize = 5 * 1024;

/// The violated rules of an object, whose old version is `old`.
pub(super) fn broken(
    node: &Node,
    new: &Value,
    old: Option<&Value>,
    correlation: Correlation<'_>,
) -> Vec<Cause> {
    let mut evaluation = Evaluation { path: &mut Path::default(), causes: Vec::new() };
    evaluation.value(node, new, old, correlation, true);
    evaluation.causes
}

/// The violated rules of a part of an object at a path.
pub(super) fn broken_at(path: &mut Path, node: &Node, new: &Value, old: Option<&Value>) -> Vec<Cause> {
    let mut evaluation = Evaluation { path, causes: Vec::new() };
    evaluation.value(node, new, old, Correlation::none(), false);
    evaluation.causes
}

struct Evaluation<'p> {
    path: &'p mut Path,
    causes: Vec<Cause>,
}

impl Evaluation<'_> {
    fn value(
        &mut self,
        node: &Node,
        new: &Value,
        old: Option<&Value>,
        correlation: Correlation<'_>,
        is_object: bool,
    ) {
        if new.is_null() || !node.has_rules || self.path.is_too_deep() {
            return;
        }
        let old = old.filter(|old| !old.is_null());
        if !node.rules.is_empty() {
            self.rules(node, new, old, correlation, is_object);
        }
        match new {
            Value::Object(map) => {
                for (name, value) in map {
                    let Some(field) = node.field(name) else { continue };
                    let is_field = node.properties.contains_key(name);
                    let mark = if is_field { self.path.field(name) } else { self.path.key(name) };
                    let old = old.and_then(|old| old.get(name));
                    self.value(field, value, old, correlation.key(name), field.embedded);
                    self.path.leave(mark);
                }
            }
            Value::Array(items) => {
                let Some(item) = &node.items else { return };
                for (index, value) in items.iter().enumerate() {
                    let mark = self.path.index(index);
                    let old = old.and_then(|old| same_item(node, old, value));
                    self.value(item, value, old, correlation.index(index), item.embedded);
                    self.path.leave(mark);
                }
            }
            _ => {}
        }
    }

    fn rules(
        &mut self,
        node: &Node,
        new: &Value,
        old: Option<&Value>,
        correlation: Correlation<'_>,
        is_object: bool,
    ) {
        let mut plain = LIBRARY.new_inner_scope();
        let this = values::value(Some(node), new, is_object);
        let before = old.map(|old| values::value(Some(node), old, is_object));
        plain.add_variable_from_value("self", this);
        if let Some(before) = &before {
            plain.add_variable_from_value("oldSelf", before.clone());
        }
        for rule in &node.rules {
            let optional = rule.optional_old_self == Some(true);
            if rule.uses_old_self && before.is_none() && !optional {
                continue;
            }
            let mut scope = plain.new_inner_scope();
            if optional {
                let before = before.clone().map_or_else(OptionalValue::none, OptionalValue::of);
                scope.add_variable_from_value("oldSelf", Cel::Opaque(Arc::new(before)));
            }
            let outcome = match &rule.program {
                Ok(program) => scope.resolve(program),
                Err(problem) => {
                    self.cannot(node, &format!("rule compile error: {problem}"));
                    continue;
                }
            };
            match outcome {
                Ok(Cel::Bool(true)) => {}
                Ok(_) if !rule.uses_old_self && correlation.is_settled() => {}
                Ok(_) => {
                    let cause = self.refusal(node, rule, new, &plain);
                    self.causes.push(cause);
                }
                Err(problem) => {
                    let message = match problem {
                        ExecutionError::NoSuchOverload => format!(
                            "'no such overload': call arguments did not match a supported operator, function or macro signature for rule: {}",
                            rule.named()
                        ),
                        problem => format!("{} evaluating rule: {}", problem_text(&problem), rule.named()),
                    };
                    self.cannot(node, &message);
                }
            }
        }
    }

    /// Reports a rule that could not be evaluated.
    fn cannot(&mut self, node: &Node, problem: &str) {
        let kind = node.kind.map_or("", Type::name);
        self.causes.push(field_errors::invalid(self.path, &Value::String(kind.to_owned()), problem));
    }

    fn refusal(&mut self, node: &Node, rule: &Rule, value: &Value, scope: &Context<'_>) -> Cause {
        let computed =
            rule.message_expression.as_ref().and_then(|(_, program)| message(program.as_ref().ok()?, scope));
        let detail = computed
            .or_else(|| rule.message.clone())
            .unwrap_or_else(|| format!("failed rule: {}", rule.text));
        let mark = match &rule.field {
            Some(Ok(field)) => Some(self.path.field(field)),
            _ => None,
        };
        let is_compound = matches!(node.kind, Some(Type::Object | Type::Array));
        let cause = match rule.reason {
            Reason::Forbidden => field_errors::forbidden(self.path, &detail),
            Reason::Required => field_errors::required(self.path, &detail),
            Reason::Duplicate if is_compound => field_errors::duplicate_unshown(self.path),
            Reason::Duplicate => field_errors::duplicate(self.path, value),
            Reason::Invalid if is_compound => field_errors::invalid_unshown(self.path, &detail),
            Reason::Invalid => field_errors::invalid(self.path, value, detail),
        };
        if let Some(mark) = mark {
            self.path.leave(mark);
        }
        cause
    }
}

/// A computed message, if it is valid.
fn message(program: &IdedExpr, scope: &Context<'_>) -> Option<String> {
    let Ok(Cel::String(text)) = scope.resolve(program) else { return None };
    let text = text.trim();
    let fits = !text.is_empty() && text.len() <= MESSAGE && !text.contains('\n');
    fits.then(|| text.to_owned())
}

/// Why a rule could not be evaluated, in the wording of cel-go if it is known.
fn problem_text(problem: &ExecutionError) -> String {
    match problem {
        ExecutionError::NoSuchKey(key) => format!("no such key: {key}"),
        ExecutionError::DivisionByZero(_) => "division by zero".to_owned(),
        ExecutionError::RemainderByZero(_) => "modulus by zero".to_owned(),
        ExecutionError::Overflow(..) => "integer overflow".to_owned(),
        ExecutionError::IndexOutOfBounds(Cel::Int(index)) => format!("index out of bounds: {index}"),
        ExecutionError::UndeclaredReference(name) => format!("undeclared reference to '{name}'"),
        other => other.to_string(),
    }
}

//! Checks of a compiled schema: whether defaults are valid and rules make sense.

use crate::{
    failure::Cause,
    schema::{
        custom::{
            correlation::Correlation,
            field_errors, names,
            node::{List, Node},
            openapi, prune,
            rule::Rule,
            rules,
        },
        path::{self, Path},
    },
};
use kube::core::cel::cel::IdedExpr;
use serde_json::Value;

/// Defaults that their own schema would refuse or prune.
pub(in crate::schema::custom) fn wrong_defaults(root: &Node, place: &str) -> Vec<Cause> {
    let mut path = Path::default();
    let _mark = path.field(place);
    let mut causes = Vec::new();
    each(root, &mut path, &mut |node, path| {
        let Some(default) = &node.default else { return };
        let mark = path.field("default");
        if !prune::is_pruned(node, default) {
            causes.push(field_errors::invalid(path, default, "must not have unknown fields"));
        }
        let refused = openapi::wrong(node, default, Correlation::none());
        let sound = refused.is_empty();
        causes.extend(refused.into_iter().map(|cause| below(path, cause)));
        if sound {
            causes.extend(rules::broken_at(path, node, default, Some(default)));
        }
        path.leave(mark);
    });
    causes
}

/// An error about a part of a value, as one about the value at a path.
fn below(place: &Path, cause: Cause) -> Cause {
    let field = match cause.field.as_str() {
        path::ROOT => place.named(),
        within => format!("{place}.{within}"),
    };
    Cause { field, ..cause }
}

/// Rules that do not compile, or that use old values where there are none.
pub(in crate::schema::custom) fn wrong_rules(root: &Node, place: &str) -> Vec<Cause> {
    let mut path = Path::default();
    let _mark = path.field(place);
    let mut causes = Vec::new();
    let mut atomic: Vec<String> = Vec::new();
    each(root, &mut path, &mut |node, path| {
        let here = path.named();
        atomic.retain(|list| here.starts_with(&format!("{list}.items")));
        let is_object = here == place || node.embedded;
        for (index, rule) in node.rules.iter().enumerate() {
            let marks = [path.field("x-kubernetes-validations"), path.index(index)];
            causes.extend(wrong_rule(node, rule, path, is_object, atomic.first()));
            let [validations, item] = marks;
            path.leave(item);
            path.leave(validations);
        }
        if node.items.is_some() && !matches!(node.list, List::Map(_)) {
            atomic.push(here);
        }
    });
    causes
}

/// The problems of one rule. `within` is the list around it whose items have no identity, if there is one.
fn wrong_rule(
    node: &Node,
    rule: &Rule,
    path: &mut Path,
    is_object: bool,
    within: Option<&String>,
) -> Vec<Cause> {
    let mut causes = Vec::new();
    let has_typed_old = rule.optional_old_self != Some(true);
    let problem = |source: &str, program: &Result<IdedExpr, String>| match program {
        Err(problem) => Some(problem.clone()),
        Ok(program) => names::problem(source, program, node, has_typed_old, is_object),
    };
    let mark = path.field("rule");
    let unsound = problem(&rule.text, &rule.program);
    if let Some(problem) = &unsound {
        causes.push(field_errors::invalid_shown(path, &rule.shown(), problem));
    } else if let Some(list) = within.filter(|_| rule.uses_old_self) {
        let detail =
            format!("oldSelf cannot be used on the uncorrelatable portion of the schema within {list}");
        causes.push(field_errors::invalid(path, &Value::String(rule.text.clone()), detail));
    }
    path.leave(mark);
    let expression = rule.message_expression.as_ref();
    if let Some(problem) = expression.and_then(|(source, program)| problem(source, program)) {
        let mark = path.field("messageExpression");
        causes.push(field_errors::invalid_shown(path, &rule.shown(), &problem));
        path.leave(mark);
    }
    if let Some(optional) = rule.optional_old_self.filter(|_| !rule.uses_old_self && unsound.is_none()) {
        let mark = path.field("optionalOldSelf");
        let detail = "may not be set if oldSelf is not used in rule";
        causes.push(field_errors::invalid(path, &Value::Bool(optional), detail));
        path.leave(mark);
    }
    causes
}

/// Visits a schema and everything below it that values have, with the path of each.
fn each(node: &Node, path: &mut Path, visit: &mut impl FnMut(&Node, &mut Path)) {
    visit(node, path);
    for (name, property) in &node.properties {
        let marks = [path.field("properties"), path.key(name)];
        each(property, path, visit);
        let [outer, inner] = marks;
        path.leave(inner);
        path.leave(outer);
    }
    if let Some(values) = node.values() {
        let mark = path.field("additionalProperties");
        each(values, path, visit);
        path.leave(mark);
    }
    if let Some(item) = &node.items {
        let mark = path.field("items");
        each(item, path, visit);
        path.leave(mark);
    }
}

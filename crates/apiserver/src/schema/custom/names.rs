//! Finds undeclared names in rules, because the CEL library has no type checker.

use super::{dialect::OPTIONAL_FIELD, node::Node, values::escaped};
use crate::schema::Type;
use kube::core::cel::cel::common::ast::{EntryExpr, Expr, IdedExpr, LiteralValue, operators};

/// Names that are neither fields nor variables: types and namespaces of functions.
const KNOWN: [&str; 25] = [
    "self",
    "bool",
    "int",
    "uint",
    "double",
    "string",
    "bytes",
    "list",
    "map",
    "type",
    "null_type",
    "dyn",
    "sets",
    "math",
    "lists",
    "base64",
    "strings",
    "format",
    "ip",
    "cidr",
    "optional",
    "jsonpatch",
    "cel",
    "google",
    "semver",
];

/// Macros of newer libraries, which this library parses as calls; their arguments declare variables.
const MACROS: [&str; 10] = [
    "bind",
    "all",
    "exists",
    "existsOne",
    "exists_one",
    "map",
    "filter",
    "sortBy",
    "transformList",
    "transformMap",
];

/// The error about the first undeclared name in an expression, in the wording of cel-go.
pub(super) fn problem(
    source: &str,
    expression: &IdedExpr,
    node: &Node,
    old: bool,
    is_object: bool,
) -> Option<String> {
    let mut names = Names { this: Known::Value { node, is_object }, old, bound: Vec::new(), found: None };
    names.value(expression);
    let found = names.found?;
    let offset = found.offset(source).unwrap_or(0);
    let before = source.get(..offset).unwrap_or_default();
    let (line, column) = (before.matches('\n').count(), offset - before.rfind('\n').map_or(0, |end| end + 1));
    let text = source.lines().nth(line).unwrap_or_default();
    let marker = ".".repeat(column);
    Some(format!(
        "compilation failed: ERROR: <input>:{}:{}: {}\n | {text}\n | {marker}^",
        line + 1,
        column + 1,
        found.message()
    ))
}

/// What is known about the type of a value.
#[derive(Clone, Copy)]
enum Known<'a> {
    Value {
        node: &'a Node,
        is_object: bool,
    },
    /// The metadata of an object.
    Metadata,
    Anything,
}

enum Problem<'e> {
    Undeclared(&'e str),
    Undefined { field: &'e str, is_test: bool },
    Unselectable { field: &'e str, kind: &'static str },
}

impl Problem<'_> {
    fn message(&self) -> String {
        match self {
            Self::Undeclared(name) => format!("undeclared reference to '{name}' (in container '')"),
            Self::Undefined { field, .. } => format!("undefined field '{field}'"),
            Self::Unselectable { kind, .. } => format!("type '{kind}' does not support field selection"),
        }
    }

    /// The position in the source, estimated because the parser does not keep positions.
    fn offset(&self, source: &str) -> Option<usize> {
        let word = |text: &str| -> Option<usize> {
            let mut found = source.match_indices(text);
            let is_part = |character: char| character.is_ascii_alphanumeric() || character == '_';
            let stands_alone = |start: usize| {
                let (before, after) = (source.get(..start), source.get(start + text.len()..));
                let joined = !text.starts_with('.')
                    && before.is_some_and(|before| before.ends_with(|last| is_part(last) || last == '.'));
                !joined && !after.is_some_and(|after| after.starts_with(is_part))
            };
            found.find(|(start, _)| stands_alone(*start)).map(|(start, _)| start)
        };
        match self {
            Self::Undeclared(name) => word(name),
            Self::Undefined { field, is_test: true } => {
                let dot = word(&format!(".{field}"))?;
                source.get(..dot)?.rfind("has(").map(|start| start + "has".len())
            }
            Self::Undefined { field, .. } | Self::Unselectable { field, .. } => {
                word(&format!(".{field}")).or_else(|| word(&format!(".?{field}")))
            }
        }
    }
}

struct Names<'e, 'n> {
    this: Known<'n>,
    /// Whether `oldSelf` is of the same type.
    old: bool,
    bound: Vec<(&'e str, Known<'n>)>,
    found: Option<Problem<'e>>,
}

impl<'e, 'n> Names<'e, 'n> {
    fn value(&mut self, expression: &'e IdedExpr) -> Known<'n> {
        if self.found.is_some() {
            return Known::Anything;
        }
        match &expression.expr {
            Expr::Ident(name) => self.variable(name),
            Expr::Select(select) => {
                let operand = self.value(&select.operand);
                self.field(operand, &select.field, select.test)
            }
            Expr::Call(call) => {
                let count = self.bound.len();
                if MACROS.contains(&call.func_name.as_str()) {
                    let names = call.args.iter().filter_map(|argument| match &argument.expr {
                        Expr::Ident(name) => Some((name.as_str(), Known::Anything)),
                        _ => None,
                    });
                    self.bound.extend(names);
                }
                if let Some(target) = &call.target {
                    self.value(target);
                }
                let arguments: Vec<_> = call.args.iter().map(|argument| self.value(argument)).collect();
                self.bound.truncate(count);
                self.called(&call.func_name, &call.args, &arguments)
            }
            Expr::Comprehension(comprehension) => {
                let range = self.value(&comprehension.iter_range);
                let item = match range {
                    Known::Value { node: Node { items: Some(item), .. }, .. } => value_of(item),
                    _ => Known::Anything,
                };
                let count = self.bound.len();
                let second = comprehension.iter_var2.as_deref().map(|name| (name, Known::Anything));
                self.bound.push((&comprehension.iter_var, item));
                self.bound.extend(second);
                self.bound.push((&comprehension.accu_var, Known::Anything));
                for part in [
                    &comprehension.accu_init,
                    &comprehension.loop_cond,
                    &comprehension.loop_step,
                    &comprehension.result,
                ] {
                    self.value(part);
                }
                self.bound.truncate(count);
                Known::Anything
            }
            Expr::List(list) => {
                for element in &list.elements {
                    self.value(element);
                }
                Known::Anything
            }
            Expr::Map(map) => {
                for entry in &map.entries {
                    if let EntryExpr::MapEntry(entry) = &entry.expr {
                        self.value(&entry.key);
                        self.value(&entry.value);
                    }
                }
                Known::Anything
            }
            Expr::Literal(_) | Expr::Struct(_) | Expr::Unspecified => Known::Anything,
        }
    }

    fn variable(&mut self, name: &'e str) -> Known<'n> {
        if let Some((_, known)) = self.bound.iter().rev().find(|(bound, _)| *bound == name) {
            return *known;
        }
        match name {
            "self" => self.this,
            "oldSelf" if self.old => self.this,
            "oldSelf" => Known::Anything,
            other if other.starts_with('@') || KNOWN.contains(&other) => Known::Anything,
            other => {
                self.found = Some(Problem::Undeclared(other));
                Known::Anything
            }
        }
    }

    fn called(&mut self, function: &str, expressions: &'e [IdedExpr], arguments: &[Known<'n>]) -> Known<'n> {
        match (function, arguments, expressions) {
            (operators::INDEX, [Known::Value { node, .. }, _], _) => match (&node.items, node.values()) {
                (Some(item), _) => value_of(item),
                (None, Some(value)) => value_of(value),
                _ => Known::Anything,
            },
            (OPTIONAL_FIELD, [operand, _], [_, name]) => {
                if let Expr::Literal(LiteralValue::String(name)) = &name.expr {
                    self.field(*operand, name.inner(), false);
                }
                Known::Anything
            }
            _ => Known::Anything,
        }
    }

    fn field(&mut self, operand: Known<'n>, field: &'e str, is_test: bool) -> Known<'n> {
        let (node, is_object) = match operand {
            Known::Value { node, is_object } => (node, is_object),
            Known::Metadata if matches!(field, "name" | "generateName") => return Known::Anything,
            Known::Metadata => {
                self.found = Some(Problem::Undefined { field, is_test });
                return Known::Anything;
            }
            Known::Anything => return Known::Anything,
        };
        if is_object && field == "metadata" {
            return Known::Metadata;
        }
        let known = node.properties.iter().find(|(name, _)| escaped(name).as_deref() == Some(field));
        if let Some((_, known)) = known {
            return value_of(known);
        }
        self.found = match (node.kind, node.format.as_deref()) {
            (Some(Type::Object), _) => match node.values() {
                Some(value) => return value_of(value),
                None if node.preserves_unknown || !node.is_struct() => return Known::Anything,
                None if is_object && matches!(field, "apiVersion" | "kind") => return Known::Anything,
                None => Some(Problem::Undefined { field, is_test }),
            },
            (Some(Type::String), None) => Some(Problem::Unselectable { field, kind: "string" }),
            (Some(Type::Integer), _) => Some(Problem::Unselectable { field, kind: "int" }),
            (Some(Type::Number), _) => Some(Problem::Unselectable { field, kind: "double" }),
            (Some(Type::Boolean), _) => Some(Problem::Unselectable { field, kind: "bool" }),
            _ => None,
        };
        Known::Anything
    }
}

fn value_of(node: &Node) -> Known<'_> {
    Known::Value { node, is_object: node.embedded }
}

//! Extensions of CEL that the API server has and the CEL library lacks.

use kube::core::cel::{
    KubeCelExt as _,
    cel::{
        Context, ExecutionError, IdedExpr, ResolveResult, Value as Cel,
        common::ast::{EntryExpr, Expr, operators},
        objects::{Key, OptionalValue},
    },
};
use std::sync::{Arc, LazyLock};

/// The replacement of `.?`, because that of the library fails on missing fields.
pub(super) const OPTIONAL_FIELD: &str = "@optionalField";

/// All functions that rules can call.
pub(super) static LIBRARY: LazyLock<Context<'static>> = LazyLock::new(|| {
    let mut library = Context::default().with_all();
    // They differ only for a type checker.
    library.add_function("dyn", |value: Cel| -> ResolveResult { Ok(value) });
    library.add_function("type", |value: Cel| -> ResolveResult { Ok(named_type(type_name(&value))) });
    library.add_function(OPTIONAL_FIELD, optional_field);
    for name in ["bool", "int", "uint", "double", "string", "bytes", "list", "map", "null_type"] {
        library.add_variable_from_value(name, named_type(name));
    }
    library
});

fn named_type(name: &str) -> Cel {
    Cel::String(Arc::new(format!("type {name}")))
}

fn type_name(value: &Cel) -> &'static str {
    match value {
        Cel::Bool(_) => "bool",
        Cel::Int(_) => "int",
        Cel::UInt(_) => "uint",
        Cel::Float(_) => "double",
        Cel::String(_) => "string",
        Cel::Bytes(_) => "bytes",
        Cel::List(_) => "list",
        Cel::Map(_) => "map",
        Cel::Null => "null_type",
        _ => "other",
    }
}

fn optional_field(operand: Cel, name: Arc<String>) -> ResolveResult {
    let map = match &operand {
        Cel::Map(map) => Some(map),
        Cel::Opaque(opaque) => match opaque.downcast_ref::<OptionalValue>().map(OptionalValue::value) {
            Some(Some(Cel::Map(map))) => Some(map),
            Some(None) => None,
            _ => return Err(ExecutionError::NoSuchOverload),
        },
        _ => return Err(ExecutionError::NoSuchOverload),
    };
    let value = map.and_then(|map| map.map.get(&Key::String(name)));
    let optional = value.cloned().map_or_else(OptionalValue::none, OptionalValue::of);
    Ok(Cel::Opaque(Arc::new(optional)))
}

/// Translates an expression so that it uses these functions. The parser limits its depth.
pub(super) fn translate(expression: &mut IdedExpr) {
    match &mut expression.expr {
        Expr::Call(call) => {
            if call.func_name == operators::OPT_SELECT {
                OPTIONAL_FIELD.clone_into(&mut call.func_name);
            }
            call.target.as_deref_mut().into_iter().chain(&mut call.args).for_each(translate);
        }
        Expr::Comprehension(comprehension) => {
            translate(&mut comprehension.iter_range);
            translate(&mut comprehension.accu_init);
            translate(&mut comprehension.loop_cond);
            translate(&mut comprehension.loop_step);
            translate(&mut comprehension.result);
        }
        Expr::List(list) => list.elements.iter_mut().for_each(translate),
        Expr::Map(map) => {
            for entry in &mut map.entries {
                if let EntryExpr::MapEntry(entry) = &mut entry.expr {
                    translate(&mut entry.key);
                    translate(&mut entry.value);
                }
            }
        }
        Expr::Select(select) => translate(&mut select.operand),
        Expr::Ident(_) | Expr::Literal(_) | Expr::Struct(_) | Expr::Unspecified => {}
    }
}

//! The forms of responses: whole objects, metadata or tables; in JSON or YAML.

#[cfg(test)]
mod a_kind;
mod accept;
mod age;
mod jsonpath;
mod metadata;
mod printers;
mod table;

pub(crate) use accept::{As, Clause, Format, Presentation, clauses, negotiate};
pub(crate) use jsonpath::JsonPath;
pub(crate) use metadata::{partial, partial_list};
pub(crate) use table::{IncludeObject, WithHeaders, table};

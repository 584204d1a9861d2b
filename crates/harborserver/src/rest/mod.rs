//! What every endpoint shares: routes, parameters, bodies, pages, answers.

mod body;
mod column;
mod csrf;
mod decode;
mod filter;
mod go;
mod page;
mod path;
mod received;
mod reply;
mod route;
mod shown;

pub(crate) use body::{LARGEST_REQUEST, collect_limited};
pub(crate) use column::{Column, Row};
pub(crate) use csrf::{Protection, check as check_csrf};
pub(crate) use decode::{Decode, Place, go_struct};
pub(crate) use filter::{Filter, Term};
pub(crate) use go::{parse, syntax_error};
pub(crate) use page::{Page, Sort};
pub(crate) use path::unescaped;
pub(crate) use received::Received;
pub(crate) use reply::{Content, Reply, Session};
pub(crate) use route::{Route, route};
pub(crate) use shown::Shown;

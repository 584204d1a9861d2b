//! A dependency graph that cannot contain a cycle, and the runner that walks it.
//!
//! A [`Node`] handle exists only once its node does, and edges are written as "this new node comes after those
//! handles". Every edge therefore points backwards, and insertion order *is* a topological order. The brand `'g`
//! keeps a handle inside the graph it came from. Both are checked by the compiler; nothing is left to detect at
//! run time.
//!
//! ```
//! # use std::{convert::Infallible, num::NonZeroUsize};
//! # use tokio_util::sync::CancellationToken;
//! use graph::{Graph, Step};
//!
//! struct Database;
//! struct Server;
//!
//! let graph = Graph::<&str>::build(|g| {
//!     let database = g.add::<Database>("database", ());
//!     let cache = None; // an optional node costs no `if let`
//!     let server = g.add::<Server>("server", (database, cache.as_slice()));
//!     g.add::<()>("ingress", server);
//! #   let _: Option<graph::Node<'_, ()>> = cache;
//!     Ok::<_, Infallible>(())
//! })?;
//!
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! let report = graph::run(&graph, NonZeroUsize::MIN, &CancellationToken::new(), async |_, &name| {
//!     println!("applying {name}");
//!     Ok::<_, Infallible>(Step::Ready)
//! })
//! .await;
//! assert!(report.is_ready());
//! # });
//! # Ok::<_, Infallible>(())
//! ```
//!
//! # What does not compile
//!
//! Each example stands beside a twin that differs only in the mistake, and compiles.
//!
//! A handle of **another graph**, even of one that is being built at the same time:
//!
//! ```compile_fail,E0521
//! # use graph::Graph;
//! # use std::convert::Infallible;
//! Graph::<u8>::build(|outer| {
//!     let foreign = outer.add::<u8>(1, ());
//!     Graph::<u8>::build(|inner| {
//!         let own = inner.add::<u8>(2, ());
//!         inner.add::<u8>(3, foreign);
//!         Ok::<_, Infallible>(())
//!     })?;
//!     Ok::<_, Infallible>(())
//! });
//! ```
//! ```
//! # use graph::Graph;
//! # use std::convert::Infallible;
//! Graph::<u8>::build(|outer| {
//!     let foreign = outer.add::<u8>(1, ());
//!     Graph::<u8>::build(|inner| {
//!         let own = inner.add::<u8>(2, ());
//!         inner.add::<u8>(3, own);
//!         Ok::<_, Infallible>(())
//!     })?;
//!     Ok::<_, Infallible>(())
//! });
//! ```
//!
//! A handle **kept for later**, after its graph was built:
//!
//! ```compile_fail,E0521
//! # use graph::{Graph, Node};
//! # use std::convert::Infallible;
//! let mut kept: Option<Node<'_, u8>> = None;
//! Graph::<u8>::build(|g| {
//!     let node = g.add::<u8>(1, ());
//!     kept = Some(node);
//!     Ok::<_, Infallible>(())
//! });
//! ```
//! ```
//! # use graph::{Graph, NodeId};
//! # use std::convert::Infallible;
//! let mut kept: Option<NodeId> = None;
//! Graph::<u8>::build(|g| {
//!     let node = g.add::<u8>(1, ());
//!     kept = Some(node.id());
//!     Ok::<_, Infallible>(())
//! });
//! ```
//!
//! A **cycle**, because it needs a handle before that handle exists:
//!
//! ```compile_fail,E0381
//! # use graph::Graph;
//! # use std::convert::Infallible;
//! Graph::<u8>::build(|g| {
//!     let second;
//!     let first = g.add::<u8>(1, second);
//!     second = g.add::<u8>(2, first);
//!     Ok::<_, Infallible>(())
//! });
//! ```
//! ```
//! # use graph::Graph;
//! # use std::convert::Infallible;
//! Graph::<u8>::build(|g| {
//!     let second;
//!     let first = g.add::<u8>(1, ());
//!     second = g.add::<u8>(2, first);
//! #   let _ = second;
//!     Ok::<_, Infallible>(())
//! });
//! ```
//!
//! An **unknown blocker**: a [`NodeId`] may come from anywhere, so it is not one of the [`Deps`]:
//!
//! ```compile_fail,E0277
//! # use graph::Graph;
//! # use std::convert::Infallible;
//! Graph::<u8>::build(|g| {
//!     let first = g.add::<u8>(1, ());
//!     g.add::<u8>(2, first.id());
//!     Ok::<_, Infallible>(())
//! });
//! ```
//! ```
//! # use graph::Graph;
//! # use std::convert::Infallible;
//! Graph::<u8>::build(|g| {
//!     let first = g.add::<u8>(1, ());
//!     g.add::<u8>(2, first);
//!     Ok::<_, Infallible>(())
//! });
//! ```

mod adjacency;
mod deps;
mod draw;
mod edge;
mod graph;
mod report;
mod run;
mod runnable;
mod slots;

pub use crate::{
    deps::{Blockers, Deps, Node},
    edge::{Edge, Edges, Through, confirms, starts_after, upgrades_after},
    graph::{Builder, Graph, NodeId},
    report::{Outcome, Report},
    run::{Step, run},
};

//! A dependency graph that cannot contain a cycle, and the function that runs it.
//!
//! [`Builder::add`] takes the handles of the new node's dependencies and returns the handle of the new node, a [`Node`].
//! Every edge therefore points to an earlier node, and insertion order *is* a topological order. The brand `'g` ties a
//! handle to the graph it came from. The compiler checks both, so nothing can fail at run time.
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
//! Each example is followed by one that differs only in the mistake, and compiles.
//!
//! A handle of **another graph**, even of one under construction at the same time:
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
//! A [`NodeId`] as a **dependency**: it may come from any graph, so it does not implement [`Deps`]:
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

mod deps;
mod draw;
mod edge;
mod graph;
mod report;
mod run;

pub use crate::{
    deps::{Blockers, Deps, Node},
    edge::{Edge, Edges, Through, confirms, starts_after, upgrades_after},
    graph::{Builder, Graph, NodeId},
    report::{Outcome, Report},
    run::{Step, run},
};

//! How a new node says what it comes after.

use crate::{
    edge::{Edge, Edges},
    graph::NodeId,
};
use std::{fmt, marker::PhantomData};

/// Makes `'g` invariant, so that the brands of two graphs never unify.
pub(crate) type Brand<'g> = PhantomData<fn(&'g ()) -> &'g ()>;

/// A handle to a node that holds a `K`, in the graph branded `'g`.
///
/// Having one proves that the node exists in that graph. The kind `K` is for the reader and for functions that
/// want, say, a `Node<'g, Secret>` and nothing else; the graph itself ignores it.
pub struct Node<'g, K: ?Sized> {
    id: NodeId,
    brand: Brand<'g>,
    kind: PhantomData<fn() -> K>,
}

impl<K: ?Sized> Node<'_, K> {
    /// The caller has just added the node `id` to the graph with this brand.
    pub(crate) fn new(id: NodeId) -> Self {
        Self { id, brand: PhantomData, kind: PhantomData }
    }

    /// The node's place in the graph: what [`run`](crate::run()) and [`Report`](crate::Report) call it.
    pub fn id(&self) -> NodeId {
        self.id
    }
}

impl<K: ?Sized> Clone for Node<'_, K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K: ?Sized> Copy for Node<'_, K> {}

impl<K: ?Sized> fmt::Debug for Node<'_, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Node({})", self.id)
    }
}

/// The nodes a new node comes after, as far as its [`Deps`] have named them.
///
/// It takes handles only, never a [`NodeId`], so that an implementation of [`Deps`] outside this crate cannot
/// forge an edge.
pub struct Blockers<'g> {
    named: Vec<(NodeId, Edges)>,
    /// How the new node depends on what is pushed next.
    edge: Edge,
    brand: Brand<'g>,
}

impl<'g> Blockers<'g> {
    pub(crate) fn new() -> Self {
        Self { named: Vec::new(), edge: Edge::Needs, brand: PhantomData }
    }

    /// Adds one node; naming it twice is the same as naming it once.
    pub fn push<K: ?Sized>(&mut self, node: Node<'g, K>) {
        self.named.push((node.id, self.edge.into()));
    }

    /// What `push` adds is depended on in this way; of nested ones, the innermost counts.
    pub(crate) fn through(&mut self, edge: Edge, push: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.edge, edge);
        push(self);
        self.edge = outer;
    }

    pub(crate) fn len(&self) -> usize {
        self.named.len()
    }

    /// Sorts everything from `start` on and drops duplicates.
    pub(crate) fn normalise(&mut self, start: usize) {
        let added = &mut self.named[start..];
        if added.is_sorted_by(|(left, _), (right, _)| left < right) {
            return;
        }
        added.sort_unstable_by_key(|(id, _)| *id);
        let mut kept = start;
        for next in start..self.named.len() {
            let (id, edges) = self.named[next];
            match self.named[start..kept].last_mut() {
                Some((last, known)) if *last == id => *known = known.union(edges),
                _ => {
                    self.named[kept] = (id, edges);
                    kept += 1;
                }
            }
        }
        self.named.truncate(kept);
    }

    pub(crate) fn into_parts(self) -> (Vec<NodeId>, Vec<Edges>) {
        self.named.into_iter().unzip()
    }
}

impl fmt::Debug for Blockers<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Blockers").field(&self.named).finish()
    }
}

/// Anything that names zero or more nodes of the graph `'g`. A bare handle is a node that is [needed](Edge::Needs).
///
/// Order and repetition mean nothing. A struct of handles may implement it by collecting its fields.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not name nodes of this graph",
    label = "expected the handles that `Builder::add` returned, or `()`",
    note = "handles combine: `Node`, `Option`, slices, arrays, `Vec`, references and tuples of up to six"
)]
pub trait Deps<'g> {
    /// Pushes every named node.
    fn collect(&self, into: &mut Blockers<'g>);
}

impl<'g, K: ?Sized> Deps<'g> for Node<'g, K> {
    fn collect(&self, into: &mut Blockers<'g>) {
        into.push(*self);
    }
}

impl<'g, D: Deps<'g>> Deps<'g> for Option<D> {
    fn collect(&self, into: &mut Blockers<'g>) {
        self.as_slice().collect(into);
    }
}

impl<'g, D: Deps<'g>> Deps<'g> for [D] {
    fn collect(&self, into: &mut Blockers<'g>) {
        for each in self {
            each.collect(into);
        }
    }
}

impl<'g, D: Deps<'g>, const N: usize> Deps<'g> for [D; N] {
    fn collect(&self, into: &mut Blockers<'g>) {
        self.as_slice().collect(into);
    }
}

impl<'g, D: Deps<'g>> Deps<'g> for Vec<D> {
    fn collect(&self, into: &mut Blockers<'g>) {
        self.as_slice().collect(into);
    }
}

impl<'g, D: Deps<'g> + ?Sized> Deps<'g> for &D {
    fn collect(&self, into: &mut Blockers<'g>) {
        (**self).collect(into);
    }
}

macro_rules! tuples {
    ($($field:ident)*) => {
        impl<'g, $($field: Deps<'g>),*> Deps<'g> for ($($field,)*) {
            #[allow(non_snake_case, reason = "a field is named after its type")]
            fn collect(&self, _into: &mut Blockers<'g>) {
                let ($($field,)*) = self;
                $($field.collect(_into);)*
            }
        }
    };
}

tuples!();
tuples!(A);
tuples!(A B);
tuples!(A B C);
tuples!(A B C D);
tuples!(A B C D E);
tuples!(A B C D E F);

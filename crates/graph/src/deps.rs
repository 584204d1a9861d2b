//! How the dependencies of a new node are written down.

use crate::{
    edge::{Edge, Edges},
    graph::NodeId,
};
use std::{fmt, marker::PhantomData};

/// Makes `'g` invariant, so that the brands of two graphs never unify.
pub(crate) type Brand<'g> = PhantomData<fn(&'g ()) -> &'g ()>;

/// A handle to a node that holds a `K`, in the graph branded `'g`.
///
/// It proves that the node exists in that graph. The kind `K` is for the reader and for functions that accept, for
/// example, only a `Node<'g, Secret>`; the graph itself ignores it.
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

    /// The node's place in the graph, by which [`run`](crate::run()) and [`Report`](crate::Report) name it.
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

/// The dependencies of a new node, collected from its [`Deps`].
///
/// It takes handles only, never a [`NodeId`], so that an implementation of [`Deps`] outside this crate cannot
/// forge an edge.
pub struct Blockers<'g> {
    /// Each node once, ascending.
    named: Vec<(NodeId, Edges)>,
    /// How the new node depends on the nodes that are pushed next.
    edge: Edge,
    brand: Brand<'g>,
}

impl<'g> Blockers<'g> {
    /// Each node that `after` names, once and ascending.
    pub(crate) fn named_by(after: impl Deps<'g>) -> Vec<(NodeId, Edges)> {
        let mut blockers = Self { named: Vec::new(), edge: Edge::Needs, brand: PhantomData };
        after.collect(&mut blockers);
        blockers.named
    }

    /// Adds one node; naming it twice is the same as naming it once.
    pub fn push<K: ?Sized>(&mut self, node: Node<'g, K>) {
        let edges = self.edge.into();
        match self.named.binary_search_by_key(&node.id, |(id, _)| *id) {
            Ok(at) => self.named[at].1 = self.named[at].1.union(edges),
            Err(at) => self.named.insert(at, (node.id, edges)),
        }
    }

    /// Makes `edge` the way in which the new node depends on the nodes that `push` adds; the innermost call counts.
    pub(crate) fn through(&mut self, edge: Edge, push: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.edge, edge);
        push(self);
        self.edge = outer;
    }
}

impl fmt::Debug for Blockers<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Blockers").field(&self.named).finish()
    }
}

/// Names zero or more nodes of the graph `'g` on which a new node depends. A bare handle means
/// [`Edge::Needs`].
///
/// Order and repetition have no effect. A struct of handles implements it by collecting its fields.
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

//! What every Harbor component wants to exist: one folder per component, pure throughout.

pub mod core;

use plan::Component;

/// Something to be done once for every kind of component.
pub trait Visitor {
    /// Does it for `C`.
    fn visit<C: Component>(&mut self);
}

/// Shows a visitor every kind of component there is; the only list of them.
pub fn for_each(visitor: &mut impl Visitor) {
    visitor.visit::<core::Core>();
}

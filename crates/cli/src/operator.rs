//! The operator for every kind there is.

use components::Visitor;
use kube::Client;
use plan::Component;
use runtime::{Components, Operator, Options};
use std::collections::BTreeSet;

/// An operator for every kind, which takes over what the old one wrote.
pub fn operator(client: Client, options: Options) -> Operator {
    let options = Options { predecessors: predecessors(), ..options };
    let mut registration = Registration(Operator::new(client, options));
    components::for_each(&mut registration);
    registration.0
}

/// The names under which the old operator wrote.
pub fn predecessors() -> BTreeSet<String> {
    let mut managers = FieldManagers::default();
    components::for_each(&mut managers);
    managers.0
}

/// Every component, for whoever only looks.
pub fn components() -> Components {
    let mut all = All::default();
    components::for_each(&mut all);
    all.0
}

#[derive(Default)]
struct All(Components);

impl Visitor for All {
    fn visit<C: Component>(&mut self) {
        self.0.register::<C>();
    }
}

/// The names under which the old operator wrote: its program's, and that of each controller.
struct FieldManagers(BTreeSet<String>);

impl Default for FieldManagers {
    fn default() -> Self {
        Self(["harbor-operator", "manager"].map(Into::into).into())
    }
}

impl Visitor for FieldManagers {
    fn visit<C: Component>(&mut self) {
        self.0.insert(C::NAME.into());
    }
}

struct Registration(Operator);

impl Visitor for Registration {
    fn visit<C: Component>(&mut self) {
        self.0.register::<C>();
    }
}

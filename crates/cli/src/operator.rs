//! The operator for every kind there is.

use components::Visitor;
use kube::Client;
use plan::Component;
use runtime::{Operator, Options};
use std::collections::BTreeSet;

/// An operator for every kind, which takes over what the old one wrote.
pub fn operator(client: Client, options: Options) -> Operator {
    let mut managers = FieldManagers::default();
    components::for_each(&mut managers);
    let options = Options { predecessors: managers.0, ..options };
    let mut registration = Registration(Operator::new(client, options));
    components::for_each(&mut registration);
    registration.0
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

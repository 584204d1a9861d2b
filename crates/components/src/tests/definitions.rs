//! The kinds of this crate, and the definitions of crate `api`.

use std::collections::BTreeSet;

#[test]
fn every_component_has_a_definition_and_every_definition_a_component() {
    let components: BTreeSet<_> =
        crate::all().iter().map(|it| (it.resource().group.clone(), it.resource().kind.clone())).collect();
    let definitions: BTreeSet<_> =
        api::crds::all().into_iter().map(|it| (it.spec.group, it.spec.names.kind)).collect();
    assert_eq!(definitions, components);
}

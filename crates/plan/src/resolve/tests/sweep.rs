//! The laws of deletions.

use super::*;

/// Children of one owner, some of them in another namespace.
fn children() -> impl Strategy<Value = Vec<ObservedObject>> {
    let child = (found(), 0..3_usize, any::<bool>(), any::<bool>());
    prop::collection::vec(child, 0..8).prop_map(|children| {
        let provenance = [Provenance::Operator, Provenance::Appropriated, Provenance::Foreign];
        let child = |(number, (found, which, deleting, here)): (u8, (Found, usize, bool, bool))| {
            let namespace = if here { "ns" } else { "elsewhere" };
            let (seen, provenance) = (found.watched(None), provenance[which]);
            ObservedObject {
                key: ObjectKey::of::<Secret>(namespace, &format!("{number}")),
                observation: Observation { uid: format!("uid-{number}"), provenance, deleting, ..seen },
            }
        };
        (0..).zip(children).map(child).collect()
    })
}

proptest! {
    #[test]
    fn nothing_is_deleted_that_is_wanted_immutable_or_created_by_another_program(
        children in children(), some_are_replaced in any::<bool>(),
    ) {
        let wanted: BTreeSet<_> = children.iter().map(|child| &child.key).step_by(2).collect();
        let some = children.iter().map(|child| child.key.clone()).step_by(3);
        let replaced: BTreeSet<_> = some.filter(|_| some_are_replaced).collect();
        let unwanted = unwanted(children.clone(), "ns", &wanted, &replaced);
        for child in &unwanted.deleted {
            prop_assert!(children.contains(child), "with the uid that was observed");
            prop_assert!(!wanted.contains(&child.key) && child.key.namespace == "ns");
            let Observation { immutable, deleting, provenance, .. } = child.observation;
            prop_assert_eq!((deleting, provenance), (false, Provenance::Operator));
            prop_assert!(!immutable || replaced.contains(&child.key));
        }
    }

    #[test]
    fn a_stale_observation_never_resolves_to_the_deletion_of_the_object_that_took_the_name(
        children in children(), recreated in prop::collection::vec(any::<bool>(), 8),
    ) {
        // As the API server has them now: some were deleted and created again, and the watch lags.
        let uid = |(child, is_new): (&ObservedObject, &bool)| {
            let uid = &child.observation.uid;
            (child.key.clone(), if *is_new { format!("{uid}-of-the-newer-object") } else { uid.clone() })
        };
        let mut stored: std::collections::BTreeMap<_, _> = children.iter().zip(&recreated).map(uid).collect();
        for child in unwanted(children.clone(), "ns", &BTreeSet::new(), &BTreeSet::new()).deleted {
            // The uid is the precondition of the deletion.
            if stored[&child.key] == child.observation.uid {
                stored.remove(&child.key);
            }
        }
        for (child, _) in children.iter().zip(&recreated).filter(|(_, is_new)| **is_new) {
            prop_assert!(stored.contains_key(&child.key), "{} was deleted", child.key);
        }
    }
}

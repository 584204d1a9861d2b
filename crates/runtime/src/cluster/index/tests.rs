use super::*;
use jiff::Timestamp;
use k8s_openapi::{
    api::{
        apps::v1::Deployment,
        core::v1::{ConfigMap, Secret},
    },
    apimachinery::pkg::apis::meta::v1::{FieldsV1, ManagedFieldsEntry, OwnerReference, Time},
};
use kube::core::{ApiResource, ObjectMeta};
use plan::{Health, Readiness};
use serde_json::json;

fn owner(name: &str) -> ObjectKey {
    ObjectKey::new("test.io", "Widget", "ns", name)
}

fn meta(name: &str, version: u64, owner: Option<&str>) -> ObjectMeta {
    ObjectMeta {
        name: Some(name.into()),
        namespace: Some("ns".into()),
        uid: Some(format!("uid-of-{name}")),
        resource_version: Some(version.to_string()),
        owner_references: owner.map(|owner| {
            vec![OwnerReference {
                api_version: "test.io/v1".into(),
                kind: "Widget".into(),
                name: owner.into(),
                uid: format!("uid-of-{owner}"),
                controller: Some(true),
                block_owner_deletion: None,
            }]
        }),
        ..ObjectMeta::default()
    }
}

fn secret(meta: &ObjectMeta) -> ObservedObject {
    ObservedObject::of(&ApiResource::erase::<Secret>(&()), meta, Health::READY, &BTreeSet::new()).unwrap()
}

fn deployment(meta: &ObjectMeta, readiness: Readiness) -> ObservedObject {
    let health = Health::not_serving(readiness);
    ObservedObject::of(&ApiResource::erase::<Deployment>(&()), meta, health, &BTreeSet::new()).unwrap()
}

fn index() -> Index {
    let index = Index::default();
    index.track_children_of("test.io", "Widget");
    index
}

fn object_version(version: u64) -> ObjectVersion {
    ObjectVersion::of(&meta("s", version, None))
}

fn none() -> AffectedOwners {
    AffectedOwners::new()
}

#[test]
fn a_change_of_a_child_affects_only_its_owner() {
    let index = index();
    assert_eq!(index.seen(secret(&meta("a", 1, Some("one")))), [owner("one")].into());
    assert_eq!(index.seen(secret(&meta("b", 2, Some("two")))), [owner("two")].into());
    let deleting =
        ObjectMeta { deletion_timestamp: Some(Time(Timestamp::UNIX_EPOCH)), ..meta("a", 3, Some("one")) };
    assert_eq!(index.seen(secret(&deleting)), [owner("one")].into());
}

#[test]
fn an_event_with_a_known_or_older_version_affects_no_owner() {
    let index = index();
    index.seen(secret(&meta("a", 2, Some("one"))));
    assert_eq!(index.seen(secret(&meta("a", 2, Some("one")))), none(), "the same state");
    assert_eq!(index.seen(secret(&meta("a", 1, Some("one")))), none(), "an older state");
}

#[test]
fn a_deletion_that_is_reported_before_the_answer_to_an_earlier_write_is_not_undone_by_it() {
    let index = index();
    index.seen(secret(&meta("a", 1, Some("one"))));
    assert_eq!(index.gone(&secret(&meta("a", 3, Some("one")))), [owner("one")].into());
    assert_eq!(index.seen(secret(&meta("a", 2, Some("one")))), none(), "the answer to an earlier write");
    assert_eq!(index.child(&secret(&meta("a", 2, None)).key), None);
    assert!(index.owned_by("uid-of-one").is_empty());

    assert_eq!(index.seen(secret(&meta("a", 4, Some("one")))), [owner("one")].into());
    assert_eq!(index.owned_by("uid-of-one").len(), 1, "created again, or selected again");
}

#[test]
fn a_status_update_that_does_not_change_readiness_affects_no_owner() {
    let index = index();
    let at = |version| ObjectMeta { generation: Some(1), ..meta("d", version, Some("one")) };
    index.seen(deployment(&at(1), Readiness::Progressing("0 of 1".into())));
    assert_eq!(index.seen(deployment(&at(2), Readiness::Progressing("0 of 1".into()))), none());
    assert_eq!(index.seen(deployment(&at(3), Readiness::Ready)), [owner("one")].into());
}

#[test]
fn a_change_of_a_field_affects_the_owner_only_if_the_operator_owns_the_field() {
    let index = index();
    let at = |version, ours: &str, theirs: &str| {
        let entry = |manager: &str, operation: &str, field: &str| ManagedFieldsEntry {
            manager: Some(manager.into()),
            operation: Some(operation.into()),
            fields_v1: Some(FieldsV1(json!({"f:metadata": {"f:labels": {format!("f:{field}"): {}}}}))),
            ..ManagedFieldsEntry::default()
        };
        let entries =
            vec![entry("harbor-operator/widget", "Apply", ours), entry("kubectl-edit", "Update", theirs)];
        ObjectMeta {
            generation: Some(i64::try_from(version).unwrap()),
            managed_fields: Some(entries),
            ..meta("d", version, Some("one"))
        }
    };
    index.seen(deployment(&at(1, "a", "x"), Readiness::Ready));
    assert_eq!(index.seen(deployment(&at(2, "a", "y"), Readiness::Ready)), none(), "theirs");
    assert_eq!(index.seen(deployment(&at(3, "b", "y"), Readiness::Ready)), [owner("one")].into(), "ours");
}

#[test]
fn a_deletion_affects_the_owner_even_if_only_a_relist_reveals_it() {
    let index = index();
    let (a, b) = (secret(&meta("a", 1, Some("one"))), secret(&meta("b", 2, Some("two"))));
    index.seen(a.clone());
    index.seen(b.clone());
    assert_eq!(index.gone(&a), [owner("one")].into());
    assert_eq!(index.listed("", "Secret", &BTreeSet::new()), [owner("two")].into());
    assert_eq!(index.child(&b.key), None);
    assert_eq!(index.owned_by("uid-of-two"), []);
}

#[test]
fn a_relist_of_one_kind_does_not_affect_another() {
    let index = index();
    index.seen(secret(&meta("a", 1, Some("one"))));
    assert_eq!(index.listed("", "ConfigMap", &BTreeSet::new()), none());
}

#[test]
fn a_late_deletion_event_does_not_remove_a_newer_object_of_the_same_name() {
    let index = index();
    let new = ObjectMeta { uid: Some("new".into()), ..meta("a", 5, Some("one")) };
    index.seen(secret(&new));
    assert_eq!(index.gone(&secret(&meta("a", 4, Some("one")))), none());
    assert!(index.child(&secret(&new).key).is_some());
}

#[test]
fn a_change_of_an_input_affects_its_readers() {
    let index = index();
    let key = secret(&meta("s", 1, None)).key;
    index.subscribe(&owner("one"), &[key.clone()].into(), Interest::Spec);
    index.subscribe(&owner("two"), &[key.clone()].into(), Interest::Spec);
    assert_eq!(index.read(&key, Some(&object_version(1))), [owner("one"), owner("two")].into());
    assert_eq!(index.seen(secret(&meta("s", 1, None))), none(), "as read");
    assert_eq!(index.seen(secret(&meta("s", 2, None))), [owner("one"), owner("two")].into());

    index.unsubscribe_from_others(&owner("one"), &BTreeSet::new());
    assert_eq!(index.seen(secret(&meta("s", 3, None))), [owner("two")].into());
    assert_eq!(index.gone(&secret(&meta("s", 4, None))), [owner("two")].into());
    assert_eq!(index.input(&key), None);
}

#[test]
fn the_creation_of_an_input_affects_its_readers() {
    let index = index();
    let key = secret(&meta("s", 7, None)).key;
    index.subscribe(&owner("one"), &[key.clone()].into(), Interest::Spec);
    assert_eq!(index.read(&key, None), none());
    assert_eq!(index.seen(secret(&meta("s", 7, None))), [owner("one")].into());
}

#[test]
fn secrets_without_tracked_owner_or_reader_are_not_stored() {
    let index = index();
    let mut of_another_operator = meta("t", 1, Some("one"));
    of_another_operator.owner_references.as_mut().unwrap()[0].kind = "Gadget".into();
    for untracked in [secret(&meta("s", 1, None)), secret(&of_another_operator)] {
        assert_eq!(index.seen(untracked.clone()), none());
        assert_eq!(index.child(&untracked.key), None);
        assert_eq!(index.input(&untracked.key), None);
    }
}

#[test]
fn only_updates_of_the_old_operator_make_an_object_unadopted() {
    let entry = |manager: &str, operation: &str| ManagedFieldsEntry {
        manager: Some(manager.into()),
        operation: Some(operation.into()),
        ..ManagedFieldsEntry::default()
    };
    let unadopted = |entries: Vec<ManagedFieldsEntry>| {
        let meta = ObjectMeta { managed_fields: Some(entries), ..meta("a", 1, Some("one")) };
        let resource = ApiResource::erase::<ConfigMap>(&());
        let old = BTreeSet::from(["harbor-operator".to_owned()]);
        ObservedObject::of(&resource, &meta, Health::READY, &old).unwrap().observation.unadopted
    };
    assert!(unadopted(vec![entry("harbor-operator", "Update")]));
    assert!(!unadopted(vec![entry("harbor-operator", "Apply"), entry("kubectl-edit", "Update")]));
}

#[test]
fn a_change_of_whether_a_kind_is_served_affects_the_owners_that_read_it() {
    let (index, kind, other) =
        (index(), ObjectKey::kind_of::<Deployment>(), ObjectKey::kind_of::<ConfigMap>());
    index.subscribe(&owner("one"), &[kind.clone()].into(), Interest::Spec);
    index.subscribe(&owner("two"), &[other.clone()].into(), Interest::Spec);
    assert!(index.read_kind(&kind).is_some(), "assumed to be served");
    assert_eq!(index.served(&kind), none(), "no change");

    assert_eq!(index.unserved(&kind), [owner("one")].into());
    assert_eq!(index.unserved(&kind), none());
    assert_eq!((index.read_kind(&kind), index.input(&kind)), (None, None));
    assert!(index.read_kind(&other).is_some());

    assert_eq!(index.served(&kind), [owner("one")].into());
    assert_eq!(index.input(&kind), Some(ObjectVersion::of(&plan::served().metadata)));
}

#[test]
fn objects_of_a_kind_that_is_not_served_do_not_exist() {
    let index = index();
    index.seen(deployment(&meta("a", 1, Some("one")), Readiness::Ready));
    assert_eq!(index.unserved(&ObjectKey::kind_of::<Deployment>()), [owner("one")].into());
    assert_eq!(index.child(&ObjectKey::of::<Deployment>("ns", "a")), None);
}

#[test]
fn an_empty_list_does_not_mean_that_the_kind_is_not_served() {
    let (index, kind) = (index(), ObjectKey::kind_of::<Deployment>());
    index.subscribe(&owner("one"), &[kind.clone()].into(), Interest::Spec);
    index.read_kind(&kind);
    assert_eq!(index.listed(&kind.group, &kind.kind, &BTreeSet::new()), none());
    assert!(index.input(&kind).is_some());
}

#[test]
fn whether_a_secret_exists_is_also_known_for_untracked_secrets() {
    let index = index();
    let (a, b) = (secret(&meta("a", 1, None)), secret(&meta("b", 2, None)));
    assert!(!index.has(&a.key));
    index.seen(a.clone());
    index.seen(b.clone());
    assert!(index.has(&a.key) && index.has(&b.key));
    index.gone(&a);
    assert!(!index.has(&a.key));
    index.listed("", "ConfigMap", &BTreeSet::new());
    assert!(index.has(&b.key), "another kind");
    index.listed("", "Secret", &BTreeSet::new());
    assert!(!index.has(&b.key));
}

#[test]
fn the_newest_version_is_known_only_for_children_and_inputs() {
    let index = index();
    let child = secret(&meta("child", 1, Some("one")));
    let untracked = secret(&meta("untracked", 2, None));
    index.seen(child.clone());
    index.seen(untracked.clone());
    let version = |key: &ObjectKey| index.object_version(key).map(|object_version| object_version.version);
    assert_eq!(version(&child.key).as_deref(), Some("1"));
    assert_eq!(version(&untracked.key), None);

    index.subscribe(&owner("two"), &[child.key.clone(), untracked.key.clone()].into(), Interest::Spec);
    index.read(&child.key, Some(&object_version(5)));
    index.read(&untracked.key, Some(&object_version(4)));
    assert_eq!(version(&child.key).as_deref(), Some("5"), "a read may be ahead of the watch");
    assert_eq!(version(&untracked.key).as_deref(), Some("4"));
    index.gone(&secret(&meta("untracked", 6, None)));
    assert_eq!(version(&untracked.key), None);
}

fn created(name: &str, second: i64) -> ObjectMeta {
    let at = Timestamp::from_second(second).unwrap();
    ObjectMeta { creation_timestamp: Some(Time(at)), ..meta(name, 1, None) }
}

#[test]
fn older_owners_are_senior_and_within_a_second_those_seen_first() {
    let index = index();
    for (name, second) in [("c", 2), ("b", 1), ("a", 1), ("b", 1)] {
        index.exists(&owner(name), &created(name, second));
    }
    let mut names = ["a", "b", "c", "unknown"];
    names.sort_by_key(|name| index.seniority(&owner(name)));
    assert_eq!(names, ["b", "a", "c", "unknown"]);
}

#[test]
fn a_child_has_the_seniority_of_its_topmost_owner() {
    let index = index();
    index.exists(&owner("top"), &created("top", 1));
    for (name, above, second) in [("middle", Some("top"), 5), ("part", Some("middle"), 9)] {
        index.exists(&owner(name), &created(name, second));
        let observation = secret(&meta(name, 2, above)).observation;
        index.seen(ObservedObject { key: owner(name), observation });
    }
    assert_eq!(index.seniority(&owner("part")), index.seniority(&owner("top")));
    index.forget(&owner("top"));
    assert_ne!(
        index.seniority(&owner("part")),
        index.seniority(&owner("top")),
        "the topmost owner is unknown now"
    );
}

#[test]
fn an_owner_that_owns_itself_has_a_seniority() {
    let index = index();
    index.exists(&owner("snake"), &created("snake", 1));
    let before = index.seniority(&owner("snake"));
    let observation = secret(&meta("snake", 2, Some("snake"))).observation;
    index.seen(ObservedObject { key: owner("snake"), observation });
    assert_eq!(before, index.seniority(&owner("snake")));
}

#[test]
fn an_owner_that_was_recreated_has_the_seniority_of_its_new_creation_time() {
    let index = index();
    for (name, second) in [("a", 1), ("b", 2), ("a", 3)] {
        index.exists(&owner(name), &created(name, second));
    }
    assert!(index.seniority(&owner("b")) < index.seniority(&owner("a")));
}

#[test]
fn a_status_update_affects_only_readers_that_are_interested_in_the_status() {
    let index = index();
    let at = |version, generation, label: Option<&str>| {
        let labels = label.map(|label| [("label".to_owned(), label.to_owned())].into());
        let meta = ObjectMeta { generation: Some(generation), labels, ..meta("a", version, None) };
        deployment(&meta, Readiness::Ready)
    };
    let key = at(1, 1, None).key;
    index.subscribe(&owner("decides"), &[key.clone()].into(), Interest::Spec);
    index.subscribe(&owner("waits"), &[key.clone()].into(), Interest::SpecAndStatus);
    let (both, waits): (AffectedOwners, AffectedOwners) =
        ([owner("decides"), owner("waits")].into(), [owner("waits")].into());

    assert_eq!(index.seen(at(1, 1, None)), both, "created");
    assert_eq!(index.seen(at(2, 1, None)), waits, "status changed");
    assert_eq!(index.seen(at(3, 2, None)), both, "spec changed");
    assert_eq!(index.seen(at(4, 2, Some("new"))), both, "label changed");
    assert_eq!(index.seen(at(4, 2, Some("new"))), none());
    assert_eq!(index.gone(&at(4, 2, Some("new"))), both);
}

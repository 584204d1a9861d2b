//! Allowed upgrades, and their order.

use super::{Case, Harbor, a_harbor};
use crate::cases::base64;
use plan::{Desired, Plan, Point};
use serde_json::{Value, json};

/// A Harbor of version 2.15.0 whose Core has migrated the database to one version, and has all replicas at another.
fn running(migrated: &str, completed: &str) -> Case<Harbor> {
    let mut case = a_harbor();
    case.inputs.push(json!({
        "apiVersion": "v1", "kind": "Secret",
        "metadata": {"name": "acme-harbor-core-database", "namespace": "registry"},
        "data": {
            "migrated-by": base64(migrated.as_bytes()),
            "completed": base64(completed.as_bytes()),
        },
    }));
    case
}

fn to(version: &str, case: Case<Harbor>) -> Case<Harbor> {
    case.set("/spec/version", json!(version))
}

/// The version that Core gets.
fn next(case: &Case<Harbor>) -> String {
    let version = &case.child("Core")["metadata"]["annotations"]["harbor.goharbor.io/version"];
    version.as_str().unwrap().to_owned()
}

/// A part of the Harbor as it is, with its version and whether it is ready.
fn part(kind: &str, version: &str, ready: &str) -> Value {
    json!({
        "apiVersion": "goharbor.io/v1beta1", "kind": kind,
        "metadata": {
            "name": "acme-harbor", "namespace": "registry", "generation": 1,
            "annotations": {"harbor.goharbor.io/version": version},
        },
        "spec": a_harbor().child(kind)["spec"],
        "status": {
            "observedGeneration": 1,
            "conditions": [{"type": "Ready", "status": ready, "reason": "It", "lastTransitionTime": null}],
        },
    })
}

/// The pods of Core, of which so many are available.
fn core_pods(available: i32) -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": "acme-harbor-core", "namespace": "registry", "generation": 1},
        "spec": {"replicas": 1, "selector": {}, "template": {}},
        "status": {
            "observedGeneration": 1, "replicas": 1, "updatedReplicas": 1, "readyReplicas": available,
            "availableReplicas": available,
        },
    })
}

#[test]
fn b37_one_edit_leads_over_two_minor_releases_at_a_time() {
    for version in ["2.15.0", "2.14.3", "2.13.0"] {
        assert_eq!(next(&running(version, version)), "2.15.0", "{version}");
    }
    let hops = std::iter::successors(Some("2.5.3".to_owned()), |version| {
        let hop = next(&running(version, version));
        (hop != *version).then_some(hop)
    });
    let expected = ["2.5.3", "2.7.4", "2.9.5", "2.11.2", "2.13.2", "2.15.0"];
    assert_eq!(hops.collect::<Vec<_>>(), expected);
}

#[test]
fn a_hop_whose_migration_has_begun_is_finished_whatever_is_wanted_now() {
    // From 2.12 to 2.13, and to 2.15 when 2.13 had migrated the database.
    assert_eq!(next(&running("2.13.0", "2.12.4")), "2.13.0");
    assert_eq!(next(&running("2.13.0", "2.13.0")), "2.15.0");
}

#[test]
fn the_next_hop_waits_until_everything_has_the_version_before_and_is_ready() {
    let with = |registry: &str, ready: &str| {
        let mut case = to("2.15.0", running("2.11.2", "2.11.2"));
        // Its status is still that of the hop before.
        case.inputs.push(part("Core", "2.11.2", "False"));
        case.inputs.push(core_pods(1));
        case.inputs.push(part("Registry", registry, ready));
        next(&case)
    };
    assert_eq!(with("2.9.5", "True"), "2.11.2");
    assert_eq!(with("2.11.2", "False"), "2.11.2");
    assert_eq!(with("2.11.2", "True"), "2.13.2");
}

#[test]
fn a_hop_that_waits_says_for_what_and_which_hops_follow() {
    let waits = |wanted: &str, registry: &str, ready: &str| {
        let mut case = to(wanted, running("2.11.2", "2.11.2"));
        case.inputs.push(part("Core", "2.11.2", "True"));
        case.inputs.push(core_pods(1));
        case.inputs.push(part("Portal", "2.11.2", "False"));
        case.inputs.push(part("Registry", registry, ready));
        let (object, why) = case.plan().unwrap().outlook.waits.unwrap();
        assert_eq!(object.to_string(), "Core registry/acme-harbor");
        why
    };
    assert_eq!(
        waits("2.15.0", "2.9.5", "True"),
        "the upgrade from 2.11.2 to 2.13.2 waits: Registry does not have version 2.11.2 yet, Portal is not ready; \
         2.15.0 follows after it"
    );
    assert_eq!(
        waits("2.13.0", "2.11.2", "False"),
        "the upgrade from 2.11.2 to 2.13.0 waits: Registry is not ready, Portal is not ready"
    );
    let goes_on = running("2.11.2", "2.11.2").plan().unwrap();
    assert_eq!(goes_on.outlook.waits, None);
}

/// The steps of the plan, as text.
fn steps(case: &Case<Harbor>) -> String {
    let steps = case.plan().unwrap().outlook.steps;
    let lines = steps.iter().flat_map(|step| {
        let points = step.points.iter().map(|Point { about, text }| format!("{about}: {text}"));
        std::iter::once(step.name.clone()).chain(points)
    });
    lines.map(|line| line + "\n").collect()
}

#[test]
fn each_hop_says_what_it_does_and_what_a_user_decides_before() {
    let whole = steps(&running("2.9.5", "2.9.5"));
    assert_eq!(
        whole,
        "Harbor 2.11.2, from 2.9.5
Downtime: no push and no pull while the database is migrated, until Core 2.11.2 is ready: in Core 2.9.5, every push of a new \
         artifact would fail on the new schema
Database: is migrated to schema version 140; Core 2.9.5 cannot use it afterwards, so a backup is the only way back
Database: the migration rewrites the table of artifacts
Backup: none is made: make one before, or name a CronJob in spec.upgrade.backup
Jobs: none run from the migration until Core 2.11.2 is ready: the queues are paused, and jobs that run have 10 min to end
Harbor 2.13.2, from 2.11.2
Downtime: no push and no pull while the database is migrated, until Core 2.13.2 is ready: in Core 2.11.2, everything about P2P \
         preheat policies would fail on the new schema
Database: is migrated to schema version 160; Core 2.11.2 cannot use it afterwards, so a backup is the only way back
Backup: none is made: make one before, or name a CronJob in spec.upgrade.backup
Jobs: none run from the migration until Core 2.13.2 is ready: the queues are paused, and jobs that run have 10 min to end
Ends: support for robot accounts of version 1 ends: use robot accounts of today before
Ends: support for old parameters of schedules that purge the audit log ends: set such a schedule again afterwards
Harbor 2.15.0, from 2.13.2
Downtime: none: Core 2.13.2 serves while the database is migrated, and until pods of Core 2.15.0 are ready
Database: is migrated to schema version 180; Core 2.13.2 cannot use it afterwards, so a backup is the only way back
Database: the migration takes minutes with many permissions of robot accounts
Backup: none is made: make one before, or name a CronJob in spec.upgrade.backup
Jobs: none run from the migration until Core 2.15.0 is ready: the queues are paused, and jobs that run have 10 min to end
Ends: the proxy cache of Quay ends
"
    );
    let notary = steps(&to("2.9.0", running("2.8.0", "2.8.0")));
    assert!(notary.contains("Ends: Notary ends") && notary.contains("Ends: content trust"), "{notary}");
    let rewrites = steps(&to("2.15.2", running("2.15.1", "2.15.1")));
    assert_eq!(
        rewrites,
        "Harbor 2.15.2, from 2.15.1
Downtime: none: Core 2.15.1 serves until pods of Core 2.15.2 are ready
Database: Core 2.15.1 cannot use it afterwards, so a backup is the only way back
Backup: none is made: make one before
"
    );
    for (from, to_version) in [("2.15.0", "2.15.0"), ("2.14.2", "2.14.3"), ("2.13.4", "2.13.0")] {
        assert_eq!(steps(&to(to_version, running(from, from))), "", "{from} to {to_version}");
    }
}

#[test]
fn a_hop_says_which_job_makes_its_backup() {
    let backup = json!({"backup": {"cronJobRef": "nightly"}});
    let steps = steps(&running("2.13.2", "2.13.2").set("/spec/upgrade", backup));
    let expected = "Backup: Job registry/acme-harbor-backup-2-15-0 makes one first, as CronJob nightly does; if it fails, this hop \
                    does not begin\n";
    assert!(steps.contains(expected), "{steps}");
}

#[test]
fn a_registry_whose_pods_cannot_share_a_volume_is_away_on_every_hop() {
    let with = |mode: &str, strategy: &str| {
        let mut case = running("2.13.2", "2.13.2").set("/spec/updateStrategyType", json!(strategy));
        case.inputs.push(json!({
            "apiVersion": "v1", "kind": "PersistentVolumeClaim",
            "metadata": {"name": "images", "namespace": "registry"}, "spec": {"accessModes": [mode]},
        }));
        steps(&case)
    };
    let away = "\nDowntime: no push and no pull while the pod of the registry is replaced: it ends before the next one starts\n";
    for (mode, strategy, is_away) in [
        ("ReadWriteOnce", "RollingUpdate", true),
        ("ReadWriteMany", "RollingUpdate", false),
        ("ReadWriteMany", "Recreate", true),
    ] {
        let steps = with(mode, strategy);
        assert_eq!(steps.contains(away), is_away, "{mode}, {strategy}: {steps}");
        assert_eq!(steps.contains("Downtime: none"), !is_away, "{mode}, {strategy}: {steps}");
    }
}

#[test]
fn a_hop_that_has_begun_does_not_wait_any_more() {
    let mut case = to("2.15.0", running("2.11.2", "2.11.2"));
    case.inputs.push(part("Core", "2.13.2", "False"));
    case.inputs.push(core_pods(1));
    case.inputs.push(part("Registry", "2.11.2", "False"));
    assert_eq!(next(&case), "2.13.2");
}

#[test]
fn a_new_version_that_may_repair_core_does_not_wait_for_what_needs_core() {
    let mut case = to("2.15.0", running("2.14.0", "2.14.0"));
    case.inputs.push(part("Core", "2.14.0", "False"));
    case.inputs.push(core_pods(0));
    case.inputs.push(part("JobService", "2.14.0", "False"));
    assert_eq!(next(&case), "2.15.0");
}

#[test]
fn requests_about_the_database_reach_core_and_nothing_else() {
    for (annotation, value) in [
        ("goharbor.io/retry-migration", "2.15.0-2"),
        ("goharbor.io/repair-schema", "2.15.0-2"),
        ("goharbor.io/rotate-encryption-key", "key-2"),
    ] {
        let children = a_harbor().annotated(annotation, value).children();
        let asked = |child: &&Value| child["metadata"]["annotations"][annotation] == value;
        let kinds: Vec<_> = children.iter().filter(asked).map(|child| &child["kind"]).collect();
        assert_eq!(kinds, ["Core"], "{annotation}");
    }
}

#[test]
fn several_hops_and_downtime_are_refused_if_the_spec_says_so() {
    let one = running("2.9.5", "2.9.5").set("/spec/upgrade", json!({"hops": "One"}));
    assert_eq!(
        one.error(),
        "spec.version: the upgrade from 2.9.5 to 2.15.0 has 3 hops: 2.11.2, 2.13.2, 2.15.0; \
         set it to 2.11.2 first, or set spec.upgrade.hops to All"
    );
    let up = running("2.9.5", "2.9.5").set("/spec/upgrade", json!({"downtime": "Refused"}));
    assert_eq!(
        up.error(),
        "spec.version: the upgrade from 2.9.5 to 2.11.2 stops Core while it migrates the database: in Core 2.9.5 every \
         push of a new artifact would fail on the new schema; set spec.upgrade.downtime to Allowed"
    );
    let without =
        running("2.14.2", "2.14.2").set("/spec/upgrade", json!({"downtime": "Refused", "hops": "One"}));
    assert!(without.plan().is_ok());
}

#[test]
fn a_field_that_a_version_on_the_way_does_not_know_is_refused() {
    let case = running("2.11.2", "2.11.2").set("/spec/redis/username", json!("harbor"));
    let error = case.error();
    assert!(
        error.starts_with(
            "spec.version: the upgrade from 2.11.2 to 2.15.0 goes over 2.13.2: spec.redis.username"
        ),
        "{error}"
    );
}

#[test]
fn harbor_2_15_0_does_not_follow_2_14_4() {
    assert_eq!(
        running("2.14.4", "2.14.4").error(),
        "spec.version: Harbor 2.14.4 cannot be upgraded to 2.15.0: 2.15.0 cannot decrypt credentials that 2.14.4 has \
         encrypted; set it to 2.15.1 or later"
    );
}

#[test]
fn b37_a_harbor_does_not_go_back_over_a_migration() {
    let error = to("2.14.2", running("2.15.0", "2.15.0")).error();
    assert_eq!(
        error,
        "spec.version: Harbor 2.15.0 cannot go back to 2.14.2: version 2.15.0 has changed its database; \
         set it to 2.15.0; if you have restored the database of version 2.14.2, set the annotation \
         goharbor.io/database-restored: 2.14.2"
    );
}

#[test]
fn a_version_that_has_not_run_is_taken_back() {
    // From 2.13.2 to 2.15.0, whose Core never became available.
    let case = running("2.13.2", "2.13.2");
    assert!(case.plan().is_ok());
    assert!(to("2.13.2", case).plan().is_ok());
}

#[test]
fn a_version_that_has_not_run_is_no_step_of_an_upgrade() {
    // From 2.11 to 2.12, which never ran.
    assert_eq!(next(&to("2.14.0", running("2.11.2", "2.11.2"))), "2.13.2");
}

#[test]
fn a_version_of_which_one_core_has_run_is_not_taken_back_though_others_have_not() {
    let error = to("2.13.2", running("2.15.0", "2.13.2")).error();
    assert!(error.contains("Harbor 2.15.0 cannot go back to 2.13.2"), "{error}");
}

#[test]
fn a_patch_is_undone_unless_it_has_changed_the_database() {
    for (from, back) in [("2.13.4", "2.13.0"), ("2.14.3", "2.14.1"), ("2.5.1", "2.5.0"), ("2.15.9", "2.15.3")]
    {
        assert!(to(back, running(from, from)).plan().is_ok(), "{from} to {back}");
    }
    for (from, back, by) in [
        ("2.14.1", "2.14.0", "2.14.1"),
        ("2.14.5", "2.14.0", "2.14.4"),
        ("2.15.3", "2.15.2", "2.15.3"),
        ("2.15.2", "2.15.1", "2.15.2"),
        ("2.6.3", "2.6.1", "2.6.2"),
    ] {
        let error = to(back, running(from, from)).error();
        assert!(
            error.contains(&format!("version {by} has changed its database")),
            "{from} to {back}: {error}"
        );
    }
}

#[test]
fn a_restored_database_goes_with_the_version_it_was_made_by() {
    let restored = |version: &str| {
        to("2.14.2", running("2.15.0", "2.15.0")).annotated("goharbor.io/database-restored", version)
    };
    assert!(restored("2.14.2").plan().is_ok());
    assert!(restored("2.13.0").error().contains("cannot go back"), "it is of another version");
}

#[test]
fn b37_what_the_old_operator_left_behind_is_upgraded_step_by_step_too() {
    let mut case = a_harbor();
    case.inputs.push(json!({
        "apiVersion": "goharbor.io/v1beta1", "kind": "Core",
        "metadata": {
            "name": "acme-harbor", "namespace": "registry",
            "annotations": {"harbor.goharbor.io/version": "2.6.2"},
            "labels": {"goharbor.io/operator-version": "1.3.0"},
        },
        "spec": case.child("Core")["spec"],
    }));
    let config = json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": "acme-harbor-core", "namespace": "registry"},
    });
    case.inputs.insert(0, config);
    assert_eq!(next(&case), "2.8.6");
    let core = case.inputs.last_mut().unwrap();
    core["metadata"]["labels"] = json!({});
    assert!(case.plan().is_ok(), "one of ours that nothing is remembered of has never run");
}

/// The version of each component, as requested and as held back.
fn versions(plan: &Plan) -> Vec<(String, String, Option<String>)> {
    let version = |object: Value| {
        let version = &object["metadata"]["annotations"]["harbor.goharbor.io/version"];
        version.as_str().unwrap().to_owned()
    };
    let of_ours = plan.graph.iter().filter(|(_, desired, _)| desired.object.key().group == "goharbor.io");
    of_ours
        .map(|(_, desired, _)| {
            let held = desired.held.as_ref().and_then(|held| held.object.as_ref());
            let held = held.map(|held| version(held.to_json().unwrap()));
            (desired.object.key().kind.clone(), version(desired.object.to_json().unwrap()), held)
        })
        .collect()
}

#[test]
fn everything_but_core_stays_at_its_version_until_core_has_the_new_one() {
    let plan = running("2.15.0", "2.14.2").plan().unwrap();
    let expected = ["Core", "Registry", "RegistryController", "JobService", "Portal"].map(|kind| {
        let held = (kind != "Core").then(|| "2.14.2".to_owned());
        (kind.to_owned(), "2.15.0".to_owned(), held)
    });
    assert_eq!(versions(&plan), expected);
    let plan = running("2.15.0", "2.15.0").plan().unwrap();
    assert!(versions(&plan).iter().all(|(_, _, held)| held.is_none()));
}

#[test]
fn what_only_the_new_version_knows_leaves_the_others_as_they_are() {
    // Redis' user reaches the registry since 2.15.
    let case = running("2.14.2", "2.14.2").set("/spec/redis/username", json!("harbor"));
    let plan = case.plan().unwrap();
    let mut held = plan.graph.iter().filter_map(|(_, desired, _)| desired.held.as_ref()).peekable();
    assert!(held.peek().is_some() && held.all(|held| held.object.is_none()));
}

/// An object of the reverse proxy, as requested and as held back.
fn of_the_front(case: &Case<Harbor>, kind: &str) -> (Value, Option<Value>) {
    let plan = case.plan().unwrap();
    let mut desired = plan.graph.iter().map(|(_, desired, _)| desired);
    let is_it = |desired: &&Desired| {
        let key = desired.object.key();
        key.kind == kind && key.name == "acme-harbor-nginx"
    };
    let found = desired.find(is_it).unwrap();
    let held = found.held.as_ref().map(|held| held.object.as_ref().unwrap().to_json().unwrap());
    (found.object.to_json().unwrap(), held)
}

#[test]
fn the_reverse_proxy_stays_at_its_version_and_gets_its_other_changes_until_core_has_the_new_one() {
    let case = running("2.14.2", "2.14.2")
        .set("/spec/expose/core", json!({"service": {}}))
        .set("/spec/nginx", json!({"replicas": 3}));
    let (wanted, held) = of_the_front(&case, "Deployment");
    let image = |object: &Value| object["spec"]["template"]["spec"]["containers"][0]["image"].clone();
    assert_eq!(image(&wanted), "docker.io/goharbor/nginx-photon:v2.15.0");
    let mut before = wanted;
    before["spec"]["template"]["spec"]["containers"][0]["image"] =
        json!("docker.io/goharbor/nginx-photon:v2.14.2");
    assert_eq!(held, Some(before));
}

#[test]
fn the_configuration_of_the_reverse_proxy_waits_only_if_the_version_changes_it() {
    let front = |from, version| {
        let case = to(version, running(from, from)).set("/spec/expose/core", json!({"service": {}}));
        of_the_front(&case, "ConfigMap")
    };
    assert_eq!(front("2.14.2", "2.15.0").1, None);
    // ChartMuseum ended with 2.8.
    let (wanted, held) = front("2.7.4", "2.8.0");
    let routes_charts =
        |object: &Value| object["data"]["nginx.conf"].as_str().unwrap().contains("/chartrepo/");
    assert!(!routes_charts(&wanted) && routes_charts(&held.unwrap()));
}

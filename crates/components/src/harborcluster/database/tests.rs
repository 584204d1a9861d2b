//! Tests of the database.

use crate::{cases::Case, harborcluster::HarborCluster};
use plan::{Absence, DeletionBehavior, Desired, Policy};
use serde_json::{Value, json};

const PASSWORD: &str = "acme-database-password";

type Stack = Case<HarborCluster>;

fn external() -> Stack {
    Case::golden("database-external")
}

fn zalando() -> Stack {
    Case::golden("database-zalando")
}

/// With a `postgresql` of the operator's predecessor.
fn adopted() -> Stack {
    Case::golden("database-zalando-adopted")
}

fn cloud_native_pg() -> Stack {
    Case::golden("database-cloud-native-pg")
}

/// The case with its children as inputs of the next plan.
fn and_then(mut case: Stack, kind: &str) -> Stack {
    case.inputs.push(case.child(kind));
    case
}

fn zalando_field(name: &str) -> String {
    format!("/spec/database/spec/zlandoPostgreSql/{name}")
}

fn cloud_native_pg_field(name: &str) -> String {
    format!("/spec/database/spec/cloudNativePG/{name}")
}

fn secret(name: &str, content: &Value) -> Value {
    let mut data = json!({});
    for (key, value) in content.as_object().unwrap() {
        data[key] = crate::cases::base64(value.as_str().unwrap().as_bytes());
    }
    json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "namespace": "registry"}, "data": data})
}

/// How the operator ensures a child.
fn desired<T>(case: &Stack, name: &str, of: impl Fn(&Desired) -> T) -> T {
    let plan = case.plan().unwrap();
    let found = plan.graph.iter().find(|(_, desired, _)| desired.object.key().name == name);
    of(found.unwrap().1)
}

fn children(case: &Stack) -> Vec<String> {
    let name = |child: &Value| {
        format!("{} {}", child["kind"].as_str().unwrap(), child["metadata"]["name"].as_str().unwrap())
    };
    case.children().iter().map(name).collect()
}

/// The password for the Harbor; `None` while the operator waits for it.
fn password(case: &Stack) -> Option<Value> {
    desired(case, PASSWORD, |desired| {
        let secret = desired.object.to_json().unwrap();
        (desired.policy == Policy::Apply).then(|| secret["data"]["postgres-password"].clone())
    })
}

fn base64(text: &str) -> Value {
    crate::cases::base64(text.as_bytes())
}

#[test]
fn a_database_that_exists_is_handed_to_the_harbor_as_it_is() {
    let case = external();

    assert_eq!(children(&case), ["Harbor acme-harbor"]);
    assert_eq!(
        case.child("Harbor")["spec"]["database"],
        json!({
            "hosts": [{"host": "postgres-1.example.com"}, {"host": "postgres-2.example.com", "port": 6432}],
            "username": "harbor", "passwordRef": "postgres", "sslMode": "verify-full", "prefix": "acme-",
        }),
    );
}

#[test]
fn a04_no_sub_object_that_may_be_absent_is_missed() {
    assert_eq!(
        external().set("/spec/database/spec", json!({})).error(),
        "spec.database.spec.postgresql: is required for kind PostgreSQL; set spec.database.spec.postgresql.hosts",
    );
    assert_eq!(
        zalando().set("/spec/database/spec", json!({})).error(),
        "spec.database.spec.zlandoPostgreSql: is required for kind Zlando/PostgreSQL; set \
         spec.database.spec.zlandoPostgreSql.operatorVersion",
    );
    assert_eq!(
        children(&cloud_native_pg()),
        [
            "Secret acme-database",
            "Cluster postgresql-registry-acme",
            "Secret acme-database-password",
            "Harbor acme-harbor"
        ],
    );
}

#[test]
fn settings_of_another_kind_are_ignored() {
    let zalando = zalando();
    let both = zalando.set(&cloud_native_pg_field("instances"), json!(0));
    assert_eq!(
        children(&both),
        ["postgresql postgresql-registry-acme", "Secret acme-database-password", "Harbor acme-harbor"]
    );
}

#[test]
fn what_the_go_operator_made_stays_as_it_is() {
    let case = adopted();
    let mut existing =
        case.inputs.iter().find(|input| input["kind"] == "postgresql").unwrap()["spec"].clone();
    existing.as_object_mut().unwrap().remove("allowedSourceRanges");
    // Takes effect without a restart, and keeps Notary able to log in.
    existing["postgresql"]["parameters"]["password_encryption"] = "md5".into();

    assert_eq!(case.child("postgresql")["spec"], existing);
    assert_eq!(password(&case), Some(base64("as-it-was")));
    assert_eq!(
        case.child("Harbor")["spec"]["database"],
        json!({
            "hosts": [{"host": "postgresql-registry-acme.registry.svc", "port": 5432}],
            "username": "harbor", "passwordRef": PASSWORD,
        }),
    );
}

#[test]
fn every_address_may_log_in_to_zalandos_servers_in_the_mode_harbor_uses() {
    let case = zalando();
    assert_eq!(
        case.child("Harbor")["spec"]["database"].get("sslMode"),
        None,
        "prefer: TLS, since it is offered"
    );
    let rules = case.child("postgresql")["spec"]["patroni"]["pg_hba"].clone();
    assert!(rules.as_array().unwrap().contains(&json!("hostssl all all all md5")), "{rules}");

    let plain = zalando().set(&zalando_field("sslMode"), json!("disable"));
    assert_eq!(plain.child("Harbor")["spec"]["database"]["sslMode"], "disable");
}

#[test]
fn a_new_zalando_cluster_gets_a_version_and_one_that_exists_keeps_its_own() {
    let version = |case: &Stack| case.child("postgresql")["spec"]["postgresql"]["version"].clone();
    assert_eq!(version(&zalando()), "15");
    assert_eq!(version(&zalando().set(&zalando_field("version"), json!("18"))), "18");
    assert_eq!(version(&adopted()), "12");
    assert_eq!(version(&adopted().set(&zalando_field("version"), json!("12"))), "12");
    assert_eq!(
        adopted().set(&zalando_field("version"), json!("15")).error(),
        "spec.database.spec.zlandoPostgreSql.version: is 15, but the database has version 12, and this operator \
         does not upgrade it; remove it; to upgrade, change spec.postgresql.version of the postgresql resource",
    );
}

#[test]
fn a_version_that_harbor_does_not_run_on_is_refused() {
    let error = |version: &str| zalando().set(&zalando_field("version"), json!(version)).error();
    assert_eq!(
        error("11"),
        "spec.database.spec.zlandoPostgreSql.version: Harbor needs PostgreSQL 12 or later; set it to 15",
    );
    assert_eq!(
        error("16.2"),
        "spec.database.spec.zlandoPostgreSql.version: \"16.2\" is not a major version of PostgreSQL; write it as \
         one number, such as 15",
    );
}

#[test]
fn an_image_is_left_to_zalandos_operator_and_that_of_a_cluster_that_exists_stays() {
    let image = |case: &Stack| case.child("postgresql")["spec"]["dockerImage"].clone();
    assert_eq!(image(&zalando()), Value::Null);
    assert_eq!(image(&adopted()), "example/spilo-13:2.1-p1");
    assert_eq!(image(&adopted().set(&zalando_field("image"), json!("mine"))), "mine");
}

#[test]
fn volumes_neither_shrink_nor_move() {
    let case = adopted();
    let smaller = case.set(&zalando_field("storage"), json!("500Mi"));
    let moved = smaller.set(&zalando_field("storageClassName"), json!("fast")).error();
    assert!(moved.starts_with("spec.database.spec.zlandoPostgreSql.storage: "), "{moved}");

    let class = adopted().set(&zalando_field("storageClassName"), json!("fast")).error();
    assert!(class.starts_with("spec.database.spec.zlandoPostgreSql.storageClassName: "), "{class}");

    let existing = and_then(cloud_native_pg(), "Cluster");
    let smaller = existing.set(&cloud_native_pg_field("storage"), json!("1G")).error();
    assert!(smaller.starts_with("spec.database.spec.cloudNativePG.storage: "), "{smaller}");
}

#[test]
fn all_problems_are_reported_at_once() {
    let case = zalando().set(&zalando_field("storage"), json!("big"));
    let case = case.set(&zalando_field("version"), json!("latest"));
    let error = case.set(&zalando_field("replicas"), json!(-1)).error();
    for field in ["storage", "version", "replicas"] {
        assert!(error.contains(&format!("spec.database.spec.zlandoPostgreSql.{field}: ")), "{error}");
    }
}

#[test]
fn b26_the_harbors_password_follows_the_one_zalandos_operator_keeps() {
    const SOURCE: &str = "harbor.postgresql-registry-acme.credentials.postgresql.acid.zalan.do";
    let mut case = zalando();
    assert_eq!(password(&case), None, "what was copied earlier stays in use");

    case.inputs.push(secret(SOURCE, &json!({"username": "harbor", "password": "first"})));
    assert_eq!(password(&case), Some(base64("first")));

    let case = case.with(SOURCE, "password", "second");
    assert_eq!(password(&case), Some(base64("second")));
}

#[test]
fn b26_the_harbors_password_follows_the_one_cloud_native_pg_is_given() {
    let mut case = cloud_native_pg();
    assert_eq!(password(&case), None);

    case.inputs.push(secret("acme-database", &json!({"username": "harbor", "password": "first"})));
    assert_eq!(password(&case), Some(base64("first")));
    assert_eq!(password(&case.with("acme-database", "password", "second")), Some(base64("second")));
}

#[test]
fn a_secret_that_zalandos_operator_has_not_filled_yet_is_waited_for() {
    let mut case = zalando();
    case.inputs.push(secret("harbor.postgresql-registry-acme.credentials", &json!({"password": ""})));
    assert_eq!(password(&case), None);
}

#[test]
fn only_the_secret_that_is_named_is_believed() {
    let mut case = zalando().set(&zalando_field("credentialsRef"), json!("mine"));
    case.inputs.push(secret("harbor.postgresql-registry-acme.credentials", &json!({"password": "old"})));
    assert_eq!(password(&case), None);
    case.inputs.push(secret("mine", &json!({"password": "new"})));
    assert_eq!(password(&case), Some(base64("new")));
}

#[test]
fn a10_data_stays_when_the_cluster_is_deleted_unless_the_user_wants_it_gone() {
    let deletion = |case: &Stack, name: &str| desired(case, name, |desired| desired.deletion);
    let delete = |case: Stack| case.set("/spec/deletionPolicy", json!("Delete"));
    for (case, names) in [
        (zalando as fn() -> Stack, &["postgresql-registry-acme"][..]),
        (cloud_native_pg, &["postgresql-registry-acme", "acme-database"]),
    ] {
        for name in names {
            assert_eq!(deletion(&case(), name), DeletionBehavior::Kept, "{name}");
            assert_eq!(deletion(&delete(case()), name), DeletionBehavior::Owned, "{name}");
        }
        assert_eq!(deletion(&case(), PASSWORD), DeletionBehavior::Owned, "a copy holds no data");
    }
}

#[test]
fn every_child_counts_for_the_condition_of_the_database() {
    for case in [zalando(), adopted(), cloud_native_pg()] {
        let plan = case.plan().unwrap();
        for (_, desired, _) in plan.graph.iter() {
            let expected =
                if desired.object.key().kind == "Harbor" { "ServiceReady" } else { "DatabaseReady" };
            assert_eq!(desired.aspect.unwrap().condition(), expected, "{desired:?}");
        }
    }
}

#[test]
fn the_databases_of_notary_exist_where_it_is_requested() {
    let databases = |case: &Stack| case.child("postgresql")["spec"]["databases"].clone();
    assert_eq!(databases(&zalando()), json!({"core": "harbor"}));
    let three = json!({"core": "harbor", "notaryserver": "harbor", "notarysigner": "harbor"});
    assert_eq!(databases(&adopted()), three);
}

#[test]
fn cloud_native_pg_makes_the_databases_of_notary_while_it_can() {
    let begun = |version: &str| {
        let case = cloud_native_pg().set("/spec/version", json!(version));
        case.child("Cluster")["spec"]["bootstrap"]["initdb"]["postInitSQL"].clone()
    };
    assert_eq!(begun("2.9.0"), Value::Null);
    assert_eq!(
        begun("2.8.0"),
        json!(["CREATE DATABASE notaryserver OWNER harbor", "CREATE DATABASE notarysigner OWNER harbor"]),
    );
}

#[test]
fn a_password_stored_for_notary_is_accepted_after_notary_is_gone() {
    let case = cloud_native_pg().set("/spec/version", json!("2.8.0"));
    let upgraded = and_then(case, "Cluster").set("/spec/version", json!("2.9.0"));
    assert_eq!(
        upgraded.child("Cluster")["spec"]["postgresql"],
        json!({"parameters": {"max_connections": "1024"}, "pg_hba": ["host all harbor all md5"]}),
    );
}

#[test]
fn a_cluster_that_began_with_a_backup_is_left_at_that() {
    let mut restored = cloud_native_pg().child("Cluster");
    restored["spec"]["bootstrap"] =
        json!({"recovery": {"source": "backup", "database": "core", "owner": "harbor"}});
    let mut case = cloud_native_pg();
    case.inputs.push(restored);

    assert_eq!(case.child("Cluster")["spec"]["bootstrap"], Value::Null);
}

#[test]
fn what_exists_is_planned_as_it_exists() {
    for (case, kind) in [(zalando(), "postgresql"), (cloud_native_pg(), "Cluster")] {
        let planned = case.child(kind);
        assert_eq!(and_then(case, kind).child(kind), planned);
    }
}

#[test]
fn an_image_and_a_catalogue_of_images_exclude_each_other() {
    let case = cloud_native_pg().set(&cloud_native_pg_field("image"), json!("postgresql:17.5"));
    let both = case.set(&cloud_native_pg_field("imageCatalogRef"), json!({"name": "c", "major": 17}));
    assert_eq!(
        both.error(),
        "spec.database.spec.cloudNativePG.imageCatalogRef: cannot be set together with image; keep one of them",
    );
}

#[test]
fn b33_a_name_that_is_too_long_is_refused_with_the_length_that_fits() {
    let long = "x".repeat(33);
    assert_eq!(
        zalando().set("/metadata/name", json!(long)).error(),
        format!(
            "metadata.name: the database is called \"postgresql-registry-{long}\", which is longer than 52 \
             characters; use names of at most 40 characters together for HarborCluster and namespace",
        ),
    );
    let error = cloud_native_pg().set("/metadata/name", json!("x".repeat(31))).error();
    assert!(error.contains("longer than 50 characters; use names of at most 38 characters"), "{error}");
}

#[test]
fn a_secret_that_is_named_and_missing_is_named_in_the_status() {
    let why = |case: &Stack| desired(case, PASSWORD, |desired| desired.policy.clone());
    let expected = "Secret registry/mine, named in spec.database.spec.zlandoPostgreSql.credentialsRef, does not exist or \
                    has no key `password`";
    let named = zalando().set(&zalando_field("credentialsRef"), json!("mine"));
    assert_eq!(why(&named), Policy::Await { why: expected.to_owned(), absence: Absence::Passing });
    let Policy::Await { why, .. } = why(&zalando()) else { panic!("awaited") };
    assert!(why.starts_with("the Zalando postgres operator has not made a Secret"), "{why}");
}

#[test]
fn claims_of_devices_that_servers_cannot_have_are_refused() {
    let resources = json!({"claims": [{"name": "gpu"}]});
    for (case, field) in [
        (zalando().set(&zalando_field("resources"), resources.clone()), "zlandoPostgreSql"),
        (cloud_native_pg().set(&cloud_native_pg_field("resources"), resources.clone()), "cloudNativePG"),
    ] {
        let error = case.error();
        assert!(
            error.starts_with(&format!("spec.database.spec.{field}.resources.claims: is set, but")),
            "{error}"
        );
    }
}

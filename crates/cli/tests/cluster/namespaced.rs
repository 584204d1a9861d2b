//! An operator without permissions outside of its namespaces.

use crate::{account, logged::Process, world::World};
use k8s_openapi::api::apps::v1::Deployment;
use serde_json::Value;

#[tokio::test]
async fn two_namespaces_are_reconciled_with_roles_in_them_and_no_cluster_role() {
    let (first, second, other) = (World::new().await, World::another().await, World::another().await);
    // Its own: the service accounts of the others have roles there already.
    let home = first.plane.create_namespace("home").await.unwrap();
    let flags = ["--namespace", &first.name, "--namespace", &second.name, "--operator-namespace", &home];
    let permissions = account::printed(&flags);
    let kinds: Vec<_> = permissions.iter().map(|object| object["kind"].as_str().unwrap()).collect();
    let role = ["Role", "RoleBinding"];
    assert_eq!(kinds, [&["ServiceAccount"][..], &role, &role, &role, &role].concat());
    first.apply_as_named(permissions).await;

    for world in [&first, &second, &other] {
        world.apply(World::inputs()).await;
        world.apply(vec![World::core()]).await;
    }
    let kubeconfig = account::kubeconfig(&first.plane, &account::name(&home));
    let own = ["--leader-elect", "--lease-namespace", &home, "--digest-key-namespace", &home];
    let operator = Process::start(kubeconfig.path(), &[&flags[..4], &own].concat());
    for world in [&first, &second] {
        world.make_available("harbor-core").await;
        world.until_condition("Ready", "True").await;
    }
    assert!(!other.has::<Deployment>("harbor-core").await);
    let refused = |line: &Value| line.to_string().to_lowercase().contains("forbidden");
    let refused: Vec<_> = operator.lines().into_iter().filter(refused).collect();
    assert_eq!(refused, Vec::<Value>::new(), "nothing was asked for that is not allowed");
}

//! Workloads get pods, follow their specs, and fail if an annotation requests it.

use crate::world::{World, condition};
use api::names::{SANDBOX_DELAY_ANNOTATION, SANDBOX_FAIL_ANNOTATION};
use apiserver::LOG_ANNOTATIONS;
use serde_json::{Value, json};
use std::{collections::BTreeSet, time::Duration};

fn deployment(replicas: i64) -> Value {
    json!({"spec": {
        "replicas": replicas,
        "selector": {"matchLabels": {"app": "web"}},
        "template": template("web:1"),
    }})
}

fn template(image: &str) -> Value {
    json!({
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "web", "image": image}]},
    })
}

fn is_available(deployment: &Value, replicas: i64) -> bool {
    let status = &deployment["status"];
    status["observedGeneration"] == deployment["metadata"]["generation"]
        && ["replicas", "updatedReplicas", "readyReplicas", "availableReplicas"]
            .iter()
            .all(|field| status[*field].as_i64().unwrap_or(0) == replicas)
        && condition(deployment, "Progressing")["reason"] == "NewReplicaSetAvailable"
}

#[tokio::test]
async fn a_deployment_gets_a_replica_set_and_running_pods() {
    let world = World::new().await;
    world.create("Deployment", "web", deployment(2)).await;

    let up = world.until("Deployment", "web", |deployment| is_available(deployment, 2)).await;

    assert_eq!(condition(&up, "Available")["status"], "True");
    assert_eq!(up["metadata"]["annotations"]["deployment.kubernetes.io/revision"], "1");
    let sets = world.list("ReplicaSet").await;
    assert_eq!(sets.len(), 1);
    let hash = sets[0]["metadata"]["labels"]["pod-template-hash"].as_str().unwrap();
    let pods = world.list("Pod").await;
    assert_eq!(pods.len(), 2);
    let mut addresses = BTreeSet::new();
    for pod in &pods {
        assert!(pod["metadata"]["name"].as_str().unwrap().starts_with(&format!("web-{hash}-")), "{pod:#}");
        assert_eq!(pod["metadata"]["ownerReferences"][0]["uid"], sets[0]["metadata"]["uid"]);
        assert_eq!(pod["status"]["phase"], "Running");
        assert_eq!(condition(pod, "Ready")["status"], "True");
        assert_eq!(pod["status"]["containerStatuses"][0]["ready"], true);
        addresses.insert(pod["status"]["podIP"].to_string());
    }
    assert_eq!(addresses.len(), 2, "each pod has an address of its own");
    world.assert_quiet().await;
}

#[tokio::test]
async fn a_deployment_rolls_to_a_new_template_and_scales_to_zero_and_back() {
    let world = World::new().await;
    world.create("Deployment", "web", deployment(2)).await;
    world.until("Deployment", "web", |deployment| is_available(deployment, 2)).await;

    world.merge("Deployment", "web", json!({"spec": {"template": template("web:2")}})).await;
    let rolled = world.until("Deployment", "web", |deployment| is_available(deployment, 2)).await;
    assert_eq!(rolled["metadata"]["annotations"]["deployment.kubernetes.io/revision"], "2");
    let images: Vec<Value> =
        world.list("Pod").await.iter().map(|pod| pod["spec"]["containers"][0]["image"].clone()).collect();
    assert_eq!(images, ["web:2", "web:2"]);

    world.merge("Deployment", "web", json!({"spec": {"replicas": 0}})).await;
    world.until("Deployment", "web", |deployment| is_available(deployment, 0)).await;
    assert_eq!(world.names("Pod").await, Vec::<String>::new());

    world.merge("Deployment", "web", json!({"spec": {"replicas": 3, "template": template("web:1")}})).await;
    let back = world.until("Deployment", "web", |deployment| is_available(deployment, 3)).await;
    assert_eq!(back["metadata"]["annotations"]["deployment.kubernetes.io/revision"], "3");
    assert_eq!(world.names("ReplicaSet").await.len(), 2, "the old template is used again");
    world.assert_quiet().await;
}

#[tokio::test]
async fn a_paused_deployment_scales_but_does_not_roll() {
    let world = World::new().await;
    world.create("Deployment", "web", deployment(1)).await;
    world.until("Deployment", "web", |deployment| is_available(deployment, 1)).await;

    let change = json!({"spec": {"paused": true, "replicas": 2, "template": template("web:2")}});
    world.merge("Deployment", "web", change).await;
    let paused = world
        .until("Deployment", "web", |deployment| {
            deployment["status"]["availableReplicas"] == 2
                && condition(deployment, "Progressing")["reason"] == "DeploymentPaused"
        })
        .await;
    assert_eq!(paused["status"].get("updatedReplicas"), None);
    assert_eq!(world.names("ReplicaSet").await.len(), 1);

    world.merge("Deployment", "web", json!({"spec": {"paused": false}})).await;
    world.until("Deployment", "web", |deployment| is_available(deployment, 2)).await;
    assert_eq!(world.list("Pod").await[0]["spec"]["containers"][0]["image"], "web:2");
}

#[tokio::test]
async fn a_deployment_annotated_to_fail_fails_visibly_and_recovers() {
    let world = World::new().await;
    let mut failing = deployment(1);
    failing["metadata"]["annotations"][SANDBOX_FAIL_ANNOTATION] = "no such image".into();
    world.create("Deployment", "web", failing).await;

    let progressing = world.until_condition("Deployment", "web", "Progressing", "False").await;
    assert_eq!(progressing["reason"], "ProgressDeadlineExceeded");
    assert!(progressing["message"].as_str().unwrap().ends_with(": no such image"), "{progressing}");
    world.requests.until_quiet().await;
    let pods = world.list("Pod").await;
    let waiting = &pods[0]["status"]["containerStatuses"][0]["state"]["waiting"];
    assert_eq!(waiting, &json!({"reason": "ImagePullBackOff", "message": "no such image"}));

    world.mend("Deployment", "web").await;
    world.until("Deployment", "web", |deployment| is_available(deployment, 1)).await;

    world.fail("Deployment", "web", "out of memory").await;
    world.until("Deployment", "web", |deployment| deployment["status"]["unavailableReplicas"] == 1).await;
    let pods = world.list("Pod").await;
    let waiting = &pods[0]["status"]["containerStatuses"][0]["state"]["waiting"];
    assert_eq!(waiting["reason"], "CrashLoopBackOff");
    assert_eq!(pods[0]["metadata"]["annotations"][format!("{LOG_ANNOTATIONS}web")], "out of memory");
    world.requests.until_quiet().await;
    let mut reasons: Vec<_> = world.list("Event").await.iter().map(|event| event["reason"].clone()).collect();
    reasons.sort_by_key(ToString::to_string);
    assert_eq!(reasons, ["BackOff", "Failed"]);
    world.mend("Deployment", "web").await;
    world.until("Deployment", "web", |deployment| is_available(deployment, 1)).await;
    world.assert_quiet().await;
}

#[tokio::test]
async fn an_object_takes_as_long_as_it_says() {
    let world = World::slow(Duration::from_hours(1)).await;
    world.create("Deployment", "slow", deployment(1)).await;
    let mut fast = deployment(1);
    fast["metadata"]["annotations"][SANDBOX_DELAY_ANNOTATION] = "1s".into();
    world.create("Deployment", "fast", fast).await;

    world.until("Deployment", "fast", |deployment| is_available(deployment, 1)).await;

    let slow = world.get("Deployment", "slow").await;
    assert_eq!(condition(&slow, "Progressing")["reason"], "ReplicaSetUpdated");
    assert_eq!(condition(&slow, "Available")["status"], "False");
}

#[tokio::test]
async fn a_pod_waits_for_what_it_needs() {
    let world = World::new().await;
    let mut needy = deployment(1);
    let pod = &mut needy["spec"]["template"]["spec"];
    pod["volumes"] = json!([{"name": "config", "configMap": {"name": "config"}}]);
    pod["containers"][0]["env"] =
        json!([{"name": "PASSWORD", "valueFrom": {"secretKeyRef": {"name": "access", "key": "password"}}}]);
    world.create("Deployment", "web", needy).await;
    world.until_condition("Deployment", "web", "Available", "False").await;
    world.requests.until_quiet().await;
    let pod = &world.list("Pod").await[0];
    assert_eq!(pod["status"]["message"], "configmap \"config\" not found");
    let name = pod["metadata"]["name"].as_str().unwrap();

    world.create("ConfigMap", "config", json!({"data": {"a": "b"}})).await;
    world.create("Secret", "access", json!({"stringData": {"user": "me"}})).await;
    let waiting = |pod: &Value| pod["status"]["containerStatuses"][0]["state"]["waiting"].clone();
    let pod = world
        .until("Pod", name, |pod| waiting(pod)["message"].as_str().is_some_and(|m| m.starts_with("couldn't")))
        .await;
    let message = format!("couldn't find key password in Secret {}/access", world.namespace);
    assert_eq!(waiting(&pod), json!({"reason": "CreateContainerConfigError", "message": message}));

    world.merge("Secret", "access", json!({"stringData": {"password": "p"}})).await;
    world.until("Deployment", "web", |deployment| is_available(deployment, 1)).await;
    world.assert_quiet().await;
}

#[tokio::test]
async fn init_containers_end_while_the_environment_of_a_container_is_missing() {
    let world = World::new().await;
    let pod = json!({"spec": {
        "restartPolicy": "Never",
        "initContainers": [{"name": "first", "image": "work"}],
        "containers": [{"name": "work", "image": "work", "env": [
            {"name": "GO", "valueFrom": {"secretKeyRef": {"name": "access", "key": "go"}}},
        ]}],
    }});
    world.create("Pod", "work", pod).await;
    let state = |pod: &Value, containers: &str| pod["status"][containers][0]["state"].clone();
    let ended = |pod: &Value| state(pod, "initContainerStatuses")["terminated"]["exitCode"] == 0;
    let pod = world.until("Pod", "work", ended).await;
    assert_eq!(state(&pod, "containerStatuses")["waiting"]["reason"], "CreateContainerConfigError");
    assert_eq!(pod["status"]["phase"], "Pending");

    world.create("Secret", "access", json!({"stringData": {"go": "on"}})).await;
    world.until("Pod", "work", |pod| pod["status"]["phase"] == "Succeeded").await;
}

#[tokio::test]
async fn a_stateful_set_has_numbered_pods_with_claims_of_their_own() {
    let world = World::new().await;
    let set = json!({"spec": {
        "replicas": 3,
        "serviceName": "db",
        "selector": {"matchLabels": {"app": "web"}},
        "template": template("db:1"),
        "volumeClaimTemplates": [{
            "metadata": {"name": "data"},
            "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
        }],
    }});
    world.create("StatefulSet", "db", set).await;
    let is_ready = |set: &Value, replicas: i64| {
        let status = &set["status"];
        status["observedGeneration"] == set["metadata"]["generation"]
            && ["replicas", "readyReplicas", "updatedReplicas", "currentReplicas"]
                .iter()
                .all(|field| status[*field].as_i64().unwrap_or(0) == replicas)
            && status["currentRevision"] == status["updateRevision"]
    };
    world.until("StatefulSet", "db", |set| is_ready(set, 3)).await;
    assert_eq!(world.names("Pod").await, ["db-0", "db-1", "db-2"]);
    let claims = world.list("PersistentVolumeClaim").await;
    assert_eq!(world.names("PersistentVolumeClaim").await, ["data-db-0", "data-db-1", "data-db-2"]);
    assert_eq!(claims[0]["status"]["phase"], "Bound");
    assert_eq!(claims[0]["status"]["capacity"]["storage"], "1Gi");
    assert_eq!(
        claims[0]["spec"]["volumeName"],
        format!("pvc-{}", claims[0]["metadata"]["uid"].as_str().unwrap())
    );

    world.merge("StatefulSet", "db", json!({"spec": {"template": template("db:2")}})).await;
    world.until("StatefulSet", "db", |set| is_ready(set, 3)).await;
    assert_eq!(world.get("Pod", "db-0").await["spec"]["containers"][0]["image"], "db:2");

    world.merge("StatefulSet", "db", json!({"spec": {"replicas": 1}})).await;
    world.until("StatefulSet", "db", |set| is_ready(set, 1)).await;
    assert_eq!(world.names("Pod").await, ["db-0"]);
    world.delete("PersistentVolumeClaim", "data-db-2").await;
    world.until_gone("PersistentVolumeClaim", "data-db-2").await;
    world.assert_quiet().await;
}

fn job() -> Value {
    json!({"spec": {"template": {"spec": {
        "restartPolicy": "Never",
        "containers": [{"name": "work", "image": "work"}],
    }}}})
}

#[tokio::test]
async fn a_job_runs_a_pod_to_completion() {
    let world = World::new().await;
    world.create("Job", "work", job()).await;

    world.until_condition("Job", "work", "Complete", "True").await;

    let job = world.get("Job", "work").await;
    assert_eq!(job["status"]["succeeded"], 1);
    assert_eq!(job["status"].get("active"), None);
    assert!(job["status"]["completionTime"].is_string());
    let pods = world.list("Pod").await;
    assert_eq!(pods[0]["status"]["phase"], "Succeeded");
    assert_eq!(pods[0]["status"]["containerStatuses"][0]["state"]["terminated"]["exitCode"], 0);
    world.assert_quiet().await;
}

#[tokio::test]
async fn a_job_whose_pods_fail_more_often_than_it_allows_fails() {
    let world = World::new().await;
    let mut failing = job();
    failing["spec"]["backoffLimit"] = 0.into();
    failing["metadata"]["annotations"][SANDBOX_FAIL_ANNOTATION] = "bucket refused".into();
    world.create("Job", "work", failing).await;

    let failed = world.until_condition("Job", "work", "Failed", "True").await;

    assert_eq!(failed["reason"], "BackoffLimitExceeded");
    assert_eq!(failed["message"], "Job has reached the specified backoff limit");
    let pods = world.list("Pod").await;
    assert_eq!(pods.len(), 1);
    assert_eq!(pods[0]["status"]["phase"], "Failed");
    assert_eq!(pods[0]["status"]["containerStatuses"][0]["state"]["terminated"]["message"], "bucket refused");
    world.assert_quiet().await;
}

#[tokio::test]
async fn a_job_that_takes_longer_than_its_deadline_fails_and_its_pod_ends() {
    let world = World::new().await;
    let mut slow = job();
    slow["metadata"]["annotations"][SANDBOX_DELAY_ANNOTATION] = "1h".into();
    slow["spec"]["activeDeadlineSeconds"] = 1.into();
    world.create("Job", "work", slow).await;

    let failed = world.until_condition("Job", "work", "Failed", "True").await;

    assert_eq!(failed["reason"], "DeadlineExceeded");
    while !world.names("Pod").await.is_empty() {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    world.assert_quiet().await;
}

#[tokio::test]
async fn a_claim_annotated_to_fail_keeps_its_pod_waiting() {
    let world = World::new().await;
    let claim = json!({
        "metadata": {"annotations": {SANDBOX_FAIL_ANNOTATION: "no space"}},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    });
    world.create("PersistentVolumeClaim", "data", claim).await;
    let mut pod = template("web:1");
    pod["spec"]["volumes"] = json!([{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]);
    world.create("Pod", "web", pod).await;

    let waiting = world.until_condition("Pod", "web", "PodScheduled", "False").await;
    assert_eq!(waiting["reason"], "Unschedulable");
    assert_eq!(waiting["message"], "pod has unbound immediate PersistentVolumeClaims");

    world.mend("PersistentVolumeClaim", "data").await;
    world.until_condition("Pod", "web", "Ready", "True").await;
    world.assert_quiet().await;
}

#[tokio::test]
async fn a_stateful_set_annotated_to_fail_has_no_ready_pods_until_the_annotation_is_removed() {
    let world = World::new().await;
    let set = json!({"spec": {
        "replicas": 2, "serviceName": "db", "selector": {"matchLabels": {"app": "web"}}, "template": template("db:1"),
    }});
    world.create("StatefulSet", "db", set).await;
    world.until("StatefulSet", "db", |set| set["status"]["readyReplicas"] == 2).await;

    world.fail("StatefulSet", "db", "corrupt").await;
    world.until("StatefulSet", "db", |set| set["status"]["readyReplicas"].as_i64().unwrap_or(0) == 0).await;
    world.mend("StatefulSet", "db").await;
    world.until("StatefulSet", "db", |set| set["status"]["readyReplicas"] == 2).await;
    world.assert_quiet().await;
}

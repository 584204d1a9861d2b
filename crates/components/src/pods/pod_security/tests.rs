use crate::{cases::Case, harbor::Harbor, harborcluster::HarborCluster, portal::Portal, registry::Registry};
use plan::{Component, PrivilegedPods};
use proptest::{collection::vec, prelude::*, sample::subsequence};
use serde_json::{Map, Value, json};

const REMEDY: &str = "remove it, or let an administrator start the operator with --allow-privileged-pods";

/// The same object, where the administrator allows everything.
fn allowed<C: Component>(mut case: Case<C>) -> Case<C> {
    case.defaults.privileged_pods = PrivilegedPods::Allowed;
    case
}

fn running_first(container: &Value) -> Case<Portal> {
    let mut named = json!({"name": "first", "image": "example.com/first:1"});
    named.as_object_mut().unwrap().extend(container.as_object().unwrap().clone());
    Case::golden("minimal").set("/spec/initContainers", json!([named]))
}

fn on_volume(volume: Value) -> Case<Registry> {
    Case::golden("minimal").set("/spec/storage/driver/filesystem/volumeSource", volume)
}

#[test]
fn an_init_container_that_reaches_the_node_is_refused_by_its_field() {
    for (container, field, problem) in [
        (json!({"securityContext": {"privileged": true}}), "securityContext.privileged", "is true"),
        (
            json!({"securityContext": {"allowPrivilegeEscalation": true}}),
            "securityContext.allowPrivilegeEscalation",
            "is true",
        ),
        (json!({"securityContext": {"runAsUser": 0}}), "securityContext.runAsUser", "is root"),
        (json!({"securityContext": {"runAsNonRoot": false}}), "securityContext.runAsNonRoot", "is false"),
        (
            json!({"securityContext": {"capabilities": {"add": ["NET_BIND_SERVICE", "SYS_ADMIN", "CHOWN"]}}}),
            "securityContext.capabilities.add",
            "names SYS_ADMIN, CHOWN",
        ),
        (
            json!({"securityContext": {"procMount": "Unmasked"}}),
            "securityContext.procMount",
            "is \"Unmasked\"",
        ),
        (
            json!({"securityContext": {"seccompProfile": {"type": "Unconfined"}}}),
            "securityContext.seccompProfile.type",
            "is \"Unconfined\"",
        ),
        (
            json!({"securityContext": {"appArmorProfile": {"type": "Unconfined"}}}),
            "securityContext.appArmorProfile.type",
            "is \"Unconfined\"",
        ),
        (
            json!({"securityContext": {"seLinuxOptions": {"type": "spc_t"}}}),
            "securityContext.seLinuxOptions.type",
            "is \"spc_t\"",
        ),
        (
            json!({"securityContext": {"seLinuxOptions": {"user": "system_u"}}}),
            "securityContext.seLinuxOptions.user",
            "is \"system_u\"",
        ),
        (
            json!({"securityContext": {"seLinuxOptions": {"role": "sysadm_r"}}}),
            "securityContext.seLinuxOptions.role",
            "is \"sysadm_r\"",
        ),
        (
            json!({"securityContext": {"windowsOptions": {"hostProcess": true}}}),
            "securityContext.windowsOptions.hostProcess",
            "is true",
        ),
        (
            json!({"ports": [{"containerPort": 1}, {"containerPort": 2, "hostPort": 22}]}),
            "ports[1].hostPort",
            "is 22, a port of the node",
        ),
        (
            json!({"startupProbe": {"httpGet": {"host": "169.254.169.254", "port": 80}}}),
            "startupProbe.httpGet.host",
            "is \"169.254.169.254\", which the node would connect to",
        ),
        (
            json!({"lifecycle": {"preStop": {"tcpSocket": {"host": "localhost", "port": 80}}}}),
            "lifecycle.preStop.tcpSocket.host",
            "is \"localhost\", which the node would connect to",
        ),
    ] {
        let case = running_first(&container);
        assert_eq!(case.error(), format!("spec.initContainers[0].{field}: {problem}; {REMEDY}"));
        let pod = allowed(case).child("Deployment")["spec"]["template"]["spec"].clone();
        let rendered = &pod["initContainers"][0];
        for (name, requested) in container.as_object().unwrap() {
            assert_eq!(&rendered[name], requested, "what is allowed stays as it was written");
        }
    }
}

#[test]
fn an_init_container_without_privileges_cannot_gain_any() {
    let restricted = json!({"allowPrivilegeEscalation": false, "capabilities": {"drop": ["ALL"]}});
    for (context, expected) in [
        (json!(null), restricted.clone()),
        (json!({"runAsUser": 65534}), {
            let mut context = restricted.clone();
            context["runAsUser"] = json!(65534);
            context
        }),
        (
            json!({"capabilities": {"add": ["NET_BIND_SERVICE"]}, "procMount": "Default"}),
            json!({
                "allowPrivilegeEscalation": false,
                "capabilities": {"add": ["NET_BIND_SERVICE"], "drop": ["ALL"]},
                "procMount": "Default",
            }),
        ),
    ] {
        let child = running_first(&json!({"securityContext": context})).child("Deployment");
        assert_eq!(child["spec"]["template"]["spec"]["initContainers"][0]["securityContext"], expected);
    }
}

#[test]
fn a_volume_that_leads_to_the_node_or_holds_a_token_is_refused_by_its_field() {
    let token = json!({"serviceAccountToken": {"path": "token"}});
    for (volume, field, problem) in [
        (json!({"hostPath": {"path": "/"}}), "hostPath", "is a directory of the node"),
        (
            json!({"gitRepo": {"repository": "https://example.com/r"}}),
            "gitRepo",
            "runs git on the node, as root",
        ),
        (
            json!({"projected": {"sources": [{"secret": {"name": "a"}}, token]}}),
            "projected.sources[1].serviceAccountToken",
            "is a token for the API server, in the name of the pod's ServiceAccount",
        ),
    ] {
        let case = on_volume(volume);
        let path = "spec.storage.driver.filesystem.volumeSource";
        assert_eq!(case.error(), format!("{path}.{field}: {problem}; {REMEDY}"));
        assert!(allowed(case).plan().is_ok());
    }
}

#[test]
fn volumes_that_pod_security_leaves_to_namespaces_are_accepted() {
    for volume in [
        json!({"nfs": {"server": "nfs.example.com", "path": "/images"}}),
        json!({"csi": {"driver": "nfs.csi.k8s.io"}}),
        json!({"emptyDir": {}}),
        json!({"ephemeral": {"volumeClaimTemplate": {"spec": {"accessModes": ["ReadWriteOnce"]}}}}),
        json!({"projected": {"sources": [{"secret": {"name": "a"}}, {"configMap": {"name": "b"}}]}}),
        json!({"persistentVolumeClaim": {"claimName": "images"}}),
    ] {
        assert!(on_volume(volume.clone()).plan().is_ok(), "{volume}");
    }
}

#[test]
fn an_annotation_that_takes_a_profile_from_a_container_is_refused() {
    const KEY: &str = "container.apparmor.security.beta.kubernetes.io/portal";
    let annotated = |profile: &str| {
        Case::<Portal>::golden("minimal").set("/spec/templateAnnotations", json!({KEY: profile}))
    };
    let error = annotated("unconfined").error();
    assert_eq!(error, format!("spec.templateAnnotations[{KEY}]: is \"unconfined\"; {REMEDY}"));
    assert!(allowed(annotated("unconfined")).plan().is_ok());
    for profile in ["runtime/default", "localhost/portal"] {
        assert!(annotated(profile).plan().is_ok(), "{profile}");
    }
}

/// Nothing of it is touched then: an object without a plan has no children to apply, and none to sweep.
#[test]
fn a_harbor_is_refused_as_a_whole_and_by_the_field_its_user_wrote() {
    let privileged = json!([{"name": "first", "securityContext": {"privileged": true}}]);
    let expected =
        |part: &str| format!("spec.{part}.initContainers[0].securityContext.privileged: is true; {REMEDY}");
    for part in ["core", "jobservice", "registry", "portal", "exporter", "nginx"] {
        let pointer = format!("/spec/{part}/initContainers");
        let case = Case::<Harbor>::golden("minimal").set(&pointer, privileged.clone());
        assert_eq!(case.error(), expected(part));
        let case = Case::<HarborCluster>::golden("storage-s3").set(&pointer, privileged.clone());
        assert_eq!(case.error(), expected(part));
    }
}

fn sometimes(values: Vec<Value>) -> impl Strategy<Value = Option<Value>> {
    prop::option::weighted(0.2, prop::sample::select(values))
}

/// An init container with any of these settings, most of them unset.
fn container() -> impl Strategy<Value = Value> {
    let bits = || sometimes(vec![json!(true), json!(false)]);
    let profile = || sometimes(vec![json!({"type": "RuntimeDefault"}), json!({"type": "Unconfined"})]);
    let capabilities = subsequence(vec!["NET_BIND_SERVICE", "SYS_ADMIN", "NET_RAW"], 0..=3);
    let context = (
        (bits(), bits(), bits(), sometimes(vec![json!(0), json!(1000)])),
        prop::option::weighted(0.3, capabilities),
        (profile(), profile(), sometimes(vec![json!("Unmasked"), json!("Default")])),
    )
        .prop_map(|((privileged, escalation, non_root, user), add, (seccomp, armor, proc))| {
            fields([
                ("privileged", privileged),
                ("allowPrivilegeEscalation", escalation),
                ("runAsNonRoot", non_root),
                ("runAsUser", user),
                ("capabilities", add.map(|add| json!({"add": add}))),
                ("seccompProfile", seccomp),
                ("appArmorProfile", armor),
                ("procMount", proc),
            ])
        });
    let ports =
        sometimes(vec![json!([{"containerPort": 80}]), json!([{"containerPort": 80, "hostPort": 80}])]);
    (prop::option::of(context), ports).prop_map(|(context, ports)| {
        fields([("name", Some(json!("first"))), ("securityContext", context), ("ports", ports)])
    })
}

fn volume() -> impl Strategy<Value = Value> {
    let sources = subsequence(
        vec![
            json!({"secret": {"name": "a"}}),
            json!({"downwardAPI": {"items": []}}),
            json!({"serviceAccountToken": {"path": "token", "audience": "a"}}),
        ],
        0..=3,
    );
    prop_oneof![
        Just(json!({"emptyDir": {}})),
        Just(json!({"hostPath": {"path": "/var"}})),
        Just(json!({"gitRepo": {"repository": "r"}})),
        Just(json!({"persistentVolumeClaim": {"claimName": "images"}})),
        sources.prop_map(|sources| json!({"projected": {"sources": sources}})),
    ]
}

fn fields<const N: usize>(fields: [(&str, Option<Value>); N]) -> Value {
    let set = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Value::Object(set.collect::<Map<_, _>>())
}

/// What a pod must not have, found without the code under test.
fn dangers(at: &Value) -> Vec<String> {
    let Some(fields) = at.as_object() else {
        return at.as_array().into_iter().flatten().flat_map(dangers).collect();
    };
    let dangerous = |(name, value): &(&String, &Value)| match name.as_str() {
        "hostPath" | "gitRepo" | "serviceAccountToken" | "hostPort" => true,
        "privileged" | "allowPrivilegeEscalation" => **value == json!(true),
        "runAsNonRoot" => **value == json!(false),
        "runAsUser" => **value == json!(0),
        "procMount" => **value == json!("Unmasked"),
        "type" => **value == json!("Unconfined"),
        "add" => value.as_array().is_some_and(|all| all.iter().any(|it| it != "NET_BIND_SERVICE")),
        _ => false,
    };
    let own = fields.iter().filter(dangerous).map(|(name, value)| format!("{name}: {value}"));
    own.chain(fields.values().flat_map(dangers)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn no_pod_reaches_the_node_whatever_a_user_asks_for(
        containers in vec(container(), 0..3),
        volume in volume(),
    ) {
        let asked = json!({"containers": containers, "volume": volume});
        let case = on_volume(volume).set("/spec/initContainers", json!(containers));
        if let Err(error) = case.plan() {
            prop_assert!(error.to_string().contains("--allow-privileged-pods"), "{error}");
            prop_assert!(!dangers(&asked).is_empty(), "refused without need: {asked}");
        } else {
            let pod = case.child("Deployment")["spec"]["template"]["spec"].clone();
            prop_assert_eq!(dangers(&pod), Vec::<String>::new());
            for container in pod["initContainers"].as_array().into_iter().flatten() {
                let context = &container["securityContext"];
                prop_assert_eq!(&context["allowPrivilegeEscalation"], &json!(false));
                prop_assert_eq!(&context["capabilities"]["drop"], &json!(["ALL"]));
            }
        }
        let pod = allowed(case).child("Deployment")["spec"]["template"]["spec"].clone();
        prop_assert_eq!(dangers(&pod), dangers(&asked), "all or nothing");
    }
}

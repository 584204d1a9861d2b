use crate::run::{Folder, Ran, documents, failed, fixture, names};
use serde_json::Value;

const RENDER: &str = "render -f core.yaml --inputs inputs";

fn rendered(folder: &Folder, arguments: &str) -> String {
    let Ran { code, stdout, stderr } = folder.run(arguments);
    assert_eq!((code, stderr.as_str()), (Some(0), ""));
    stdout
}

#[test]
fn children_are_printed_in_the_order_in_which_they_are_applied() {
    let names = names(&rendered(&Folder::with_a_core(), RENDER));
    assert!(names.contains(&"Service harbor-core".to_owned()), "{names:?}");
    let last: Vec<_> = names.iter().rev().take(2).rev().collect();
    assert_eq!(last, ["Deployment harbor-core", "Secret harbor-core-database"], "one waits, one confirms");
}

#[test]
fn b35_nothing_is_read_but_the_files_that_are_given() {
    let folder = Folder::with_a_core();
    let output = folder.command(RENDER).env_clear().output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), rendered(&folder, RENDER));
}

#[test]
fn yaml_and_json_are_equal() {
    let folder = Folder::with_a_core();
    let list: Value = serde_json::from_str(&rendered(&folder, &format!("{RENDER} --output json"))).unwrap();
    assert_eq!(list["items"], Value::Array(documents(&rendered(&folder, RENDER))));
}

#[test]
fn inputs_may_come_with_the_objects_from_files_and_from_standard_input() {
    let folder = Folder::with_a_core();
    let expected = rendered(&folder, RENDER);
    let files = "render -f core.yaml inputs/secrets.yaml -f inputs/postgres.json";
    assert_eq!(rendered(&folder, files), expected);
    let core = fixture("core.yaml");
    let ran = folder.run_with_input("render -f - --inputs inputs", &core);
    assert_eq!(ran, Ran { code: Some(0), stdout: expected, stderr: String::new() });
}

#[test]
fn an_object_without_namespace_is_in_that_of_its_owner() {
    let folder = Folder::with_a_core();
    folder.replace("core.yaml", "metadata:\n", "metadata:\n  namespace: elsewhere\n");
    let expected = "\
error: Core elsewhere/harbor: Secret elsewhere/postgres does not exist; put it into a file in --inputs DIR or give its file with -f
";
    assert_eq!(folder.run(RENDER), failed(expected), "the one in the namespace default is another");
    folder.replace("inputs/postgres.json", "default", "elsewhere");
    for object in documents(&rendered(&folder, RENDER)) {
        assert_eq!(object["metadata"]["namespace"], "elsewhere");
    }
}

#[test]
fn everything_that_is_missing_is_named_at_once() {
    let expected = "\
error: Core default/harbor: 8 objects do not exist:
  Secret default/admin
  Secret default/core
  Secret default/csrf
  Secret default/encryption
  Secret default/jobservice
  Secret default/postgres
  Secret default/registry
  Secret default/token
put them into files in --inputs DIR or give their files with -f
";
    assert_eq!(Folder::with_a_core().run("render -f core.yaml"), failed(expected));
}

#[test]
fn a_printed_workload_does_not_reveal_the_passwords_it_uses() {
    let folder = Folder::with_a_core();
    let before = rendered(&folder, RENDER);
    assert!(before.contains(
        "# Without checksum.goharbor.io/inputs: the operator adds it, made with a key of its own."
    ));
    folder.replace("inputs/postgres.json", "c3dvcmRmaXNo", "bm9pc2U=");
    assert_eq!(rendered(&folder, RENDER), before);
}

#[test]
fn a_list_of_objects_is_as_good_as_a_file_of_them() {
    let folder = Folder::with_a_core();
    let expected = rendered(&folder, RENDER);
    let items = documents(&fixture("core.yaml"));
    let list = serde_json::json!({"apiVersion": "v1", "kind": "List", "items": items});
    folder.file("core.json", &list.to_string());
    assert_eq!(rendered(&folder, "render -f core.json --inputs inputs"), expected);
}

#[test]
fn an_object_that_was_stored_owns_its_children() {
    let folder = Folder::with_a_core();
    folder.replace("core.yaml", "metadata:\n", "metadata:\n  uid: 1-2-3\n");
    for object in documents(&rendered(&folder, RENDER)) {
        let metadata = &object["metadata"];
        match metadata["annotations"]["goharbor.io/kept-for"].as_str() {
            // Without its key, the database could not be read any more.
            Some(owner) => {
                assert_eq!((owner, metadata.get("ownerReferences")), ("Core.goharbor.io/harbor", None));
            }
            None => assert_eq!(metadata["ownerReferences"][0]["uid"], "1-2-3"),
        }
    }
}

/// A Core that sets neither its image nor network policies.
fn a_core_with_defaults() -> Folder {
    let folder = Folder::with_a_core();
    folder.replace("core.yaml", "  image: goharbor/harbor-core:v2.13.2\n", "");
    let annotations = "metadata:\n  annotations: {harbor.goharbor.io/version: 2.13.2}\n";
    folder.replace("core.yaml", "metadata:\n", annotations);
    folder
}

fn images(yaml: &str) -> Vec<Value> {
    let image = |object: Value| object.pointer("/spec/template/spec/containers/0/image").cloned();
    documents(yaml).into_iter().filter_map(image).collect()
}

#[test]
fn the_defaults_of_the_operator_apply_to_objects_that_set_nothing() {
    let folder = a_core_with_defaults();
    let default = rendered(&folder, RENDER);
    assert_eq!(images(&default), ["docker.io/goharbor/harbor-core:v2.13.2"]);
    let policy = "NetworkPolicy harbor-core-ingress".to_owned();
    assert!(!names(&default).contains(&policy), "{default}");

    let flags = "--image-repository mirror.example/team --image-tag-suffix -dev --network-policies";
    let configured = rendered(&folder, &format!("{RENDER} {flags}"));
    assert_eq!(images(&configured), ["mirror.example/team/harbor-core:v2.13.2-dev"]);
    assert!(names(&configured).contains(&policy), "{configured}");

    let mut command = folder.command(RENDER);
    command.env("HARBOR_OPERATOR_IMAGE_REPOSITORY", "mirror.example/team");
    command.env("HARBOR_OPERATOR_IMAGE_TAG_SUFFIX", "-dev").env("HARBOR_OPERATOR_NETWORK_POLICIES", "true");
    assert_eq!(
        String::from_utf8(command.output().unwrap().stdout).unwrap(),
        configured,
        "by variables, as for run"
    );

    let graph = "graph -f core.yaml --inputs inputs";
    assert!(!rendered(&folder, graph).contains("NetworkPolicy"));
    assert!(rendered(&folder, &format!("{graph} --network-policies")).contains(&policy));
}

#[test]
fn the_spec_of_an_object_has_precedence_over_the_defaults_of_the_operator() {
    let folder = Folder::with_a_core();
    let configured = rendered(&folder, &format!("{RENDER} --image-repository mirror.example/team"));
    assert_eq!(images(&configured), ["goharbor/harbor-core:v2.13.2"]);
}

#[test]
fn pods_that_reach_the_node_are_rendered_only_as_the_operator_would_with_its_flag() {
    let folder = Folder::with_a_core();
    let first = "  initContainers: [{name: first, securityContext: {runAsUser: 0}}]\n";
    folder.replace("core.yaml", "spec:\n", &format!("spec:\n{first}"));
    let expected = "\
error: Core default/harbor: spec.initContainers[0].securityContext.runAsUser: is root; remove it, or let an \
administrator start the operator with --allow-privileged-pods
";
    assert_eq!(folder.run(RENDER), failed(expected));
    assert_eq!(folder.run("graph -f core.yaml --inputs inputs"), failed(expected));

    let allowed = rendered(&folder, &format!("{RENDER} --allow-privileged-pods"));
    assert!(allowed.contains("runAsUser: 0"), "{allowed}");
    let mut command = folder.command(RENDER);
    command.env("HARBOR_OPERATOR_ALLOW_PRIVILEGED_PODS", "true");
    assert_eq!(String::from_utf8(command.output().unwrap().stdout).unwrap(), allowed);
}

const SERVER: &str = "\
apiVersion: goharbor.io/v1beta1
kind: HarborServerConfiguration
metadata: {name: main}
spec:
  serverURL: https://harbor.example.com
  version: 2.15.2
  accessCredential: {namespace: ops, accessSecretRef: login}
  default: true
  projectNameTemplate: 'x-{namespace}'
";

#[test]
fn an_annotated_namespace_has_children_and_any_other_is_an_input() {
    let folder = Folder::empty();
    let annotated =
        "apiVersion: v1\nkind: Namespace\nmetadata: {name: team, annotations: {goharbor.io/project: '*'}}\n";
    folder.file("namespace.yaml", annotated).file("inputs/server.yaml", SERVER);
    let objects = rendered(&folder, "render -f namespace.yaml --inputs inputs");
    assert_eq!(names(&objects), ["HarborProject 4k8s", "HarborRobot 4k8s", "PullSecretBinding 4k8s"]);
    for object in documents(&objects) {
        assert_eq!(object["metadata"]["namespace"], "team");
    }
    assert_eq!(documents(&objects)[0]["spec"]["projectName"], "x-team");

    folder.file("namespace.yaml", "apiVersion: v1\nkind: Namespace\nmetadata: {name: team}\n");
    let ran = folder.run("render -f namespace.yaml");
    assert!(ran.stderr.contains("contains no object that the operator reconciles"), "{}", ran.stderr);
}

#[test]
fn a_mistake_in_an_annotation_is_named_with_its_remedy() {
    let folder = Folder::empty();
    let annotations = "{goharbor.io/project: alpha, goharbor.io/rotate-robot: 'true'}";
    let namespace =
        format!("apiVersion: v1\nkind: Namespace\nmetadata: {{name: team, annotations: {annotations}}}\n");
    folder.file("namespace.yaml", &namespace);
    let expected = "\
error: Namespace team: metadata.annotations[goharbor.io/robot]: is not set; write the id of a robot account of the project, from the \
answer to GET /robots
";
    assert_eq!(folder.run("render -f namespace.yaml"), failed(expected));
}

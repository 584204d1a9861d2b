//! The real `kubectl` on the in-memory server.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use apiserver::{Access, ApiServer, Authority, Endpoint};
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};
use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    net::TcpListener,
    process::Command,
    time::timeout,
};

const TIMEOUT: Duration = Duration::from_mins(1);

/// A server on a socket, and its kubectl.
struct Cluster {
    folder: TempDir,
    program: PathBuf,
}

const DEPLOYMENT: &str = "
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: web, image: 'web:1', ports: [{containerPort: 80}]}
";

const DEFINITION: &str = "
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: boats.test.io}
spec:
  group: test.io
  scope: Namespaced
  names: {plural: boats, singular: boat, kind: Boat, shortNames: [bt]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    additionalPrinterColumns:
    - {name: Sails, type: integer, jsonPath: .spec.sails}
    schema:
      openAPIV3Schema:
        type: object
        description: A thing that floats.
        properties:
          spec:
            type: object
            properties:
              sails: {type: integer, minimum: 0, default: 1, description: How many sails it has.}
";

impl Cluster {
    /// None if this machine has no kubectl.
    async fn start() -> Option<Self> {
        Self::with(ApiServer::new()).await
    }

    async fn with(server: ApiServer) -> Option<Self> {
        let Ok(assets) = envtest::Assets::find() else {
            eprintln!("skipped: there is no kubectl here; hack/kube-assets installs one");
            return None;
        };
        let folder = TempDir::new().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let authority = Authority::generate().unwrap();
        let endpoint = Endpoint::new(listener.local_addr().unwrap(), &authority);
        let admin = authority.credential("admin", "system:masters").unwrap();
        fs::write(folder.path().join("kubeconfig"), endpoint.kubeconfig("sandbox", &admin)).unwrap();
        tokio::spawn(async move {
            apiserver::serve(server, listener, &authority, std::future::pending::<()>()).await
        });
        Some(Self { folder, program: assets.kubectl() })
    }

    fn command(&self, line: &str) -> Command {
        let mut command = Command::new(&self.program);
        command
            .current_dir(self.folder.path())
            .env("KUBECONFIG", self.folder.path().join("kubeconfig"))
            .env("HOME", self.folder.path())
            .env("KUBE_EDITOR", "sed -i s/web:3/web:4/")
            .kill_on_drop(true)
            .args(shell_words(line));
        command
    }

    /// The output of a command, which must succeed.
    async fn run(&self, line: &str) -> String {
        let (code, output) = self.try_run(line).await;
        assert_eq!(code, 0, "kubectl {line}: {output}");
        output
    }

    /// Exit code and output of a command.
    async fn try_run(&self, line: &str) -> (i32, String) {
        let output = timeout(TIMEOUT, self.command(line).output()).await.expect("kubectl ends").unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code().unwrap_or(-1), text(&output.stdout) + &text(&output.stderr))
    }

    /// The output of a command as JSON.
    async fn json(&self, line: &str) -> Value {
        serde_json::from_str(&self.run(&format!("{line} -o json")).await).unwrap()
    }

    /// The `33` of kubectl 1.33.
    async fn minor(&self) -> u32 {
        let version = self.json("version --client").await;
        version["clientVersion"]["minor"].as_str().unwrap().trim_end_matches('+').parse().unwrap()
    }

    fn file(&self, name: &str, content: &str) -> PathBuf {
        let path = Path::new(self.folder.path()).join(name);
        fs::write(&path, content).unwrap();
        path
    }
}

/// Splits at spaces outside single quotes.
fn shell_words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for character in line.chars() {
        match character {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            other => words.last_mut().unwrap().push(other),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[tokio::test(flavor = "multi_thread")]
async fn objects_are_applied_read_changed_and_deleted() {
    let Some(cluster) = Cluster::start().await else { return };
    cluster.file("web.yaml", DEPLOYMENT);
    assert!(cluster.run("version").await.contains("v1.33"), "the server reports its version");

    assert_eq!(cluster.run("apply -f web.yaml").await, "deployment.apps/web created\n");
    assert_eq!(cluster.run("apply -f web.yaml").await, "deployment.apps/web unchanged\n");
    assert_eq!(
        cluster.run("apply --server-side --force-conflicts -f web.yaml").await,
        "deployment.apps/web serverside-applied\n"
    );

    let table = cluster.run("get deployments").await;
    assert!(
        table.starts_with("NAME   READY   UP-TO-DATE   AVAILABLE   AGE\nweb    0/2     0            0 "),
        "{table}"
    );
    let wide = cluster.run("get deploy -o wide").await;
    assert!(wide.contains("CONTAINERS   IMAGES   SELECTOR") && wide.contains("web:1    app=web"), "{wide}");
    assert_eq!(
        cluster.run("get deploy web -o jsonpath={.spec.template.spec.containers[0].imagePullPolicy}").await,
        "IfNotPresent"
    );
    let yaml = cluster.run("get deploy web -o yaml").await;
    assert!(yaml.contains("kind: Deployment\n") && yaml.contains("progressDeadlineSeconds: 600\n"), "{yaml}");
    let described = cluster.run("describe deployment web").await;
    assert!(
        described.contains("2 desired | 0 updated | 0 total") && described.contains("Image:"),
        "{described}"
    );

    cluster.file("web.yaml", &DEPLOYMENT.replace("web:1", "web:2"));
    let (code, diff) = cluster.try_run("diff -f web.yaml").await;
    assert_eq!(code, 1, "a difference is exit code 1: {diff}");
    assert!(diff.contains("-      - image: web:1") && diff.contains("+      - image: web:2"), "{diff}");

    let patch = |kind: &str, patch: &str| format!("patch deployment web --type={kind} -p '{patch}'");
    cluster.run(&patch("json", r#"[{"op":"replace","path":"/spec/replicas","value":3}]"#)).await;
    cluster.run(&patch("merge", r#"{"metadata":{"labels":{"merged":"yes"}}}"#)).await;
    cluster
        .run(&patch(
            "strategic",
            r#"{"spec":{"template":{"spec":{"containers":[{"name":"web","image":"web:3"}]}}}}"#,
        ))
        .await;
    let shown = cluster.run("get deploy web -o jsonpath={.spec.replicas}/{.metadata.labels.merged}/{.spec.template.spec.containers[*].ports[*].containerPort}").await;
    assert_eq!(shown, "3/yes/80");
    assert_eq!(cluster.run("edit deployment web").await, "deployment.apps/web edited\n");
    assert_eq!(cluster.run("get deploy web -o jsonpath={..image}").await, "web:4");
    cluster.run("scale deployment web --replicas=5").await;
    assert_eq!(cluster.run("get deploy web -o jsonpath={.spec.replicas}").await, "5");
    cluster.run("label deployment web color=blue").await;
    cluster.run("annotate deployment web note=x").await;
    assert!(cluster.run("get deploy -l color=blue -o name").await.contains("deployment.apps/web"));
    cluster.run("set image deployment/web web=web:5").await;

    let (code, output) = cluster.try_run("wait --for=condition=Available deployment/web --timeout=1s").await;
    assert!(code != 0 && output.contains("timed out"), "{output}");
    assert!(cluster.run("delete deployment web").await.contains("deployment.apps \"web\" deleted"));
    let (code, output) = cluster.try_run("get deployment web").await;
    assert_eq!(
        (code, output.as_str()),
        (1, "Error from server (NotFound): deployments.apps \"web\" not found\n")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_served_can_be_explored() {
    let Some(cluster) = Cluster::start().await else { return };
    cluster.file("crd.yaml", DEFINITION);
    cluster.run("apply -f crd.yaml").await;
    cluster.run("wait --for=condition=Established crd/boats.test.io --timeout=30s").await;

    let resources = cluster.run("api-resources").await;
    assert!(
        resources
            .lines()
            .any(|line| line.starts_with("boats ") && line.contains("bt") && line.ends_with("Boat")),
        "{resources}"
    );
    assert!(
        resources.lines().any(|line| line.starts_with("deployments ") && line.contains("apps/v1")),
        "{resources}"
    );
    assert!(cluster.run("api-versions").await.contains("test.io/v1\n"));
    let explained = cluster.run("explain boat.spec").await;
    assert!(explained.contains("sails") && explained.contains("How many sails it has."), "{explained}");
    let explained = cluster.run("explain deployment.spec.replicas").await;
    assert!(explained.contains("Number of desired pods"), "{explained}");

    cluster.file("boat.yaml", "apiVersion: test.io/v1\nkind: Boat\nmetadata: {name: dinghy}\nspec: {}\n");
    assert_eq!(cluster.run("apply -f boat.yaml").await, "boat.test.io/dinghy created\n");
    assert!(cluster.run("get bt").await.starts_with("NAME     SAILS\ndinghy   1"), "printer columns");
    cluster
        .file("bad.yaml", "apiVersion: test.io/v1\nkind: Boat\nmetadata: {name: wreck}\nspec: {sails: -1}\n");
    let (code, output) = cluster.try_run("apply -f bad.yaml").await;
    assert!(
        code == 1 && output.contains("spec.sails in body should be greater than or equal to 0"),
        "{output}"
    );
    cluster.file("odd.yaml", "apiVersion: test.io/v1\nkind: Boat\nmetadata: {name: odd}\nspec: {oars: 2}\n");
    let (code, output) = cluster.try_run("apply --validate=true -f odd.yaml").await;
    assert!(code == 1 && output.contains("oars"), "an unknown field is refused: {output}");

    assert_eq!(cluster.run("auth can-i create deployments").await, "yes\n");
    assert!(cluster.run("auth can-i --list").await.contains("*.*"));
    cluster.run("delete crd boats.test.io").await;
    let (code, output) = cluster.try_run("get boats --cache-dir=fresh").await;
    assert!(code == 1 && output.contains("the server doesn't have a resource type"), "{output}");
}

#[tokio::test(flavor = "multi_thread")]
async fn dependents_go_or_stay_as_the_deletion_says() {
    let Some(cluster) = Cluster::start().await else { return };
    for policy in ["background", "foreground", "orphan"] {
        cluster.run("create configmap owner").await;
        let uid = cluster.run("get configmap owner -o jsonpath={.metadata.uid}").await;
        let owner = json!({
            "apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": uid, "blockOwnerDeletion": true,
        });
        let metadata = json!({"name": "dependent", "ownerReferences": [owner]});
        let dependent = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata});
        cluster.file("dependent.json", &dependent.to_string());
        cluster.run("create -f dependent.json").await;
        cluster.run(&format!("delete configmap owner --cascade={policy}")).await;
        let (code, _) = cluster.try_run("get configmap dependent").await;
        assert_eq!(code == 0, policy == "orphan", "{policy}");
    }
    assert_eq!(cluster.run("get configmap dependent -o jsonpath={.metadata.ownerReferences}").await, "");

    cluster.run("create namespace harbour").await;
    cluster.run("create secret generic s -n harbour --from-literal=k=v").await;
    cluster.run("delete namespace harbour").await;
    let (code, output) = cluster.try_run("get secret s -n harbour").await;
    assert!(code == 1 && output.contains("NotFound"), "{output}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_watch_is_followed_line_by_line() {
    let Some(cluster) = Cluster::start().await else { return };
    cluster.run("create configmap first").await;
    let mut watch = cluster.command("get configmaps -w --no-headers").stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(watch.stdout.take().unwrap()).lines();
    let mut next = async || timeout(TIMEOUT, lines.next_line()).await.expect("an event").unwrap().unwrap();
    assert!(next().await.starts_with("first"));
    cluster.run("create configmap second --from-literal=k=v").await;
    let line = next().await;
    assert!(line.starts_with("second   1"), "{line}");
    watch.kill().await.unwrap();
}

/// An object that `kubectl` creates without a file.
struct Made {
    /// The first version whose command creates it in the served version.
    since: u32,
    command: &'static str,
    object: &'static str,
    /// One field to check, so that two empty objects are not equal.
    pointer: &'static str,
    value: &'static str,
}

const fn made(
    since: u32,
    command: &'static str,
    object: &'static str,
    pointer: &'static str,
    value: &'static str,
) -> Made {
    Made { since, command, object, pointer, value }
}

#[rustfmt::skip]
const MADE: &[Made] = &[
    made(18, "create namespace team", "namespace/team", "/status/phase", r#""Active""#),
    made(18, "create configmap c --from-literal=a=1 --from-literal=b=", "configmap/c", "/data", r#"{"a": "1", "b": ""}"#),
    made(18, "create secret generic s --from-literal=user=admin", "secret/s", "/data", r#"{"user": "YWRtaW4="}"#),
    made(18, "create serviceaccount robot", "serviceaccount/robot", "/metadata/name", r#""robot""#),
    made(18, "create role r --verb=get,list --resource=pods,deployments.apps", "role/r", "/rules/1", r#"{"apiGroups": ["apps"], "resources": ["deployments"], "verbs": ["get", "list"]}"#),
    made(18, "create rolebinding rb --role=r --serviceaccount=default:robot", "rolebinding/rb", "/subjects", r#"[{"kind": "ServiceAccount", "name": "robot", "namespace": "default"}]"#),
    made(18, "create clusterrole cr --verb=get --non-resource-url=/x", "clusterrole/cr", "/rules/0/nonResourceURLs", r#"["/x"]"#),
    made(18, "create clusterrolebinding crb --clusterrole=cr --group=people", "clusterrolebinding/crb", "/roleRef", r#"{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cr"}"#),
    made(20, "create deployment d --image=web:1 --replicas=3 --port=80", "deployment/d", "/spec/replicas", "3"),
    made(18, "create job j --image=web:1 -- true", "job/j", "/spec/template/spec/containers/0/command", r#"["true"]"#),
    made(21, "create cronjob cj --image=web:1 '--schedule=0 3 * * *'", "cronjob/cj", "/spec/schedule", r#""0 3 * * *""#),
    made(18, "create service clusterip svc --tcp=80:http", "service/svc", "/spec/ports/0/targetPort", r#""http""#),
    made(20, "create ingress i --rule=web.test/path*=web:80,tls=cert --class=edge", "ingress/i", "/spec/rules/0/http/paths/0/backend", r#"{"service": {"name": "web", "port": {"number": 80}}}"#),
    made(23, "create poddisruptionbudget pdb --selector=app=web --min-available=50%", "poddisruptionbudget/pdb", "/spec/minAvailable", r#""50%""#),
    made(18, "create priorityclass high --value=1000", "priorityclass/high", "/value", "1000"),
    made(18, "create quota q --hard=cpu=500m,memory=1024Mi", "quota/q", "/spec/hard", r#"{"cpu": "500m", "memory": "1Gi"}"#),
    made(18, "run p --image=web:1 --env=A=b --port=80 -- sleep 1", "pod/p", "/spec/containers/0/args", r#"["sleep", "1"]"#),
];

#[tokio::test(flavor = "multi_thread")]
async fn what_is_sent_as_protocol_buffers_is_stored_as_if_sent_as_json() {
    let Some(cluster) = Cluster::start().await else { return };
    let minor = cluster.minor().await;
    let made: Vec<_> = MADE.iter().filter(|made| made.since <= minor).collect();
    // One process of kubectl takes a tenth of a second, so those that can handle all objects do.
    let objects: Vec<_> = made.iter().map(|made| made.object).collect();
    let objects = objects.join(" ");
    let all = if minor >= 21 { " --show-managed-fields" } else { "" };
    let stored = async || cluster.json(&format!("get {objects}{all}")).await["items"].take();

    for Made { command, .. } in &made {
        cluster.run(command).await;
    }
    let typed = stored().await;
    cluster.run(&format!("delete {objects}")).await;

    for (number, Made { command, .. }) in made.iter().enumerate() {
        let (verb, arguments) = command.split_once(' ').unwrap();
        let object = cluster.run(&format!("{verb} --dry-run=client -o json {arguments}")).await;
        fs::create_dir_all(cluster.folder.path().join(verb)).unwrap();
        cluster.file(&format!("{verb}/{number:02}.json"), &object);
    }
    for verb in ["create", "run"] {
        cluster.run(&format!("create -f {verb} --field-manager=kubectl-{verb}")).await;
    }
    let untyped = stored().await;

    let (typed, untyped) = (typed.as_array().unwrap(), untyped.as_array().unwrap());
    assert_eq!((typed.len(), untyped.len()), (made.len(), made.len()));
    for ((Made { command, pointer, value, .. }, typed), untyped) in made.iter().zip(typed).zip(untyped) {
        assert_eq!(typed.pointer(pointer), Some(&serde_json::from_str(value).unwrap()), "{command}");
        assert_ne!(typed["metadata"]["uid"], untyped["metadata"]["uid"], "{command}");
        assert_eq!(timeless(typed.clone()), timeless(untyped.clone()), "{command}");
    }
}

/// An object without fields that differ between two equal objects.
fn timeless(mut object: Value) -> Value {
    for field in ["uid", "resourceVersion", "creationTimestamp"] {
        object["metadata"].as_object_mut().unwrap().remove(field);
    }
    for entry in object["metadata"]["managedFields"].as_array_mut().into_iter().flatten() {
        entry["time"] = Value::Null;
    }
    for field in ["clusterIP", "clusterIPs"] {
        object.get_mut("spec").and_then(Value::as_object_mut).map(|spec| spec.remove(field));
    }
    object.pointer_mut("/status/conditions").map(Value::take);
    // The labels of a Job contain its UID.
    for pointer in ["/spec/selector", "/spec/template/metadata/labels", "/metadata/labels"] {
        if object["kind"] == "Job" {
            object.pointer_mut(pointer).map(Value::take);
        }
    }
    object
}

#[tokio::test(flavor = "multi_thread")]
async fn questions_and_imperative_commands_work() {
    let server = ApiServer::builder().access(Access::Rbac).build().unwrap();
    let Some(cluster) = Cluster::with(server).await else { return };
    let minor = cluster.minor().await;
    cluster.run("create serviceaccount robot").await;
    assert_eq!(cluster.run("auth can-i create pods").await, "yes\n");
    let (code, output) =
        cluster.try_run("auth can-i create pods --as=system:serviceaccount:default:robot").await;
    assert!(code == 1 && output.starts_with("no"), "{output}");

    cluster.run("create deployment web --image=web:1").await;
    cluster.run("scale deployment web --replicas=2 --current-replicas=1").await;
    cluster.run("set env deployment/web COLOR=blue").await;
    cluster.run("rollout restart deployment web").await;
    cluster.run("rollout pause deployment web").await;
    cluster.run("expose deployment web --port=80").await;
    let spec = cluster.json("get deployment web").await["spec"].take();
    assert_eq!(
        json!([spec["replicas"], spec["paused"], spec["template"]["spec"]["containers"][0]["env"]]),
        json!([2, true, [{"name": "COLOR", "value": "blue"}]])
    );
    let restarted = &spec["template"]["metadata"]["annotations"]["kubectl.kubernetes.io/restartedAt"];
    assert!(restarted.is_string(), "{spec}");

    if minor >= 24 {
        let token = cluster.run("create token robot --audience=someone --duration=1h").await;
        assert_eq!(token.split('.').count(), 3, "a token has three parts");
    }
    if minor >= 28 {
        assert!(cluster.run("auth whoami").await.contains("system:masters"));
    }
    if minor >= 22 {
        cluster.file("node.yaml", "apiVersion: v1\nkind: Node\nmetadata: {name: host}\n");
        cluster.run("create -f node.yaml").await;
        cluster.run(r#"run p --image=web:1 --overrides={"spec":{"nodeName":"host"}}"#).await;
        let drained = cluster.run("drain host --force --grace-period=0 --timeout=60s").await;
        assert!(drained.contains("node/host drained"), "{drained}");
        assert_eq!(cluster.run("get pods -o name").await, "");
    }
}

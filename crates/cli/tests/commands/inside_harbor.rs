//! What commands show of objects inside a Harbor before they are applied.

use crate::run::{Folder, documents};
use serde_json::{Value, json};

const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");

fn succeeded(folder: &Folder, arguments: &str) -> String {
    let ran = folder.run(arguments);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{}", ran.stdout);
    ran.stdout
}

#[test]
fn render_prints_what_would_be_in_harbor() {
    let rendered = succeeded(&Folder::empty(), &format!("render -f {EXAMPLES}/day-2/team.yaml"));
    let objects = documents(&rendered);
    let value = |kind: &str| {
        let object = objects.iter().find(|object| object["kind"] == kind).unwrap();
        assert_eq!(object["system"], "harbor registry/acme");
        object["value"].clone()
    };
    assert_eq!(value("project")["storage_quota"], 50_i64 << 30);
    assert_eq!(value("project")["metadata"]["prevent_vul"], "true");
    let member =
        |name: &str, role: &str| json!({"kind": "group", "name": name, "group_type": "oidc", "role": role});
    let members = [member("payments-developers", "developer"), member("payments-leads", "projectAdmin")];
    assert_eq!(value("members")["members"], json!(members));
    let access = json!([{"resource": "repository", "action": "pull"}]);
    let permissions = json!([{"kind": "project", "namespace": "payments", "access": access}]);
    assert_eq!(value("robot")["permissions"], permissions);
    let password = objects.iter().find(|object| object["metadata"]["name"] == "payments-pull-robot").unwrap();
    assert_eq!(password["data"], Value::Null, "a generated password is not made up");
}

#[test]
fn graph_draws_a_harbor_and_what_is_in_it() {
    let files = format!("{EXAMPLES}/harbor.yaml {EXAMPLES}/harbor-inputs.yaml {EXAMPLES}/day-2/team.yaml");
    let ran = Folder::empty().run(&format!("graph -f {files}"));
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let drawn = ran.stdout;
    for part in [
        "Harbor acme\n",
        "HarborProject payments
└── project payments in harbor registry/acme
    ├── members payments in harbor registry/acme
    ├── retention payments in harbor registry/acme
    └── immutable-rules payments in harbor registry/acme
",
        "HarborRobot payments-pull
└── Secret payments-pull-robot
    └── robot payments+pull in harbor registry/acme
        └── Secret payments-pull
",
    ] {
        assert!(drawn.contains(part), "{part}\n{drawn}");
    }
}

#[test]
fn a_route_to_a_harbor_that_is_none_is_refused_with_an_example() {
    let ran = Folder::empty().run("plan -f team.yaml --harbor-url acme");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
    let expected = "error: invalid value 'acme' for '--harbor-url <HOST=URL>': write it as HOST=URL";
    assert_eq!(ran.stderr.lines().next(), Some(expected));
}

#[cfg(feature = "sandbox")]
mod with_a_sandbox {
    use super::*;
    use std::{
        io::{BufRead as _, BufReader, Lines},
        process::{Child, ChildStdout},
    };

    /// The sandbox, with the example of a team in a Harbor.
    struct Sandbox {
        process: Child,
        /// Its Harbor over HTTP.
        harbor: String,
        _output: Lines<BufReader<ChildStdout>>,
    }

    impl Sandbox {
        /// Starts it, and waits until everything is ready.
        fn start(folder: &Folder) -> Self {
            let files = ["namespace.yaml", "harbor-inputs.yaml", "harbor.yaml", "day-2/team.yaml"];
            let files = files.map(|file| format!("{EXAMPLES}/{file}")).join(" ");
            let options = "--delay 0s --kubeconfig kubeconfig --state state.json";
            let mut process = folder.command(&format!("sandbox {options} --apply {files}")).spawn().unwrap();
            let mut output = BufReader::new(process.stdout.take().unwrap()).lines();
            let mut until = |part: &str| {
                let line = output.by_ref().map_while(Result::ok).find(|line| line.contains(part));
                line.unwrap_or_else(|| panic!("it prints {part}"))
            };
            let line = until("/NAMESPACE/CORE/");
            let url = line.split_whitespace().last().unwrap();
            let address = url.split("/NAMESPACE").next().unwrap();
            let harbor = format!("{address}/registry/acme-harbor");
            for object in
                ["HarborProject registry/payments: ready", "HarborRobot registry/payments-pull: ready"]
            {
                until(object);
            }
            Self { process, harbor, _output: output }
        }
    }

    impl Drop for Sandbox {
        fn drop(&mut self) {
            let _gone = self.process.kill();
            let _reaped = self.process.wait();
        }
    }

    #[test]
    fn examples_become_ready_and_harbor_has_what_they_describe() {
        for (example, kinds) in [
            (
                "proxy-cache.yaml",
                ["HarborRegistryEndpoint registry/docker-hub", "HarborProject registry/docker-hub"],
            ),
            ("oidc.yaml", ["HarborConfiguration registry/log-in", "Harbor registry/acme"]),
            ("team.yaml", ["HarborProject registry/payments", "HarborRobot registry/payments-pull"]),
        ] {
            let files = ["namespace.yaml", "harbor-inputs.yaml", "harbor.yaml", "day-2"]
                .map(|file| format!("{EXAMPLES}/{file}"));
            let files = format!("{}/{example}", files.join(" "));
            let ran = Folder::empty().run(&format!("sandbox --delay 0s --apply {files} --wait"));
            assert_eq!(ran.code, Some(0), "{example}: {}{}", ran.stdout, ran.stderr);
            for object in kinds {
                assert!(ran.stdout.contains(&format!("{object}: ready")), "{example}: {}", ran.stdout);
            }
        }
    }

    #[test]
    fn plan_shows_what_changes_in_harbor_without_secrets_and_how_to_reach_a_harbor() {
        let folder = Folder::empty();
        let sandbox = Sandbox::start(&folder);
        let team = std::fs::read_to_string(format!("{EXAMPLES}/day-2/team.yaml")).unwrap();
        folder.file("team.yaml", &team.replace("50Gi", "80Gi").replace("action: pull", "action: push"));

        let plan = "plan --kubeconfig kubeconfig --digest-key-namespace default -f team.yaml";
        let ran = folder.run(plan);
        assert_eq!(ran.code, Some(1), "{}", ran.stderr);
        let advice = "\
warning: plan asks Harbor itself, and acme-harbor-core.registry.svc has an address in the cluster only; elsewhere, run \
`kubectl -n registry port-forward service/acme-harbor-core 8080:80`, and give \
--harbor-url acme-harbor-core.registry.svc=http://127.0.0.1:8080
";
        assert!(ran.stderr.contains(advice), "{}", ran.stderr);

        let url = format!("--harbor-url acme-harbor-core.registry.svc={}", sandbox.harbor);
        let ran = folder.run(&format!("{plan} {url}"));
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
        for part in [
            "~ project acme/payments\n",
            "-   storage_quota: 53687091200\n+   storage_quota: 85899345920\n",
            "~ robot acme/payments+pull\n",
            "-     - action: pull\n+     - action: push\n",
            "    secret: <masked>\n",
        ] {
            assert!(ran.stdout.contains(part), "{part}\n{}", ran.stdout);
        }
        let state = folder.read("state.json");
        let secret = state.lines().rfind(|line| line.contains(r#""name":"payments-pull-robot""#)).unwrap();
        let password =
            secret.split(r#""password":""#).nth(1).and_then(|rest| rest.split('"').next()).unwrap();
        assert!(!ran.stdout.contains(password), "{}", ran.stdout);

        folder.file("team.yaml", &team);
        let ran = folder.run(&format!("{plan} {url}"));
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "No changes.\n"), "{}", ran.stderr);
    }
}

use crate::run::{Folder, Ran, failed};
use programs::Client;
use std::{
    fs,
    io::{BufRead as _, BufReader},
    net::SocketAddr,
    path::PathBuf,
    process::{Child, Command, Stdio},
};

fn misused(ran: &Ran) -> &str {
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
    ran.stderr.lines().next().unwrap_or_default()
}

#[test]
fn help_explains_the_stand_ins_and_gives_examples() {
    let ran = Folder::empty().run("sandbox --help");
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    assert!(ran.stdout.starts_with("Try the operator without a cluster\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("no container"), "{}", ran.stdout);
    assert!(ran.stdout.contains("Examples:\n"), "{}", ran.stdout);
}

#[test]
fn waiting_for_nothing_is_misuse() {
    let ran = Folder::empty().run("sandbox --wait");
    assert_eq!(misused(&ran), "error: the following required arguments were not provided:");
    assert!(ran.stderr.contains("--apply <FILE>..."), "{}", ran.stderr);
}

#[test]
fn a_duration_without_unit_is_refused_with_an_example() {
    let ran = Folder::empty().run("sandbox --timeout 90");
    let expected = "error: invalid value '90' for '--timeout <DURATION>': \
                    \"90\" is not a duration; write numbers with units, such as \"90s\" or \"1h30m\"";
    assert_eq!(misused(&ran), expected);
}

#[test]
fn every_error_in_files_is_reported_before_anything_starts() {
    let folder = Folder::empty();
    folder.file("nameless.yaml", "apiVersion: v1\nkind: ConfigMap\n---\nkind: Secret\n");
    folder.file("other/read.me", "");
    let ran = folder.run("sandbox --apply missing.yaml nameless.yaml other --wait");
    let expected = "\
error: missing.yaml: does not exist; check the path
error: nameless.yaml (document 1): ConfigMap: metadata.name is missing; give the object a name
error: nameless.yaml (document 2): is not a Kubernetes object: apiVersion or kind is missing; add both
error: other: contains no manifests; give a directory with .yaml, .yml or .json files, or the files themselves
";
    assert_eq!(ran, failed(expected));
}

#[test]
fn waiting_ends_when_everything_is_ready() {
    let ran = Folder::with_a_core().run("sandbox --apply inputs core.yaml --wait --delay 100ms");
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{}", ran.stdout);
    let lines: Vec<_> = ran.stdout.lines().map(without_time).collect();
    assert_eq!(lines.first(), Some(&"The sandbox is up; in another terminal:"));
    let is_of_a_child = |line: &&&str| line.starts_with("Core default/harbor: Deployment ");
    assert_eq!(lines.iter().find(is_of_a_child), None, "no child has failed");
    assert_eq!(lines[lines.len() - 2], "Core default/harbor: ready");
    assert!(lines[lines.len() - 1].starts_with("everything is ready after "), "{}", ran.stdout);
}

#[test]
fn a_timeout_reports_objects_that_are_not_ready_and_why() {
    let folder = Folder::with_a_core();
    let ran =
        folder.remove("inputs/postgres.json").run("sandbox --apply inputs core.yaml --wait --timeout 5s");
    let expected = "\
error: Core default/harbor is not ready after 5.0s: waiting: Secret default/postgres does not exist; create it
";
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), expected));
}

#[test]
fn an_object_that_cannot_be_applied_is_reported_and_ends_it() {
    let folder = Folder::with_a_core();
    folder.replace("core.yaml", "metadata:\n", "metadata:\n  namespace: nowhere\n");
    let ran = folder.run("sandbox --apply core.yaml");
    let expected = "\
error: core.yaml: Core nowhere/harbor: the namespace nowhere does not exist; \
give a Namespace called nowhere in an earlier --apply
";
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), expected));
}

/// A sandbox that was started with these arguments, and the kubeconfig it names.
fn serving(folder: &Folder, arguments: &str) -> (Child, PathBuf) {
    started(&mut folder.command(arguments))
}

fn started(command: &mut Command) -> (Child, PathBuf) {
    let mut sandbox = command.spawn().unwrap();
    let lines = BufReader::new(sandbox.stdout.take().unwrap()).lines();
    let mut kubectl = lines.map_while(Result::ok).filter(|line| line.contains("kubectl --kubeconfig "));
    let line = kubectl.next().expect("it says how to reach it");
    (sandbox, PathBuf::from(line.split_whitespace().nth(2).unwrap()))
}

#[test]
fn it_ends_cleanly_with_any_signal_and_leaves_nothing_behind() {
    for name in ["TERM", "INT", "HUP"] {
        let folder = Folder::with_a_core();
        let (mut sandbox, kubeconfig) =
            serving(&folder, "sandbox --apply inputs core.yaml --state state.json");
        assert!(kubeconfig.exists());
        signal(&sandbox, name);
        assert_eq!(sandbox.wait().unwrap().code(), Some(0), "{name}");
        assert!(!kubeconfig.parent().unwrap().exists(), "{name}");
        assert!(folder.read("state.json").contains("\"Core\""), "{name}");
    }
}

#[test]
fn a_terminal_that_closes_sends_two_signals_and_the_sandbox_still_cleans_up() {
    let folder = Folder::with_a_core();
    let (mut sandbox, kubeconfig) = serving(&folder, "sandbox --apply inputs core.yaml --wait --delay 1h");
    signal(&sandbox, "HUP");
    // The shell signals its jobs, and the kernel the foreground ones.
    let _ended_already = Command::new("kill").args(["-HUP", &sandbox.id().to_string()]).output().unwrap();
    assert_eq!(sandbox.wait().unwrap().code(), Some(129));
    assert!(!kubeconfig.parent().unwrap().exists());
}

#[test]
fn under_nohup_it_survives_its_terminal() {
    let folder = Folder::empty();
    let plain = folder.command("sandbox");
    let mut command = Command::new("nohup");
    command.arg(plain.get_program()).args(plain.get_args()).stdin(Stdio::null());
    let (mut sandbox, _) = started(command.stdout(Stdio::piped()).stderr(Stdio::null()));
    let status = fs::read_to_string(format!("/proc/{}/status", sandbox.id())).unwrap();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    assert_eq!(u64::from_str_radix(ignored.trim(), 16).unwrap() & 1, 1, "it ignores SIGHUP");
    signal(&sandbox, "TERM");
    assert_eq!(sandbox.wait().unwrap().code(), Some(0));
}

#[test]
fn it_serves_a_page_about_what_was_applied() {
    let folder = Folder::with_a_core();
    let mut sandbox = folder.command("sandbox --apply inputs core.yaml --delay 0s").spawn().unwrap();
    let mut lines = BufReader::new(sandbox.stdout.take().unwrap()).lines().map_while(Result::ok);
    let url = lines.find(|line| line.starts_with("  http://")).expect("it says where the page is");
    let address: SocketAddr = url.trim_start_matches("  http://").trim_end_matches('/').parse().unwrap();
    assert!(address.ip().is_loopback());
    lines.find(|line| line.ends_with("Core default/harbor: ready")).expect("it becomes ready");
    let client = Client::http(address);
    let text = |path: &str| String::from_utf8(client.get(path).unwrap().into_body().to_vec()).unwrap();
    let list = text("/");
    assert!(list.contains(r#"href="/default/Core/harbor">harbor</a>"#), "{list}");
    let core = text("/default/Core/harbor");
    assert!(
        core.contains("5 of 5 objects ready") && core.contains("apiVersion: goharbor.io/v1beta1\n"),
        "{core}"
    );
    let secret = text("/default/Secret/harbor-core");
    assert!(secret.contains("kind: Secret") && secret.contains(": (hidden)"), "{secret}");
    signal(&sandbox, "TERM");
    assert_eq!(sandbox.wait().unwrap().code(), Some(0));
}

#[test]
fn its_operator_has_the_defaults_of_the_flags() {
    let folder = Folder::with_a_core();
    for (flag, state, expected) in [("", "without.json", false), (" --network-policies", "with.json", true)] {
        let arguments = format!("sandbox --apply inputs core.yaml --wait --delay 0s --state {state}{flag}");
        let ran = folder.run(&arguments);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
        assert_eq!(folder.read(state).contains("harbor-core-ingress"), expected, "{}", ran.stdout);
    }
}

#[test]
fn waiting_that_is_interrupted_has_failed() {
    let folder = Folder::with_a_core();
    let arguments = "sandbox --apply inputs core.yaml --wait --delay 1h --kubeconfig k8s.yaml";
    let (mut sandbox, kubeconfig) = serving(&folder, arguments);
    signal(&sandbox, "TERM");
    assert_eq!(sandbox.wait().unwrap().code(), Some(143));
    assert!(kubeconfig.is_absolute() && kubeconfig.ends_with("k8s.yaml"), "{}", kubeconfig.display());
    assert!(folder.read("k8s.yaml").contains("current-context: sandbox"), "what a user names is theirs");
}

#[test]
fn with_a_file_it_goes_on_where_it_ended() {
    let folder = Folder::with_a_core();
    let arguments = "--state state.json --wait --delay 0s";
    let ran = folder.run(&format!("sandbox --apply inputs core.yaml {arguments}"));
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    // Without its Secrets a new Core would not become ready.
    let ran = folder.run(&format!("sandbox --apply core.yaml {arguments}"));
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{}", ran.stdout);
}

fn signal(process: &Child, name: &str) {
    let (name, pid) = (format!("-{name}"), process.id().to_string());
    assert!(Command::new("kill").args([name, pid]).status().unwrap().success());
}

/// A line without the seconds at its beginning.
fn without_time(line: &str) -> &str {
    let time = line.trim_start().split_once("s  ").filter(|(time, _)| time.parse::<f32>().is_ok());
    time.map_or(line, |(_, words)| words)
}

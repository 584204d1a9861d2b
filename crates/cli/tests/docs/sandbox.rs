//! The first day, lived through again: every command of the page is typed, and every output compared.

use crate::{
    markdown::Page,
    tree::{pages, root},
};
use envtest::Assets;
use std::{
    fmt::Write as _,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

const TIMEOUT: Duration = Duration::from_mins(1);

/// A command as it is typed, and what is printed.
#[derive(Debug, PartialEq)]
struct Step {
    command: String,
    output: String,
}

fn steps(page: &Page) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for block in page.blocks.iter().filter(|block| block.language == "console") {
        for line in block.text.lines() {
            match (line.strip_prefix("$ "), steps.last_mut()) {
                (Some(command), _) => steps.push(Step { command: command.into(), output: String::new() }),
                (None, Some(step)) => _ = writeln!(step.output, "{line}"),
                (None, None) => {}
            }
        }
    }
    steps
}

/// What of an output is the same every time: ages, addresses and names with a hash are not, nor are widths of columns.
fn lasting(output: &str) -> Vec<String> {
    let word = |word: &str| {
        let last = word.trim_matches('"').rsplit('-').next().unwrap_or_default();
        if word.starts_with("10.0.0.") || word.starts_with("172.18.0.") {
            "ADDRESS".to_owned()
        } else if word.ends_with(['s', 'm']) && word.starts_with(|c: char| c.is_ascii_digit()) {
            "AGE".to_owned()
        } else if last.len() > 7 && last.contains(|c: char| c.is_ascii_digit()) {
            word.replace(last, "HASH")
        } else {
            word.to_owned()
        }
    };
    let line = |line: &str| line.split_whitespace().map(word).collect::<Vec<_>>().join(" ");
    output.lines().map(line).filter(|line| !line.is_empty()).collect()
}

/// A sandbox that ends with its test.
pub struct Sandbox(Child);

impl Drop for Sandbox {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts a sandbox, and waits until it has written its kubeconfig.
pub fn sandbox(kubeconfig: &Path) -> Sandbox {
    let mut command = Command::new(env!("CARGO_BIN_EXE_harbor-operator"));
    command.args(["sandbox", "--delay", "200ms", "--kubeconfig"]).arg(kubeconfig);
    let sandbox = Sandbox(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    let started = Instant::now();
    while !kubeconfig.exists() {
        assert!(started.elapsed() < TIMEOUT, "the sandbox does not start");
        thread::sleep(Duration::from_millis(20));
    }
    sandbox
}

#[test]
fn the_first_day_goes_as_the_page_says() {
    let Ok(assets) = Assets::find() else {
        println!("skipped: there is no kubectl; hack/kube-assets gets one");
        return;
    };
    let kubectl = assets.kubectl();
    let path =
        format!("{}:{}", kubectl.parent().unwrap().display(), std::env::var("PATH").unwrap_or_default());
    let folder = tempfile::tempdir().unwrap();
    let kubeconfig = folder.path().join("kubeconfig");
    let _sandbox = sandbox(&kubeconfig);

    let pages = pages();
    let page = pages.iter().find(|page| page.path == Path::new("docs/first-day.md")).unwrap();
    let steps = steps(page);
    assert!(steps.len() > 20, "only {steps:?}");
    for step in steps {
        let type_it = || {
            let mut shell = Command::new("sh");
            shell.arg("-c").arg(format!("{} 2>&1", step.command)).current_dir(root());
            shell.env("PATH", &path).env("KUBECONFIG", &kubeconfig).env("HOME", folder.path());
            String::from_utf8(shell.output().unwrap().stdout).unwrap()
        };
        let (asked, expected) = (Instant::now(), lasting(&step.output));
        let mut printed = type_it();
        // A reader repeats a command that shows objects until they exist; all other commands run once.
        while lasting(&printed) != expected && step.command.contains(" get ") && asked.elapsed() < TIMEOUT {
            printed = type_it();
        }
        assert_eq!(lasting(&printed), expected, "$ {}\n{printed}", step.command);
    }
}

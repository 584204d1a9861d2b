//! The web page of real installations in a real browser, which `hack/browser` fetches.

use programs::Browser;
use serde_json::json;
use std::{
    io::{BufRead as _, BufReader, Read as _},
    path::Path,
    process::{Child, ChildStdout, Command, Stdio},
};

/// A sandbox with a page.
struct Sandbox {
    process: Child,
    /// Kept open, because the sandbox writes to it.
    _output: BufReader<ChildStdout>,
    page: String,
}

impl Sandbox {
    fn with(examples: &[&str]) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
        let mut command = Command::new(env!("CARGO_BIN_EXE_harbor-operator"));
        command.args(["sandbox", "--delay", "0s", "--apply"]);
        command.args(examples.iter().map(|example| folder.join(example)));
        let mut process = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut output = BufReader::new(process.stdout.take().unwrap());
        let mut lines = output.by_ref().lines().map_while(Result::ok);
        let page = lines.find(|line| line.starts_with("  http://")).expect("it says where the page is");
        Self { page: page.trim().trim_end_matches('/').to_owned(), process, _output: output }
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// That the page of an installation, once at least so many objects are ready, has a box with a whole name for each, and
/// nothing beyond an edge, in windows from that of a phone to that of a desk.
fn assert_fits(browser: &mut Browser, sandbox: &Sandbox, path: &str, least: usize) {
    let url = format!("{}{path}", sandbox.page);
    browser.go(&url).unwrap();
    let summary = "document.getElementById('summary')";
    let ready = format!("{summary} && {summary}.querySelector('.state.ready')");
    browser.until(&format!("{ready} && document.querySelectorAll('.box').length > {least}")).unwrap();
    let counted = format!(
        "/(\\d+) of \\1 objects ready/.exec({summary}.textContent)[1] < document.querySelectorAll('.box').length"
    );
    assert_eq!(browser.value(&counted).unwrap(), true, "{path}: every object has a box");
    for width in [1920, 1280, 800, 390] {
        let size = json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false});
        browser.call("Emulation.setDeviceMetricsOverride", size).unwrap();
        let beyond = "['html', '.forest'].map(some => document.querySelector(some)).map(it => it.scrollWidth - it.clientWidth)";
        assert_eq!(browser.value(beyond).unwrap(), json!([0, 0]), "{path} in a window of {width}");
        let cut = "[...document.querySelectorAll('.box .name')].filter(name => name.scrollWidth > name.clientWidth + 1).length";
        assert_eq!(browser.value(cut).unwrap(), 0, "{path} in a window of {width}: names are whole");
    }
}

#[test]
fn the_tree_of_a_full_harbor_fits_into_every_window() {
    let mut browser = Browser::start().unwrap();
    let sandbox = Sandbox::with(&["namespace.yaml", "harbor-inputs.yaml", "harbor-full.yaml"]);
    assert_fits(&mut browser, &sandbox, "/registry/Harbor/acme", 36);
}

#[test]
fn the_tree_of_a_usual_installation_fits_into_every_window() {
    let mut browser = Browser::start().unwrap();
    let sandbox = Sandbox::with(&["in-cluster.yaml"]);
    assert_fits(&mut browser, &sandbox, "/registry/HarborCluster/acme", 29);
}

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

/// That the page of an object, once it has so many parts, is drawn without anything beyond an edge, in a window as wide as
/// this or wider.
fn assert_fits(browser: &mut Browser, sandbox: &Sandbox, path: &str, parts: usize, least: u32) {
    let url = format!("{}{path}", sandbox.page);
    browser.go(&url).unwrap();
    browser.until(&format!("document.querySelectorAll('#graph .node').length === {parts}")).unwrap();
    let overhang = |element: &str| format!("{element}.scrollWidth - {element}.clientWidth");
    for width in [1280, 800, 390] {
        let size = json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false});
        browser.call("Emulation.setDeviceMetricsOverride", size).unwrap();
        assert_eq!(
            browser.value(&overhang("document.documentElement")).unwrap(),
            0,
            "{path} in a window of {width}"
        );
        let beyond = browser.value(&overhang("document.querySelector('.graph')")).unwrap();
        assert_eq!(beyond == 0, width >= least, "the graph of {path} in a window of {width}: {beyond}");
    }
}

#[test]
fn the_graph_of_a_full_harbor_is_no_wider_than_the_window() {
    let mut browser = Browser::start().unwrap();
    let sandbox = Sandbox::with(&["namespace.yaml", "harbor-inputs.yaml", "harbor-full.yaml"]);
    assert_fits(&mut browser, &sandbox, "/registry/Harbor/acme", 36, 1280);
}

#[test]
fn the_graphs_of_a_usual_installation_are_narrower_still() {
    let mut browser = Browser::start().unwrap();
    let sandbox = Sandbox::with(&["in-cluster.yaml"]);
    assert_fits(&mut browser, &sandbox, "/registry/HarborCluster/acme", 15, 800);
    assert_fits(&mut browser, &sandbox, "/registry/Harbor/acme-harbor", 14, 800);
}

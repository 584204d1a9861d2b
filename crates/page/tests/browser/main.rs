//! The page in a real browser, as people meet it. With `HARBOR_SCREENSHOTS` set to a folder, pictures are left there.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod installation;
mod keyboard;
mod pictures;
#[path = "../page/support/mod.rs"]
mod support;
mod visitor;

use plan::Verdict;
use progress::{Stage, State};
use serde_json::json;
use support::{World, key};
use visitor::Visitor;

const STACK: &str = "/ns/Stack/harbor";

#[tokio::test(flavor = "multi_thread")]
async fn it_sends_requests_only_to_the_operator_and_violates_no_policy() {
    let mut visitor = Visitor::of(World::a_stack().await).await;
    for path in ["/", STACK, "/ns/Secret/harbor-keys", "/ns/Stack/unknown"] {
        visitor.go(path);
        visitor.until("document.getElementById('live').dataset.state === 'live'");
    }
    visitor.assert_quiet();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_is_shown_without_loading_the_page_again() {
    let mut visitor = Visitor::of(World::a_stack().await).await;
    visitor.go(STACK);
    visitor.until("document.getElementById('live').dataset.state === 'live'");
    visitor.value("window.loadedOnce = true");
    visitor.value("document.getElementById('node-ns-Deployment-harbor-core').focus()");

    let stack = key("Stack", "harbor");
    visitor.world.child(&stack, ("Deployment", "harbor-core"), State::Ready);
    visitor.world.child(&stack, ("Deployment", "harbor-jobs"), State::Ready);
    visitor.world.report(&stack, Stage::Concluded(Verdict::Ready));
    visitor.until("document.getElementById('summary').textContent.includes('3 of 3 objects ready')");
    visitor.until("document.querySelectorAll('.box.ready').length === 4");
    assert_eq!(visitor.value("window.loadedOnce"), true);
    assert_eq!(
        visitor.value("document.activeElement.id"),
        "node-ns-Deployment-harbor-core",
        "the focus stays"
    );
    assert_eq!(visitor.value("document.getElementById('why')"), json!(null), "what no longer holds is gone");

    visitor.world.report(&stack, Stage::Deleted);
    visitor.until("document.querySelector('h1').textContent === 'Unknown object'");
    visitor.world.report_a_stack();
    visitor.until("document.querySelectorAll('.box').length === 4");
    visitor.assert_quiet();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_connection_is_reported_and_restored() {
    let mut visitor = Visitor::of(World::a_stack().await).await;
    visitor.go("/");
    visitor.until("document.getElementById('live').dataset.state === 'live'");
    visitor.stop().await;
    visitor.until("document.getElementById('live').textContent.startsWith('The operator does not answer')");
    visitor.start().await;
    visitor.until("document.getElementById('live').textContent === 'Live'");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_scripts_everything_is_there_and_the_page_reloads_itself() {
    let mut visitor = Visitor::of(World::a_stack().await).await;
    visitor.call("Emulation.setScriptExecutionDisabled", json!({"value": true}));
    visitor.go(STACK);
    let text = visitor.html();
    for words in [
        "1 of 3 objects ready",
        "node-ns-Deployment-harbor-core",
        "Apply</button>",
        "State: waiting",
        "id=\"command-describe\"",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(text.contains("<noscript><meta http-equiv=\"refresh\" content=\"10\"></noscript>"), "{text}");
    let meta = visitor.elements("noscript > meta");
    assert_eq!(meta, 1, "it is an element where scripts are off, and text where they are on");
    visitor.go("/ns/Stack/harbor?q=jobs");
    assert_eq!(visitor.elements(".box"), 2, "a filter in the address works, too");
    visitor.go("/ns/Secret/harbor-keys");
    assert_eq!(visitor.elements(".box[aria-current]"), 1, "and so does the selection");
    assert!(visitor.html().contains("password: (hidden)"));
    visitor.assert_quiet();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_screen_reader_hears_names_states_and_reasons() {
    let mut visitor = Visitor::of(World::a_stack().await).await;
    visitor.go(STACK);
    let tree = visitor.call("Accessibility.getFullAXTree", json!({}));
    let nodes = tree["nodes"].as_array().unwrap();
    let has = |role: &str, name: &str| {
        nodes.iter().any(|node| node["role"]["value"] == role && node["name"]["value"] == name)
    };
    for (role, name) in [
        ("banner", ""),
        ("main", ""),
        ("navigation", "Breadcrumb"),
        ("region", "Objects, each below its owner"),
        ("complementary", "harbor"),
        ("search", ""),
        ("combobox", "Filter"),
        ("heading", "Stack harbor"),
        ("link", "Deployment harbor-core: waiting, 0 of 1 replicas are available"),
        ("link", "Deployment harbor-jobs: blocked, waits for Deployment harbor-core"),
        ("region", "What happened"),
    ] {
        assert!(has(role, name), "{role} {name}");
    }
    assert!(nodes.iter().any(|node| node["role"]["value"] == "status"), "changes are announced");
}

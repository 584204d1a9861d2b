//! The page in a real browser, as people meet it. With `HARBOR_SCREENSHOTS` set to a folder, pictures are left there.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod pictures;
#[path = "../support/mod.rs"]
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
    visitor.value("document.getElementById('to-ns-Deployment-harbor-core').focus()");

    let stack = key("Stack", "harbor");
    visitor.world.child(&stack, ("Deployment", "harbor-core"), State::Ready);
    visitor.world.child(&stack, ("Deployment", "harbor-jobs"), State::Ready);
    visitor.world.report(&stack, Stage::Concluded(Verdict::Ready));
    visitor.until("document.getElementById('summary').textContent.includes('3 of 3 objects ready')");
    visitor.until("document.querySelectorAll('svg .node.ready').length === 3");
    assert_eq!(visitor.value("window.loadedOnce"), true);
    assert_eq!(visitor.value("document.activeElement.id"), "to-ns-Deployment-harbor-core", "the focus stays");
    assert_eq!(visitor.value("document.getElementById('why')"), json!(null), "what no longer holds is gone");

    visitor.world.report(&stack, Stage::Deleted);
    visitor.until("document.querySelector('h1').textContent === 'Unknown object'");
    visitor.world.report_a_stack();
    visitor.until("document.querySelectorAll('svg .node').length === 3");
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
async fn the_keyboard_reaches_everything_in_the_order_in_which_it_is_read() {
    let mut visitor = Visitor::of(World::a_stack().await).await;
    visitor.go(STACK);
    let mut reached = Vec::new();
    for _ in 0..8 {
        visitor.press("Tab", 9);
        let name = "document.activeElement.id || document.activeElement.getAttribute('aria-label') || document.activeElement.textContent.trim()";
        reached.push(visitor.value(name).as_str().unwrap().to_owned());
    }
    let expected = [
        "Skip to content",
        "Harbor operator",
        "Installations",
        "https://registry.example",
        "Dependency graph",
        "node-ns-Secret-harbor-keys",
        "node-ns-Deployment-harbor-core",
        "node-ns-Deployment-harbor-jobs",
    ];
    assert_eq!(reached, expected);
    let visible = "getComputedStyle(document.activeElement.querySelector('.box')).strokeWidth";
    assert_eq!(visitor.value(visible), "3.5px", "who has the focus can be seen");
    visitor.press("Enter", 13);
    visitor.until("location.pathname === '/ns/Deployment/harbor-jobs'");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_scripts_everything_is_there_and_the_page_reloads_itself() {
    let mut visitor = Visitor::of(World::a_stack().await).await;
    visitor.call("Emulation.setScriptExecutionDisabled", json!({"value": true}));
    visitor.go(STACK);
    let text = visitor.html();
    for words in ["1 of 3 objects ready", "node-ns-Deployment-harbor-core", "row-ns-Deployment-harbor-core"] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(text.contains("<noscript><meta http-equiv=\"refresh\" content=\"10\"></noscript>"), "{text}");
    let meta = visitor.elements("noscript > meta");
    assert_eq!(meta, 1, "it is an element where scripts are off, and text where they are on");
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
        ("region", "Children"),
        ("heading", "Stack harbor"),
        ("link", "Deployment harbor-core: waiting, 0 of 1 replicas are available"),
        ("link", "Deployment harbor-jobs: blocked, waits for Deployment harbor-core"),
        ("columnheader", "Waits for"),
    ] {
        assert!(has(role, name), "{role} {name}");
    }
    assert!(nodes.iter().any(|node| node["role"]["value"] == "status"), "changes are announced");
}

//! What a user does with keys and with the pointer.

use crate::{STACK, support::World, visitor::Visitor};
use serde_json::json;

const BOXES: &str = "[...document.querySelectorAll('.box')].map(box => box.id.slice('node-ns-'.length))";

async fn at(path: &str) -> Visitor {
    let mut visitor = Visitor::of(World::a_stack().await).await;
    visitor.go(path);
    visitor.until("document.getElementById('live').dataset.state === 'live'");
    visitor
}

#[tokio::test(flavor = "multi_thread")]
async fn the_keyboard_reaches_everything_in_the_order_in_which_it_is_read() {
    let mut visitor = at(STACK).await;
    let mut reached = Vec::new();
    for _ in 0..14 {
        visitor.press("Tab", 9);
        let name = "document.activeElement.id || document.activeElement.getAttribute('aria-label') || document.activeElement.textContent.trim()";
        reached.push(visitor.value(name).as_str().unwrap().to_owned());
    }
    let expected = [
        "Skip to content",
        "Harbor operator",
        "Installations",
        "https://registry.example",
        "Deployment harbor-core",
        "q",
        "all 3",
        "waiting 1",
        "blocked 1",
        "ready 1",
        "node-ns-Stack-harbor",
        "node-ns-Deployment-harbor-core",
        "node-ns-Deployment-harbor-jobs",
        "node-ns-Secret-harbor-keys",
    ];
    assert_eq!(reached, expected);
    let visible = "getComputedStyle(document.activeElement).outlineWidth";
    assert_eq!(visitor.value(visible), "3px", "who has the focus can be seen");
    visitor.press("Enter", 13);
    visitor.until("location.pathname === '/ns/Secret/harbor-keys'");
}

#[tokio::test(flavor = "multi_thread")]
async fn arrows_move_in_the_tree() {
    let mut visitor = at(STACK).await;
    visitor.value("document.getElementById('node-ns-Stack-harbor').focus()");
    for (key, code, reached) in [
        ("ArrowRight", 39, "Deployment-harbor-core"),
        ("ArrowDown", 40, "Deployment-harbor-jobs"),
        ("End", 35, "Secret-harbor-keys"),
        ("ArrowUp", 38, "Deployment-harbor-jobs"),
        ("ArrowLeft", 37, "Stack-harbor"),
    ] {
        visitor.press(key, code);
        assert_eq!(visitor.value("document.activeElement.id"), format!("node-ns-{reached}"), "{key}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_filter_works_while_it_is_typed_and_stays_in_the_address() {
    let mut visitor = at(STACK).await;
    visitor.value("window.loadedOnce = true");
    visitor.press("/", 191);
    assert_eq!(visitor.value("document.activeElement.id"), "q");
    assert_eq!(visitor.value("document.getElementById('q').value"), "", "the key is not typed");
    visitor.call("Input.insertText", json!({"text": "dep jobs"}));
    visitor.until("document.querySelectorAll('.box').length === 2");
    assert_eq!(visitor.value(BOXES), json!(["Stack-harbor", "Deployment-harbor-jobs"]));
    assert_eq!(visitor.value("location.search"), "?q=dep+jobs");
    assert_eq!(visitor.value("document.getElementById('found').textContent"), "1 object matches");
    let held =
        visitor.value("[window.loadedOnce, document.activeElement.id, document.getElementById('q').value]");
    assert_eq!(held, json!([true, "q", "dep jobs"]), "the user goes on typing");

    visitor.go(&format!("{STACK}?q=dep+jobs"));
    assert_eq!(visitor.value("document.getElementById('q').value"), "dep jobs", "the address restores it");
    assert_eq!(visitor.value(BOXES), json!(["Stack-harbor", "Deployment-harbor-jobs"]));
    visitor.value("document.getElementById('q').focus()");
    visitor.press("Escape", 27);
    visitor.until("document.querySelectorAll('.box').length === 4 && location.search === ''");
    visitor.assert_quiet();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_list_is_filtered_while_it_is_typed() {
    let world = World::a_stack().await;
    for name in ["production", "staging"] {
        world.report(&crate::key("Stack", name), progress::Stage::Paused);
    }
    let mut visitor = Visitor::of(world).await;
    visitor.go("/");
    visitor.press("/", 191);
    visitor.call("Input.insertText", json!({"text": "prod"}));
    visitor.until("document.querySelectorAll('.list tbody tr').length === 1");
    assert_eq!(visitor.value("location.search"), "?q=prod");
    assert_eq!(visitor.value("document.querySelector('.list tbody a').textContent"), "production");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_object_is_selected_without_loading_the_page_again_and_the_way_back_is_the_browsers() {
    let mut visitor = at(&format!("{STACK}?q=harbor")).await;
    visitor.value("window.loadedOnce = true");
    visitor.value("document.getElementById('node-ns-Secret-harbor-keys').click()");
    visitor.until("document.getElementById('selected').textContent === 'harbor-keys'");
    assert_eq!(visitor.value("location.pathname + location.search"), "/ns/Secret/harbor-keys?q=harbor");
    assert_eq!(visitor.value("document.title"), "Secret harbor-keys · Harbor operator");
    assert_eq!(
        visitor.value("document.querySelector('[aria-current=true]').id"),
        "node-ns-Secret-harbor-keys"
    );
    visitor.value("history.back()");
    visitor.until("document.getElementById('selected').textContent === 'harbor'");
    assert_eq!(visitor.value("window.loadedOnce"), true);
    visitor.assert_quiet();
}

#[tokio::test(flavor = "multi_thread")]
async fn yaml_and_commands_are_copied_without_values_of_secrets() {
    let mut visitor = at("/ns/Secret/harbor-keys").await;
    // What the clipboard would get: a headless browser has none that a test may read.
    visitor.value("navigator.clipboard.writeText = async text => { window.copied = text; }; 0");
    visitor.value("document.querySelector('[data-copy=yaml-text]').click()");
    visitor
        .until("window.copied && document.querySelector('[data-copy=yaml-text]').textContent === 'Copied'");
    let copied = visitor.value("window.copied");
    let copied = copied.as_str().unwrap();
    assert!(copied.starts_with("apiVersion: v1\nkind: Secret\n"), "{copied}");
    assert!(copied.contains("password: (hidden)") && !copied.contains("hunter2"), "{copied}");
    visitor.value("document.querySelector('[data-copy=command-describe]').click()");
    visitor.until("window.copied === 'kubectl -n ns describe secrets/harbor-keys'");
    visitor.assert_quiet();
}

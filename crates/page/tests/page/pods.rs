//! The pods of a Deployment on the page.

use crate::support::{World, key};

#[tokio::test]
async fn a_deployment_that_is_not_ready_is_shown_with_its_pods_and_their_last_words() {
    let world = World::a_stack().await;
    world.crash().await;
    let page = world.get("/ns/Deployment/harbor-core").await;
    for words in [
        "<p>0 of 1 pods ready</p>",
        r#"<li class="failed indent-0">Pod harbor-core-a-1  CrashLoopBackOff, 7 restarts</li>"#,
        "container core: CrashLoopBackOff; ended with exit code 1 (Error) 12s ago</li>",
        r#"<li class="quote indent-2">&#60;script&#62;panic&#60;/script&#62; redis://:(hidden)@redis</li>"#,
    ] {
        assert!(page.text.contains(words), "{words}: {}", page.text);
    }
    assert!(!page.text.contains("hunter2") && !page.text.contains('\u{1b}'), "{}", page.text);

    let workloads = [(key("Deployment", "harbor-core"), pods::Standing::Unready)].into();
    let report = pods::read(&world.client, &workloads, crate::support::now()).await;
    let lines = report.about(&key("Deployment", "harbor-core")).unwrap().lines(crate::support::now());
    assert_eq!(page.text.matches(" indent-").count(), lines.len(), "they are those of status");

    assert!(
        page.text.contains("<dt>Image</dt><dd><ul class=\"plain\"><li>core:1</li></ul></dd>"),
        "{}",
        page.text
    );

    let stack = world.get("/ns/Stack/harbor").await;
    let above = r#"<span class="pod">Pod harbor-core-a-1  CrashLoopBackOff, 7 restarts: &#60;script&#62;panic&#60;/script&#62; redis://:(hidden)@redis</span></p>"#;
    assert!(stack.text.contains(above), "the last words are above the tree: {}", stack.text);
    assert!(!stack.text.contains("hunter2"), "{}", stack.text);
}

#[tokio::test]
async fn what_the_operator_may_not_read_of_pods_is_named() {
    let world = World::a_stack().await.forbid();
    let page = world.get("/ns/Deployment/harbor-core").await;
    let gap = "deployments cannot be shown: the operator may not list deployments (API group apps); allow it in its role";
    assert!(page.text.contains(gap), "{}", page.text);
    let secret = world.get("/ns/Secret/harbor-keys").await;
    assert!(!secret.text.contains("deployments cannot be shown"), "it has no pods: {}", secret.text);
}

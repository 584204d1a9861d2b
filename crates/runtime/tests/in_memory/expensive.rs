//! Objects that take long to plan.

use crate::memory::Cluster;
use crate::widget::{Widget, WidgetComponent, WidgetSpec};
use k8s_openapi::api::core::v1::ConfigMap;
use plan::{Builder, Children, Component, PlanError, World};
use runtime::Options;
use serde_json::json;
use std::{
    sync::{
        Condvar, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

/// Whether planning of an expensive widget comes to an end, and who waits for that.
static ENDS: (Mutex<bool>, Condvar) = (Mutex::new(false), Condvar::new());
/// How often that was begun.
static BEGUN: AtomicUsize = AtomicUsize::new(0);

/// A widget whose planning takes as long as the test wants.
struct Expensive;

impl Component for Expensive {
    type Owner = Widget;

    const NAME: &'static str = WidgetComponent::NAME;

    fn children() -> Children {
        WidgetComponent::children()
    }

    fn desired(widget: &Widget, world: &World<'_>, graph: &mut Builder<'_>) -> Result<(), PlanError> {
        if widget.spec.message == "expensive" {
            BEGUN.fetch_add(1, Ordering::SeqCst);
            let ends = ENDS.0.lock().unwrap();
            drop(ENDS.1.wait_while(ends, |ends| !*ends).unwrap());
        }
        WidgetComponent::desired(widget, world, graph)
    }
}

/// Lets planning end when the test does: the runtime waits for its threads.
struct End;

impl Drop for End {
    fn drop(&mut self) {
        *ENDS.0.lock().unwrap() = true;
        ENDS.1.notify_all();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn an_object_that_takes_too_long_to_plan_is_reported_and_left_until_it_changes() {
    let _end = End;
    let options = Options { planning: Duration::from_millis(100), ..Options::default() };
    let mut cluster = Cluster::new::<Expensive>(options).await;
    cluster.start::<Expensive>();
    let widget = |name: &str, message: &str| {
        Widget::new(name, WidgetSpec { message: message.into(), ..WidgetSpec::default() })
    };
    cluster.create(&widget("large", "one")).await;
    cluster.until_reason::<Widget>("large", "Ready").await;
    cluster.merge::<Widget>("large", json!({"spec": {"message": "expensive"}})).await;
    let words = cluster.until_reason::<Widget>("large", "TooExpensive").await;
    assert!(words.contains("make the object or what it refers to smaller"), "{words}");

    // Every child that changes is a reason to reconcile its owner, which comes before younger objects.
    cluster.delete::<ConfigMap>("large-widget").await;
    cluster.create(&widget("small", "one")).await;
    cluster.until_reason::<Widget>("small", "Ready").await;
    assert_eq!(BEGUN.load(Ordering::SeqCst), 1, "it is not planned again");

    cluster.merge::<Widget>("large", json!({"spec": {"message": "two"}})).await;
    cluster.until_reason::<Widget>("large", "Ready").await;
    assert!(cluster.find::<ConfigMap>("large-widget").await.is_some());
}

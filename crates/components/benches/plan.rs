//! What it takes to plan a component, without a cluster.
//!
//! `cargo bench -p components`

use api::v1beta1;
use components::core::Core;
use divan::{AllocProfiler, Bencher, black_box};
use kube::core::DynamicObject;
use plan::{Digest, ObjectKey, Planned, Snapshot, plan};
use std::{fs, path::Path, sync::Arc};

#[global_allocator]
static ALLOCATOR: AllocProfiler = AllocProfiler::system();

fn main() {
    divan::main();
}

/// The example: a Core and the Secrets it reads.
#[allow(clippy::expect_used, reason = "a benchmark without its fixture is none")]
fn example() -> (v1beta1::Core, Snapshot) {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let text = |path: &Path| fs::read_to_string(path).expect("the example is readable");
    let core = serde_saphyr::from_str(&text(&examples.join("core.yaml"))).expect("the example is a Core");
    let mut snapshot = Snapshot::new();
    for entry in fs::read_dir(examples.join("inputs")).expect("the example has inputs") {
        let documents: Vec<serde_json::Value> =
            serde_saphyr::from_multiple(&text(&entry.expect("a file").path())).expect("inputs are YAML");
        for mut document in documents {
            fold(&mut document);
            let object: DynamicObject = serde_json::from_value(document).expect("inputs are objects");
            let name = object.metadata.name.clone().unwrap_or_default();
            let namespace = object.metadata.namespace.clone().unwrap_or_default();
            let key = ObjectKey::of::<k8s_openapi::api::core::v1::Secret>(&namespace, &name);
            snapshot.insert(key, Some(Arc::new(object)));
        }
    }
    (core, snapshot)
}

/// `stringData` becomes `data`, as the API server would do it.
fn fold(document: &mut serde_json::Value) {
    let plain = document.as_object_mut().and_then(|object| object.remove("stringData"));
    for (key, value) in plain.iter().filter_map(|plain| plain.as_object()).flatten() {
        let bytes = k8s_openapi::ByteString(value.as_str().unwrap_or_default().as_bytes().to_vec());
        document["data"][key] = serde_json::json!(bytes);
    }
}

#[divan::bench]
fn plan_a_core(bencher: Bencher<'_, '_>) {
    let (core, snapshot) = example();
    assert!(matches!(plan::<Core>(&core, &snapshot), Planned::Done(_)), "the example is complete");
    bencher.bench(|| plan::<Core>(black_box(&core), black_box(&snapshot)));
}

#[divan::bench]
fn digest_all_children_of_a_core(bencher: Bencher<'_, '_>) {
    let (core, snapshot) = example();
    let Planned::Done(plan) = plan::<Core>(&core, &snapshot) else { return };
    let digest = |object: &dyn plan::AnyManifest| object.to_json().and_then(|json| Digest::of(&json));
    bencher.bench(|| plan.graph.iter().map(|(_, desired, _)| digest(&*desired.object)).collect::<Vec<_>>());
}

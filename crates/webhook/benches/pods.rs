//! Reviews of pods: how long one takes, what it allocates, and whether 500 of them a second stay below 5 ms.

#![allow(clippy::unwrap_used, missing_docs, reason = "a benchmark fails by panicking")]

use divan::{AllocProfiler, Bencher};
use serde_json::json;
use std::{
    hint::black_box,
    time::{Duration, Instant},
};
use webhook::admission::{ConfigMapSource, NamespaceSource, ServerSource, Sources, review};

#[global_allocator]
static ALLOCATOR: AllocProfiler = AllocProfiler::system();

/// The namespaces in the cluster of the benchmark, each with rules of its own.
const NAMESPACES: usize = 1000;
/// How many pods are created in a second.
const RATE: u32 = 500;
const BUDGET: Duration = Duration::from_millis(5);

fn main() {
    creations();
    divan::main();
}

fn sources() -> Sources {
    let mut sources = Sources::default();
    let server = json!({ "metadata": { "name": "main" }, "spec": {
        "serverURL": "https://harbor.example.com", "version": "2.12.0", "default": true,
        "accessCredential": { "namespace": "harbor", "accessSecretRef": "login" },
        "rules": ["docker.io=>hub", "^(quay|ghcr)\\.io$=>mirror", "*=>rest"],
    } });
    let server = ServerSource::new(&serde_json::from_value(server).unwrap());
    sources.servers.insert((String::new(), "main".into()), server);
    let rules: Vec<_> = (0..20).map(|n| format!("^registry-{n}\\.[a-z]+\\.example$=>team-{n}")).collect();
    for place in 0..NAMESPACES {
        let name = format!("team-{place}");
        let namespace = json!({ "metadata": { "name": name, "annotations": { "goharbor.io/rewriting-rules": "rules" } } });
        let namespace = NamespaceSource::new(&serde_json::from_value(namespace).unwrap());
        sources.namespaces.insert((String::new(), name.clone()), namespace);
        let config_map = json!({ "data": { "hsc": "main", "rules": rules.join("\n") } });
        let config_map = ConfigMapSource::new(&serde_json::from_value(config_map).unwrap()).unwrap();
        sources.config_maps.insert((name, "rules".into()), config_map);
    }
    sources
}

/// The review of a pod of usual size: six containers, thirty variables each.
fn body(place: usize) -> Vec<u8> {
    let env: Vec<_> =
        (0..30).map(|n| json!({ "name": format!("VARIABLE_{n}"), "value": "x".repeat(40) })).collect();
    let images =
        ["nginx:1.27", "bitnami/redis", "quay.io/a/b:1", "ghcr.io/c/d@sha256:0", "gcr.io/e/f", "busybox"];
    let containers: Vec<_> =
        images.iter().map(|image| json!({ "name": "c", "image": image, "env": env })).collect();
    let review = json!({
        "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
        "request": {
            "uid": "705ab4f5-6393-11e8-b7cc-42010a800002",
            "resource": { "group": "", "version": "v1", "resource": "pods" },
            "operation": "CREATE",
            "namespace": format!("team-{}", place % NAMESPACES),
            "object": { "metadata": { "name": "web" }, "spec": { "containers": containers } },
        },
    });
    review.to_string().into_bytes()
}

/// Reviews of ten seconds at the rate, on one core: prints the slowest per cent, the share of the core, and the memory
/// that they leave behind.
fn creations() {
    let sources = sources();
    let bodies: Vec<_> = (0..RATE as usize).map(body).collect();
    let round = |took: &mut Vec<Duration>| {
        for body in &bodies {
            let begin = Instant::now();
            black_box(review(black_box(body), &sources).unwrap());
            took.push(begin.elapsed());
        }
    };
    round(&mut Vec::with_capacity(bodies.len()));
    let mut took = Vec::with_capacity(bodies.len() * 10);
    for _ in 0..10 {
        round(&mut took);
    }
    took.sort_unstable();
    let total: Duration = took.iter().sum();
    let [median, nearly_all, most] = [50, 99, 100].map(|percent| took[took.len() * percent / 100 - 1]);
    println!("{} reviews: median {median:?}, 99 % {nearly_all:?}, slowest {most:?}", took.len());
    println!("share of one core at {RATE} a second: {:.1} %", total.as_secs_f64() / 10.0 * 100.0);
    assert!(nearly_all < BUDGET, "99 % of the reviews take up to {nearly_all:?}, more than {BUDGET:?}");
}

/// One review. The allocations that divan prints are as many as the deallocations: reviews leave no memory behind.
#[divan::bench]
fn one_review(bencher: Bencher<'_, '_>) {
    let sources = sources();
    let body = body(7);
    bencher.bench(|| review(black_box(&body), &sources));
}

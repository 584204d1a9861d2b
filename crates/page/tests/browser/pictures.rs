//! The page in every light: nothing is cut off, whatever the size, and pictures for people to judge the rest.

use crate::{
    support::{World, key},
    visitor::Visitor,
};
use plan::{Class, Failure, Verdict};
use progress::{Stage, State};
use serde_json::{Value, json};
use std::{env, fs, path::PathBuf};

/// What a picture is taken of, and how.
struct Shot {
    name: &'static str,
    path: &'static str,
    width: u32,
    scheme: &'static str,
}

const SHOTS: [Shot; 14] = [
    Shot { name: "list-light", path: "/", width: 1280, scheme: "light" },
    Shot { name: "list-dark", path: "/", width: 1280, scheme: "dark" },
    Shot { name: "list-narrow", path: "/", width: 360, scheme: "light" },
    Shot { name: "waiting-light", path: "/ns/Stack/harbor", width: 1280, scheme: "light" },
    Shot { name: "waiting-dark", path: "/ns/Stack/harbor", width: 1280, scheme: "dark" },
    Shot { name: "waiting-narrow", path: "/ns/Stack/harbor", width: 360, scheme: "dark" },
    Shot { name: "failed-middling", path: "/ns/Stack/broken", width: 800, scheme: "light" },
    Shot { name: "failed-narrow", path: "/ns/Stack/broken", width: 390, scheme: "dark" },
    Shot { name: "sixty-middling", path: "/ns/Stack/sixty", width: 800, scheme: "dark" },
    Shot { name: "failed", path: "/ns/Stack/broken", width: 1280, scheme: "light" },
    Shot { name: "sixty", path: "/ns/Stack/sixty", width: 1280, scheme: "light" },
    Shot { name: "sixty-dark", path: "/ns/Stack/sixty", width: 1280, scheme: "dark" },
    Shot { name: "secret", path: "/ns/Secret/harbor-keys", width: 1280, scheme: "light" },
    Shot { name: "secret-narrow", path: "/ns/Secret/harbor-keys", width: 360, scheme: "light" },
];

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_cut_off_in_any_size_and_light() {
    let world = World::a_stack().await;
    populate(&world).await;
    let mut visitor = Visitor::of(world).await;
    for Shot { name, path, width, scheme } in SHOTS {
        let size = json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false});
        visitor.call("Emulation.setDeviceMetricsOverride", size);
        let scheme = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        visitor.call("Emulation.setEmulatedMedia", scheme);
        visitor.go(path);
        visitor.until("document.getElementById('live').dataset.state === 'live'");
        let overhang =
            visitor.value("document.documentElement.scrollWidth - document.documentElement.clientWidth");
        assert_eq!(overhang, 0, "{name}");
        let spilled = "[...document.querySelectorAll('table')].filter(table => table.offsetWidth > table.parentElement.clientWidth).length";
        assert_eq!(visitor.value(spilled), 0, "{name}: tables stay in their cards");
        let hidden =
            "[...document.querySelectorAll('.graph')].some(graph => graph.scrollWidth > graph.clientWidth)";
        assert!(width < 1280 || visitor.value(hidden) == false, "{name}: the whole graph is seen");
        let cramped = "[...document.querySelectorAll('svg .node')].filter(node => {
            const box = node.querySelector('.box').getBoundingClientRect();
            const [kind, word] = ['.kind', '.word'].map(text => node.querySelector(text).getBoundingClientRect());
            return kind.right + 3 > word.left || [...node.querySelectorAll('text')].some(text => {
                const words = text.getBoundingClientRect();
                return words.right > box.right || words.left < box.left;
            });
        }).map(node => node.id)";
        assert_eq!(visitor.value(cramped), json!([]), "{name}: words fit into their boxes");
        if let Some(folder) = env::var_os("HARBOR_SCREENSHOTS").map(PathBuf::from) {
            let picture = visitor.call("Page.captureScreenshot", json!({"captureBeyondViewport": true}));
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join(format!("{name}.base64")), picture["data"].as_str().unwrap()).unwrap();
        }
    }
}

/// A whole installation on its way, one that failed, and one of sixty parts.
async fn populate(world: &World) {
    for (name, version, state) in [
        ("production", "2.15.0", Stage::Concluded(Verdict::Ready)),
        ("staging", "2.14.2", Stage::Concluded(Verdict::Ready)),
        ("archive", "2.9.5", Stage::Paused),
    ] {
        let url = format!("https://{name}.registry.example");
        world.see(&key("Stack", name), json!({"spec": {"version": version, "url": url}}));
        world.report(&key("Stack", name), state);
    }
    broken(world);
    sixty(world);
    for (reason, message, kind, name) in [
        ("Issued", "the certificate was issued by the authority of this namespace", "Normal", "a"),
        (
            "Rejected",
            "admission webhook \"policy.example.com\" denied the request: too many keys",
            "Warning",
            "b",
        ),
    ] {
        let event: Value = json!({
            "apiVersion": "v1", "kind": "Event", "metadata": {"name": name, "namespace": "ns"},
            "involvedObject": {"kind": "Secret", "name": "harbor-keys", "namespace": "ns"},
            "reason": reason, "message": message, "type": kind, "lastTimestamp": "2026-01-02T03:02:05Z",
        });
        world.create("/api/v1/namespaces/ns/events", event).await;
    }
}

fn broken(world: &World) {
    let stack = key("Stack", "broken");
    world.see(&stack, json!({"spec": {"version": "2.15.0", "url": "https://broken.registry.example"}}));
    let parts: [(&str, &str, &[usize]); 9] = [
        ("Secret", "broken-core-encryption-key", &[]),
        ("Secret", "broken-registry-credentials", &[]),
        ("Certificate", "broken-token-service", &[]),
        ("PersistentVolumeClaim", "broken-registry", &[]),
        ("Core", "broken-core", &[0, 1, 2]),
        ("Registry", "broken-registry", &[1, 3]),
        ("RegistryController", "broken-registry-controller-with-a-long-name", &[5]),
        ("JobService", "broken-jobservice", &[4, 5]),
        ("Ingress", "broken-ingress", &[4, 5]),
    ];
    world.plan(&stack, &parts);
    for (kind, name, _) in &parts[..4] {
        world.child(&stack, (*kind, *name), State::Ready);
    }
    world.see(&key("Core", "broken-core"), json!({"metadata": {"ownerReferences": [{"controller": true}]}}));
    let message = "Deployment ns/broken-core is not valid: spec.template.spec.containers[0].resources.limits.memory: \
                   must be greater than or equal to memory request of 4Gi; lower the request or raise the limit";
    let failure = Failure {
        class: Class::Invalid,
        reason: "Rejected",
        message: message.into(),
        subject: plan::Subject::default(),
        stalls: true,
    };
    world.child(&stack, ("Core", "broken-core"), State::Failed(failure));
    world.child(
        &stack,
        ("Registry", "broken-registry"),
        State::Waiting("1 of 2 replicas are available".into()),
    );
    let blocked = [(
        "RegistryController",
        "broken-registry-controller-with-a-long-name",
        "Registry",
        "broken-registry",
    )];
    for (kind, name, by_kind, by) in blocked.into_iter().chain(
        [("JobService", "broken-jobservice"), ("Ingress", "broken-ingress")]
            .map(|(k, n)| (k, n, "Core", "broken-core")),
    ) {
        world.child(&stack, (kind, name), State::Blocked { by: key(by_kind, by) });
    }
    world.report(&stack, Stage::Concluded(Verdict::Stalled { reason: "Rejected", message: message.into() }));
}

/// As many parts as the largest installation has, in layers of many and of few.
fn sixty(world: &World) {
    let stack = key("Stack", "sixty");
    let names: Vec<_> = (0..60).map(|number| format!("sixty-part-{number:02}")).collect();
    let after: Vec<Vec<usize>> = (0..60_usize)
        .map(|number| match number {
            0..24 => vec![],
            24..36 => vec![number - 24, number - 12, 0],
            36..52 => vec![24 + number % 7, 24 + number % 5],
            _ => vec![number - 16, number - 10, 36],
        })
        .collect();
    let kinds = ["Secret", "Certificate", "ConfigMap", "Core", "Deployment"];
    let parts: Vec<_> = names
        .iter()
        .zip(&after)
        .enumerate()
        .map(|(n, (name, after))| (kinds[n % 5], name.as_str(), &after[..]))
        .collect();
    world.plan(&stack, &parts);
    for (number, (kind, name, _)) in parts.iter().enumerate() {
        let state = match number {
            0..30 => State::Ready,
            30..36 => State::Waiting("0 of 3 replicas are available".into()),
            _ => State::Blocked { by: key(parts[30].0, parts[30].1) },
        };
        world.child(&stack, (*kind, *name), state);
    }
    let message = format!("{} ns/{}: 0 of 3 replicas are available (and 5 more)", parts[30].0, parts[30].1);
    world.report(&stack, Stage::Concluded(Verdict::Progressing { reason: Verdict::WAITING, message }));
}

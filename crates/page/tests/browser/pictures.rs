//! The page in every light: nothing is cut off, whatever the size, and pictures for people to judge the rest.

use crate::{
    installation::{self, Progress},
    support::{World, key},
    visitor::Visitor,
};
use plan::Verdict;
use progress::Stage;
use serde_json::{Value, json};
use std::{env, fs, path::PathBuf};

/// Windows: those of a phone, a laptop and a desk, and a narrow half of a screen.
const WIDTHS: [u32; 4] = [390, 800, 1280, 1920];
const HEIGHT: u32 = 900;
const FAILED: &str = "/ns/Stack/broken";
const PAGES: [(&str, &str); 6] = [
    ("list", "/"),
    ("failed", FAILED),
    ("ready", "/ns/Stack/production"),
    ("waiting", "/ns/Stack/harbor"),
    ("deployment", "/ns/Deployment/broken-harbor-core"),
    ("secret", "/ns/Secret/harbor-keys"),
];

/// Of each box whose name is not whole, or not within the box, the id.
const CUT: &str = "[...document.querySelectorAll('.box')].filter(box => {
    const name = box.querySelector('.name');
    const [inner, outer] = [name, box].map(element => element.getBoundingClientRect());
    return name.textContent !== decodeURIComponent(new URL(box.href).pathname.split('/')[3])
        || name.scrollWidth > name.clientWidth + 1
        || inner.right > outer.right || inner.left < outer.left || inner.bottom > outer.bottom;
}).map(box => box.id)";

/// How far the edges of boxes of one level of ownership are apart.
const RAGGED: &str = "(() => {
    const level = box => { let at = 0; for (let it = box; it; it = it.parentElement.closest('.below')) at += 1; return at; };
    const edges = {};
    for (const box of document.querySelectorAll('.branch > .box')) {
        const { left, right } = box.getBoundingClientRect();
        (edges[level(box)] ||= []).push([left, right]);
    }
    const spread = values => Math.max(...values) - Math.min(...values);
    return Math.max(0, ...Object.values(edges).map(all => spread(all.map(([left]) => left))));
})()";

impl Visitor {
    fn look_in(&mut self, width: u32, scheme: &str) {
        let size = json!({"width": width, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": false});
        self.call("Emulation.setDeviceMetricsOverride", size);
        let scheme = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        self.call("Emulation.setEmulatedMedia", scheme);
    }

    fn visit(&mut self, path: &str) {
        self.go(path);
        self.until("document.getElementById('live').dataset.state === 'live'");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_cut_off_in_any_size_and_light() {
    let world = World::a_stack().await;
    populate(&world).await;
    let mut visitor = Visitor::of(world).await;
    for (name, path) in PAGES {
        for width in WIDTHS {
            for scheme in ["light", "dark"] {
                let name = format!("{name}-{width}-{scheme}");
                visitor.look_in(width, scheme);
                visitor.visit(path);
                let overhang = "['html', '.forest', 'table', 'tbody', '#details'].flatMap(some => [...document.querySelectorAll(some)])
                    .filter(element => element.scrollWidth > element.clientWidth + 1).map(element => element.id || element.nodeName)";
                assert_eq!(visitor.value(overhang), json!([]), "{name}: nothing is beyond an edge");
                let spilled = "[...document.querySelectorAll('table')].filter(table => table.offsetWidth > table.parentElement.clientWidth).length";
                assert_eq!(visitor.value(spilled), 0, "{name}: tables stay in their cards");
                assert_eq!(visitor.value(CUT), json!([]), "{name}: names are whole");
                assert!(
                    visitor.value(RAGGED).as_f64().unwrap() < 0.5,
                    "{name}: boxes of one level are aligned"
                );
                picture(&mut visitor, &name);
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failure_and_its_owners_are_in_view_at_once() {
    let world = World::new().await;
    installation::report(&world, "broken", Progress::Failed);
    let mut visitor = Visitor::of(world).await;
    for width in WIDTHS {
        visitor.look_in(width, "light");
        visitor.visit(FAILED);
        let seen = "[...document.querySelectorAll('.box.failed')].map(box =>
            [box.querySelector('.kind').textContent, box.getBoundingClientRect().bottom <= innerHeight])";
        let path = ["Stack", "Harbor", "Core", "Deployment"].map(|kind| json!([kind, true]));
        assert_eq!(visitor.value(seen), json!(path), "in a window of {width}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_tree_uses_the_width_of_the_window() {
    let world = World::new().await;
    installation::report(&world, "production", Progress::Ready);
    let mut visitor = Visitor::of(world).await;
    for (width, columns) in [(390, 4), (1280, 4), (1920, 5)] {
        visitor.look_in(width, "light");
        visitor.visit("/ns/Stack/production");
        let rest = "document.querySelector('.tree').getBoundingClientRect().right
            - Math.max(...[...document.querySelectorAll('.leaves')].map(group => group.getBoundingClientRect().right))";
        assert!(
            visitor.value(rest).as_f64().unwrap().abs() < 1.0,
            "in a window of {width}: {}",
            visitor.value(rest)
        );
        let lefts = "new Set([...document.querySelectorAll('.box')].map(box => Math.round(box.getBoundingClientRect().left))).size";
        assert!(visitor.value(lefts).as_u64().unwrap() >= columns, "in a window of {width}");
    }
}

fn picture(visitor: &mut Visitor, name: &str) {
    let Some(folder) = env::var_os("HARBOR_SCREENSHOTS").map(PathBuf::from) else { return };
    let picture = visitor.call("Page.captureScreenshot", json!({"captureBeyondViewport": true}));
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(format!("{name}.base64")), picture["data"].as_str().unwrap()).unwrap();
}

/// A whole installation, one that failed, and some whose parts are not known.
async fn populate(world: &World) {
    installation::report(world, "production", Progress::Ready);
    installation::report(world, "broken", Progress::Failed);
    for (name, version, state) in
        [("staging", "2.14.2", Stage::Concluded(Verdict::Ready)), ("archive", "2.9.5", Stage::Paused)]
    {
        let url = format!("https://{name}.registry.example");
        world.see(&key("Stack", name), json!({"spec": {"version": version, "url": url}}));
        world.report(&key("Stack", name), state);
    }
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

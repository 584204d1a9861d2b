//! The web page needs each of the permissions it adds to the operator's, and no other.

use crate::{
    backup,
    cluster::{Cluster, NAMESPACE, Operating, PERMISSIONS, PERMISSIONS_WITH_PAGE},
    permission::{Permission, give_back, granted},
    web,
};
use ::page::{Page, Reach, Store};
use api::{
    names::{SANDBOX_DELAY_ANNOTATION, SANDBOX_FAIL_ANNOTATION},
    v1beta1::HarborCluster,
};
use axum::{Router, body::Body};
use envtest::clock;
use http::{Request, StatusCode};
use http_body_util::BodyExt as _;
use k8s_openapi::{
    ByteString,
    api::{apps::v1::Deployment, batch::v1::CronJob, core::v1::Secret},
};
use kube::{
    Api,
    api::{DeleteParams, Patch, PatchParams},
};
use progress::Summary;
use serde_json::json;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::Arc,
    time::Duration,
};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

/// The text of a page for a read that failed.
const MISSING: &str = "cannot be shown: ";
/// What the pod says that fails.
const LAST_WORDS: &str = "no disk";

/// A visitor of all pages about a cluster with objects of every kind.
struct Visitor {
    cluster: Cluster,
    page: Router,
    _operator: Operating,
}

impl Visitor {
    async fn new() -> Self {
        let cluster = Cluster::new().await;
        for object in &*PERMISSIONS_WITH_PAGE {
            cluster.apply_object(object).await;
        }
        let store = Arc::new(Store::new(|_| Summary::default(), clock));
        let operator = cluster.observed(store.clone());
        cluster.apply("in-cluster.yaml").await;
        let more = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/virtual_time/everything.yaml");
        cluster.apply_file(more).await;
        cluster.until_healthy("acme").await;
        cluster.until_healthy("beta").await;
        // An upgrade waits for the CronJob of its backup.
        let cron_jobs: Api<CronJob> = Api::namespaced(cluster.client.clone(), NAMESPACE);
        cron_jobs.delete("nightly", &DeleteParams::background()).await.unwrap();
        let clusters: Api<HarborCluster> = Api::namespaced(cluster.client.clone(), NAMESPACE);
        let newer = Patch::Merge(json!({"spec": {"version": "2.7.4"}}));
        clusters.patch("beta", &PatchParams::default(), &newer).await.unwrap();
        tokio::time::sleep(Duration::from_mins(2)).await;
        // There is an event about what is wrong.
        let wrong = Patch::Merge(json!({"spec": {"harborAdminPasswordRef": "missing"}}));
        clusters.patch("beta", &PatchParams::default(), &wrong).await.unwrap();
        // There is a pod while a database is migrated.
        let slow = json!({SANDBOX_DELAY_ANNOTATION: "2h"});
        let slow = Patch::Merge(json!({"spec": {"core": {"templateAnnotations": slow}}}));
        clusters.patch("acme", &PatchParams::default(), &slow).await.unwrap();
        let earlier = ByteString(b"2.14.2".to_vec());
        let earlier = Patch::Merge(json!({"data": {"migrated-by": earlier, "completed": earlier}}));
        let secrets: Api<Secret> = Api::namespaced(cluster.client.clone(), NAMESPACE);
        let record = "acme-harbor-harbor-core-database";
        secrets.patch(record, &PatchParams::default(), &earlier).await.unwrap();
        tokio::time::sleep(Duration::from_mins(2)).await;
        // There is a log of a pod that has failed. Before, its image would change, and could not be pulled.
        let failing = json!({"metadata": {"annotations": {SANDBOX_FAIL_ANNOTATION: LAST_WORDS}}});
        let deployments: Api<Deployment> = Api::namespaced(cluster.client.clone(), NAMESPACE);
        let portal = "acme-harbor-harbor-portal";
        deployments.patch(portal, &PatchParams::default(), &Patch::Merge(failing)).await.unwrap();
        let page = Page::new(store, cluster.as_operator(), web::setup(), CancellationToken::new());
        Self { cluster, page: page.router(Reach::Machine), _operator: operator }
    }

    /// Lets the backup of the upgrade begin, which takes longer than the test.
    async fn back_up(&self) {
        self.cluster.apply_object(&backup::cron_job(&json!({SANDBOX_DELAY_ANNOTATION: "1000h"}))).await;
        tokio::time::sleep(Duration::from_mins(2)).await;
    }

    async fn text(&self, path: &str) -> String {
        self.find(path).await.unwrap_or_else(|| panic!("{path} is not found"))
    }

    /// A page, if what it is about exists.
    async fn find(&self, path: &str) -> Option<String> {
        let request = Request::get(path).header("host", "localhost").body(Body::empty()).unwrap();
        let answer = self.page.clone().oneshot(request).await.unwrap();
        if answer.status() == StatusCode::NOT_FOUND {
            return None;
        }
        assert_eq!(answer.status(), StatusCode::OK, "{path}");
        Some(String::from_utf8(answer.into_body().collect().await.unwrap().to_bytes().to_vec()).unwrap())
    }

    /// All pages of objects that links lead to.
    async fn pages(&self) -> BTreeMap<String, String> {
        // A page shows what pods reported a few seconds ago again.
        tokio::time::sleep(Duration::from_secs(10)).await;
        let mut pages = BTreeMap::new();
        let mut ahead = links(&self.text("/").await);
        while let Some(path) = ahead.pop_first() {
            let text = self.text(&path).await;
            pages.insert(path, text.clone());
            ahead.extend(links(&text).into_iter().filter(|link| !pages.contains_key(link)));
        }
        pages
    }

    /// These pages, as they are now. Executions in Harbor end.
    async fn again(&self, paths: &BTreeSet<String>) -> BTreeMap<String, String> {
        tokio::time::sleep(Duration::from_secs(10)).await;
        let mut pages = BTreeMap::new();
        for path in paths {
            if let Some(text) = self.find(path).await {
                pages.insert(path.clone(), text);
            }
        }
        pages
    }
}

/// Of each kind the longest page, which has the most parts, and all with the log of a pod that has failed.
fn telling(pages: &BTreeMap<String, String>) -> BTreeSet<String> {
    let mut longest = BTreeMap::<&str, (usize, &String)>::new();
    for (path, text) in pages {
        let kind = path.split('/').nth(2).unwrap_or_default();
        let of_kind = longest.entry(kind).or_insert((0, path));
        *of_kind = (*of_kind).max((text.len(), path));
    }
    let logs = pages.iter().filter(|(_, text)| text.contains(LAST_WORDS)).map(|(path, _)| path);
    longest.into_values().map(|(_, path)| path).chain(logs).cloned().collect()
}

/// The links of a page to objects.
fn links(text: &str) -> BTreeSet<String> {
    // Without filters and places within a page.
    let links = text.split("href=\"").skip(1).filter_map(|rest| rest.split(['"', '?', '#']).next());
    let here: BTreeSet<_> = links.filter(|link| link.starts_with('/')).map(str::to_owned).collect();
    assert!(!here.iter().any(|link| link.starts_with("//")), "links stay on this host: {here:?}");
    // Of a namespace, a kind and a name; others are lists and assets.
    here.into_iter().filter(|link| link.matches('/').count() == 3).collect()
}

/// Why pages lack something, each reason once.
fn refusals(pages: &BTreeMap<String, String>) -> BTreeSet<&str> {
    let messages = pages.values().flat_map(|text| text.split(MISSING).skip(1));
    messages.filter_map(|rest| rest.split("</p>").next()).collect()
}

#[tokio::test(start_paused = true)]
async fn each_permission_to_show_is_needed_and_together_they_suffice() {
    let visitor = Visitor::new().await;
    let waiting = visitor.pages().await;
    visitor.back_up().await;
    let pages = visitor.pages().await;
    assert_eq!(refusals(&waiting), BTreeSet::from(["it does not exist"]), "the CronJob");
    assert_eq!(refusals(&pages), BTreeSet::new(), "what is granted suffices");
    let kind = |path: &'_ String| path.split('/').nth(2).map(str::to_owned);
    let shown: BTreeSet<_> = waiting.keys().chain(pages.keys()).filter_map(kind).collect();
    let setup = web::setup();
    let unseen = setup.kinds.iter().map(|kind| &kind.kind).filter(|kind| !shown.contains(*kind));
    assert_eq!(unseen.collect::<Vec<_>>(), [""; 0]);
    assert!(pages.values().any(|text| text.contains("harborAdminPasswordRef: harbor-admin")), "manifests");
    assert!(pages.values().any(|text| text.contains("</time> ago · event")), "events");
    assert!(pages.keys().any(|path| path == "/-/HarborServerConfiguration/main"), "{:?}", pages.keys());
    let project = pages.iter().find(|(path, _)| path.starts_with("/harbor%3A") && path.contains("/project/"));
    let (_, project) = project.unwrap();
    assert!(
        project.contains("<dt>Lives in</dt><dd>harbor ") && project.contains("kind: HarborProject"),
        "{project}"
    );
    assert!(!project.contains("· event"), "there are none about an object in Harbor");

    let others = granted(&PERMISSIONS);
    let mut added = granted(&PERMISSIONS_WITH_PAGE);
    added.retain(|permission| !others.contains(permission));
    assert!(!added.is_empty());
    let paths = telling(&pages);
    for permission in added {
        permission.withheld_from(&PERMISSIONS_WITH_PAGE, &visitor.cluster).await;
        let Permission { group, resource, verb } = &permission;
        let group = if group.is_empty() { "&#34;&#34;" } else { group };
        let expected =
            format!("the operator may not {verb} {resource} (API group {group}); allow it in its role");
        assert_eq!(refusals(&visitor.again(&paths).await), BTreeSet::from([expected.as_str()]));
        give_back(&PERMISSIONS_WITH_PAGE, &visitor.cluster).await;
    }
}

//! The routes of the page.

use crate::{
    Page, assets,
    changes::changes,
    guard::{Reach, guarded},
    html::{self, Content, Object, Overview},
    store::{Query, Seconds},
};
use axum::{
    Router,
    extract::{self, RawQuery},
    response::Response,
    routing::get,
};
use progress::{Found, Phase};
use std::sync::Arc;

/// Rows per page of the list.
const ROWS: usize = 100;

/// The routes, for clients within `reach`.
pub(crate) fn router(page: Page, reach: Reach) -> Router {
    let page = Arc::new(page);
    let routes = Router::new()
        .route("/", get(overview))
        .route("/changes", get(all_changes))
        .route("/{namespace}/{kind}/{name}", get(object))
        .route("/{namespace}/{kind}/{name}/changes", get(object_changes))
        .fallback(async || html::not_found())
        .with_state(Arc::clone(&page));
    guarded(assets::routes().merge(routes), reach, page)
}

type Shared = extract::State<Arc<Page>>;
type Named = extract::Path<(Box<str>, Box<str>, Box<str>)>;

async fn overview(page: Shared, RawQuery(query): RawQuery) -> Response {
    let (query, number) = asked(query.as_deref().unwrap_or_default());
    let list = page.store.list(&page.setup.listed, &query);
    html::shown(&Overview::of(&page, &list, &query, number))
}

async fn object(page: Shared, extract::Path((namespace, kind, name)): Named) -> Response {
    let address = html::address([namespace, kind, name]);
    let Some((found, summary)) = page.store.object(&address) else { return html::unknown(&page, &address) };
    let content = content(&page, &found).await;
    html::shown(&Object::of(&page, &found, &summary, content))
}

/// What the cluster has about an object.
async fn content(page: &Page, found: &Found<Seconds>) -> Content {
    let key = &found.node.key;
    match &found.parent {
        // Its owner says what it should be.
        Some(owner) if key.system().is_some() => {
            Content { manifest: page.reader.manifest(owner).await, events: None }
        }
        _ => {
            let (manifest, events) = futures::join!(page.reader.manifest(key), page.reader.events(key));
            Content { manifest, events: Some(events) }
        }
    }
}

async fn all_changes(page: Shared) -> Response {
    changes(&page.0, None)
}

async fn object_changes(page: Shared, extract::Path((namespace, kind, name)): Named) -> Response {
    changes(&page.0, Some(html::address([namespace, kind, name])))
}

/// The objects that a query string asks for, and the page of them, counted from 1. Ignores invalid values.
fn asked(query: &str) -> (Query, usize) {
    let mut wanted = Query { take: ROWS, ..Query::default() };
    let mut number = 1_usize;
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        match &*name {
            "state" => wanted.phase = Phase::of(&value),
            "q" => wanted.text = value.trim().chars().take(100).collect(),
            "page" => number = value.parse().unwrap_or(1).max(1),
            _ => {}
        }
    }
    wanted.skip = (number - 1).saturating_mul(ROWS);
    (wanted, number)
}

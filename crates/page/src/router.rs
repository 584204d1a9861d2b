//! The routes of the page.

use crate::{
    Page, assets,
    changes::changes,
    details::Content,
    filter::Filter,
    guard::{Reach, guarded},
    html::{self, Object, Overview},
    store::{Query, Seconds},
};
use axum::{
    Router,
    extract::{self, RawQuery},
    response::Response,
    routing::get,
};
use progress::Found;
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

async fn object(
    page: Shared,
    extract::Path((namespace, kind, name)): Named,
    RawQuery(query): RawQuery,
) -> Response {
    let address = html::address([namespace, kind, name]);
    let Some(selection) = page.store.object(&address) else { return html::unknown(&page, &address) };
    let content = content(&page, &selection.found).await;
    let filter = Filter::of(query.as_deref().unwrap_or_default());
    html::shown(&Object::of(&page, &selection, &content, &filter))
}

/// What the cluster has about an object.
async fn content(page: &Page, found: &Found<Seconds>) -> Content {
    let key = &found.node().key;
    match found.parent() {
        // Its owner says what it should be.
        Some(owner) if key.system().is_some() => {
            Content { object: page.reader.object(&owner.key).await, events: None, pods: None }
        }
        _ => {
            let (object, events, pods) =
                futures::join!(page.reader.object(key), page.reader.events(key), page.pods(found.node()));
            Content { object, events: Some(events), pods }
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
    let numbers = form_urlencoded::parse(query.as_bytes()).filter(|(name, _)| name == "page");
    let number = numbers.last().and_then(|(_, value)| value.parse().ok()).unwrap_or(1_usize).max(1);
    let skip = (number - 1).saturating_mul(ROWS);
    (Query { filter: Filter::of(query), skip, take: ROWS }, number)
}

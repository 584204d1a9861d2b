//! The files of the page, which never change while the process runs.

use axum::{Router, response::IntoResponse, routing::get};
use http::header::CONTENT_TYPE;

const STYLE: &str = include_str!("../assets/page.css");
const SCRIPT: &str = include_str!("../assets/page.js");
const ICON: &str = include_str!("../assets/icon.svg");

pub(crate) fn routes() -> Router {
    Router::new()
        .route("/page.css", get(async || file("text/css; charset=utf-8", STYLE)))
        .route("/page.js", get(async || file("text/javascript; charset=utf-8", SCRIPT)))
        .route("/icon.svg", get(async || file("image/svg+xml", ICON)))
        // Asked for by browsers that were not told of another.
        .route("/favicon.ico", get(async || file("image/svg+xml", ICON)))
}

fn file(kind: &'static str, content: &'static str) -> impl IntoResponse {
    ([(CONTENT_TYPE, kind)], content)
}

//! Requests for a collection: list, watch, create, delete all.

use super::{
    answer::{Call, not_allowed},
    reply,
};
use crate::{
    body::Body,
    failure::Failure,
    kinds::Verb,
    read::{self, Page, Selection},
    request::{DeleteOptions, ListOptions, WriteOptions},
    state::State,
    write::{Document, Part, Write},
};
use futures::StreamExt as _;
use http::{Method, Response, StatusCode};
use std::sync::Arc;

pub(super) async fn answer(call: Call, method: &Method) -> Result<Response<Body>, Failure> {
    match method.as_str() {
        "GET" => {
            let options = ListOptions::parse(&call.query, false)?;
            let selection = Selection::parse(&call.resource, call.namespace.as_deref(), &options)?;
            if options.watch {
                watch(call, selection, &options)
            } else {
                list(&call, &selection, &options).await
            }
        }
        "POST" if call.namespace.is_some() == call.resource.namespaced => create(&call).await,
        "DELETE" if call.namespace.is_some() == call.resource.namespaced => delete_all(&call).await,
        _ => Err(not_allowed()),
    }
}

/// Answers a watch that is requested by its path instead of its query.
pub(super) fn watch_path(call: Call, name: Option<&str>) -> Result<Response<Body>, Failure> {
    let options = ListOptions { watch: true, ..ListOptions::parse(&call.query, false)? };
    let selection = Selection::parse(&call.resource, call.namespace.as_deref(), &options)?;
    let selection = match name {
        Some(name) => selection.named(name)?,
        None => selection,
    };
    watch(call, selection, &options)
}

fn watch(call: Call, selection: Selection, options: &ListOptions) -> Result<Response<Body>, Failure> {
    call.allows(Verb::Watch)?;
    let events = read::watch(call.server, call.resource, selection, options, call.view);
    Ok(reply::with_head(StatusCode::OK, "application/json", Body::stream(events.map(Ok))))
}

async fn list(call: &Call, selection: &Selection, options: &ListOptions) -> Result<Response<Body>, Failure> {
    call.allows(Verb::List)?;
    call.view.shape.fits(true, &call.resource)?;
    let page = read::list(&mut call.server.state(), &call.resource, selection, options)?;
    list_of(call, page).await
}

/// The answer with these objects.
async fn list_of(call: &Call, page: Page) -> Result<Response<Body>, Failure> {
    let items = call.server.shown(&call.resource, &page.items).await?;
    let shown = call.view.list(&call.resource, items, page.metadata, call.server.clock.now());
    Ok(reply::document(StatusCode::OK, &call.view, &shown, &[]))
}

async fn create(call: &Call) -> Result<Response<Body>, Failure> {
    call.allows(Verb::Create)?;
    let options = WriteOptions::parse(&call.query, "CreateOptions")?;
    let document = Document::parse(call.content_type.as_deref(), &call.body, (&*call.resource).into())?;
    let written = call.write(Part::Main, options).create(document).await?;
    let shown = call.view.object(&call.resource, written.object, call.server.clock.now());
    Ok(reply::document(written.code, &call.view, &shown, &written.warnings))
}

async fn delete_all(call: &Call) -> Result<Response<Body>, Failure> {
    call.allows(Verb::DeleteCollection)?;
    let options = DeleteOptions::parse(&call.query, call.content_type.as_deref(), &call.body)?;
    let listing = ListOptions::parse(&call.query, false)?;
    let selection = Selection::parse(&call.resource, call.namespace.as_deref(), &listing)?;
    let page = read::list(&mut call.server.state(), &call.resource, &selection, &listing)?;
    let mut deleted = Vec::new();
    for item in page.items {
        let name = item["metadata"]["name"].as_str().unwrap_or_default();
        match super::object::admitted_deletion(call, name, &options).await {
            Ok(deletion) => deleted.push(Arc::new(deletion.object)),
            Err(failure) if failure.code == StatusCode::NOT_FOUND => {}
            Err(failure) => return Err(failure),
        }
    }
    list_of(call, Page { items: deleted, metadata: page.metadata }).await
}

impl Call {
    /// A write by this caller.
    pub(super) fn write(&self, part: Part, options: WriteOptions) -> Write<'_> {
        Write {
            server: &self.server,
            api_version: self.resource.api_version(),
            resource: Arc::clone(&self.resource),
            namespace: self.namespace.as_deref(),
            part,
            manager: options.field_manager.clone().unwrap_or_else(|| self.agent.clone()),
            options,
            user: &self.user,
        }
    }

    /// The object in the version that this caller requested.
    pub(super) async fn shown(&self, name: &str) -> Result<serde_json::Value, Failure> {
        let key = State::key(&self.resource, self.namespace.as_deref(), name);
        let stored = Arc::clone(self.server.state().get(&self.resource, &key)?);
        self.server.shown_one(&self.resource, &stored).await
    }
}

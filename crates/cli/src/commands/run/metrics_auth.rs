//! Authentication and authorization of clients that read the metrics.

use axum::{
    Router,
    extract::Request,
    middleware::{self, Next},
    response::{IntoResponse as _, Response},
};
use http::{HeaderMap, StatusCode, header};
use runtime::{ReviewDecision, Reviewer};
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// The routes, for clients whose token the reviewer allows to get them.
pub fn guarded(routes: Router, reviewer: Reviewer) -> Router {
    let guard = Arc::new(Guard { reviewer, failing: AtomicBool::new(false) });
    let check = move |request: Request, next: Next| {
        let guard = Arc::clone(&guard);
        async move {
            match guard.refusal(request.headers()).await {
                Some(refusal) => refusal,
                None => next.run(request).await,
            }
        }
    };
    routes.route_layer(middleware::from_fn(check))
}

struct Guard {
    reviewer: Reviewer,
    /// Whether the last review failed, which is logged once.
    failing: AtomicBool,
}

impl Guard {
    async fn refusal(&self, headers: &HeaderMap) -> Option<Response> {
        let Some(token) = bearer(headers) else { return Some(unauthenticated()) };
        let reviewed = self.reviewer.review(token).await;
        let failed = self.failing.swap(reviewed.is_err(), Ordering::Relaxed);
        match reviewed {
            Ok(ReviewDecision::Allowed) => None,
            Ok(ReviewDecision::Unauthenticated) => Some(unauthenticated()),
            Ok(ReviewDecision::Forbidden) => {
                Some((StatusCode::FORBIDDEN, "this token may not get these metrics\n").into_response())
            }
            Err(error) => {
                if !failed {
                    tracing::warn!(%error, "cannot review the token of a metrics client; its request is refused");
                }
                Some((StatusCode::SERVICE_UNAVAILABLE, "the token cannot be reviewed\n").into_response())
            }
        }
    }
}

fn unauthenticated() -> Response {
    let how = [(header::WWW_AUTHENTICATE, "Bearer")];
    (StatusCode::UNAUTHORIZED, how, "a bearer token that the API server accepts is required\n")
        .into_response()
}

/// The token of the `Authorization` header, if there is exactly one.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut all = headers.get_all(header::AUTHORIZATION).iter();
    let (Some(header), None) = (all.next(), all.next()) else { return None };
    let (scheme, token) = header.to_str().ok()?.split_once(' ')?;
    Some(token.trim()).filter(|token| scheme.eq_ignore_ascii_case("bearer") && !token.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::{body::Body, routing::get};
    use kube::Client;
    use serde_json::{Value, json};
    use std::convert::Infallible;
    use tower::ServiceExt as _;

    /// Metrics that an API server guards which knows two users, and answers with this status.
    fn metrics(status: u16) -> Router {
        let server = tower::service_fn(move |request: http::Request<kube::client::Body>| async move {
            let body = request.into_body().collect_bytes().await.unwrap();
            let mut review: Value = serde_json::from_slice(&body).unwrap();
            let (token, user) = (review["spec"]["token"].clone(), review["spec"]["user"].clone());
            let known = ["prometheus", "jane"].iter().find(|name| token == **name);
            review["status"] = match known {
                Some(name) => json!({"authenticated": true, "user": {"username": name}}),
                None => json!({"authenticated": false, "allowed": user == "prometheus"}),
            };
            let failure = json!({"kind": "Status", "status": "Failure", "message": "no", "code": status});
            let answer = if status == 200 { review } else { failure };
            let answer = kube::client::Body::from(answer.to_string().into_bytes());
            Ok::<_, Infallible>(http::Response::builder().status(status).body(answer).unwrap())
        });
        let routes = Router::new().route("/metrics", get(async || "numbers"));
        guarded(routes, Reviewer::new(Client::new(server, "home"), "/metrics"))
    }

    async fn answer(router: &Router, authorization: &[&str]) -> (u16, Option<String>) {
        let request = Request::get("/metrics");
        let request = authorization.iter().fold(request, |request, it| request.header("authorization", *it));
        let response = router.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
        let how = response.headers().get(header::WWW_AUTHENTICATE).map(|it| it.to_str().unwrap().to_owned());
        (response.status().as_u16(), how)
    }

    #[tokio::test]
    async fn metrics_are_for_clients_whose_token_the_api_server_knows_and_allows() {
        let router = metrics(200);
        let unauthenticated = (401, Some("Bearer".to_owned()));
        for header in [&[][..], &["Basic prometheus"], &["Bearer "], &["prometheus"], &["Bearer made-up"]] {
            assert_eq!(answer(&router, header).await, unauthenticated, "{header:?}");
        }
        let two = ["Bearer prometheus", "Bearer jane"];
        assert_eq!(answer(&router, &two).await, unauthenticated, "two tokens are none");
        assert_eq!(answer(&router, &["Bearer jane"]).await, (403, None));
        assert_eq!(answer(&router, &["bearer prometheus"]).await, (200, None));
    }

    #[tokio::test]
    async fn metrics_stay_closed_while_the_api_server_reviews_no_token() {
        for status in [403, 500] {
            assert_eq!(answer(&metrics(status), &["Bearer prometheus"]).await, (503, None), "{status}");
        }
    }
}

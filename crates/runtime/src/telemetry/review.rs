//! Authenticates and authorizes clients of the operator with the API server: a TokenReview returns the user of a
//! token, and a SubjectAccessReview whether this user may read a path.

use k8s_openapi::api::{
    authentication::v1::{TokenReview, TokenReviewSpec, UserInfo},
    authorization::v1::{NonResourceAttributes, SubjectAccessReview, SubjectAccessReviewSpec},
};
use kube::{Api, Client, api::PostParams};
use sha2::{Digest as _, Sha256};
use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::{
    sync::Semaphore,
    time::{Instant, timeout},
};

/// How long an allowed client is cached.
const ALLOWED_FOR: Duration = Duration::from_mins(1);
/// How long a refused client is cached: shorter, because an administrator may just have granted the permission.
const REFUSED_FOR: Duration = Duration::from_secs(10);
/// How many clients are cached.
const CAPACITY: usize = 256;
/// How many clients are reviewed concurrently. Others wait, so that unknown clients cannot overload the API server
/// through the operator.
const CONCURRENCY: usize = 4;
/// How long a review may take, including the wait.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Whether a client may read the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReviewDecision {
    /// It may.
    Allowed,
    /// The API server does not accept its token.
    Unauthenticated,
    /// It may not.
    Forbidden,
}

/// Why a review failed.
#[derive(Debug, thiserror::Error)]
pub enum ReviewError {
    /// The API server refused the review, or could not be reached.
    #[error("{0}")]
    Api(#[from] kube::Error),
    /// The API server did not answer in time.
    #[error("no answer within {} s", TIMEOUT.as_secs())]
    Timeout,
}

/// Reviews clients that read a path of this process. It caches decisions for a short time, by the digest of the token
/// and not by the token.
pub struct Reviewer {
    client: Client,
    path: &'static str,
    decisions: Mutex<HashMap<[u8; 32], Decision>>,
    permits: Semaphore,
}

#[derive(Clone, Copy)]
struct Decision {
    access: ReviewDecision,
    expires: Instant,
}

impl Reviewer {
    /// A reviewer for `path`.
    pub fn new(client: Client, path: &'static str) -> Self {
        Self { client, path, decisions: Mutex::default(), permits: Semaphore::new(CONCURRENCY) }
    }

    /// Whether the client with this bearer token may read the path.
    pub async fn review(&self, token: &str) -> Result<ReviewDecision, ReviewError> {
        let digest: [u8; 32] = Sha256::digest(token).into();
        let reviewed = async {
            if let Some(known) = self.remembered(&digest) {
                return Ok(known);
            }
            // The semaphore is never closed.
            let _permit = self.permits.acquire().await;
            // Another request with this token may have been faster.
            if let Some(known) = self.remembered(&digest) {
                return Ok(known);
            }
            let access = self.authenticate(token).await?;
            self.remember(digest, access);
            Ok(access)
        };
        timeout(TIMEOUT, reviewed).await.unwrap_or(Err(ReviewError::Timeout))
    }

    async fn authenticate(&self, token: &str) -> Result<ReviewDecision, ReviewError> {
        let spec = TokenReviewSpec { token: Some(token.to_owned()), audiences: None };
        let review = TokenReview { spec, ..TokenReview::default() };
        let reviewed = Api::all(self.client.clone()).create(&PostParams::default(), &review).await?;
        let status = reviewed.status.unwrap_or_default();
        match status.user {
            Some(user) if status.authenticated == Some(true) => self.authorize(user).await,
            _ => Ok(ReviewDecision::Unauthenticated),
        }
    }

    async fn authorize(
        &self,
        UserInfo { extra, groups, uid, username }: UserInfo,
    ) -> Result<ReviewDecision, ReviewError> {
        let get = NonResourceAttributes { path: Some(self.path.into()), verb: Some("get".into()) };
        let spec = SubjectAccessReviewSpec {
            extra,
            groups,
            uid,
            user: username,
            non_resource_attributes: Some(get),
            resource_attributes: None,
        };
        let review = SubjectAccessReview { spec, ..SubjectAccessReview::default() };
        let reviewed = Api::all(self.client.clone()).create(&PostParams::default(), &review).await?;
        let allowed = reviewed.status.is_some_and(|status| status.allowed && status.denied != Some(true));
        Ok(if allowed { ReviewDecision::Allowed } else { ReviewDecision::Forbidden })
    }

    fn remembered(&self, digest: &[u8; 32]) -> Option<ReviewDecision> {
        let now = Instant::now();
        self.decisions().get(digest).filter(|decision| now < decision.expires).map(|decision| decision.access)
    }

    /// Caches a decision. If the cache is full, it replaces the one that expires next.
    fn remember(&self, digest: [u8; 32], access: ReviewDecision) {
        let now = Instant::now();
        let lifetime = if access == ReviewDecision::Allowed { ALLOWED_FOR } else { REFUSED_FOR };
        let mut decisions = self.decisions();
        decisions.retain(|_, decision| now < decision.expires);
        if decisions.len() >= CAPACITY
            && let Some(first) = decisions.iter().min_by_key(|(_, it)| it.expires).map(|(digest, _)| *digest)
        {
            decisions.remove(&first);
        }
        decisions.insert(digest, Decision { access, expires: now + lifetime });
    }

    fn decisions(&self) -> MutexGuard<'_, HashMap<[u8; 32], Decision>> {
        self.decisions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use apiserver::{Access as Authorization, ApiServer, User};
    use http::{Request, Response};
    use kube::{api::ApiResource, client::Body, core::DynamicObject};
    use serde_json::{Value, json};
    use std::{
        convert::Infallible,
        sync::{
            Arc,
            atomic::{AtomicUsize, Ordering},
        },
    };

    /// A cluster in which Prometheus may read metrics, Jane may not, and the operator may review both.
    async fn cluster() -> ApiServer {
        let server = ApiServer::builder()
            .access(Authorization::Rbac)
            .token("prometheus-token", User::authenticated("system:serviceaccount:monitoring:prometheus", []))
            .token("jane-token", User::authenticated("jane", []))
            .build()
            .unwrap();
        let admin = Client::new(server.acting_as(User::admin()), "default");
        let rbac = "rbac.authorization.k8s.io";
        let subject = |name: &str, namespace: &str| json!([{"kind": "ServiceAccount", "name": name, "namespace": namespace}]);
        let reviews = crate::Permissions::to_review().rules();
        let reads = json!([{"nonResourceURLs": ["/metrics"], "verbs": ["get"]}]);
        for (name, rules, subjects) in [
            ("reviewer", json!(reviews), subject("harbor-operator", "home")),
            ("reader", reads, subject("prometheus", "monitoring")),
        ] {
            let role = json!({"rules": rules});
            let reference = json!({"apiGroup": rbac, "kind": "ClusterRole", "name": name});
            let binding = json!({"roleRef": reference, "subjects": subjects});
            for (kind, mut object) in [("ClusterRole", role), ("ClusterRoleBinding", binding)] {
                object["metadata"] = json!({"name": name});
                let gvk = kube::core::GroupVersionKind::gvk(rbac, "v1", kind);
                let resource = ApiResource::from_gvk(&gvk);
                object["apiVersion"] = json!(resource.api_version);
                object["kind"] = json!(kind);
                let api: Api<DynamicObject> = Api::all_with(admin.clone(), &resource);
                api.create(&PostParams::default(), &serde_json::from_value(object).unwrap()).await.unwrap();
            }
        }
        server
    }

    #[tokio::test]
    async fn the_api_server_authenticates_and_authorizes_clients() {
        let server = cluster().await;
        let operator =
            server.acting_as(User::authenticated("system:serviceaccount:home:harbor-operator", []));
        let reviewer = Reviewer::new(Client::new(operator, "home"), "/metrics");
        assert_eq!(reviewer.review("prometheus-token").await.unwrap(), ReviewDecision::Allowed);
        assert_eq!(reviewer.review("jane-token").await.unwrap(), ReviewDecision::Forbidden);
        assert_eq!(reviewer.review("invalid").await.unwrap(), ReviewDecision::Unauthenticated);
    }

    #[tokio::test]
    async fn without_the_permission_to_review_every_client_is_an_error() {
        let server = cluster().await;
        let operator = server.acting_as(User::authenticated("system:serviceaccount:home:another", []));
        let reviewer = Reviewer::new(Client::new(operator, "home"), "/metrics");
        let error = reviewer.review("prometheus-token").await.unwrap_err().to_string();
        assert!(error.contains("tokenreviews.authentication.k8s.io is forbidden"), "{error}");
        assert!(!error.contains("prometheus-token"), "{error}");
    }

    /// An API server that accepts tokens that begin with a `p`, and counts reviews of tokens.
    fn counting() -> (Reviewer, Arc<AtomicUsize>) {
        let count = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&count);
        let server = tower::service_fn(move |request: Request<Body>| {
            let counted = Arc::clone(&counted);
            async move {
                let body = request.into_body().collect_bytes().await.unwrap();
                let mut review: Value = serde_json::from_slice(&body).unwrap();
                review["status"] = match review["spec"]["token"].as_str() {
                    Some(token) => {
                        counted.fetch_add(1, Ordering::SeqCst);
                        json!({"authenticated": token.starts_with('p'), "user": {"username": token}})
                    }
                    None => json!({"allowed": true}),
                };
                Ok::<_, Infallible>(Response::new(Body::from(review.to_string().into_bytes())))
            }
        });
        (Reviewer::new(Client::new(server, "home"), "/metrics"), count)
    }

    #[tokio::test(start_paused = true)]
    async fn a_decision_is_cached_for_a_short_time() {
        let (reviewer, count) = counting();
        let reviews = async |token: &str| {
            let before = count.load(Ordering::SeqCst);
            reviewer.review(token).await.unwrap();
            count.load(Ordering::SeqCst) - before
        };
        for (token, lifetime) in [("prometheus", ALLOWED_FOR), ("unknown", REFUSED_FOR)] {
            assert_eq!((reviews(token).await, reviews(token).await), (1, 0), "{token}");
            tokio::time::advance(lifetime).await;
            assert_eq!(reviews(token).await, 1, "{token}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn many_invalid_tokens_do_not_evict_a_valid_one() {
        let (reviewer, count) = counting();
        reviewer.review("prometheus").await.unwrap();
        for number in 0..10 * CAPACITY {
            reviewer.review(&format!("invalid-{number}")).await.unwrap();
        }
        assert_eq!(reviewer.decisions().len(), CAPACITY);
        let before = count.load(Ordering::SeqCst);
        assert_eq!(reviewer.review("prometheus").await.unwrap(), ReviewDecision::Allowed);
        assert_eq!(count.load(Ordering::SeqCst), before);
    }

    #[tokio::test(start_paused = true)]
    async fn a_review_without_an_answer_times_out() {
        let silent = tower::service_fn(|_: Request<Body>| {
            std::future::pending::<Result<Response<Body>, Infallible>>()
        });
        let reviewer = Reviewer::new(Client::new(silent, "home"), "/metrics");
        let start = Instant::now();
        assert_eq!(reviewer.review("prometheus").await.unwrap_err().to_string(), "no answer within 10 s");
        assert_eq!(start.elapsed(), TIMEOUT);
    }
}

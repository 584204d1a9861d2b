//! How a request is sent: its turn, its time, its attempts, and what a rejection means.

use super::{
    Credentials, Harbor, Path,
    call::{Accept, AnswerFor, Request, Route, Sender},
    circuit::Pass,
    credentials::Identity,
    decode::decode,
    network,
    path::encoded,
};
use crate::{
    error::{Dependency, Error, Failure, Message, Unreachable, classify},
    health::Health,
};
use bytes::{Bytes, BytesMut};
use http::{
    HeaderMap, HeaderValue, Method, StatusCode,
    header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, LOCATION, USER_AGENT},
};
use http_body_util::{BodyExt as _, Full, combinators::UnsyncBoxBody};
use secrecy::ExposeSecret as _;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};
use tower::{BoxError, ServiceExt as _};

/// The pauses before further attempts of a read.
const PAUSES: [Duration; 2] = [Duration::from_millis(250), Duration::from_secs(1)];
const PROGRAM: &str = concat!("harbor-operator/", env!("CARGO_PKG_VERSION"));

/// An answer, with its whole body. It may contain secrets, so it has no `Debug` output.
pub(super) struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    pub(super) body: Bytes,
}

impl Answer {
    /// The last part of the address of a new object.
    pub(super) fn created(&self) -> Option<&str> {
        let location = self.headers.get(LOCATION)?.to_str().ok()?;
        location.trim_end_matches('/').rsplit('/').next().filter(|name| !name.is_empty())
    }

    /// The length of the whole list.
    pub(super) fn total(&self) -> Option<u64> {
        self.headers.get("x-total-count")?.to_str().ok()?.parse().ok()
    }
}

impl Harbor {
    /// Sends a request. A read is repeated if it meets a passing failure; a write never is, since it may have been
    /// done.
    pub(super) async fn send(&self, request: &Request) -> Result<Answer, Error> {
        let mut pauses = PAUSES.iter().filter(|_| request.method == Method::GET);
        loop {
            let failure = match self.attempt(request).await {
                Ok(answer) => return Ok(answer),
                Err(failure) => failure,
            };
            if let Some(pause) = pauses.next().filter(|_| failure.is_passing()) {
                sleep(*pause).await;
                continue;
            }
            if !matches!(failure, Failure::NotFound(_) | Failure::Conflict(_)) {
                self.session().distrust();
            }
            return Err(request.fails(failure));
        }
    }

    async fn attempt(&self, request: &Request) -> Result<Answer, Failure> {
        if request.sender == Sender::Anonymous {
            let answer = self.exchange(request, None).await?;
            return judge(answer, request, None);
        }
        let Some(new) = &request.new_password else {
            let _unchanged = self.shared.password.read().await;
            return self.attempt_with_account(request).await;
        };
        let _alone = self.shared.password.write().await;
        let answer = self.attempt_with_account(request).await?;
        let username = self.identity().credentials.username;
        self.set_credentials(Credentials::new(username, new.expose()));
        Ok(answer)
    }

    async fn attempt_with_account(&self, request: &Request) -> Result<Answer, Failure> {
        let identity = self.identity();
        let rejected = || Failure::CredentialsRejected { user: identity.credentials.username.clone() };
        let pass = self.shared.circuit.pass(identity.generation, request.answer_for).ok_or_else(rejected)?;
        let answer = self.exchange(request, Some(&identity)).await?;
        if answer.status == StatusCode::UNAUTHORIZED {
            return Err(self.why_rejected(request, &identity, pass).await);
        }
        let missing = answer.status == StatusCode::NOT_FOUND;
        match request.answer_for {
            AnswerFor::Accounts if !missing => self.shared.circuit.accept(pass),
            AnswerFor::Anyone if !missing => {}
            AnswerFor::Accounts | AnswerFor::AnyoneInPart | AnswerFor::Anyone => {
                self.prove(&identity, pass).await?;
            }
        }
        judge(answer, request, Some(&identity))
    }

    /// Makes sure that Harbor accepts the credentials. Otherwise, it would hide private projects and other objects, and
    /// they would look deleted.
    async fn prove(&self, identity: &Identity, pass: Pass) -> Result<(), Failure> {
        if self.shared.circuit.is_proven(pass) {
            return Ok(());
        }
        let whoami = whoami();
        let answer = self.exchange(&whoami, Some(identity)).await?;
        if answer.status == StatusCode::UNAUTHORIZED {
            return Err(self.why_rejected(&whoami, identity, pass).await);
        }
        if answer.status.is_server_error() {
            return judge(answer, &whoami, Some(identity)).map(drop);
        }
        self.shared.circuit.accept(pass);
        Ok(())
    }

    /// What a 401 means: Core gives it, too, if it cannot ask its database, or if JobService rejects Core.
    async fn why_rejected(&self, request: &Request, identity: &Identity, pass: Pass) -> Failure {
        let rejected = Failure::CredentialsRejected { user: identity.credentials.username.clone() };
        let _one_at_a_time = self.shared.judging.lock().await;
        if self.shared.circuit.is_outdated(pass) {
            return rejected;
        }
        let health = Request::new(Method::GET, Path::new("/health")).anonymously();
        match self.exchange(&health, None).await {
            Err(failure) => return failure,
            Ok(answer) => {
                let database = decode::<Health>(&answer.body).ok().and_then(|health| health.of("database"));
                if database.is_some_and(|healthy| !healthy) {
                    return Failure::DatabaseDown;
                }
            }
        }
        if request.route == Route::JobService {
            match self.exchange(&whoami(), Some(identity)).await {
                Ok(answer) if answer.status == StatusCode::UNAUTHORIZED => {}
                Ok(_) => {
                    self.shared.circuit.accept(pass);
                    return Failure::Dependency { on: Dependency::JobService, message: Message::default() };
                }
                Err(failure) => return failure,
            }
        }
        self.shared.circuit.reject(pass);
        rejected
    }

    /// Sends a request once.
    async fn exchange(&self, request: &Request, identity: Option<&Identity>) -> Result<Answer, Failure> {
        let sent = self.http_request(request, identity)?;
        let limits = &self.shared.limits;
        let longest = match request.checks {
            classify::Checks::Nothing => limits.request,
            classify::Checks::Remote => limits.live_check,
        };
        let _turn = self.shared.pace.turn().await;
        self.count();
        let began = Instant::now();
        let exchange = async {
            let response = self.shared.transport.clone().oneshot(sent).await;
            let response = response.map_err(|error| Failure::Unreachable(network::unreachable(&error)))?;
            let (head, body) = response.into_parts();
            let body = whole(body, limits.answer_bytes).await?;
            Ok(Answer { status: head.status, headers: head.headers, body })
        };
        let answer = timeout(longest, exchange).await;
        let answer = answer.unwrap_or(Err(Failure::Unreachable(Unreachable::Timeout(longest))));
        tracing::debug!(
            harbor = %self.shared.address,
            method = %request.method,
            path = request.path.as_str(),
            status = answer.as_ref().ok().map(|answer| answer.status.as_u16()),
            seconds = began.elapsed().as_secs_f64(),
            "called Harbor"
        );
        answer
    }

    fn http_request(
        &self,
        request: &Request,
        identity: Option<&Identity>,
    ) -> Result<http::Request<Full<Bytes>>, Failure> {
        let path = &request.path;
        let mut uri = format!("{}{}{}", self.shared.address, path.base(), path.as_str());
        for (index, (name, value)) in request.query.iter().enumerate() {
            uri.push(if index == 0 { '?' } else { '&' });
            uri.push_str(name);
            uri.push('=');
            uri.push_str(&encoded(value));
        }
        let accept = match request.accept {
            Accept::Json => "application/json",
            Accept::Anything => "*/*",
        };
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static(accept));
        headers.insert(USER_AGENT, HeaderValue::from_static(PROGRAM));
        if let Some(identity) = identity {
            headers.insert(AUTHORIZATION, identity.header.clone());
        }
        if let Some(token) = &request.token {
            let bearer = HeaderValue::try_from(format!("Bearer {}", token.expose()));
            let mut bearer =
                bearer.map_err(|_| Failure::Unexpected(Message::new("the token is no text for a header")))?;
            bearer.set_sensitive(true);
            headers.insert(AUTHORIZATION, bearer);
        }
        if let Some(id) = &self.request_id {
            headers.insert("x-request-id", id.clone());
        }
        if request.path.has_name() {
            headers.insert("x-is-resource-name", HeaderValue::from_static("true"));
        }
        if request.body.is_some() {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        let body = Full::new(request.body.clone().unwrap_or_default());
        let built = http::Request::builder().method(request.method.clone()).uri(uri).body(body);
        let mut sent =
            built.map_err(|_| Failure::Invalid(Message::new("a name is too long for an address")))?;
        *sent.headers_mut() = headers;
        Ok(sent)
    }
}

/// A request that only an account that Harbor accepts may send. A robot gets 412.
fn whoami() -> Request {
    Request::new(Method::GET, Path::new("/users/current"))
}

/// Reads a body up to a length.
async fn whole(mut body: UnsyncBoxBody<Bytes, BoxError>, most: usize) -> Result<Bytes, Failure> {
    let mut whole = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| Failure::Unreachable(network::unreachable(&error)))?;
        let Ok(data) = frame.into_data() else { continue };
        if whole.len() + data.len() > most {
            return Err(Failure::Unexpected(Message::new("the body is too long")));
        }
        whole.extend_from_slice(&data);
    }
    Ok(whole.freeze())
}

/// Tells success from failure.
fn judge(answer: Answer, request: &Request, identity: Option<&Identity>) -> Result<Answer, Failure> {
    if answer.status.is_success() {
        return Ok(answer);
    }
    let mut masks = request.masks.clone();
    if let Some(identity) = identity {
        masks.add(identity.credentials.password.expose_secret());
    }
    Err(classify::failure(answer.status, &answer.body, request.checks, &masks))
}

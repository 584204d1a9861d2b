//! The way of a request through Core: filters, credentials, endpoint.

use crate::{
    access::{self, Authenticated, Identity, authenticate},
    audit,
    call::Call,
    configurations,
    entropy::hex,
    failure::Failure,
    groups, immutable, jobs, labels, members, preheat, projects, quotas, registries, replication,
    repositories,
    rest::{Protection, Received, Reply, Route, Session, check_csrf, route},
    retention, robots, scanners,
    state::{Data, Runtime, Served},
    system::{self, Component},
    users,
    version::Change,
    webhooks,
};
use http::{HeaderName, Method, header::SET_COOKIE};
use jiff::Timestamp;
use std::time::Duration;

/// An answer, and how long it takes.
pub(crate) struct Answered {
    pub reply: Reply,
    pub delay: Duration,
}

/// Every endpoint.
fn tables() -> Vec<&'static [Route]> {
    let mut tables: Vec<&'static [Route]> = vec![
        access::ROUTES,
        audit::ROUTES,
        configurations::ROUTES,
        groups::ROUTES,
        immutable::ROUTES,
        labels::ROUTES,
        members::ROUTES,
        preheat::ROUTES,
        projects::ROUTES,
        quotas::ROUTES,
        registries::ROUTES,
        replication::ROUTES,
        repositories::ROUTES,
        retention::ROUTES,
        robots::ROUTES,
        scanners::ROUTES,
        system::ROUTES,
        users::ROUTES,
        webhooks::ROUTES,
    ];
    tables.extend(jobs::ROUTES);
    tables
}

/// Answers a request.
pub(crate) fn answer(data: &mut Data, runtime: &mut Runtime, request: &Received, now: Timestamp) -> Answered {
    let read_only = data.configuration.flag("read_only", now);
    let works = !runtime.unhealthy.contains(&Component::Jobservice);
    data.jobs.advance(now, works && !read_only);
    let (identity, mut answered) = match filtered(data, runtime, request, read_only, now) {
        Err(reply) => (Identity::Anonymous, Answered { reply, delay: Duration::ZERO }),
        Ok(token) => {
            let Authenticated { identity, delay } = authenticate(request, data, runtime, now);
            let reply = reply(data, runtime, request, &identity, now);
            (identity, Answered { reply: Protection::seal(token, reply), delay })
        }
    };
    if answered.reply.session == Session::Begun && request.cookie("sid").is_none() {
        let cookie = format!("sid={}; Path=/; HttpOnly", hex(&mut *runtime.entropy, 32));
        answered.reply = answered.reply.with(SET_COOKIE, cookie);
    }
    if let Some(id) = request.header("x-request-id") {
        answered.reply = answered.reply.with(HeaderName::from_static("x-request-id"), id);
    }
    runtime.served.push(Served {
        method: request.method.clone(),
        path: request.path.clone(),
        principal: Some(identity.name().to_owned()).filter(|name| !name.is_empty()),
        status: answered.reply.status,
    });
    answered
}

/// Refuses modifications in read-only mode and forged requests; otherwise returns the token that the answer carries.
fn filtered(
    data: &Data,
    runtime: &mut Runtime,
    request: &Received,
    read_only: bool,
    now: Timestamp,
) -> Result<Option<String>, Reply> {
    if read_only && modifies(data, request) {
        let failure =
            Failure::denied("The system is in read only mode. Any modification is prohibited.").by_filter();
        return Err(Reply::refusal(&failure, false));
    }
    match check_csrf(request, &mut *runtime.entropy, now) {
        Protection::Skipped => Ok(None),
        Protection::Passed(token) => Ok(Some(token)),
        Protection::Refused(reply) => Err(reply),
    }
}

/// Whether a request is a modification in the sense of the read-only mode: also what changes nothing.
fn modifies(data: &Data, request: &Received) -> bool {
    if [Method::GET, Method::HEAD, Method::OPTIONS].contains(&request.method) {
        return false;
    }
    let exempt = match request.path.as_str() {
        "/api/v2.0/configurations" | "/api/internal/configurations" => request.method == Method::PUT,
        "/c/login" | "/c/userExists" | "/c/oidc/onboard" => request.method == Method::POST,
        "/service/token" => {
            request.method == Method::POST && data.version.has(Change::ExemptsTokenFromReadOnly)
        }
        _ => false,
    };
    !exempt
}

fn reply(
    data: &mut Data,
    runtime: &mut Runtime,
    request: &Received,
    identity: &Identity,
    now: Timestamp,
) -> Reply {
    if request.path != "/api/v2.0" && !request.path.starts_with("/api/v2.0/") {
        return system::outside(request, data, runtime, identity, now);
    }
    let anonymous = identity.is_anonymous();
    let routed = match route(&tables(), data.version, request) {
        Ok(routed) => routed,
        Err(failure) => return Reply::refusal(&failure, anonymous),
    };
    let works_without = ["/ping", "/health", "/systeminfo"].iter().any(|path| routed.route.is_at(path));
    if runtime.unhealthy.contains(&Component::Database) && !works_without {
        return Reply::refusal(&Failure::unauthorized(), anonymous);
    }
    let handler = routed.route.handler;
    let mut call =
        Call { data, runtime, request, parameters: routed.parameters, identity: identity.clone(), now };
    handler(&mut call).unwrap_or_else(|failure| Reply::refusal(&failure, anonymous))
}

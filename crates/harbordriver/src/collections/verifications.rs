//! Whether a Harbor works for its clients.

use crate::{
    client::Client,
    failure::system_error,
    manage::{Manage, Objects, shown},
};
use harbor::{Error, Failure, Feature, Unreachable};
use harborstate::{
    NoFacts,
    verification::{Verification, Verified},
};
use plan::SystemError;
use std::time::Duration;

/// How long Harbor may take for all answers: JobService, which Core asks, may not answer.
const LONGEST: Duration = Duration::from_secs(20);

/// The collection `verification`.
pub(crate) struct Verifications;

impl Manage for Verifications {
    /// That there can be no client is what the reader is to know. It knows which questions it has asked.
    fn unlisted(error: SystemError) -> Result<Objects, SystemError> {
        let found = not_asked(plan::one_line(&error));
        Verified::ALL
            .into_iter()
            .map(|it| Ok((it.name().to_owned(), shown(found.clone(), NoFacts {})?)))
            .collect()
    }

    async fn list(client: &Client, part: Option<&str>) -> Result<Objects, SystemError> {
        let Some(verified) = part.and_then(Verified::parse) else { return Ok(Objects::new()) };
        let too_long = || format!("no answer within {} s", LONGEST.as_secs());
        let answered = tokio::time::timeout(LONGEST, verify(client, verified)).await;
        let found = answered.unwrap_or_else(|_elapsed| not_asked(too_long()));
        Ok([(verified.name().to_owned(), shown(found, NoFacts {})?)].into())
    }
}

fn not_asked(problem: String) -> Verification {
    Verification { problem: Some(problem), ..Verification::default() }
}

/// Asks everything that is to be asked. What fails does not keep the operator from asking the rest.
async fn verify(client: &Client, verified: Verified) -> Verification {
    let harbor = &client.harbor;
    let mut found = Verification::default();
    match harbor.system().health().await {
        Ok(health) => {
            let unhealthy = health.components.into_iter().filter(|component| component.status != "healthy");
            found.unhealthy = unhealthy.map(|component| component.name).collect();
        }
        Err(error) if verified == Verified::Everything && is_untrusted(&error) => {
            found.failed.insert("GET /api/v2.0/health".to_owned(), why(&error));
            return found;
        }
        Err(error) => return not_asked(text(error)),
    }
    let (clients, mut image) = (harbor.clients(), None);
    if verified.has_images() {
        match clients.any_image().await {
            Ok(any) => image = any,
            Err(error) => note(&mut found, "GET /api/v2.0/repositories", error),
        }
    }
    let repository = image.as_ref().map(|image| image.repository.as_str());
    match clients.token(repository).await {
        Ok(token) => {
            if let Err(error) = clients.enter(&token).await {
                note(&mut found, "GET /v2/ with a token", error);
            }
            if let Some(image) = &image
                && let Err(error) = clients.see(image, &token).await
            {
                note(&mut found, "HEAD of a manifest", error);
            }
        }
        Err(error) => note(&mut found, "GET /service/token", error),
    }
    if verified.has_jobs() {
        workers(client, &mut found).await;
    }
    found
}

/// JobService is asked for its workers through Core, which authenticates to it. Before 2.7 there is no such request.
async fn workers(client: &Client, found: &mut Verification) {
    const ASKED: &str = "GET /api/v2.0/jobservice/pools";
    let version = match client.harbor.server_info().await {
        Ok(server) => server.version,
        Err(error) => return note(found, "GET /api/v2.0/systeminfo", error),
    };
    if !version.has(Feature::JobQueues) {
        return;
    }
    match client.harbor.jobs().pools().await {
        Ok(pools) if pools.is_empty() => {
            found.failed.insert(ASKED.to_owned(), "JobService has no workers".to_owned());
        }
        Ok(_) => {}
        Err(error) => note(found, ASKED, error),
    }
}

/// A Harbor that does not accept the operator's password, or cannot be reached, has not been asked.
fn note(found: &mut Verification, asked: &str, error: Error) {
    let is_refused = matches!(error.failure(), Failure::CredentialsRejected { .. });
    if is_refused || matches!(error.failure(), Failure::Unreachable(_)) {
        found.problem.get_or_insert_with(|| text(error));
    } else {
        found.failed.insert(asked.to_owned(), why(&error));
    }
}

/// Whether the operator does not trust the certificate of Core.
fn is_untrusted(error: &Error) -> bool {
    matches!(error.failure(), Failure::Unreachable(Unreachable::Certificate(_)))
}

/// Why a check failed. What the client advises is for Harbors that users describe.
fn why(error: &Error) -> String {
    plan::one_line(error)
}

fn text(error: Error) -> String {
    plan::one_line(&system_error(error))
}

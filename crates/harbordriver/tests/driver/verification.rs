//! Whether a Harbor works for its clients.

use crate::support::{PASSWORD as ADMINS, VERSIONS, World, login};
use bytes::Bytes;
use harbordriver::HarborDriver;
use harborserver::{Broken, Component, Image};
use harborstate::{
    Access, State as _,
    project::Project,
    registry::RegistryEndpoint,
    verification::{Verification, Verified},
};
use http::Method;
use http_body_util::Full;
use std::io;

/// What a Harbor answers to these questions.
async fn verified(world: &World, questions: Verified) -> Verification {
    let mut found = world.list(Verification::COLLECTION, Some(questions.name())).await.unwrap();
    serde_json::from_value(found.remove(questions.name()).unwrap()).unwrap()
}

#[tokio::test(start_paused = true)]
async fn whether_a_harbor_works_is_found_out_by_reads_that_are_no_pulls() {
    for version in VERSIONS {
        let world = World::new(version);
        world.server.push(&Image::new("library/deep/app", "v1"), "admin").unwrap();
        for questions in Verified::ALL {
            world.server.forget_served();
            assert_eq!(
                verified(&world, questions).await,
                Verification::default(),
                "{version:?} {questions:?}"
            );
            let served = world.server.served();
            assert!(served.iter().all(|it| [Method::GET, Method::HEAD].contains(&it.method)), "{served:#?}");
            let asks = |path: &str| served.iter().any(|it| it.path.starts_with(path));
            assert!(asks("/api/v2.0/health") && asks("/service/token") && asks("/v2"));
            let is = |one| [one, Verified::Everything].contains(&questions);
            assert_eq!(asks("/v2/library/deep/app/manifests/sha256:"), is(Verified::Images));
            assert_eq!(asks("/api/v2.0/jobservice/pools"), is(Verified::Jobs) && version.0 >= 7);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn what_the_health_of_a_harbor_does_not_show_is_found() {
    let world = World::new((15, 2));
    world.server.push(&Image::new("library/app", "v1"), "admin").unwrap();
    for (broken, questions, asked, why) in [
        (Broken::Signatures, Verified::Tokens, "GET /service/token", "the token is empty"),
        (Broken::TokenKeys, Verified::Tokens, "GET /v2/ with a token", "status 401"),
        (Broken::RegistryLogin, Verified::Images, "HEAD of a manifest", "status 401"),
        (Broken::Workers, Verified::Jobs, "GET /api/v2.0/jobservice/pools", "JobService has no workers"),
        (Broken::TokenKeys, Verified::Everything, "GET /v2/ with a token", "status 401"),
        (Broken::RegistryLogin, Verified::Everything, "HEAD of a manifest", "status 401"),
        (
            Broken::Workers,
            Verified::Everything,
            "GET /api/v2.0/jobservice/pools",
            "JobService has no workers",
        ),
    ] {
        world.server.set_broken(broken, true);
        let found = verified(&world, questions).await;
        assert_eq!(found.unhealthy, [""; 0]);
        assert_eq!(found.problem, None, "{broken:?}");
        let said = found.failed.get(asked).unwrap_or_else(|| panic!("{broken:?}: {found:?}"));
        assert!(said.ends_with(why), "{broken:?}: {said}");
        assert!(!format!("{found:?}").contains(ADMINS));
        world.server.set_broken(broken, false);
        assert_eq!(verified(&world, questions).await, Verification::default());
    }
    world.server.set_healthy(Component::Registry, false);
    assert_eq!(verified(&world, Verified::Tokens).await.unhealthy, ["registry"]);
}

#[tokio::test(start_paused = true)]
async fn images_of_proxy_caches_are_not_asked_for_because_another_registry_may_have_to_answer() {
    let world = World::new((15, 2));
    let endpoint = RegistryEndpoint {
        kind: Some("docker-registry".into()),
        url: Some("http://hub".into()),
        ..RegistryEndpoint::default()
    };
    world.created(&world.wanted("hub", &endpoint)).await;
    let cache = Project { registry: Some("hub".into()), ..Project::default() };
    world.create(&world.wanted("cache", &cache)).await.unwrap();
    world.server.push(&Image::new("cache/app", "v1"), "admin").unwrap();
    world.server.set_broken(Broken::RegistryLogin, true);
    assert_eq!(verified(&world, Verified::Images).await, Verification::default());
}

#[tokio::test(start_paused = true)]
async fn a_harbor_that_refuses_the_password_was_not_asked_and_that_is_no_error() {
    let world = World { connection: login("admin", "wrong-Password1"), ..World::new((15, 2)) };
    let found = verified(&world, Verified::Jobs).await;
    let problem = found.problem.unwrap();
    assert!(problem.contains("rejects the credentials of admin"), "{problem}");
    assert!(!problem.contains("wrong-Password1"));
}

#[tokio::test(start_paused = true)]
async fn a_certificate_that_the_operator_does_not_trust_is_an_answer_only_where_certificates_are_in_question()
{
    let untrusted = tower::service_fn(|_: http::Request<Full<Bytes>>| async {
        let problem = rustls::Error::InvalidCertificate(rustls::CertificateError::UnknownIssuer);
        Err::<http::Response<Full<Bytes>>, _>(io::Error::other(problem))
    });
    let driver = HarborDriver::over(move |access: &Access| harbordriver::over(untrusted, access));
    let world = World { driver, ..World::new((15, 2)) };
    for questions in Verified::ALL {
        let found = verified(&world, questions).await;
        let asked = found.failed.get("GET /api/v2.0/health");
        let said = asked.or(found.problem.as_ref()).unwrap_or_else(|| panic!("{found:?}"));
        assert!(said.contains("certificate"), "{said}");
        assert_eq!(asked.is_some(), questions == Verified::Everything, "{questions:?}");
        assert_eq!(found.problem.is_none(), questions == Verified::Everything, "{questions:?}");
    }
}

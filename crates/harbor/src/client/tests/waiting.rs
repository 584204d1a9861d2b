use super::{
    super::network::ConnectTimeout,
    standin::{Act, harbor},
};
use crate::{
    Failure, Unreachable,
    registries::{NewRegistry, RegistryType},
};
use http::Uri;
use std::{future, time::Duration};
use tokio::time::Instant;
use tower::{BoxError, ServiceExt as _, service_fn};

fn timeout(seconds: u64) -> Failure {
    Failure::Unreachable(Unreachable::Timeout(Duration::from_secs(seconds)))
}

#[tokio::test(start_paused = true)]
async fn an_answer_must_end_within_thirty_seconds_and_is_not_asked_for_again() {
    for act in [Act::Stall, Act::Break.after(Duration::from_secs(31))] {
        let (harbor, log) = harbor(move |_| act.clone());
        let began = Instant::now();
        let error = harbor.users().current().await.unwrap_err();
        assert_eq!((error.failure(), began.elapsed().as_secs()), (&timeout(30), 30));
        assert_eq!(log.take().len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn harbor_has_ninety_seconds_to_check_a_registry() {
    let (harbor, _) = harbor(|_| Act::Stall);
    let registry = NewRegistry {
        name: "far".into(),
        description: String::new(),
        kind: RegistryType::Harbor,
        url: "http://far.example.com".parse().unwrap(),
        insecure: false,
        ca_certificate: None,
        credential: None,
    };
    let error = harbor.registries().create(&registry).await.unwrap_err();
    assert_eq!(*error.failure(), timeout(90));
}

#[tokio::test(start_paused = true)]
async fn a_connection_has_five_seconds() {
    let never = service_fn(|_: Uri| future::pending::<Result<(), BoxError>>());
    let connector = ConnectTimeout { connector: never, longest: crate::Limits::DEFAULT.connect };
    let began = Instant::now();
    let error = connector.oneshot(Uri::from_static("http://x")).await.unwrap_err();
    assert_eq!((error.to_string().as_str(), began.elapsed().as_secs()), ("it took too long", 5));
}

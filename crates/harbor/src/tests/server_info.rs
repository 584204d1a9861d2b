use crate::{
    Failure, Feature, Message, ServerInfo, Settings, Version,
    client::tests::standin::{Act, Asked, Log, harbor},
    system::AuthMode,
};
use serde_json::json;
use std::time::Duration;
use tokio::time::advance;

fn general() -> Act {
    Act::json(json!({
        "auth_mode": "oidc_auth", "external_url": "https://harbor.example.com",
        "harbor_version": "v2.15.2-local", "read_only": true,
    }))
}

fn as_admin(asked: &Asked) -> Act {
    match asked.path.as_str() {
        "/systeminfo" => general(),
        "/configurations" => Act::json(json!({
            "robot_name_prefix": {"editable": true, "value": "bot-"},
            "auth_mode": {"editable": false, "value": "oidc_auth"},
            "read_only": {"editable": true, "value": true},
        })),
        _ => Act::status(500),
    }
}

fn info() -> ServerInfo {
    ServerInfo {
        version: Version::new(2, 15, 2),
        read_only: true,
        auth_mode: AuthMode::Oidc,
        external_url: "https://harbor.example.com".to_owned(),
        settings: Some(Settings {
            robot_name_prefix: "bot-".to_owned(),
            auth_mode_editable: false,
            overwritten: false,
        }),
    }
}

fn readings(log: &Log) -> usize {
    log.take().iter().filter(|line| *line == "GET /systeminfo").count()
}

#[tokio::test(start_paused = true)]
async fn an_administrator_learns_everything() {
    let (harbor, _) = harbor(as_admin);
    let found = harbor.server_info().await.unwrap();
    assert_eq!(*found, info());
    assert!(found.has(Feature::RegistryCaCertificate) && !found.has(Feature::Charts));
}

#[tokio::test(start_paused = true)]
async fn a_robot_learns_what_it_may_read() {
    let (harbor, log) = harbor(|asked| match asked.path.as_str() {
        "/systeminfo" => general(),
        _ => Act::status(403),
    });
    assert_eq!(*harbor.server_info().await.unwrap(), ServerInfo { settings: None, ..info() });
    harbor.server_info().await.unwrap();
    assert_eq!(readings(&log), 1);
}

#[tokio::test(start_paused = true)]
async fn it_is_read_again_after_five_minutes() {
    let (harbor, log) = harbor(as_admin);
    for _ in 0..3 {
        harbor.server_info().await.unwrap();
    }
    advance(Duration::from_secs(298)).await;
    harbor.server_info().await.unwrap();
    assert_eq!(readings(&log), 1);
    advance(Duration::from_secs(3)).await;
    harbor.with_request_id("x").server_info().await.unwrap();
    assert_eq!(readings(&log), 1);
}

#[tokio::test(start_paused = true)]
async fn it_is_read_again_after_an_error() {
    let (harbor, log) = harbor(as_admin);
    harbor.server_info().await.unwrap();
    harbor.users().current().await.unwrap_err();
    harbor.server_info().await.unwrap();
    harbor.server_info().await.unwrap();
    assert_eq!(readings(&log), 2);
}

#[tokio::test(start_paused = true)]
async fn a_server_without_a_version_is_no_harbor() {
    let (harbor, _) = harbor(|_| Act::json(json!({})));
    let error = harbor.server_info().await.unwrap_err();
    assert_eq!(*error.failure(), Failure::Unexpected(Message::new("the version of Harbor is \"\"")));
}

#[tokio::test(start_paused = true)]
async fn wrong_credentials_are_noticed_although_systeminfo_is_public() {
    let (harbor, _) = harbor(|asked| match asked.path.as_str() {
        "/systeminfo" => Act::json(json!({"auth_mode": "db_auth"})),
        "/health" => Act::json(json!({"status": "healthy", "components": []})),
        _ => Act::status(401),
    });
    let error = harbor.server_info().await.unwrap_err();
    assert_eq!(*error.failure(), Failure::CredentialsRejected { user: "admin".to_owned() });
}

use super::{CASES, Case, Core};
use crate::{
    cases::{CERTIFICATE, base64},
    connections::PercentEncoded,
};
use serde_json::Value;

/// Unlike anything else in an object, and with characters that every encoding changes.
const MARKER: &str = "mark€r:/";

/// The case with a marker in every value of every Secret it may read. 16 bytes where that matters.
fn marked(name: &str) -> Case<Core> {
    let mut case = Case::<Core>::golden(name);
    for input in &mut case.inputs {
        for (key, value) in input["data"].as_object_mut().unwrap() {
            *value = match key.as_str() {
                "tls.key" => base64(format!("-----BEGIN RSA PRIVATE KEY-----\n{MARKER}\n").as_bytes()),
                "ca.crt" | "tls.crt" => base64(format!("{MARKER}\n{CERTIFICATE}").as_bytes()),
                "key" => base64(format!("{MARKER:-<30}").as_bytes()),
                "secret" => base64(format!("{MARKER:-<14}").as_bytes()),
                // Each has its own shape, and none may have a colon in the wrong place.
                "username" => base64(b"mark-user"),
                "htpasswd" => base64(format!("mark-user:$2y$10${MARKER}").as_bytes()),
                "CONFIG_OVERWRITE_JSON" => {
                    base64(format!("{{\"oidc_client_secret\": \"{MARKER}\"}}").as_bytes())
                }
                _ => base64(MARKER.as_bytes()),
            };
        }
    }
    case
}

fn forms(value: &[u8]) -> [String; 3] {
    let text = String::from_utf8_lossy(value).into_owned();
    [text, PercentEncoded(value).to_string(), base64(value).as_str().unwrap().to_owned()]
}

fn leaks(object: &Value, secrets: &[Value]) -> Option<String> {
    let text = object.to_string();
    let values = secrets.iter().flat_map(|secret| secret["data"].as_object().unwrap().values());
    let whole = values.map(|value| value.as_str().unwrap().to_owned());
    forms(MARKER.as_bytes()).into_iter().chain(whole).find(|form| text.contains(form.as_str()))
}

#[test]
fn b13_no_secret_leaves_its_secret() {
    for name in CASES {
        let case = marked(name);
        let (secrets, others): (Vec<Value>, Vec<Value>) =
            case.children().into_iter().partition(|child| child["kind"] == "Secret");
        assert_eq!(secrets.len(), 2);
        for child in others {
            assert_eq!(leaks(&child, &case.inputs), None, "{name}: {}", child["kind"]);
        }
    }
}

#[test]
fn b13_the_test_would_notice() {
    let case = marked("full");
    for form in forms(MARKER.as_bytes()) {
        assert!(leaks(&Value::from(form), &case.inputs).is_some());
    }
}

#[test]
fn an_error_never_holds_what_is_wrong_with_a_secret() {
    for name in CASES {
        let mut case = marked(name);
        for input in &mut case.inputs {
            for value in input["data"].as_object_mut().unwrap().values_mut() {
                *value = base64(format!("{MARKER} \n").as_bytes());
            }
        }
        let error = case.plan().unwrap_err();
        assert_eq!(leaks(&Value::from(error.to_string()), &case.inputs), None);
        assert_eq!(leaks(&Value::from(format!("{error:?}")), &case.inputs), None);
    }
}

fn url(case: &str, key: &str) -> String {
    let url = Case::<Core>::golden(case).child("Secret")["data"][key].clone();
    let url: k8s_openapi::ByteString = serde_json::from_value(url).unwrap();
    String::from_utf8(url.0).unwrap()
}

#[test]
fn urls_of_redis_are_bytes_in_data() {
    assert_eq!(Case::<Core>::golden("full").child("Secret").get("stringData"), None);
    assert_eq!(
        url("full", "_REDIS_URL_REG"),
        "redis+sentinel://:fake%3Ap%40ss%2Fw%23rd%201%25@sentinel.example.com:26379/harbor/1\
         ?idle_timeout_seconds=90"
    );
}

#[test]
fn b15_a_certificate_of_redis_turns_tls_on_and_is_trusted() {
    for (key, database) in [("_REDIS_URL_CORE", 0), ("_REDIS_URL_REG", 1)] {
        let expected = format!(
            "rediss://:fake-redis-password@redis.example.com:6379/{database}?idle_timeout_seconds=30"
        );
        assert_eq!(url("rediss", key), expected);
    }
    let deployment = Case::<Core>::golden("rediss").child("Deployment").to_string();
    assert_eq!(deployment.matches("/harbor_cust_cert/redis-ca.crt").count(), 1);
}

#[test]
fn a_redis_with_a_public_authority_is_reached_over_tls_without_a_secret() {
    for (key, database) in [("_REDIS_URL_CORE", 0), ("_REDIS_URL_HARBOR", 6), ("_REDIS_URL_REG", 2)] {
        let expected = format!("rediss://managed-redis.example.com:6379/{database}?idle_timeout_seconds=30");
        assert_eq!(url("as-the-chart", key), expected);
    }
}

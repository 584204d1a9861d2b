use super::{CASES, Case, Registry};
use crate::cases::{CERTIFICATE, base64};
use serde_json::Value;

/// Unlike anything else in an object, and with characters that encodings change.
const MARKER: &str = "mark€r\"/";

/// The case with a marker in every value of every Secret that is used for what it is.
fn marked(name: &str) -> Case<Registry> {
    let mut case = Case::<Registry>::golden(name);
    for input in case.inputs.iter_mut().filter(|input| input["kind"] == "Secret") {
        for (key, value) in input["data"].as_object_mut().unwrap() {
            let text = match key.as_str() {
                "htpasswd" => format!("{MARKER}:$2y$10${MARKER}"),
                "ca.crt" | "tls.crt" => format!("{MARKER}\n{CERTIFICATE}"),
                "tls.key" => format!("-----BEGIN EC PRIVATE KEY-----\n{MARKER}\n"),
                "privatekey" => format!("-----BEGIN RSA PRIVATE KEY-----\n{MARKER}\n"),
                "REGISTRY_HTTP_SECRET" => format!("'{MARKER}'"),
                _ => MARKER.to_owned(),
            };
            *value = base64(text.as_bytes());
        }
    }
    case
}

fn leaks(object: &Value) -> bool {
    let text = object.to_string();
    let escaped = Value::from(MARKER).to_string();
    let forms = [MARKER.to_owned(), escaped.trim_matches('"').to_owned(), "mark€r".to_owned()];
    let whole = base64(MARKER.as_bytes()).as_str().unwrap().to_owned();
    forms.iter().chain([&whole]).any(|form| text.contains(form.as_str()))
}

#[test]
fn b13_no_secret_leaves_its_secret() {
    for name in CASES {
        for child in marked(name).children().iter().filter(|child| child["kind"] != "Secret") {
            assert!(!leaks(child), "{name}: {}", child["kind"]);
        }
    }
}

#[test]
fn b13_the_test_would_notice() {
    assert!(leaks(&Value::from(MARKER)));
    assert!(leaks(&Value::from(format!("password: '{MARKER}'"))));
    assert!(leaks(&base64(MARKER.as_bytes())));
}

#[test]
fn b13_an_access_key_in_the_spec_goes_no_further_than_a_secret() {
    let case = Case::<Registry>::golden("full")
        .set("/spec/storage/driver/s3/accesskeyRef", Value::Null)
        .set("/spec/storage/driver/s3/accesskey", MARKER.into());
    assert_eq!(case.setting("REGISTRY_STORAGE_S3_ACCESSKEY"), MARKER);
    for child in case.children().iter().filter(|child| child["kind"] != "Secret") {
        assert!(!leaks(child), "{}", child["kind"]);
    }
}

#[test]
fn a_password_is_passed_on_to_the_letter_whatever_yaml_makes_of_it() {
    let case = Case::<Registry>::golden("full");
    assert_eq!(case.setting("REGISTRY_REDIS_PASSWORD"), "@fake: 0123 #redis");
    assert_eq!(case.setting("REGISTRY_STORAGE_S3_SECRETKEY"), "fake/s3+secret=");
    assert_eq!(Case::<Registry>::golden("harbor-2.5").setting("REGISTRY_STORAGE_SWIFT_PASSWORD"), "00123456");
}

#[test]
fn an_error_never_holds_what_is_wrong_with_a_secret() {
    for name in CASES {
        let mut case = marked(name);
        for input in case.inputs.iter_mut().filter(|input| input["kind"] == "Secret") {
            for value in input["data"].as_object_mut().unwrap().values_mut() {
                *value = base64(format!("{MARKER}\u{85}: {{\n").as_bytes());
            }
        }
        if let Err(error) = case.plan() {
            assert!(!leaks(&Value::from(error.to_string())), "{name}");
            assert!(!leaks(&Value::from(format!("{error:?}"))), "{name}");
        }
    }
}

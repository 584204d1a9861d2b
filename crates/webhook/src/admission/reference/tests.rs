use super::{Path, Reference, ReferenceError, Registry};
use proptest::prelude::*;

const SHA256: &str = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

fn complete(text: &str) -> Result<String, ReferenceError> {
    text.parse::<Reference>().map(|reference| reference.to_string())
}

#[test]
fn a_reference_is_completed_as_container_runtimes_do() {
    for (text, whole) in [
        ("nginx", "docker.io/library/nginx:latest"),
        ("nginx:1.27", "docker.io/library/nginx:1.27"),
        ("bitnami/redis", "docker.io/bitnami/redis:latest"),
        ("index.docker.io/nginx", "docker.io/library/nginx:latest"),
        ("docker.io/nginx:a", "docker.io/library/nginx:a"),
        ("localhost/a", "localhost/a:latest"),
        ("localhost:5000/a", "localhost:5000/a:latest"),
        ("registry:5000/a/b:1", "registry:5000/a/b:1"),
        ("REGISTRY/a", "REGISTRY/a:latest"),
        ("registry/a", "docker.io/registry/a:latest"),
        ("quay.io/a/b__c/d.e/f--g", "quay.io/a/b__c/d.e/f--g:latest"),
        ("[::1]:5000/a", "[::1]:5000/a:latest"),
        ("[2001:db8::1]/a", "[2001:db8::1]/a:latest"),
    ] {
        assert_eq!(complete(text).as_deref(), Ok(whole), "{text}");
    }
}

#[test]
fn a_digest_is_kept_and_gets_no_tag() {
    assert_eq!(complete(&format!("nginx@{SHA256}")), Ok(format!("docker.io/library/nginx@{SHA256}")));
    assert_eq!(complete(&format!("a.b/c:1@{SHA256}")), Ok(format!("a.b/c:1@{SHA256}")));
}

#[test]
fn a_text_that_no_runtime_accepts_is_refused() {
    for (text, error) in [
        (String::new(), ReferenceError::Empty),
        ("a".repeat(2000), ReferenceError::TooLong),
        ("a".repeat(256), ReferenceError::LongName),
        (SHA256[7..].to_owned(), ReferenceError::ImageId),
        ("a..b/c".to_owned(), ReferenceError::Registry),
        ("a.b:99999/c".to_owned(), ReferenceError::Registry),
        ("a.b:+1/c".to_owned(), ReferenceError::Registry),
        ("-a.b/c".to_owned(), ReferenceError::Registry),
        ("[zz]:1/c".to_owned(), ReferenceError::Registry),
        ("nginx/".to_owned(), ReferenceError::Path),
        ("a.b//c".to_owned(), ReferenceError::Path),
        ("a/B".to_owned(), ReferenceError::Path),
        ("a___b".to_owned(), ReferenceError::Path),
        ("a._b".to_owned(), ReferenceError::Path),
        ("nginx ".to_owned(), ReferenceError::Path),
        ("nginx:".to_owned(), ReferenceError::Tag),
        ("nginx:-a".to_owned(), ReferenceError::Tag),
        (format!("nginx:{}", "a".repeat(129)), ReferenceError::Tag),
        ("nginx:a:b".to_owned(), ReferenceError::Tag),
        ("nginx@sha256".to_owned(), ReferenceError::Digest),
        ("nginx@sha256:abc".to_owned(), ReferenceError::Digest),
        ("nginx@md5:abc".to_owned(), ReferenceError::Digest),
        (format!("nginx@{}", SHA256.to_uppercase()), ReferenceError::Digest),
    ] {
        assert_eq!(complete(&text), Err(error), "{text}");
    }
}

#[test]
fn a_moved_reference_keeps_path_tag_and_digest() {
    let moved = |text: &str, registry: &str, under: &str| {
        let (registry, under) = (registry.parse::<Registry>().unwrap(), under.parse::<Path>().unwrap());
        text.parse::<Reference>().unwrap().moved(&registry, &under).map(|moved| moved.to_string())
    };
    let host = "harbor.example.com:8443";
    assert_eq!(moved("nginx", host, "hub"), Ok(format!("{host}/hub/library/nginx:latest")));
    let digest = format!("quay.io/a/b@{SHA256}");
    assert_eq!(moved(&digest, host, "quay"), Ok(format!("{host}/quay/a/b@{SHA256}")));
    assert_eq!(moved(&"a".repeat(230), host, "hub"), Err(ReferenceError::LongName));
}

#[test]
fn registries_are_compared_without_case_and_default_port() {
    let is = |a: &str, b: &str| a.parse::<Registry>().unwrap().is(&b.parse().unwrap());
    assert!(is("Harbor.example.com", "harbor.example.com:443"));
    assert!(!is("harbor.example.com:80", "harbor.example.com"));
    assert!(!is("harbor.example.com", "example.com"));
}

proptest! {
    #[test]
    fn what_is_printed_is_read_back(
        text in "([a-zA-Z0-9.-]{1,12}(:[0-9]{1,5})?/)?[a-z0-9._/-]{1,20}(:[A-Za-z0-9._-]{1,10})?(@sha256:[0-9a-f]{64})?"
    ) {
        if let Ok(reference) = text.parse::<Reference>() {
            prop_assert_eq!(reference.to_string().parse(), Ok(reference));
        }
    }

    #[test]
    fn no_text_causes_a_panic(text in ".{0,300}") {
        let _ = text.parse::<Reference>();
        let _ = text.parse::<Registry>();
        let _ = text.parse::<Path>();
    }

    #[test]
    fn no_text_of_the_characters_of_references_causes_a_panic(text in "[a-zA-Z0-9:/@._\\[\\]-]{0,80}") {
        if let Ok(reference) = text.parse::<Reference>() {
            prop_assert_eq!(reference.to_string().parse(), Ok(reference));
        }
    }
}

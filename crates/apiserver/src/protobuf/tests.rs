//! Valid and invalid bodies.

use super::{Expected, MAGIC, delete_options, object};
use crate::kinds::Origin;
use proptest::prelude::{Just, Strategy, any, prop, prop_oneof, proptest};
use serde_json::{Value, json};

/// A message under construction.
#[derive(Debug, Clone, Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(u8::try_from(number & 0x7f).unwrap() | 0x80);
            number >>= 7;
        }
        self.0.push(u8::try_from(number).unwrap());
    }

    fn number(mut self, field: u64, number: i64) -> Self {
        self.varint(field << 3);
        self.varint(number.cast_unsigned());
        self
    }

    fn double(mut self, field: u64, number: f64) -> Self {
        self.varint(field << 3 | 1);
        self.0.extend(number.to_le_bytes());
        self
    }

    fn bytes(mut self, field: u64, bytes: impl AsRef<[u8]>) -> Self {
        self.varint(field << 3 | 2);
        self.varint(bytes.as_ref().len() as u64);
        self.0.extend(bytes.as_ref());
        self
    }

    fn message(self, field: u64, message: Self) -> Self {
        self.bytes(field, message.0)
    }

    fn entry(self, field: u64, key: &str, value: Self) -> Self {
        self.message(field, Self::default().bytes(1, key).message(2, value))
    }

    fn body(self, api_version: &str, kind: &str) -> Vec<u8> {
        let envelope = message().message(1, message().bytes(1, api_version).bytes(2, kind)).message(2, self);
        [MAGIC, &envelope.bytes(3, "").bytes(4, "").0].concat()
    }
}

fn message() -> Message {
    Message::default()
}

const CONFIG_MAP: Expected<'static> =
    Expected { group: "", version: "v1", kind: "ConfigMap", origin: Origin::Builtin };

fn read(api_version: &str, kind: &str, message: Message) -> Value {
    object(&message.body(api_version, kind), CONFIG_MAP).expect("a message")
}

fn refused(body: &[u8]) -> String {
    object(body, CONFIG_MAP).expect_err("no message").message
}

#[test]
fn a_message_becomes_the_object_that_json_would_have_been() {
    let probe = message()
        .message(
            1,
            message().message(2, message().bytes(1, "/").message(2, message().number(1, 1).bytes(3, "web"))),
        )
        .number(2, 5);
    let resources = message().entry(1, "cpu", message().bytes(1, "500m"));
    let container = message()
        .bytes(1, "web")
        .bytes(2, "web:1")
        .bytes(5, "")
        .message(6, message().bytes(1, "").number(2, 0).number(3, 80))
        .message(7, message().bytes(1, "EMPTY").bytes(2, ""))
        .message(8, resources)
        .message(11, probe);
    let volume = message()
        .bytes(1, "conf")
        .message(2, message().message(19, message().message(1, message().bytes(1, "cm"))));
    let security = message().bytes(4, [1, 0x80, 1]).number(4, 7);
    let spec =
        message().message(1, volume).message(2, container).number(5, 0).number(11, 0).message(14, security);
    let metadata = message()
        .bytes(1, "p")
        .bytes(2, "")
        .bytes(3, "")
        .number(7, 0)
        .message(8, message())
        .message(9, message().number(1, 1_767_323_045).number(2, 999))
        .message(11, message().bytes(1, "app").bytes(2, "web"))
        .message(11, message().bytes(1, "empty").bytes(2, ""));
    let pod = message().message(1, metadata).message(2, spec).message(3, message().bytes(1, ""));
    assert_eq!(
        read("v1", "Pod", pod),
        json!({
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": "p",
                "labels": {"app": "web", "empty": ""},
                "deletionTimestamp": "2026-01-02T03:04:05Z",
            },
            "spec": {
                "volumes": [{"name": "conf", "configMap": {"name": "cm"}}],
                "containers": [{
                    "name": "web",
                    "image": "web:1",
                    "ports": [{"containerPort": 80}],
                    "env": [{"name": "EMPTY"}],
                    "resources": {"limits": {"cpu": "500m"}},
                    "readinessProbe": {"httpGet": {"path": "/", "port": "web"}, "initialDelaySeconds": 5},
                }],
                "activeDeadlineSeconds": 0,
                "securityContext": {"supplementalGroups": [1, 128, 7]},
            },
            "status": {},
        })
    );
}

#[test]
fn bytes_are_base64_and_signs_and_microseconds_are_kept() {
    let secret = message().entry(2, "k", Message(b"v\xff".to_vec()));
    assert_eq!(read("v1", "Secret", secret)["data"], json!({"k": "dv8="}));
    let class = message().number(2, -5).number(3, 0);
    assert_eq!(
        read("scheduling.k8s.io/v1", "PriorityClass", class),
        json!({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "value": -5})
    );
    let lease =
        message().message(2, message().message(4, message().number(1, 1_767_323_045).number(2, 500_000_000)));
    assert_eq!(
        read("coordination.k8s.io/v1", "Lease", lease)["spec"],
        json!({"renewTime": "2026-01-02T03:04:05.500000Z"})
    );
}

#[test]
fn a_schema_that_may_be_something_else_is_what_it_is() {
    let text = || message().bytes(5, "string");
    let schema = message()
        .message(8, message().bytes(1, r#"{"a":[1]}"#))
        .double(9, 5.0)
        .double(11, 0.5)
        .message(24, message().message(1, text()))
        .entry(29, "p", text())
        .message(30, message().number(1, 1))
        .entry(32, "d", message().bytes(2, "a").bytes(2, "b"))
        .message(33, message().number(1, 1).message(2, text()));
    let versions = message().message(7, message().message(4, message().message(1, schema)));
    let definition =
        read("apiextensions.k8s.io/v1", "CustomResourceDefinition", message().message(2, versions));
    assert_eq!(
        definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"],
        json!({
            "default": {"a": [1]}, "maximum": 5, "minimum": 0.5, "items": {"type": "string"},
            "properties": {"p": {"type": "string"}}, "additionalProperties": true, "dependencies": {"d": ["a", "b"]},
            "additionalItems": {"type": "string"},
        })
    );
}

#[test]
fn a_body_without_a_kind_is_of_the_kind_of_its_path() {
    assert_eq!(
        read("", "", message().message(1, message().bytes(1, "a"))),
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}})
    );
}

#[test]
fn options_of_a_deletion_are_those_of_any_group() {
    let options =
        message().number(1, 0).message(2, message().bytes(1, "u")).bytes(4, "Orphan").bytes(5, "All");
    assert_eq!(
        delete_options(&options.body("apps/v1", "DeleteOptions")).expect("options"),
        json!({
            "apiVersion": "apps/v1", "kind": "DeleteOptions", "gracePeriodSeconds": 0, "preconditions": {"uid": "u"},
            "propagationPolicy": "Orphan", "dryRun": ["All"],
        })
    );
    let malformed = delete_options(b"hello").expect_err("no options").message;
    assert_eq!(
        malformed,
        "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]"
    );
}

/// The messages are those of a real server.
#[test]
fn an_invalid_message_is_refused_as_by_kubernetes() {
    let unrecognized =
        |why: &str| format!("the object provided is unrecognized (must be of type ConfigMap): {why}");
    let unhandled =
        |why: &str| format!("ConfigMap in version \"v1\" cannot be handled as a ConfigMap: {why}");
    let body = |bytes: &[u8]| Message(bytes.to_vec()).body("v1", "ConfigMap");
    let hello = "hello world hello world hello world hello world";
    let cases = [
        (b"".to_vec(), unrecognized("empty data (<empty>)")),
        (MAGIC.to_vec(), unrecognized("empty body (6b387300)")),
        ([MAGIC, b"\x0a\x7f"].concat(), unrecognized("unexpected EOF (6b3873000a7f)")),
        (
            hello.into(),
            unrecognized(
                "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0] \
                 (68656c6c6f20776f726c642068656c6c6f20776f726c642068656c6c6f20 ...)",
            ),
        ),
        (body(b"\x0a\x50x"), unhandled("unexpected EOF")),
        (body(b"\x08\x01"), unhandled("proto: wrong wireType = 0 for field ObjectMeta")),
        (body(b"\x0c"), unhandled("proto: ConfigMap: wiretype end group for non-group")),
        (body(b"\x00\x00"), unhandled("proto: ConfigMap: illegal tag 0 (wire type 0)")),
        (body(&[0xff; 11]), unhandled("proto: integer overflow")),
        (body(b"\x0e"), unhandled("proto: illegal wireType 6")),
    ];
    for (body, message) in cases {
        assert_eq!(refused(&body), message);
    }
}

#[test]
fn nesting_has_an_end() {
    let nested = (0..200).fold(message(), |schema, _| message().message(28, schema));
    let versions = message().message(7, message().message(4, message().message(1, nested)));
    let body = message().message(2, versions).body("apiextensions.k8s.io/v1", "CustomResourceDefinition");
    assert!(refused(&body).ends_with("exceeded max depth"));
    let deep = format!("{}{}", "[".repeat(120), "]".repeat(120));
    let revision = message().message(2, message().bytes(1, deep)).body("apps/v1", "ControllerRevision");
    assert!(refused(&revision).ends_with("exceeded max depth"));
    let groups = Message([0x9b, 0x3e].repeat(100_000)).body("v1", "ConfigMap");
    assert!(refused(&groups).ends_with("unexpected EOF"));
}

/// Something like a message: fields of likely numbers, which hold anything, messages included.
fn messages() -> impl Strategy<Value = Message> {
    let leaf = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..20).prop_map(Message),
        (1_u64..40, any::<i64>()).prop_map(|(field, number)| message().number(field, number)),
        (1_u64..40, any::<String>()).prop_map(|(field, text)| message().bytes(field, text)),
        (1_u64..40, any::<f64>()).prop_map(|(field, number)| message().double(field, number)),
    ];
    leaf.prop_recursive(8, 64, 6, |inner| {
        prop::collection::vec((1_u64..40, inner), 0..6).prop_map(|fields| {
            fields.into_iter().fold(message(), |all, (field, inner)| all.message(field, inner))
        })
    })
}

proptest! {
    #[test]
    fn no_bytes_make_the_decoder_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = object(&bytes, CONFIG_MAP);
        let _ = object(&[MAGIC, &bytes].concat(), CONFIG_MAP);
        let _ = delete_options(&Message(bytes).body("v1", "DeleteOptions"));
    }

    #[test]
    fn no_message_makes_the_decoder_panic(
        message in messages(),
        kind in prop_oneof![
            Just(("v1", "Pod")),
            Just(("apps/v1", "Deployment")),
            Just(("apiextensions.k8s.io/v1", "CustomResourceDefinition")),
            Just(("authorization.k8s.io/v1", "SubjectAccessReview")),
        ],
    ) {
        if let Ok(object) = object(&message.body(kind.0, kind.1), CONFIG_MAP) {
            let text = object.to_string();
            assert_eq!(serde_json::from_str::<Value>(&text).expect("JSON"), object, "is read again as it was");
        }
    }
}

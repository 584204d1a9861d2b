//! The alerts are ones that Prometheus accepts, and they fire when they should.

use programs::promtool;
use std::path::Path;

fn file(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/observability").join(name);
    path.canonicalize().unwrap().to_str().unwrap().to_owned()
}

#[test]
fn prometheus_accepts_the_alerts() {
    let words = promtool(["check", "rules", &file("alerts.yaml")]).unwrap();
    assert!(words.contains("SUCCESS"), "{words}");
}

#[test]
fn alerts_fire_when_they_should_and_not_before() {
    for tests in ["alerts_test.yaml", "alerts_after_days_test.yaml"] {
        let words = promtool(["test", "rules", &file(tests)]).unwrap();
        assert!(words.contains("SUCCESS"), "{tests}: {words}");
    }
}

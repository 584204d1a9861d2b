//! Tests that documentation, alerts and dashboard name exactly the metrics that exist.
//!
//! With `UPDATE_GOLDEN=1` the tables are written instead of compared.

use super::{AdmissionOutcome, ConversionOutcome, Format, Installation, Issuer, Metrics, ObjectState};
use http::{Request, Response};
use jiff::Timestamp;
use kube::{Client, client::Body};
use plan::{Class, ObjectKey};
use std::{
    collections::{BTreeMap, BTreeSet},
    convert::Infallible,
    env,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

fn file(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

fn read(path: &str) -> String {
    fs::read_to_string(file(path)).unwrap()
}

/// Compares a file with its expected content, or writes that.
fn assert_current(path: &str, expected: &str) {
    if env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(file(path), expected).unwrap();
    }
    assert!(read(path) == expected, "{path} is stale; run the tests with UPDATE_GOLDEN=1");
}

/// The text of metrics in which every family has a sample.
async fn everything() -> String {
    let metrics = Arc::new(Metrics::default());
    let reconciles = metrics.reconciles("Core");
    reconciles.failed(Class::Internal, "Bug");
    metrics.watch_failed("Core");
    metrics.reviewed(AdmissionOutcome::Rewritten, Duration::ZERO, 1);
    metrics.converted(ConversionOutcome::Converted, Duration::ZERO, 1);
    let _backlog = metrics.backlog("Core");
    let _certificate = metrics.track(Issuer::Operator, Timestamp::UNIX_EPOCH);
    let _installation = metrics.show(
        &ObjectKey::new("goharbor.io", "Harbor", "registry", "acme"),
        Installation {
            version: "2.15.0".into(),
            state: ObjectState::Ready,
            certificate_expires: Some(Timestamp::UNIX_EPOCH),
        },
    );
    let server = |_: Request<Body>| async { Ok::<_, Infallible>(Response::new(Body::empty())) };
    let client = metrics.observe(Client::new(tower::service_fn(server), "default"));
    client.send(Request::get("/version").body(Body::empty()).unwrap()).await.unwrap();
    metrics.text(Format::OpenMetrics)
}

/// One family of samples.
#[derive(Default)]
struct Described {
    kind: String,
    help: String,
    labels: Vec<String>,
}

async fn described() -> BTreeMap<String, Described> {
    let text = everything().await;
    let mut families = BTreeMap::<String, Described>::new();
    for line in text.lines() {
        let words: Vec<_> = line.splitn(4, ' ').collect();
        match words.as_slice() {
            ["#", "HELP", name, help] => families.entry((*name).into()).or_default().help = (*help).into(),
            ["#", "TYPE", name, kind] => families.entry((*name).into()).or_default().kind = (*kind).into(),
            ["#", ..] => {}
            _ => {
                let sample = line.split(['{', ' ']).next().unwrap();
                let family = families.iter_mut().rfind(|(name, _)| sample.starts_with(name.as_str()));
                let labels = line.split_once('{').map_or("", |(_, rest)| rest.split('}').next().unwrap());
                let names = labels.split(',').filter_map(|label| Some(label.split_once('=')?.0.to_owned()));
                family.unwrap().1.labels = names.filter(|label| label != "le").collect();
            }
        }
    }
    let queried = |(name, it): (String, Described)| match it.kind.as_str() {
        "counter" => (format!("{name}_total"), it),
        "info" => (format!("{name}_info"), it),
        _ => (name, it),
    };
    families.into_iter().map(queried).collect()
}

/// All names of metrics in a text, without the suffixes of histograms.
fn named(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_ascii_lowercase() && !c.is_ascii_digit() && c != '_');
    let names = words.filter(|word| word.starts_with("harbor_operator_") || word.starts_with("process_"));
    names.map(|name| name.strip_suffix("_bucket").unwrap_or(name).to_owned()).collect()
}

#[tokio::test]
async fn alerts_and_dashboard_use_only_existing_metrics() {
    let existing: BTreeSet<_> = described().await.into_keys().collect();
    for path in ["deploy/observability/alerts.yaml", "deploy/observability/dashboard.json"] {
        let used = named(&read(path));
        assert!(used.len() > 5, "{path}");
        let unknown: Vec<_> = used.difference(&existing).collect();
        assert!(unknown.is_empty(), "{path} uses {unknown:?}");
    }
}

#[tokio::test]
async fn the_documentation_has_every_metric() {
    const BEGIN: &str = "<!-- metrics: written by a test -->\n";
    const END: &str = "<!-- end of metrics -->";
    let page = read("docs/metrics-and-alerts.md");
    let (before, rest) = page.split_once(BEGIN).unwrap();
    let (_, after) = rest.split_once(END).unwrap();
    let mut table = "| name | type | labels | what |\n|---|---|---|---|\n".to_owned();
    for (name, Described { kind, help, labels }) in described().await {
        let labels: Vec<_> = labels.iter().map(|label| format!("`{label}`")).collect();
        writeln!(table, "| `{name}` | {kind} | {} | {} |", labels.join(", "), help.trim_end_matches('.'))
            .unwrap();
    }
    assert_current("docs/metrics-and-alerts.md", &format!("{before}{BEGIN}{table}{END}{after}"));
}

/// The names of all alerts.
fn alerts() -> Vec<String> {
    let alerts = read("deploy/observability/alerts.yaml");
    alerts.lines().filter_map(|line| line.trim().strip_prefix("- alert: ")).map(str::to_owned).collect()
}

#[test]
fn every_alert_is_documented_and_links_to_its_documentation() {
    let (page, rules) = (read("docs/metrics-and-alerts.md"), read("deploy/observability/alerts.yaml"));
    let explained: BTreeSet<_> = page.lines().filter_map(|line| line.strip_prefix("### Harbor")).collect();
    let alerts = alerts();
    let named: BTreeSet<_> = alerts.iter().filter_map(|alert| alert.strip_prefix("Harbor")).collect();
    assert_eq!(explained, named);
    for alert in &alerts {
        let link = format!("/docs/metrics-and-alerts.md#{}\n", alert.to_lowercase());
        assert_eq!(rules.matches(&link).count(), 1, "{alert}");
    }
    for field in ["summary: ", "description: ", "severity: ", "expr: "] {
        assert_eq!(rules.matches(field).count(), alerts.len(), "{field}");
    }
}

#[test]
fn every_alert_is_tested() {
    let files = ["alerts_test.yaml", "alerts_after_days_test.yaml"];
    let tests = files.map(|file| read(&format!("deploy/observability/{file}"))).concat();
    let untested: Vec<_> = alerts()
        .into_iter()
        .filter(|alert| !tests.contains(&format!("alertname: {alert}\n")))
        .filter(|alert| !tests.contains(&format!("alertname: {alert},")))
        .collect();
    assert!(untested.is_empty(), "{untested:?}");
}

#[test]
fn the_prometheus_operator_gets_the_same_alerts() {
    let alerts = read("deploy/observability/alerts.yaml");
    let groups = alerts.lines().skip_while(|line| line.starts_with('#'));
    let mut rule = "\
# alerts.yaml for the Prometheus operator; written by a test, with UPDATE_GOLDEN=1.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: harbor-operator
  labels:
    app.kubernetes.io/name: harbor-operator
spec:
"
    .to_owned();
    for line in groups {
        writeln!(rule, "  {line}").unwrap();
    }
    assert_current("deploy/observability/prometheus-rule.yaml", &rule);
}

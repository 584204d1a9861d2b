use super::*;
use jiff::Timestamp;
use plan::Class;
use std::time::Duration;

fn metrics() -> Metrics {
    Metrics::new(Build { version: "1.2.3".into(), commit: "abc".into(), harbor: "2.5 to 2.15".into() })
}

/// The lines that begin with this, without the prefix.
fn lines(metrics: &Metrics, begin: &str) -> Vec<String> {
    let text = metrics.text(Format::OpenMetrics);
    let begin = format!("{PREFIX}_{begin}");
    text.lines().filter(|line| line.starts_with(&begin)).map(|line| line[PREFIX.len() + 1..].into()).collect()
}

#[test]
fn the_build_is_a_metric() {
    assert_eq!(
        lines(&metrics(), "build"),
        [r#"build_info{version="1.2.3",commit="abc",harbor="2.5 to 2.15"} 1"#]
    );
}

#[test]
fn an_object_is_counted_in_one_state_until_it_is_dropped() {
    let metrics = metrics();
    let reconciles = metrics.reconciles("Core");
    let objects =
        || lines(&metrics, "objects").into_iter().filter(|line| !line.ends_with(" 0")).collect::<Vec<_>>();
    let mut counted = reconciles.count(ObjectState::Progressing);
    assert_eq!(objects(), [r#"objects{kind="Core",state="Progressing"} 1"#]);
    // As in a session, the old state is dropped after the new one is counted.
    counted = reconciles.count(ObjectState::Ready).or(counted);
    assert_eq!(objects(), [r#"objects{kind="Core",state="Ready"} 1"#]);
    drop(counted);
    assert_eq!(objects(), Vec::<String>::new());
}

#[test]
fn errors_have_a_class_and_the_reason_of_the_condition() {
    let metrics = metrics();
    metrics.reconciles("Core").failed(Class::Forbidden, "Forbidden");
    metrics.reconciles("Core").failed(Class::Forbidden, "Forbidden");
    assert_eq!(
        lines(&metrics, "errors"),
        [r#"errors_total{kind="Core",class="forbidden",reason="Forbidden"} 2"#]
    );
}

#[tokio::test(start_paused = true)]
async fn the_queues_of_all_scopes_are_one_metric_and_their_age_increases_with_time() {
    let metrics = metrics();
    let (here, there) = (metrics.backlog("Core"), metrics.backlog("Core"));
    here.set(2, Some(tokio::time::Instant::now()));
    tokio::time::advance(Duration::from_secs(3)).await;
    there.set(1, Some(tokio::time::Instant::now()));
    tokio::time::advance(Duration::from_secs(4)).await;
    assert_eq!(
        lines(&metrics, "queue"),
        [r#"queue_depth{kind="Core"} 3"#, r#"queue_oldest_age_seconds{kind="Core"} 7.0"#]
    );
}

#[test]
fn the_first_expiry_is_a_metric_by_issuer_until_the_certificate_is_dropped() {
    let metrics = metrics();
    let at = |second| Timestamp::from_second(second).unwrap();
    let later = metrics.track(Issuer::Operator, at(200));
    let first = [metrics.track(Issuer::Operator, at(100)), metrics.track(Issuer::Operator, at(100))];
    let _other = metrics.track(Issuer::CertManager, at(50));
    let expiry = || lines(&metrics, "certificate");
    let of = |issuer: &str, second| {
        format!(r#"certificate_expiry_timestamp_seconds{{issuer="{issuer}"}} {second}"#)
    };
    assert_eq!(expiry(), [of("Operator", 100), of("CertManager", 50)]);
    drop(first);
    assert_eq!(expiry(), [of("Operator", 200), of("CertManager", 50)]);
    assert_eq!(later.expires(), at(200));
    drop(later);
    assert_eq!(expiry(), [of("CertManager", 50)]);
}

fn installed(version: &str, state: ObjectState) -> Installation {
    Installation { version: version.into(), state, certificate_expires: None }
}

#[test]
fn an_installation_has_series_until_it_is_dropped_and_a_paused_one_is_neither_ready_nor_not() {
    let metrics = metrics();
    let key = |namespace, name| ObjectKey::new("g", "Stack", namespace, name);
    let expires = Timestamp::from_second(300).ok();
    let ready = Installation { certificate_expires: expires, ..installed("1.2", ObjectState::Ready) };
    let a = metrics.show(&key("ns", "a"), ready);
    let b = metrics.show(&key("ns", "b"), installed("1.3", ObjectState::Stalled));
    let _c = metrics.show(&key("other", "a"), installed("1.3", ObjectState::Paused));
    assert_eq!(
        lines(&metrics, "installation"),
        [
            r#"installation_info{version="1.2",namespace="ns",name="a"} 1"#,
            r#"installation_info{version="1.3",namespace="ns",name="b"} 1"#,
            r#"installation_info{version="1.3",namespace="other",name="a"} 1"#,
            r#"installation_ready{namespace="ns",name="a"} 1"#,
            r#"installation_ready{namespace="ns",name="b"} 0"#,
            r#"installation_certificate_expiry_timestamp_seconds{namespace="ns",name="a"} 300"#,
            "installations_omitted 0",
        ]
    );
    b.update(installed("1.4", ObjectState::Ready));
    drop(a);
    assert_eq!(
        lines(&metrics, "installation"),
        [
            r#"installation_info{version="1.4",namespace="ns",name="b"} 1"#,
            r#"installation_info{version="1.3",namespace="other",name="a"} 1"#,
            r#"installation_ready{namespace="ns",name="b"} 1"#,
            "installations_omitted 0",
        ]
    );
}

#[test]
fn at_most_a_thousand_installations_have_series_and_the_others_are_counted() {
    let metrics = metrics();
    let show = |number: usize| {
        let key = ObjectKey::new("g", "Stack", "ns", &format!("s{number:04}"));
        metrics.show(&key, installed("1", ObjectState::Ready))
    };
    let mut shown: Vec<_> = (0..1003).map(show).collect();
    let ready = || lines(&metrics, "installation_ready");
    let last = |name: &str| Some(format!(r#"installation_ready{{namespace="ns",name="{name}"}} 1"#));
    assert_eq!((ready().len(), ready().pop()), (1000, last("s0999")));
    assert_eq!(lines(&metrics, "installations_omitted"), ["installations_omitted 3"]);
    shown.remove(0);
    assert_eq!((ready().len(), ready().pop()), (1000, last("s1000")));
    assert_eq!(lines(&metrics, "installations_omitted"), ["installations_omitted 2"]);
}

#[test]
fn only_changes_of_leadership_are_counted() {
    let metrics = metrics();
    for leads in [false, true, true, false, true] {
        metrics.leading(leads);
    }
    assert_eq!(lines(&metrics, "leader"), ["leader 1", "leader_transitions_total 3"]);
}

#[test]
fn metrics_of_the_process_have_their_usual_names() {
    let text = metrics().text(Format::OpenMetrics);
    let value = |name: &str| {
        let line = text.lines().find(|line| line.starts_with(&format!("{name} ")));
        line.and_then(|line| line.rsplit(' ').next()?.parse::<f64>().ok())
    };
    assert!(value("process_resident_memory_bytes").unwrap() > 1_000_000.0);
    assert!(value("process_open_fds").unwrap() >= 3.0);
    assert!(value("process_cpu_seconds_total").is_some());
}

#[test]
fn nothing_is_registered_twice_and_the_text_is_complete() {
    let text = metrics().text(Format::OpenMetrics);
    let mut types: Vec<_> = text.lines().filter(|line| line.starts_with("# TYPE ")).collect();
    let all = types.len();
    types.dedup();
    assert_eq!(types.len(), all);
    assert!(text.ends_with("# EOF\n"), "{text}");
}

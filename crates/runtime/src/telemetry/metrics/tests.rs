use super::*;
use jiff::Timestamp;
use plan::Class;
use std::time::Duration;

fn metrics() -> Metrics {
    Metrics::new(Build { version: "1.2.3".into(), commit: "abc".into(), harbor: "2.5 to 2.15".into() })
}

/// Those lines that begin with this, the prefix taken off.
fn lines(metrics: &Metrics, begin: &str) -> Vec<String> {
    let text = metrics.text(Format::OpenMetrics);
    let begin = format!("{PREFIX}_{begin}");
    text.lines().filter(|line| line.starts_with(&begin)).map(|line| line[PREFIX.len() + 1..].into()).collect()
}

#[test]
fn what_runs_is_told() {
    assert_eq!(
        lines(&metrics(), "build"),
        [r#"build_info{version="1.2.3",commit="abc",harbor="2.5 to 2.15"} 1"#]
    );
}

#[test]
fn an_object_is_counted_in_one_state_and_in_none_once_it_is_forgotten() {
    let metrics = metrics();
    let reconciles = metrics.reconciles("Core");
    let objects =
        || lines(&metrics, "objects").into_iter().filter(|line| !line.ends_with(" 0")).collect::<Vec<_>>();
    let mut counted = reconciles.count(ObjectState::Progressing);
    assert_eq!(objects(), [r#"objects{kind="Core",state="Progressing"} 1"#]);
    // The old state is let go of after the new one is known, as a session does it.
    counted = reconciles.count(ObjectState::Ready).or(counted);
    assert_eq!(objects(), [r#"objects{kind="Core",state="Ready"} 1"#]);
    drop(counted);
    assert_eq!(objects(), Vec::<String>::new());
}

#[test]
fn errors_have_a_class_and_the_word_that_conditions_have() {
    let metrics = metrics();
    metrics.reconciles("Core").failed(Class::Forbidden, "Forbidden");
    metrics.reconciles("Core").failed(Class::Forbidden, "Forbidden");
    assert_eq!(
        lines(&metrics, "errors"),
        [r#"errors_total{kind="Core",class="forbidden",reason="Forbidden"} 2"#]
    );
}

#[tokio::test(start_paused = true)]
async fn the_queues_of_all_scopes_are_told_together_and_age_without_anybody_touching_them() {
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
fn the_first_certificate_to_expire_is_told_by_issuer_until_it_is_gone() {
    let metrics = metrics();
    let at = |second| Timestamp::from_second(second).unwrap();
    let later = metrics.track(Issuer::Operator, at(200));
    let first = [metrics.track(Issuer::Operator, at(100)), metrics.track(Issuer::Operator, at(100))];
    let _other = metrics.track(Issuer::CertManager, at(50));
    let told = || lines(&metrics, "certificate");
    let of = |issuer: &str, second| {
        format!(r#"certificate_expiry_timestamp_seconds{{issuer="{issuer}"}} {second}"#)
    };
    assert_eq!(told(), [of("Operator", 100), of("CertManager", 50)]);
    drop(first);
    assert_eq!(told(), [of("Operator", 200), of("CertManager", 50)]);
    assert_eq!(later.expires(), at(200));
    drop(later);
    assert_eq!(told(), [of("CertManager", 50)]);
}

#[test]
fn only_changes_of_the_leader_are_counted() {
    let metrics = metrics();
    for leads in [false, true, true, false, true] {
        metrics.leading(leads);
    }
    assert_eq!(lines(&metrics, "leader"), ["leader 1", "leader_transitions_total 3"]);
}

#[test]
fn the_process_is_told_under_the_names_everybody_uses() {
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

//! The pure part.

use super::*;
use crate::{LogInstance, LogKey, Mark, Named, Observed, Owned, Standing, Workload};
use k8s_openapi::api::apps::v1::{Deployment, ReplicaSet};
use plan::ObjectKey;
use progress::Tally;

fn key() -> ObjectKey {
    ObjectKey::of::<Deployment>("ns", "core")
}

fn core(standing: Standing) -> Workload {
    Workload {
        object: Named { key: key(), uid: None },
        standing,
        tally: Some(Tally { ready: 1, all: 2 }),
        labels: [("app".to_owned(), "core".to_owned())].into(),
        revision: Some("2".into()),
    }
}

fn observed(standing: Standing, all: &[Value]) -> Observed {
    Observed { workloads: vec![core(standing)], pods: pods(all), ..Observed::default() }
}

/// The lines about the Deployment, indented, with a sign for what they are.
fn lines(observed: &Observed) -> Vec<String> {
    let report = observed.fold(now());
    let lines = report.about(&key()).unwrap().lines(now());
    let sign = |mark| match mark {
        Mark::Ready => "+ ",
        Mark::Waiting => "~ ",
        Mark::Failed => "! ",
        Mark::Fact => "",
        Mark::Quote => "> ",
    };
    lines.iter().map(|line| format!("{}{}{}", "  ".repeat(line.depth), sign(line.mark), line.text)).collect()
}

fn log_key(pod: &str, instance: LogInstance) -> LogKey {
    LogKey { namespace: "ns".into(), pod: pod.into(), container: "core".into(), instance }
}

#[test]
fn of_a_workload_that_is_ready_nothing_is_said_and_no_log_is_wanted() {
    let observed = observed(Standing::Ready, &[pod("a", "1", running()), pod("a", "2", crashing())]);
    assert_eq!(observed.wanted_logs(now()), [].into());
    let report = observed.fold(now());
    assert_eq!(report.tally(|it| *it == key()), Some(Tally { ready: 1, all: 2 }));
    assert_eq!(report.about(&key()).unwrap().pods.len(), 2);
    let well = super::fold::observed(Standing::Ready, &[pod("a", "1", running())]);
    assert_eq!(lines(&well), [""; 0]);
}

#[test]
fn a_container_that_was_restarted_recently_is_mentioned_also_if_it_is_ready_again() {
    let mut again = running();
    again["restartCount"] = 2.into();
    again["lastState"]["terminated"] =
        json!({"exitCode": 137, "reason": "OOMKilled", "finishedAt": SECONDS_AGO});
    let expected = [
        "+ Pod core-a-1  ready, 2 restarts",
        "  container core: ended with exit code 137 (OOMKilled) 12s ago",
    ];
    assert_eq!(lines(&observed(Standing::Ready, &[pod("a", "1", again.clone())])), expected);
    again["lastState"]["terminated"]["finishedAt"] = HOURS_AGO.into();
    assert_eq!(lines(&observed(Standing::Ready, &[pod("a", "1", again)])), [""; 0]);
}

#[test]
fn an_image_that_cannot_be_pulled_is_named_and_there_is_no_log_to_read() {
    let mut waiting = pod("a", "1", unpulled());
    waiting["status"]["phase"] = "Pending".into();
    let observed = Observed {
        events: events(&[
            warning("Pod", "core-a-1", "Failed", "Error: ImagePullBackOff", SECONDS_AGO),
            warning("Pod", "core-a-1", "Old", "long ago", HOURS_AGO),
            warning("Pod", "another", "Failed", "not ours", SECONDS_AGO),
        ]),
        ..observed(Standing::Unready, &[waiting])
    };
    assert_eq!(observed.wanted_logs(now()), [].into());
    assert_eq!(
        lines(&observed),
        [
            "! Pod core-a-1  ImagePullBackOff",
            "  container core: ImagePullBackOff: Back-off pulling image \"core:1\": ErrImagePull: not found",
            "  Failed (12s ago, 3 times): Error: ImagePullBackOff",
        ]
    );
}

#[test]
fn a_container_that_crashes_again_and_again_is_shown_with_its_last_words_masked_and_harmless() {
    let mut observed = observed(Standing::Unready, &[pod("a", "1", crashing())]);
    let key = log_key("core-a-1", LogInstance::Previous);
    assert_eq!(observed.wanted_logs(now()), [key.clone()].into());
    let log = "one\ntwo\n\u{1b}[31mthree\u{1b}[0m\n\nfour password=hunter2\nfive redis://:hunter2@redis:6379/1\n\
               \u{1b}]0;x\u{7}\u{1b}[2J<b>panic</b>: no database\u{202e}\n";
    observed.logs.insert(key, Ok(log.into()));
    let shown = lines(&observed);
    assert_eq!(
        shown,
        [
            "! Pod core-a-1  CrashLoopBackOff, 7 restarts",
            "  container core: CrashLoopBackOff; ended with exit code 1 (Error) 12s ago",
            "    > two",
            "    > three",
            "    > four password=(hidden)",
            "    > five redis://:(hidden)@redis:6379/1",
            "    > <b>panic</b>: no database",
        ]
    );
    let report = observed.fold(now());
    let summary = report.about(&super::fold::key()).unwrap().pods[0].summary();
    assert_eq!(summary, "Pod core-a-1  CrashLoopBackOff, 7 restarts: <b>panic</b>: no database");
}

#[test]
fn a_log_that_cannot_be_read_says_why() {
    let mut observed = observed(Standing::Unready, &[pod("a", "1", crashing())]);
    let problem = "dial tcp 10.0.0.1:10250: i/o timeout".to_owned();
    observed.logs.insert(log_key("core-a-1", LogInstance::Previous), Err(problem));
    assert_eq!(
        lines(&observed).last().unwrap(),
        "    its log cannot be read: dial tcp 10.0.0.1:10250: i/o timeout"
    );
}

#[test]
fn words_that_the_kubelet_has_copied_into_the_status_are_not_read_again() {
    let mut status = crashing();
    status["lastState"]["terminated"]["message"] = "no\ndatabase\n".into();
    let mut pod = pod("a", "1", status);
    assert_eq!(observed(Standing::Unready, &[pod.clone()]).wanted_logs(now()).len(), 1, "they are no log");
    pod["spec"]["containers"][0]["terminationMessagePolicy"] = "FallbackToLogsOnError".into();
    let observed = observed(Standing::Unready, &[pod]);
    assert_eq!(observed.wanted_logs(now()), [].into());
    assert_eq!(lines(&observed)[2..], ["    > no", "    > database"]);
}

#[test]
fn a_container_that_runs_and_is_not_ready_is_read_as_it_runs_unless_it_has_just_started_again() {
    let unready = |started: &str| {
        let mut status = container(json!({"running": {"startedAt": started}}), 1);
        status["ready"] = false.into();
        status["lastState"]["terminated"] = json!({"exitCode": 2, "finishedAt": HOURS_AGO});
        observed(Standing::Unready, &[pod("a", "1", status)])
    };
    assert_eq!(unready(HOURS_AGO).wanted_logs(now()), [log_key("core-a-1", LogInstance::Current)].into());
    assert_eq!(unready(SECONDS_AGO).wanted_logs(now()), [log_key("core-a-1", LogInstance::Previous)].into());
    assert_eq!(
        lines(&unready(HOURS_AGO)),
        [
            "~ Pod core-a-1  not ready, 1 restart",
            "  container core: runs and is not ready; ended with exit code 2 4h ago"
        ]
    );
}

#[test]
fn pods_of_an_older_template_are_left_out_once_the_replica_sets_are_known() {
    let both = [pod("old", "1", running()), pod("new", "1", unpulled())];
    let mut observed = observed(Standing::Unready, &both);
    let names = |observed: &Observed| {
        let report = observed.fold(now());
        report.about(&key()).unwrap().pods.iter().map(|pod| pod.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(names(&observed), ["core-new-1", "core-old-1"], "those that fail come first");
    let set = |hash: &str, revision: &str| {
        json!({"metadata": {
            "name": format!("core-{hash}"), "namespace": "ns", "uid": format!("core-{hash}"),
            "annotations": {"deployment.kubernetes.io/revision": revision},
            "ownerReferences": [
                {"apiVersion": "apps/v1", "kind": "Deployment", "name": "core", "uid": "1", "controller": true},
            ],
        }})
    };
    let sets = [set("old", "1"), set("new", "2")];
    let sets = sets.map(|set| serde_json::from_value::<ReplicaSet>(set).unwrap());
    observed.owners.extend(sets.iter().map(|set| Owned::of::<ReplicaSet>(&set.metadata)));
    assert_eq!(names(&observed), ["core-new-1"]);

    observed.pods.clear();
    let refused = "pods \"core-new-\" is forbidden: exceeded quota";
    observed.events = events(&[warning("ReplicaSet", "core-new", "FailedCreate", refused, SECONDS_AGO)]);
    assert_eq!(
        lines(&observed),
        [format!("FailedCreate (12s ago, 3 times): {refused}")],
        "there is no pod to blame"
    );
}

#[test]
fn of_many_pods_that_fail_some_are_described_and_each_container_is_read_once() {
    let mut all: Vec<_> = (1..=5).map(|number| pod("a", &number.to_string(), crashing())).collect();
    let mut sidecars = all[0].clone();
    for name in ["x", "y"] {
        let mut sidecar = crashing();
        sidecar["name"] = name.into();
        sidecars["status"]["containerStatuses"].as_array_mut().unwrap().push(sidecar);
    }
    all[0] = sidecars;
    let observed = observed(Standing::Unready, &all);
    let wanted: Vec<_> =
        observed.wanted_logs(now()).into_iter().map(|key| (key.pod, key.container)).collect();
    let key = |container: &str| ("core-a-1".to_owned(), container.to_owned());
    assert_eq!(wanted, [key("core"), key("x")]);
    let shown = lines(&observed);
    assert_eq!(shown.iter().filter(|line| line.starts_with("! Pod")).count(), 3);
    assert_eq!(shown.last().unwrap(), "and 2 more pods that are not ready");
}

#[test]
fn a_pod_without_a_node_says_why() {
    let mut pod = pod("a", "1", running());
    pod["status"] = json!({"phase": "Pending", "conditions": [
        {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/3 nodes are available"},
    ]});
    assert_eq!(
        lines(&observed(Standing::Unready, &[pod])),
        ["! Pod core-a-1  Unschedulable", "  0/3 nodes are available"]
    );
}

#[test]
fn programs_get_all_pods_with_whole_times() {
    let mut observed = observed(Standing::Unready, &[pod("a", "1", crashing())]);
    observed.logs.insert(log_key("core-a-1", LogInstance::Previous), Ok("no database\n".into()));
    observed.events = events(&[warning("Pod", "core-a-1", "BackOff", "Back-off restarting", SECONDS_AGO)]);
    assert_eq!(
        serde_json::to_value(observed.fold(now()).about(&key()).unwrap()).unwrap(),
        json!({"pods": [{
            "name": "core-a-1", "state": "CrashLoopBackOff", "containersReady": 0, "containersWanted": 1,
            "restarts": 7,
            "containers": [{
                "name": "core", "state": "CrashLoopBackOff", "restarts": 7,
                "lastEnd": {"exitCode": 1, "reason": "Error", "at": SECONDS_AGO},
                "log": ["no database"],
            }],
            "events": [{
                "reason": "BackOff", "message": "Back-off restarting", "count": 3, "lastSeen": SECONDS_AGO,
            }],
        }]})
    );
}

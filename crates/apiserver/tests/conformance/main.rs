//! The in-memory API answers scripted scenarios as a real kube-apiserver does.
//!
//! `scenarios/NAME.yaml` has the requests, `transcripts/NAME.yaml` the answers of a current kube-apiserver, and
//! `differences.yaml` the answers of an older one or of the in-memory server that differ, with the reasons.
//! `UPDATE_GOLDEN=real` records the transcripts from the real server in `KUBEBUILDER_ASSETS`. `CONFORMANCE_OUT` names
//! a folder for the transcripts of a run, to be compared.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod difference;
mod managed_fields;
mod normal;
mod play;
mod scenario;
mod template;
mod transcript;
mod watching;

use difference::{Listed, Server, differences, problems};
use envtest::{AssetsError, ControlPlane, StartError};
use kube::Client;
use play::TestServer;
use scenario::{Scenario, Version};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{env, fs};
use transcript::Transcript;

macro_rules! scenarios {
    ($($name:ident),* $(,)?) => {
        const SCENARIOS: &[&str] = &[$(stringify!($name)),*];

        mod memory {
            $(
                #[tokio::test]
                async fn $name() {
                    super::plays_in_memory(stringify!($name)).await;
                }
            )*
        }

        mod real {
            $(
                #[tokio::test]
                async fn $name() {
                    super::plays_on_a_real_server(stringify!($name)).await;
                }
            )*
        }
    };
}

scenarios! {
    access,
    apply,
    apply_and_update,
    apply_emptied,
    apply_lists,
    bad_requests,
    basics,
    crd_apply,
    crd_definitions,
    crd_lifecycle,
    crd_rules,
    crd_scale,
    crd_schemas,
    crd_storage,
    crd_versions,
    defaults,
    delete_options,
    discovery,
    dry_run,
    events,
    field_validation,
    finalizers,
    garbage_collection,
    generated_names,
    generations,
    immutable_fields,
    json_patch,
    kept_values,
    leases,
    merge_patch,
    names_and_labels,
    namespaces,
    no_op_writes,
    paging,
    partial_metadata,
    resource_versions,
    scale_subresource,
    secrets_and_config_maps,
    selectors,
    services,
    status_subresource,
    strategic_merge_patch,
    tables,
    tokens,
    updates,
    validation,
    watch_initial_events,
    watch_selectors,
    watches,
}

#[test]
fn every_file_belongs_to_a_scenario() {
    let listed: BTreeSet<String> = SCENARIOS.iter().map(|&name| name.to_owned()).collect();
    for folder in ["scenarios", "transcripts"] {
        let files: BTreeSet<String> = fs::read_dir(folder_of(folder))
            .unwrap()
            .map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
            .collect();
        assert_eq!(files, listed, "{folder}");
    }
    for difference in listed_differences() {
        for (scenario, step, _) in &difference.places {
            let steps = scenario_of(scenario).steps;
            assert!(steps.iter().any(|taken| taken.step == *step), "differences.yaml: {scenario}: {step}");
        }
    }
}

async fn plays_in_memory(name: &str) {
    let plane = ControlPlane::with_controller_manager().in_memory().start().await.unwrap();
    plays_as_recorded(name, Server::Memory, plane).await;
}

async fn plays_on_a_real_server(name: &str) {
    let plane = match ControlPlane::with_controller_manager().real().shared().await {
        Err(StartError::Assets(AssetsError::NotFound(_))) => {
            eprintln!("skipped: there is no real server here; hack/kube-assets installs one");
            return;
        }
        plane => plane.unwrap(),
    };
    plays_as_recorded(name, Server::Real, plane).await;
}

async fn plays_as_recorded(name: &str, server: Server, plane: ControlPlane) {
    let namespace = plane.create_namespace("conformance").await.unwrap();
    let version = Version(plane.version().major, plane.version().minor);
    let mut config = plane.config();
    // A retried request would hide the answer.
    config.default_retry = false;
    let test_server = TestServer { client: Client::try_from(config).unwrap(), version, namespace };
    let answered = test_server.play(&scenario_of(name)).await;
    if server == Server::Real && env::var("UPDATE_GOLDEN").is_ok_and(|server| server == "real") {
        fs::write(transcript_file(name), answered.to_yaml()).unwrap();
        return;
    }
    if let Ok(folder) = env::var("CONFORMANCE_OUT") {
        fs::write(Path::new(&folder).join(name).with_extension("yaml"), answered.to_yaml()).unwrap();
    }
    let recorded = Transcript::from_yaml(&read(&transcript_file(name)));
    let found = differences(&recorded, &answered);
    let problems = problems(name, (server, version), &found, &listed_differences(), &answered);
    assert!(problems.is_empty(), "{server:?} {version} answers {name} differently:\n{problems}");
}

fn scenario_of(name: &str) -> Scenario {
    Scenario::parse(name, read(&folder_of("scenarios").join(name).with_extension("yaml")))
}

fn transcript_file(name: &str) -> PathBuf {
    folder_of("transcripts").join(name).with_extension("yaml")
}

fn listed_differences() -> Vec<Listed> {
    serde_saphyr::from_str(&read(&folder_of("differences.yaml"))).unwrap()
}

fn folder_of(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance").join(name)
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

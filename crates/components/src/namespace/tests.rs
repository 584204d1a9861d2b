//! What annotations of a Namespace ask for, and what is wrong with them.

use super::{
    Namespace,
    request::{Access, Password, Project, Request},
};
use crate::cases::Case;
use k8s_openapi::api::core::v1;
use plan::Component as _;
use serde_json::{Value, json};

fn namespace(annotations: &Value) -> v1::Namespace {
    serde_json::from_value(json!({"metadata": {"name": "team", "annotations": annotations}})).unwrap()
}

fn mistakes(annotations: &Value) -> Vec<String> {
    let error = Request::of(&namespace(annotations)).unwrap_err().to_string();
    error.split("metadata.annotations").skip(1).map(|it| it.trim_end_matches(", ").to_owned()).collect()
}

#[test]
fn a_namespace_without_a_project_wants_nothing() {
    for annotations in [json!({}), json!({"goharbor.io/harbor": "main"}), json!({"goharbor.io/project": ""})]
    {
        let case = Case::<Namespace> {
            owner: namespace(&annotations),
            inputs: Vec::new(),
            without: Vec::new(),
            defaults: plan::Defaults::default(),
        };
        assert!(!Namespace::has_work(&case.owner), "{annotations}");
        let plan = case.plan().unwrap();
        assert_eq!((plan.graph.iter().count(), plan.reads), (0, [].into()), "{annotations}");
    }
}

#[test]
fn annotations_have_defaults() {
    let owner = namespace(&json!({"goharbor.io/project": "*", "goharbor.io/harbor": ""}));
    let project = Project::Own { access: Access::Pull };
    let expected = Request { harbor: None, service_account: "default", project };
    assert_eq!(Request::of(&owner), Ok(expected));
}

#[test]
fn every_annotation_has_an_effect() {
    let owner = namespace(&json!({
        "goharbor.io/project": "alpha", "goharbor.io/robot": "17", "goharbor.io/robot-password-secret": "robot",
        "goharbor.io/harbor": "main", "goharbor.io/service-account": "builder",
    }));
    let password = Password::Stored("robot");
    let project = Project::Named { name: "alpha", robot: "17", password };
    let expected = Request { harbor: Some("main"), service_account: "builder", project };
    assert_eq!(Request::of(&owner), Ok(expected));

    let owner = namespace(&json!({"goharbor.io/project": "*", "goharbor.io/robot-access": "push"}));
    assert_eq!(Request::of(&owner).unwrap().project, Project::Own { access: Access::PullAndPush });
}

#[test]
fn all_mistakes_are_reported_together_with_remedies() {
    let annotations = json!({
        "goharbor.io/project": "Alpha", "goharbor.io/robot": "seven", "goharbor.io/rotate-robot": "true",
        "goharbor.io/harbor": "../main", "goharbor.io/robot-access": "push",
    });
    assert_eq!(
        mistakes(&annotations),
        [
            "[goharbor.io/harbor]: \"../main\" is no name of an object; use at most 253 lower-case letters, digits, dashes and \
             dots, with letters or digits at both ends",
            "[goharbor.io/project]: \"Alpha\" is no name of a project; write the name of a project in Harbor, or * for one of the \
             namespace's own",
            "[goharbor.io/robot]: \"seven\" is no id; write the id of a robot account of the project, from the answer to GET \
             /robots",
            "[goharbor.io/robot-access]: is for robot accounts that the operator creates, and this one exists; remove it",
        ]
    );
}

#[test]
fn a_robot_account_that_exists_needs_a_password_from_one_place() {
    let with = |changes: Value| {
        let mut annotations = json!({"goharbor.io/project": "alpha", "goharbor.io/robot": "17"});
        json_patch::merge(&mut annotations, &changes);
        annotations
    };
    let renewed = with(json!({"goharbor.io/rotate-robot": "true"}));
    let project = Project::Named { name: "alpha", robot: "17", password: Password::Renewed };
    assert_eq!(Request::of(&namespace(&renewed)).unwrap().project, project);
    let unknown = mistakes(&with(json!({"goharbor.io/rotate-robot": "yes"})));
    assert!(
        unknown[0].starts_with("[goharbor.io/robot-password-secret]: is not set, and Harbor"),
        "{unknown:?}"
    );
    let both = json!({"goharbor.io/rotate-robot": "true", "goharbor.io/robot-password-secret": "robot"});
    let both = mistakes(&with(both));
    assert!(both[0].starts_with("[goharbor.io/rotate-robot]: is set beside"), "{both:?}");
}

#[test]
fn a_project_of_its_own_has_a_robot_account_of_its_own() {
    let annotations = json!({"goharbor.io/project": "*", "goharbor.io/robot": "17"});
    assert_eq!(
        mistakes(&annotations),
        [
            "[goharbor.io/robot]: is for a project that exists, and the operator creates one with a robot account; remove it"
        ]
    );
}

#[test]
fn without_a_default_the_harbor_must_be_named() {
    let case =
        Case::<Namespace>::golden("own-project").set("/metadata/annotations/goharbor.io~1harbor", "".into());
    let error = case.error();
    assert!(
        error.starts_with("metadata.annotations[goharbor.io/harbor]: is not set, and there is no default"),
        "{error}"
    );
}

#[test]
fn a_harbor_that_is_not_open_to_the_namespace_and_a_project_that_is_not_allowed_are_refused() {
    let case = Case::<Namespace>::golden("named-project");
    let closed = case.set("/metadata/labels", json!({}));
    let error = closed.error();
    assert!(error.contains("HarborServerConfiguration main is not open to namespace team"), "{error}");
    let case = Case::<Namespace>::golden("named-project").annotated("goharbor.io/project", "library");
    let error = case.error();
    assert!(
        error.starts_with("metadata.annotations[goharbor.io/project]: HarborServerConfiguration main allows"),
        "{error}"
    );
}

/// The same Namespace with a child in a Harbor.
fn with_project(case: Case<Namespace>, harbor: &str, labels: &Value) -> Case<Namespace> {
    let mut case = case;
    case.inputs.push(json!({
        "apiVersion": "goharbor.io/v1beta1", "kind": "HarborProject",
        "metadata": {"name": "4k8s", "namespace": "team", "labels": labels},
        "spec": {"harborServerConfig": harbor, "projectName": "earlier"},
    }));
    case
}

#[test]
fn a_project_keeps_its_name_when_the_template_changes_and_another_harbor_waits_until_the_children_are_gone() {
    let ours = json!({"goharbor.io/made-for": "namespace"});
    let own = || Case::<Namespace>::golden("own-project");
    let kept = with_project(own(), "main", &ours);
    assert_eq!(kept.child("HarborProject")["spec"]["projectName"], "earlier");
    assert_eq!(with_project(own(), "other", &ours).children(), Vec::<Value>::new());
    let of_user = with_project(own(), "other", &json!({}));
    assert_eq!(
        of_user.child("HarborProject")["spec"]["projectName"],
        "team",
        "the API server's answer says why not"
    );
}

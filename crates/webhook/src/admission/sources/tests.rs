use super::{Rewriting, Sources};
use crate::admission::{
    Reason,
    fixture::{server, sources},
};
use serde_json::json;

/// The images after rewriting, in namespace `team`.
fn rewritten(sources: &Sources, images: &[&str]) -> Vec<String> {
    let Rewriting::On(chain) = sources.rewriting("team") else { return vec!["off".into()] };
    let rewrite = |image: &&str| chain.rewrite(image).unwrap().map_or((*image).into(), |new| new.to_string());
    images.iter().map(rewrite).collect()
}

fn problems(sources: &Sources) -> Vec<String> {
    sources.problems().iter().map(ToString::to_string).collect()
}

#[test]
fn rules_of_the_config_map_come_before_those_of_its_harbor_and_of_the_default() {
    let config_map = json!({ "hsc": "mine", "rewriting": "on", "rules": "- docker.io=>first" });
    let servers = [
        server("mine", json!({ "rules": ["docker.io=>second", "quay.io=>second"] })),
        server("main", json!({ "default": true, "rules": ["quay.io=>third", "*=>third"] })),
    ];
    let sources = sources(Some(config_map), &servers);
    assert_eq!(
        rewritten(&sources, &["nginx", "quay.io/a/b:1", "ghcr.io/c/d:2"]),
        [
            "mine.example.com/first/library/nginx:latest",
            "mine.example.com/second/a/b:1",
            "main.example.com/third/c/d:2",
        ]
    );
    assert!(problems(&sources).is_empty());
}

#[test]
fn a_star_is_tried_after_the_rules_of_all_objects_and_the_first_star_decides() {
    let config_map = json!({ "hsc": "mine", "rules": "*=>first" });
    let servers = [
        server("mine", json!({ "rules": ["*=>second", "docker.io=>second"] })),
        server("main", json!({ "default": true, "rules": ["quay=>third", "*=>third"] })),
    ];
    let sources = sources(Some(config_map), &servers);
    assert_eq!(
        rewritten(&sources, &["nginx", "quay.io/a/b:1", "ghcr.io/c/d:2"]),
        [
            "mine.example.com/second/library/nginx:latest",
            "main.example.com/third/a/b:1",
            "mine.example.com/first/c/d:2",
        ]
    );
}

#[test]
fn a_namespace_without_a_config_map_has_the_rules_of_the_default() {
    let servers = [
        server("main", json!({ "default": true, "rules": ["docker.io=>hub"] })),
        server("other", json!({ "rules": ["*=>never"] })),
    ];
    assert_eq!(
        rewritten(&sources(None, &servers), &["nginx", "quay.io/a:1"]),
        ["main.example.com/hub/library/nginx:latest", "quay.io/a:1"]
    );
}

#[test]
fn the_oldest_of_several_defaults_is_the_default() {
    let mut young = server("a-young", json!({ "default": true, "rules": ["*=>young"] }));
    young["metadata"]["creationTimestamp"] = "2026-02-01T00:00:00Z".into();
    let old = server("old", json!({ "default": true, "rules": ["*=>old"] }));
    assert_eq!(rewritten(&sources(None, &[young, old]), &["a.b/c:1"]), ["old.example.com/old/c:1"]);
}

#[test]
fn a_default_that_does_not_select_the_namespace_has_no_effect() {
    let selecting = |selector| json!({ "default": true, "namespaceSelector": selector, "rules": ["*=>hub"] });
    for selector in [
        json!({ "matchLabels": { "team": "red" } }),
        json!({ "matchLabels": { "team": "blue", "stage": "test" } }),
        json!({ "matchExpressions": [{ "key": "team", "operator": "DoesNotExist" }] }),
    ] {
        let sources = sources(None, &[server("main", selecting(selector))]);
        assert_eq!(rewritten(&sources, &["a.b/c:1"]), ["a.b/c:1"]);
        assert!(problems(&sources).is_empty());
    }
    for selector in [json!({}), json!({ "matchLabels": { "team": "blue" } })] {
        let sources = sources(None, &[server("main", selecting(selector))]);
        assert_eq!(rewritten(&sources, &["a.b/c:1"]), ["main.example.com/hub/c:1"]);
    }
}

#[test]
fn an_image_on_a_harbor_of_the_rules_is_left_alone() {
    let config_map = json!({ "hsc": "mine", "rules": "*=>proxy" });
    let servers = [
        server("mine", json!({ "serverURL": "https://mine.example.com:8443/harbor" })),
        server("main", json!({ "default": true, "rules": ["*=>proxy"] })),
    ];
    let images = ["mine.example.com:8443/proxy/a:1", "main.example.com/x:1", "MAIN.example.com:443/x:1"];
    let sources = sources(Some(config_map), &servers);
    assert_eq!(rewritten(&sources, &images), images);
    assert_eq!(rewritten(&sources, &["mine.example.com/a:1"]), ["mine.example.com:8443/proxy/a:1"]);
}

#[test]
fn a_config_map_turns_rewriting_off() {
    let servers = [server("main", json!({ "default": true, "rules": ["*=>hub"] }))];
    let sources = sources(Some(json!({ "rewriting": "off", "rules": "wrong" })), &servers);
    assert!(matches!(sources.rewriting("team"), Rewriting::Off(Reason::TurnedOff)));
}

#[test]
fn images_in_namespaces_with_harbors_or_their_parts_are_never_rewritten() {
    let servers = [server("main", json!({ "default": true, "rules": ["*=>hub"] }))];
    let is_exempt =
        |sources: &Sources| matches!(sources.rewriting("team"), Rewriting::Off(Reason::ExcludedNamespace));
    assert!(!is_exempt(&sources(None, &servers)));
    let key = || ("team".to_owned(), "h".to_owned());
    let mut each: [Sources; 4] = std::array::from_fn(|_| sources(None, &servers));
    each[0].harbors.insert(key(), ());
    each[1].clusters.insert(key(), ());
    each[2].cores.insert(key(), ());
    each[3].registries.insert(key(), ());
    for sources in &each {
        assert!(is_exempt(sources));
        assert_eq!(sources.exempt().into_iter().collect::<Vec<_>>(), ["team"]);
    }
    let mut sources = sources(None, &servers);
    sources.excluded.insert("team".into());
    assert!(is_exempt(&sources));
}

#[test]
fn a_wrong_object_ends_the_rules_and_is_named_with_a_remedy() {
    let main = server("main", json!({ "default": true, "rules": ["*=>hub"] }));
    let closed = server(
        "closed",
        json!({ "namespaceSelector": { "matchLabels": { "team": "red" } }, "rules": ["*=>closed"] }),
    );
    for (config_map, problem) in [
        (
            json!({ "hsc": "main", "rules": "docker.io=>a\n\nquay.io" }),
            "ConfigMap team/rules: key `rules`, rule 3: it has no `=>`; write it as `docker.io=>project`",
        ),
        (
            json!({ "hsc": "main", "rewriting": "yes" }),
            "ConfigMap team/rules: key `rewriting` is neither `on` nor `off`; write one of them",
        ),
        (
            json!({ "rules": "docker.io=>a" }),
            "ConfigMap team/rules: key `rules` needs a Harbor; write the name of a HarborServerConfiguration into key \
             `hsc`",
        ),
        (
            json!({ "hsc": "gone" }),
            "ConfigMap team/rules: key `hsc` names HarborServerConfiguration gone, which does not exist; create it",
        ),
        (
            json!({ "hsc": "a\u{7}b" }),
            "ConfigMap team/rules: key `hsc` names HarborServerConfiguration (not a name), which does not exist; create it",
        ),
        (
            json!({ "hsc": "closed" }),
            "ConfigMap team/rules: key `hsc` names HarborServerConfiguration closed, whose namespaceSelector does not \
             match the labels of the namespace; ask its administrator, or name another one",
        ),
        (
            json!({ "unrelated": "" }),
            "Namespace team: annotation `goharbor.io/rewriting-rules` names ConfigMap rules, which does not exist or has \
             none of the keys `hsc`, `rewriting` and `rules`; create it in the namespace",
        ),
    ] {
        let sources = sources(Some(config_map), &[main.clone(), closed.clone()]);
        assert_eq!(rewritten(&sources, &["a.b/c:1"]), ["a.b/c:1"], "{problem}");
        assert_eq!(problems(&sources), [problem]);
    }
}

#[test]
fn a_wrong_default_leaves_the_rules_of_the_config_map_in_force() {
    let servers =
        [server("mine", json!({})), server("main", json!({ "default": true, "rules": ["(=>hub"] }))];
    let sources = sources(Some(json!({ "hsc": "mine", "rules": "docker.io=>hub" })), &servers);
    let images = rewritten(&sources, &["nginx", "a.b/c:1"]);
    assert_eq!(images, ["mine.example.com/hub/library/nginx:latest", "a.b/c:1"]);
    assert_eq!(
        problems(&sources),
        [
            "HarborServerConfiguration main: spec.rules, rule 1: the text before `=>` is not a regular expression; correct \
          it, or write a host name"
        ]
    );
}

//! Command lines about an object, to copy.

use super::Known;
use askama::Template;
use plan::ObjectKey;

/// Kinds whose pods have logs.
const WITH_LOGS: [(&str, &str); 5] =
    [("apps", "Deployment"), ("apps", "StatefulSet"), ("apps", "DaemonSet"), ("batch", "Job"), ("", "Pod")];

/// The section.
#[derive(Template)]
#[template(path = "commands.html")]
pub(super) struct Commands {
    lines: Vec<Line>,
}

/// A command line, and its id in the page.
#[derive(Debug, PartialEq, Eq)]
struct Line {
    id: &'static str,
    purpose: &'static str,
    text: String,
}

impl Commands {
    /// Nothing for an object outside the cluster, which kubectl does not know.
    pub(super) fn of(known: &Known<'_>) -> Option<Self> {
        let key = &known.node().key;
        if key.system().is_some() {
            return None;
        }
        let resource = known.kind.map_or_else(|| key.kind.to_lowercase(), |kind| kind.plural.clone());
        Some(Self { lines: lines(key, &resource, known.status) })
    }
}

fn lines(key: &ObjectKey, resource: &str, status: Option<&str>) -> Vec<Line> {
    let kubectl = match key.namespace.as_str() {
        "" => "kubectl".to_owned(),
        namespace => format!("kubectl -n {}", word(namespace)),
    };
    let resource =
        if key.group.is_empty() { resource.to_owned() } else { format!("{resource}.{}", key.group) };
    let object = word(&format!("{resource}/{}", key.name));
    let line = |id, purpose, text| Line { id, purpose, text };
    let mut lines = Vec::new();
    if let Some(status) = status {
        let name = word(&format!("{}/{}", key.kind.to_lowercase(), key.name));
        lines.push(line("command-status", "Status", format!("{status} {name} -n {}", word(&key.namespace))));
    }
    lines.push(line("command-describe", "Describe", format!("{kubectl} describe {object}")));
    lines.push(line("command-get", "Get", format!("{kubectl} get {object} -o yaml")));
    lines.push(line("command-events", "Events", format!("{kubectl} events --for {object}")));
    if WITH_LOGS.contains(&(&key.group, &key.kind)) {
        lines.push(line(
            "command-logs",
            "Logs",
            format!("{kubectl} logs {object} --all-containers --tail=100"),
        ));
    }
    lines
}

/// A word of a command line, in quotes if the shell would read it as something else.
fn word(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._/:".contains(&byte);
    if text.bytes().all(is_plain) { text.to_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::lines;
    use plan::ObjectKey;

    fn texts(key: &ObjectKey, resource: &str, status: Option<&str>) -> Vec<String> {
        lines(key, resource, status).into_iter().map(|line| line.text).collect()
    }

    #[test]
    fn a_workload_has_logs() {
        let key = ObjectKey::new("apps", "Deployment", "registry", "acme-core");
        assert_eq!(
            texts(&key, "deployments", None),
            [
                "kubectl -n registry describe deployments.apps/acme-core",
                "kubectl -n registry get deployments.apps/acme-core -o yaml",
                "kubectl -n registry events --for deployments.apps/acme-core",
                "kubectl -n registry logs deployments.apps/acme-core --all-containers --tail=100",
            ]
        );
    }

    #[test]
    fn an_object_of_the_whole_cluster_is_named_without_a_namespace() {
        let key = ObjectKey::new("", "Namespace", "", "registry");
        assert_eq!(texts(&key, "namespaces", None)[0], "kubectl describe namespaces/registry");
    }

    #[test]
    fn an_installation_has_the_status_of_the_command_line() {
        let key = ObjectKey::new("goharbor.io", "HarborCluster", "registry", "acme");
        assert_eq!(
            texts(&key, "harborclusters", Some("harbor-operator status"))[0],
            "harbor-operator status harborcluster/acme -n registry"
        );
    }

    #[test]
    fn the_shell_reads_a_hostile_name_as_one_word() {
        let key = ObjectKey::new("", "Secret", "ns", "a'; rm -rf $HOME");
        assert_eq!(texts(&key, "secrets", None)[0], r"kubectl -n ns describe 'secrets/a'\''; rm -rf $HOME'");
    }
}

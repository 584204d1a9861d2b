//! `plan`: the changes that applying a file would cause in a cluster.

mod picture;
mod routes;

use crate::{
    flags::{DefaultsArgs, OPERATORS, Place, Target, class, namespace},
    manifests::{Applier, Object, Purpose, file_names, read_objects, warn_about_unreconciled},
    operator::{drivers, predecessors, reconciled},
    output::{Error, Failure, print_styled, warn},
};
use api::names::CLASS_ANNOTATION;
use clap::Args;
use k8s_openapi::api::core::v1::Secret;
use kube::Client;
use plan::{Class, DigestKey, HarborClass, ObjectKey};
use routes::{Route, Routes, route};
use runtime::{DIGEST_KEY, DryRun, DryRunReport, Options, Remark, RemarkKind, find_digest_key};
use std::{collections::BTreeSet, path::PathBuf, process::ExitCode};

/// The exit code if there are changes.
const CHANGES: u8 = 2;
/// The reason of failures if a system outside the cluster does not answer.
const UNREACHABLE: &str = "ExternalUnreachable";

/// Show what would change in the cluster if a file were applied
///
/// Applies the file and performs the operator's reconcile, both as a dry run: from HarborCluster and Harbor down to
/// Deployments, with the code of the operator. Nothing is written. Also plans objects of the cluster that read a Secret or
/// ConfigMap that the file changes.
///
/// Objects inside a Harbor, such as projects, are compared with that Harbor, so plan has to reach it; see --harbor-url.
///
/// Give the operator's class and defaults here, too, as flags or in the same environment variables.
///
/// Values of Secrets are never shown. Generated values, such as passwords, are unknown before creation.
///
/// Exits with 0 if nothing would change, with 2 if something would, and with 1 on errors. Needs the permissions to read and
/// to write the objects: the API server checks both for dry runs, too.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harbor-operator plan -f harbor.yaml
  harbor-operator plan -f harbor.yaml --namespace registry --context staging
  harbor-operator plan -f examples/in-cluster.yaml --summary
  harbor-operator plan -f team.yaml \\
    --harbor-url acme-harbor-core.registry.svc=http://127.0.0.1:8080
  kubectl get harbor acme -o yaml | sed s/2.14/2.15/ | harbor-operator plan -f -")]
pub struct Plan {
    /// YAML or JSON file with objects, or a directory of such files; - is standard input
    #[arg(short = 'f', long = "file", value_name = "FILE", required = true, num_args = 1..)]
    files: Vec<PathBuf>,

    /// Print the names of objects that would change, without the differences
    #[arg(long)]
    summary: bool,

    /// Field manager to apply the file as
    #[arg(long, value_name = "NAME", default_value = "kubectl")]
    field_manager: String,

    /// Take over fields of other managers, as kubectl apply --server-side --force-conflicts does
    #[arg(long)]
    force_conflicts: bool,

    /// Class of the operator, as for run --class; objects of other classes are ignored [default: none]
    #[arg(long, env = "HARBOR_OPERATOR_CLASS", value_name = "NAME", value_parser = class)]
    class: Option<String>,

    /// The namespace of the operator's Secret harbor-operator-digest-key. Without it, the digests in pod templates cannot
    /// be computed, and the stored digest counts as current
    #[arg(long, env = "HARBOR_OPERATOR_DIGEST_KEY_NAMESPACE", value_name = "NAME", default_value = OPERATORS, value_parser = namespace)]
    digest_key_namespace: String,

    /// Also plan Namespaces with the annotation goharbor.io/project, as an operator with run --bind-namespaces does
    #[arg(long, env = "HARBOR_OPERATOR_BIND_NAMESPACES", value_parser = clap::builder::BoolishValueParser::new())]
    bind_namespaces: bool,

    /// Reach a Harbor at this URL instead of at the host that the operator uses, such as the end of kubectl port-forward; may
    /// be repeated
    #[arg(long, value_name = "HOST=URL", value_parser = route)]
    harbor_url: Vec<Route>,

    #[command(flatten)]
    target: Target,

    #[command(flatten)]
    defaults: DefaultsArgs,
}

impl Plan {
    /// Shows the changes.
    pub fn run(self) -> Result<ExitCode, Failure> {
        // Report errors in files before connecting.
        let objects = read_objects(&self.files)?;
        if objects.is_empty() {
            // The command that should have written it may have failed: this is not the same as no change.
            let remedy = "give a file with an object";
            return Err(Error::input(file_names(&self.files), "contains no object", remedy).into());
        }
        warn_about_unreconciled(&objects);
        let misplaced = objects.iter().filter_map(|object| {
            let (own, wanted) = (&object.key.namespace, self.target.namespace.as_ref()?);
            let problem = || format!("it is in the namespace {own}, not in {wanted}");
            let differs = !own.is_empty() && own != wanted;
            differs.then(|| Error::input(object.place(), problem(), "leave out --namespace, or correct it"))
        });
        Failure::unless_empty(misplaced.collect())?;
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
        let runtime = runtime.map_err(|error| Error::Run(error.to_string()))?;
        runtime.block_on(self.dry_run(objects))
    }

    /// The operator's digest key; without it, the plan is incomplete.
    async fn digest_key(&self, client: &Client) -> Option<DigestKey> {
        let why = match find_digest_key(client, &self.digest_key_namespace).await {
            Ok(Some(key)) => return Some(key),
            Ok(None) => {
                let secret = ObjectKey::of::<Secret>(&self.digest_key_namespace, DIGEST_KEY);
                format!("{secret} does not exist; give the operator's namespace with --digest-key-namespace")
            }
            Err(error) => error.to_string(),
        };
        warn(format_args!(
            "the digests in pod templates cannot be computed, the stored ones count as current: {why}"
        ));
        None
    }

    async fn dry_run(self, objects: Vec<Object>) -> Result<ExitCode, Failure> {
        let Place { client, namespace } = self.target.connect().await?;
        let class = self.class.as_deref().and_then(HarborClass::named);
        let digest_key = self.digest_key(&client).await;
        let routes = Routes::new(self.harbor_url);
        let is_known = digest_key.is_some();
        let options = Options {
            predecessors: predecessors(),
            class: class.clone(),
            defaults: self.defaults.defaults(),
            digest_key: digest_key.unwrap_or(DigestKey::PLACEHOLDER),
            external_drivers: drivers(routes.clone()),
            ..Options::default()
        };
        let dry_run = DryRun::new(client, reconciled(self.bind_namespaces), options);
        let dry_run = if is_known { dry_run } else { dry_run.without_digest_key() };
        let purpose = Purpose::DryRun { namespace, manager: self.field_manager, force: self.force_conflicts };
        let mut applier = Applier::new(dry_run.client(), purpose);
        let (mut namespaces, mut errors) = (BTreeSet::new(), Vec::new());
        for object in objects {
            match applier.apply(object).await {
                Ok(tried) => {
                    let key = tried.key;
                    // A Namespace has its children in itself.
                    let namespace = if self.bind_namespaces { key.home() } else { &key.namespace };
                    if !namespace.is_empty() {
                        namespaces.insert(namespace.to_owned());
                    }
                }
                Err(error) => errors.push(error),
            }
        }
        Failure::unless_empty(errors)?;
        let report = dry_run.run(&namespaces).await;
        let DryRunReport { changes, remarks } = report.map_err(|failure| unread(&failure))?;

        let picture = if self.summary { picture::summary(&changes) } else { picture::whole(&changes) };
        print_styled(&picture)?;
        print_styled(&picture::steps(&remarks))?;
        let advice = if remarks.iter().any(is_unreachable) { routes.advice() } else { Vec::new() };
        let problems = warn_about(remarks, class.as_ref());
        advice.iter().for_each(warn);
        // What is refused changes nothing, whatever the objects before it would have.
        if problems.is_empty() {
            print_styled(&picture::totals(&changes))?;
        }
        let code = if changes.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(CHANGES) };
        Failure::unless_empty(problems).map(|()| code)
    }
}

/// The cluster cannot be read.
fn unread(failure: &plan::Failure) -> Error {
    let remedy = match failure.class {
        Class::Forbidden => "; give that user this permission, or use another user",
        _ => "",
    };
    Error::Inspect(format!("{}{remedy}", failure.message))
}

/// Warns about the remarks, and returns the errors among them.
fn warn_about(remarks: Vec<Remark>, class: Option<&HarborClass>) -> Vec<Error> {
    let (mut problems, mut generated) = (Vec::new(), BTreeSet::new());
    for Remark { owner, kind } in remarks {
        match kind {
            RemarkKind::Paused => warn(format_args!("{owner}: is paused, the operator ignores it")),
            RemarkKind::NewNamespace => warn(format_args!(
                "{owner}: does not exist yet, so nothing can be tried in it; `harbor-operator render` shows what the operator \
                 creates for its annotations"
            )),
            RemarkKind::OfClass(its) => warn(ignored(&owner, its.as_ref(), class)),
            RemarkKind::Failed(failure) if failure.class == Class::Dependency => {
                warn(format_args!("{owner}: would wait: {}", failure.message));
            }
            RemarkKind::Failed(failure) => {
                problems.push(Error::Object { object: owner.to_string(), problem: failure.message });
            }
            RemarkKind::ReadsGenerated(keys) => generated.extend(keys),
            // Shown with the changes.
            RemarkKind::Steps(_) => {}
        }
    }
    if let Some(first) = generated.first() {
        let others = match generated.len() {
            1 => String::new(),
            count => format!(" and {} more", count - 1),
        };
        warn(format_args!(
            "changes that depend on the generated values of {first}{others} are unknown before creation"
        ));
    }
    problems
}

/// Whether the system of an object does not answer.
fn is_unreachable(Remark { kind, .. }: &Remark) -> bool {
    matches!(kind, RemarkKind::Failed(failure) if failure.reason == UNREACHABLE)
}

/// Why the operator ignores an object of another class, and the remedy.
fn ignored(object: &ObjectKey, its: Option<&HarborClass>, ours: Option<&HarborClass>) -> String {
    let (class, remedy) = match its {
        Some(its) => (
            format!("is of class {its}"),
            format!("give --class {its} to see what the operator of that class does"),
        ),
        None => {
            ("has no class".to_owned(), format!("annotate it with {CLASS_ANNOTATION}, or leave out --class"))
        }
    };
    let operator = ours.map_or("without --class".to_owned(), |ours| format!("with --class {ours}"));
    format!("{object}: {class}, so an operator {operator} ignores it; {remedy}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_of_another_class_is_reported_with_its_class_and_the_remedy() {
        let object = ObjectKey::new("goharbor.io", "Harbor", "registry", "acme");
        let message =
            |its, ours| ignored(&object, HarborClass::named(its).as_ref(), HarborClass::named(ours).as_ref());
        assert_eq!(
            message("green", "blue"),
            "Harbor registry/acme: is of class green, so an operator with --class blue ignores it; \
             give --class green to see what the operator of that class does"
        );
        assert_eq!(
            message("green", ""),
            "Harbor registry/acme: is of class green, so an operator without --class ignores it; \
             give --class green to see what the operator of that class does"
        );
        assert_eq!(
            message("", "blue"),
            "Harbor registry/acme: has no class, so an operator with --class blue ignores it; \
             annotate it with goharbor.io/harbor-class, or leave out --class"
        );
    }
}

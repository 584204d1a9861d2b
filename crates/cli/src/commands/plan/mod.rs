//! `plan`: what would change in a cluster if a file were applied.

mod picture;

use crate::{
    flags::{DefaultsArgs, OPERATORS, Place, Target, class, namespace},
    manifests::{Applier, Object, Purpose, read_objects, warn_of_idle},
    operator::predecessors,
    output::{Error, Failure, print_styled, warn},
};
use api::names::CLASS_ANNOTATION;
use clap::Args;
use k8s_openapi::api::core::v1::Secret;
use kube::Client;
use plan::{Class, DigestKey, HarborClass, ObjectKey};
use runtime::{DIGEST_KEY, DryRun, DryRunReport, Options, Remark, RemarkKind, find_digest_key};
use std::{collections::BTreeSet, path::PathBuf, process::ExitCode};

/// What the command exits with when there are changes.
const CHANGES: u8 = 2;

/// Show what would change in the cluster if a file were applied
///
/// Everything in the file is applied as kubectl would, but only as a dry run; then everything the operator would do about
/// it is tried the same way, from HarborCluster and Harbor down to Deployments, by the same code that the operator runs.
/// Nothing is written. Where the file changes Secrets and ConfigMaps, objects of the cluster that read them are looked
/// at, too.
///
/// What the operator was started with, its class and what holds for objects that say nothing, must be given here, too,
/// as flags or in the same environment variables.
///
/// Values of Secrets are never shown. What is made up when it is created, as passwords are, is not known before.
///
/// Exits with 0 if nothing would change, with 2 if something would, and with 1 if something is wrong. Needs permission
/// to read what is read, and to write what would be written: a server checks both for dry runs, too.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harbor-operator plan -f harbor.yaml
  harbor-operator plan -f harbor.yaml --namespace registry --context staging
  harbor-operator plan -f examples/in-cluster.yaml --summary
  kubectl get harbor acme -o yaml | sed s/2.14/2.15/ | harbor-operator plan -f -")]
pub struct Plan {
    /// YAML or JSON file with objects, or a directory of such files; - is standard input
    #[arg(short = 'f', long = "file", value_name = "FILE", required = true, num_args = 1..)]
    files: Vec<PathBuf>,

    /// Name the objects that would change, but not how
    #[arg(long)]
    summary: bool,

    /// Field manager to apply the file as
    #[arg(long, value_name = "NAME", default_value = "kubectl")]
    field_manager: String,

    /// Change fields that others manage, as kubectl apply --server-side --force-conflicts would
    #[arg(long)]
    force_conflicts: bool,

    /// Class of the operator, as given to its --class; what is not of that class, it leaves alone [default: none]
    #[arg(long, env = "HARBOR_OPERATOR_CLASS", value_name = "NAME", value_parser = class)]
    class: Option<String>,

    /// The namespace of the operator's Secret harbor-operator-digest-key. Without permission to read it, a new digest of
    /// what pods use is not shown, and the present one counts as that of what the cluster has
    #[arg(long, env = "HARBOR_OPERATOR_DIGEST_KEY_NAMESPACE", value_name = "NAME", default_value = OPERATORS, value_parser = namespace)]
    digest_key_namespace: String,

    #[command(flatten)]
    target: Target,

    #[command(flatten)]
    defaults: DefaultsArgs,
}

impl Plan {
    /// Shows the changes.
    pub fn run(self) -> Result<ExitCode, Failure> {
        // Mistakes in files are told before anybody is asked.
        let objects = read_objects(&self.files)?;
        if objects.is_empty() {
            // As when what was to write it has failed: not the same as that nothing would change.
            let files: Vec<_> = self.files.iter().map(|file| file.display().to_string()).collect();
            let remedy = "give a file with an object";
            return Err(Error::input(files.join(", "), "holds no object", remedy).into());
        }
        warn_of_idle(&objects);
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

    /// The operator's digest key; without it, much can be told, but not everything.
    async fn digest_key(&self, client: &Client) -> Option<DigestKey> {
        let why = match find_digest_key(client, &self.digest_key_namespace).await {
            Ok(Some(key)) => return Some(key),
            Ok(None) => {
                let secret = ObjectKey::of::<Secret>(&self.digest_key_namespace, DIGEST_KEY);
                format!("{secret} does not exist; give the operator's namespace with --digest-key-namespace")
            }
            Err(error) => error.to_string(),
        };
        warn(format_args!("digests of what pods use are taken to be up to date: {why}"));
        None
    }

    async fn dry_run(self, objects: Vec<Object>) -> Result<ExitCode, Failure> {
        let Place { client, namespace } = self.target.connect().await?;
        let class = self.class.as_deref().and_then(HarborClass::named);
        let digest_key = self.digest_key(&client).await;
        let is_known = digest_key.is_some();
        let options = Options {
            predecessors: predecessors(),
            class: class.clone(),
            defaults: self.defaults.defaults(),
            digest_key: digest_key.unwrap_or(DigestKey::PLACEHOLDER),
            ..Options::default()
        };
        let dry_run = DryRun::new(client, components::all(), options);
        let dry_run = if is_known { dry_run } else { dry_run.without_digest_key() };
        let purpose = Purpose::DryRun { namespace, manager: self.field_manager, force: self.force_conflicts };
        let mut applier = Applier::new(dry_run.client(), purpose);
        let (mut namespaces, mut errors) = (BTreeSet::new(), Vec::new());
        for object in objects {
            match applier.apply(object).await {
                Ok(tried) if tried.key.namespace.is_empty() => {}
                Ok(tried) => _ = namespaces.insert(tried.key.namespace.clone()),
                Err(error) => errors.push(error),
            }
        }
        Failure::unless_empty(errors)?;
        let played = dry_run.run(&namespaces).await;
        let DryRunReport { changes, remarks } = played.map_err(|failure| Error::Look(failure.message))?;

        let picture = if self.summary { picture::summary(&changes) } else { picture::whole(&changes) };
        print_styled(&picture)?;
        let problems = tell(remarks, class.as_ref());
        let code = if changes.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(CHANGES) };
        Failure::unless_empty(problems).map(|()| code)
    }
}

/// Says what else there is to say, and answers what is wrong.
fn tell(remarks: Vec<Remark>, class: Option<&HarborClass>) -> Vec<Error> {
    let (mut problems, mut made_up) = (Vec::new(), BTreeSet::new());
    for Remark { owner, kind } in remarks {
        match kind {
            RemarkKind::Paused => warn(format_args!("{owner}: is paused, nothing is done for it")),
            RemarkKind::OfClass(its) => warn(left_alone(&owner, its.as_ref(), class)),
            RemarkKind::Failed(failure) if failure.class == Class::Dependency => {
                warn(format_args!("{owner}: would wait: {}", failure.message));
            }
            RemarkKind::Failed(failure) => {
                problems.push(Error::Object { object: owner.to_string(), problem: failure.message });
            }
            RemarkKind::ReadsGenerated(keys) => made_up.extend(keys),
        }
    }
    if let Some(first) = made_up.first() {
        let others = match made_up.len() {
            1 => String::new(),
            count => format!(" and of {} more", count - 1),
        };
        warn(format_args!("what depends on the values of {first}{others} is not known before they exist"));
    }
    problems
}

/// Why nothing is done for an object of another class, and what to do about that.
fn left_alone(object: &ObjectKey, its: Option<&HarborClass>, ours: Option<&HarborClass>) -> String {
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
    format!("{object}: {class}, so an operator {operator} leaves it alone; {remedy}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_of_another_class_is_told_with_its_class_and_what_to_do() {
        let object = ObjectKey::new("goharbor.io", "Harbor", "registry", "acme");
        let told = |its, ours| {
            left_alone(&object, HarborClass::named(its).as_ref(), HarborClass::named(ours).as_ref())
        };
        assert_eq!(
            told("green", "blue"),
            "Harbor registry/acme: is of class green, so an operator with --class blue leaves it alone; \
             give --class green to see what the operator of that class does"
        );
        assert_eq!(
            told("green", ""),
            "Harbor registry/acme: is of class green, so an operator without --class leaves it alone; \
             give --class green to see what the operator of that class does"
        );
        assert_eq!(
            told("", "blue"),
            "Harbor registry/acme: has no class, so an operator with --class blue leaves it alone; \
             annotate it with goharbor.io/harbor-class, or leave out --class"
        );
    }
}

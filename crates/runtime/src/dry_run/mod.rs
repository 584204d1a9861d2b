//! Finds out what the operator would do, without changing the cluster.
//!
//! Uses the same code as a reconcile to plan and apply, with a client that writes nothing. Every child counts as
//! ready at once, and an overlay has placeholders for objects that other programs would create.
//!
//! Uses: cluster, apply, external, reconcile, inspect.

mod driver;
mod namespace_run;
mod overlay;
mod placeholders;

use crate::{Inspector, Options, Scope, apply::DigestSource};
use driver::ExternalChanges;
use kube::Client;
use namespace_run::NamespaceRun;
use overlay::Overlay;
use placeholders::PlaceholderEntropy;
use plan::{Change, ComponentKind, HarborClass, ObjectKey, PlannedStep};
use std::{collections::BTreeSet, sync::Arc};

/// A dry run of changes to a cluster.
pub struct DryRun {
    overlay: Arc<Overlay>,
    external: Arc<ExternalChanges>,
    components: Arc<[ComponentKind]>,
    options: Options,
    key_is_known: bool,
}

/// The result of a dry run.
#[derive(Debug)]
pub struct DryRunReport {
    /// Changes of objects, in order.
    pub changes: Vec<Change>,
    /// Other information for the user.
    pub remarks: Vec<Remark>,
}

/// Information for the user about an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// The object.
    pub owner: ObjectKey,
    /// The information.
    pub kind: RemarkKind,
}

/// Information about an object besides its changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RemarkKind {
    /// It is paused: the operator does not reconcile it.
    Paused,
    /// The operator does not reconcile its class. `None` if it has no class.
    OfClass(Option<HarborClass>),
    /// It is a Namespace that does not exist yet, in which nothing can be tried.
    NewNamespace,
    /// Its reconcile would fail, or wait for an object that does not exist.
    Failed(plan::Failure),
    /// What its spec asks for takes these steps; the changes are those of the first.
    Steps(Vec<PlannedStep>),
    /// It reads objects that do not exist yet. Changes that depend on their values are unknown.
    ReadsGenerated(BTreeSet<ObjectKey>),
}

impl DryRun {
    /// Nothing tried yet. Of the `options`, only predecessors, class, defaults, digest key, drivers and clock are used.
    pub fn new(client: Client, components: Vec<ComponentKind>, options: Options) -> Self {
        let external = Arc::<ExternalChanges>::default();
        let options = Options {
            entropy: Arc::new(PlaceholderEntropy::default()),
            external_drivers: external.instead_of(&options.external_drivers),
            observer: None,
            ..options
        };
        let (overlay, components) = (Overlay::new(client), components.into());
        Self { overlay, external, components, options, key_is_known: true }
    }

    /// The same without the digest key of the operator. It assumes that the stored digest of a workload belongs to
    /// the stored inputs, and does not show a new digest.
    #[must_use]
    pub fn without_digest_key(self) -> Self {
        Self { key_is_known: false, ..self }
    }

    /// A client whose writes go to the overlay. [`DryRun::run`] then finds out what the operator would do about them.
    pub fn client(&self) -> Client {
        self.overlay.client()
    }

    /// Finds out what the operator would do about the writes in these namespaces.
    ///
    /// # Errors
    /// When the cluster cannot be read.
    pub async fn run(&self, namespaces: &BTreeSet<String>) -> Result<DryRunReport, plan::Failure> {
        let (mut remarks, mut generated) = (Vec::new(), BTreeSet::new());
        let digest_source = if self.key_is_known {
            DigestSource::Key(&self.options.digest_key)
        } else {
            DigestSource::Unknown { cluster: self.overlay.cluster() }
        };
        for namespace in namespaces {
            let scope = Scope::Namespace(namespace.clone());
            let components = Arc::clone(&self.components);
            let inspector = Inspector::start(self.client(), scope, components, &self.options).await?;
            if let Some(unlisted) = inspector.unlisted().first() {
                return Err(unlisted.failure.clone());
            }
            let mut run = NamespaceRun {
                overlay: &self.overlay,
                inspector: &inspector,
                class: self.options.class.as_ref(),
                digest_source,
                remarks: &mut remarks,
                generated: &mut generated,
            };
            run.run(namespace).await;
        }
        let mut changes = self.overlay.changes();
        for change in &mut changes {
            change.hide_unknown_digest(&generated);
        }
        changes.extend(self.external.take());
        Ok(DryRunReport { changes, remarks })
    }
}

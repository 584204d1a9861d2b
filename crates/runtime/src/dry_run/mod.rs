//! What the operator would do, found out without doing it.
//!
//! The code that plans and applies is that of a reconcile; only its client writes nothing, every child counts as ready at
//! once, and an overlay stands in for what other programs would make.
//!
//! Uses: cluster, apply, external, reconcile, inspect.

mod driver;
mod field_ownership;
mod namespace_run;
mod overlay;
mod placeholders;

use crate::{Inspector, Options, Scope, apply::DigestSource};
use driver::ExternalChanges;
use kube::Client;
use namespace_run::NamespaceRun;
use overlay::Overlay;
use placeholders::PlaceholderEntropy;
use plan::{Change, ComponentKind, HarborClass, ObjectKey};
use std::{collections::BTreeSet, sync::Arc};

/// A dry run of changes to a cluster.
pub struct DryRun {
    overlay: Arc<Overlay>,
    external: Arc<ExternalChanges>,
    components: Arc<[ComponentKind]>,
    options: Options,
    key_is_known: bool,
}

/// What would happen.
#[derive(Debug)]
pub struct DryRunReport {
    /// Changes of objects, in order.
    pub changes: Vec<Change>,
    /// What else a user should know.
    pub remarks: Vec<Remark>,
}

/// Something a user should know about an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// The object.
    pub owner: ObjectKey,
    /// What to know about it.
    pub kind: RemarkKind,
}

/// What to know about an object besides its changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RemarkKind {
    /// It is paused: the operator does nothing for it.
    Paused,
    /// It is of another class than the operator reconciles, or of none.
    OfClass(Option<HarborClass>),
    /// Something would fail, or wait for an object that does not exist.
    Failed(plan::Failure),
    /// It reads objects that do not exist yet; what depends on their values is unknown.
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

    /// The same without the digest key of the operator. Then the digest of a workload's inputs in the cluster is taken to be
    /// that of the inputs as the cluster has them, and a new one is not shown.
    #[must_use]
    pub fn without_digest_key(self) -> Self {
        Self { key_is_known: false, ..self }
    }

    /// A client whose changes are only tried. [`DryRun::run`] then finds out what the operator would do about them.
    pub fn client(&self) -> Client {
        self.overlay.client()
    }

    /// Finds out what the operator would do about what was tried in these namespaces.
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
            change.admit(&generated);
        }
        changes.extend(self.external.take());
        Ok(DryRunReport { changes, remarks })
    }
}

//! The certificates of TLS between components.

use super::{
    INTERNAL, INTERNAL_AUTHORITY, INTERNAL_AUTHORITY_SECRET, Issued, IssuedBy, Issuers, QUARTER, authority,
    authority_certificate, certificate, days, for_services, issued_by, issuer_of, leaf,
};
use crate::{
    harbor::{
        internal_tls,
        part::Part,
        rotation::{Rotation, Trust, Turn},
        validated::Validated,
    },
    pods::Scheme,
};
use api::thirdparty::cert_manager::{Certificate, CertificateSpec, Issuer};
use k8s_openapi::api::core::v1::Secret;
use kube::core::ObjectMeta;
use plan::{Builder, Desired, Issuance, Node, Role, starts_after};

/// Whether components need certificates that the user does not name.
pub(in crate::harbor) fn issues_internal(harbor: &Validated<'_>) -> bool {
    harbor.scheme() == Scheme::Https && !internal_tls::is_given(harbor.installation)
}

/// The first Secret with the authority of all components.
pub(in crate::harbor) fn internal_authority(harbor: &Validated<'_>) -> String {
    harbor.child(INTERNAL_AUTHORITY_SECRET)
}

/// The end of the name of the Secret with the certificate of a part.
pub(in crate::harbor) fn of_part(part: Part, suffix: &str) -> String {
    format!("internal-tls-{}{suffix}", part.name())
}

/// Adds the authority of all components; their certificates come from [`Internal::certificate`].
pub(in crate::harbor) fn internal<'h, 'g>(
    harbor: &'h Validated<'h>,
    issuers: &Issuers,
    rotation: &Rotation,
    graph: &mut Builder<'g>,
) -> Option<Internal<'h, 'g>> {
    if !issues_internal(harbor) {
        return None;
    }
    let by = match issuers.internal {
        IssuedBy::Operator => {
            let (newest, (leaf, trust)) = (rotation.authority()?, rotation.certificates()?);
            // One of the same name could be mistaken for the one before.
            let subject = match newest.number() {
                0 => harbor.name.to_string(),
                number => format!("{}-{number}", harbor.name),
            };
            let issuance = authority(&subject, for_services(harbor, &Part::ALL));
            let made = graph.add::<Secret>(recorded(harbor, newest, issuance), ());
            if let Some((next, trust)) = rotation.next_certificate() {
                let issuance = leaf_of(&harbor.child(Part::Core.name()), trust);
                graph.add::<Secret>(recorded(harbor, next, issuance), made);
            }
            By::Operator { leaf: Box::new(leaf), trust, made }
        }
        IssuedBy::CertManager => {
            let spec = CertificateSpec {
                secret_name: internal_authority(harbor),
                common_name: Some(harbor.name.to_string()),
                ..authority_certificate()
            };
            By::CertManager(issuer_of(harbor, graph, INTERNAL_AUTHORITY, INTERNAL, spec))
        }
    };
    Some(Internal { harbor, by })
}

/// What issues the certificates of all components.
pub(in crate::harbor) struct Internal<'h, 'g> {
    harbor: &'h Validated<'h>,
    by: By<'g>,
}

enum By<'g> {
    CertManager(Node<'g, Issuer>),
    Operator {
        /// What the Secrets record.
        leaf: Box<Turn>,
        trust: Trust,
        /// The newest authority.
        made: Node<'g, Secret>,
    },
}

impl<'g> Internal<'_, 'g> {
    /// Adds the certificate of a component.
    pub fn certificate(&self, graph: &mut Builder<'g>, part: Part) -> Issued<'g> {
        let harbor = self.harbor;
        let host = harbor.child(part.name());
        let secret = harbor.internal_certificate(part);
        match &self.by {
            By::CertManager(issuer) => {
                let spec = CertificateSpec {
                    secret_name: secret,
                    dns_names: vec![host],
                    issuer_ref: issued_by(harbor.child(INTERNAL)),
                    duration: Some(days(QUARTER)),
                    ..CertificateSpec::default()
                };
                let name = harbor.child(&format!("{INTERNAL}-{}", part.name()));
                let certificate = certificate(harbor, name, spec);
                Issued::Certificate(graph.add::<Certificate>(certificate, starts_after(*issuer)))
            }
            By::Operator { leaf, trust, made } => {
                let desired = recorded(harbor, &leaf.clone().of(secret), leaf_of(&host, trust));
                Issued::Secret(graph.add::<Secret>(desired, *made))
            }
        }
    }
}

/// The Secret of a turn, with what it records.
fn recorded(harbor: &Validated<'_>, turn: &Turn, issuance: Issuance) -> Desired {
    let annotations = Some(turn.annotations()).filter(|annotations| !annotations.is_empty());
    let metadata = ObjectMeta { annotations, ..harbor.metadata(turn.secret.as_str()) };
    Desired::issued(Secret { metadata, ..Secret::default() }, issuance)
}

fn leaf_of(host: &str, Trust { signer, also }: &Trust) -> Issuance {
    let role = Role::Leaf { authority: Some(signer.clone()), also_trusted: also.clone() };
    Issuance { role, ..leaf(host, None) }
}

//! Certificates: between components, for tokens, for Notary, and for users where they bring none.
//!
//! cert-manager makes them where it is installed; otherwise the operator does, and renews them. What the operator began
//! it goes on with: were both to write a Secret, it would flap.

mod public;

pub(super) use self::public::{public, public_secret};

use super::{inputs::Inputs, internal_tls, part::Part};
use crate::pods::Scheme;
use api::{
    thirdparty::cert_manager::{
        Certificate, CertificatePrivateKey, CertificateSpec, Issuer, IssuerRef, IssuerSpec,
        PrivateKeyAlgorithm, PrivateKeyEncoding, RotationPolicy,
    },
    v1beta1::ObjectName,
};
use k8s_openapi::api::core::v1::Secret;
use plan::{All, Builder, Deps, Desired, Issuance, Node, PlanError, Role, World, mutation::CONTROLLER_LABEL};

const YEAR: u32 = 365;
const QUARTER: u32 = 90;

/// A certificate on its way, whoever makes it.
#[derive(Clone, Copy)]
pub(super) enum Made<'g> {
    /// By cert-manager.
    Certificate(Node<'g, Certificate>),
    /// By the operator.
    Secret(Node<'g, Secret>),
}

impl<'g> Deps<'g> for Made<'g> {
    fn collect(&self, into: &mut plan::Blockers<'g>) {
        match self {
            Self::Certificate(node) => node.collect(into),
            Self::Secret(node) => node.collect(into),
        }
    }
}

/// Who makes the certificates of one purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Maker {
    CertManager,
    Operator,
}

/// Who makes what: decided before anything is added.
pub(super) struct Makers {
    internal: Maker,
    token: Maker,
    notary: Maker,
}

impl Makers {
    /// Looks at what the cluster serves, and at what was begun.
    pub fn of(harbor: &Inputs<'_>, world: &World<'_>) -> Result<Self, PlanError> {
        let maker = |wanted: Wanted, secret: &str| match wanted {
            Wanted::No => Ok(Maker::Operator),
            Wanted::Yes => {
                let secret = world.read::<Secret>(&harbor.child(secret));
                let (served, secret) = (world.serves::<Certificate>(), secret).all()?;
                let ours = secret.is_some_and(|secret| begun_by_us(&secret));
                Ok(if served && !ours { Maker::CertManager } else { Maker::Operator })
            }
        };
        let issuer = harbor.installation.core.as_ref().and_then(|core| core.token_issuer.as_ref());
        let (internal, token, notary) = (
            maker(Wanted::when(issues_internal(harbor)), INTERNAL_AUTHORITY_SECRET),
            maker(Wanted::when(token_given(harbor).is_none() && issuer.is_some()), TOKEN),
            maker(Wanted::when(harbor.installation.notary.is_some()), NOTARY_AUTHORITY),
        )
            .all()?;
        Ok(Self { internal, token, notary })
    }
}

/// Whether cert-manager is to be asked at all.
#[derive(Clone, Copy)]
enum Wanted {
    Yes,
    No,
}

impl Wanted {
    const fn when(wanted: bool) -> Self {
        if wanted { Self::Yes } else { Self::No }
    }
}

fn begun_by_us(secret: &Secret) -> bool {
    secret.metadata.labels.as_ref().is_some_and(|labels| labels.contains_key(CONTROLLER_LABEL))
}

const INTERNAL_AUTHORITY: &str = "internal-authority";
const INTERNAL_AUTHORITY_SECRET: &str = "internal-tls-authority";
const INTERNAL: &str = "internal";
const TOKEN: &str = "core-tokencert";
const NOTARY_AUTHORITY: &str = "notarysigner-authority";
const NOTARY_SIGNER: &str = "notarysigner-authentication";
const NOTARY_SERVER: &str = "notaryserver-authentication";

fn token_given<'a>(harbor: &Inputs<'a>) -> Option<&'a ObjectName> {
    harbor.installation.core.as_ref()?.token_certificate_ref.as_ref()
}

/// The Secret whose key signs tokens.
pub(super) fn token_secret(harbor: &Inputs<'_>) -> ObjectName {
    token_given(harbor).cloned().unwrap_or_else(|| harbor.child(TOKEN).into())
}

/// The Secret the Notary server proves itself to the signer with.
pub(super) fn notary_server_secret(harbor: &Inputs<'_>) -> ObjectName {
    harbor.child(NOTARY_SERVER).into()
}

/// The Secret the Notary signer proves itself with.
pub(super) fn notary_signer_secret(harbor: &Inputs<'_>) -> ObjectName {
    harbor.child(NOTARY_SIGNER).into()
}

/// Whether components need certificates that nobody brought along.
fn issues_internal(harbor: &Inputs<'_>) -> bool {
    harbor.scheme() == Scheme::Https && !internal_tls::is_given(harbor.installation)
}

/// Adds the authority of all components; their certificates come from [`Internal::certificate`].
pub(super) fn internal<'h, 'g>(
    harbor: &'h Inputs<'h>,
    makers: &Makers,
    graph: &mut Builder<'g>,
) -> Option<Internal<'h, 'g>> {
    if !issues_internal(harbor) {
        return None;
    }
    let secret = harbor.child(INTERNAL_AUTHORITY_SECRET);
    let authority = match makers.internal {
        Maker::Operator => {
            let services = for_services(harbor, &Part::ALL);
            Authority::Secret(secret.clone(), authority(harbor, graph, &secret, &harbor.name, services))
        }
        Maker::CertManager => {
            let spec = CertificateSpec {
                secret_name: secret,
                common_name: Some(harbor.name.to_string()),
                ..authority_certificate()
            };
            Authority::Issuer(issuer_of(harbor, graph, INTERNAL_AUTHORITY, INTERNAL, spec))
        }
    };
    Some(Internal { harbor, authority })
}

/// The authority of all components.
pub(super) struct Internal<'h, 'g> {
    harbor: &'h Inputs<'h>,
    authority: Authority<'g>,
}

enum Authority<'g> {
    Issuer(Node<'g, Issuer>),
    Secret(String, Node<'g, Secret>),
}

impl<'g> Internal<'_, 'g> {
    /// Adds the certificate of a component.
    pub fn certificate(&self, graph: &mut Builder<'g>, part: Part) -> Made<'g> {
        let harbor = self.harbor;
        let host = harbor.child(part.name());
        let secret = harbor.internal_certificate(part);
        match &self.authority {
            Authority::Issuer(issuer) => {
                let spec = CertificateSpec {
                    secret_name: secret,
                    dns_names: vec![host],
                    issuer_ref: issued_by(harbor.child(INTERNAL)),
                    duration: Some(days(QUARTER)),
                    ..CertificateSpec::default()
                };
                let name = harbor.child(&format!("{INTERNAL}-{}", part.name()));
                Made::Certificate(graph.add::<Certificate>(certificate(harbor, name, spec), *issuer))
            }
            Authority::Secret(authority, made) => {
                let issuance = leaf(&host, Some(authority));
                Made::Secret(graph.add::<Secret>(issued(harbor, &secret, issuance), *made))
            }
        }
    }
}

/// Adds the key that signs tokens, unless the user has one. RSA in PKCS#1: with anything else every login fails while
/// Core looks healthy. The key stays when the certificate is renewed: tokens signed before would be refused.
pub(super) fn token<'g>(harbor: &Inputs<'_>, makers: &Makers, graph: &mut Builder<'g>) -> Option<Made<'g>> {
    if token_given(harbor).is_some() {
        return None;
    }
    let name = harbor.child(TOKEN);
    let issuer = harbor.installation.core.as_ref().and_then(|core| core.token_issuer.as_ref());
    Some(match (makers.token, issuer) {
        (Maker::CertManager, Some(issuer)) => {
            let spec = CertificateSpec {
                secret_name: name.clone(),
                common_name: Some(common_name(harbor, &name)),
                issuer_ref: IssuerRef {
                    name: issuer.name.clone(),
                    kind: issuer.kind.clone(),
                    group: issuer.group.clone(),
                },
                duration: Some(days(QUARTER)),
                usages: vec!["signing".into()],
                private_key: Some(CertificatePrivateKey {
                    algorithm: Some(PrivateKeyAlgorithm::Rsa),
                    encoding: Some(PrivateKeyEncoding::Pkcs1),
                    size: Some(4096),
                    rotation_policy: Some(RotationPolicy::Never),
                }),
                ..CertificateSpec::default()
            };
            Made::Certificate(graph.add::<Certificate>(certificate(harbor, name, spec), ()))
        }
        _ => Made::Secret(
            graph.add::<Secret>(issued(harbor, &name, leaf(&common_name(harbor, &name), None)), ()),
        ),
    })
}

/// Adds what Notary's server and signer prove themselves to each other with, in this order.
pub(super) fn notary<'g>(
    harbor: &Inputs<'_>,
    makers: &Makers,
    graph: &mut Builder<'g>,
) -> Option<(Made<'g>, Made<'g>)> {
    harbor.installation.notary.as_ref()?;
    let secret = harbor.child(NOTARY_AUTHORITY);
    let subject = common_name(harbor, &harbor.child("notarysigner-CA"));
    let sides = [(NOTARY_SERVER, Part::NotaryServer), (NOTARY_SIGNER, Part::NotarySigner)];
    let [server, signer] = match makers.notary {
        Maker::Operator => {
            let services = for_services(harbor, &sides.map(|(_, part)| part));
            let made = authority(harbor, graph, &secret, &subject, services);
            sides.map(|(name, part)| {
                let issuance = leaf(&harbor.child(part.name()), Some(&secret));
                Made::Secret(graph.add::<Secret>(issued(harbor, &harbor.child(name), issuance), made))
            })
        }
        Maker::CertManager => {
            let spec = CertificateSpec {
                secret_name: secret,
                common_name: Some(subject),
                usages: ["client auth", "server auth", "cert sign", "crl sign"].map(Into::into).into(),
                ..authority_certificate()
            };
            let issuer = issuer_of(harbor, graph, NOTARY_AUTHORITY, NOTARY_SIGNER, spec);
            sides.map(|(name, part)| {
                let host = harbor.child(part.name());
                let usages: &[&str] = match part {
                    Part::NotarySigner => &["digital signature", "key encipherment", "server auth"],
                    _ => &["client auth"],
                };
                let spec = CertificateSpec {
                    secret_name: harbor.child(name),
                    common_name: Some(host.clone()),
                    dns_names: vec![host],
                    issuer_ref: issued_by(harbor.child(NOTARY_SIGNER)),
                    duration: Some(days(QUARTER)),
                    usages: usages.iter().map(|usage| (*usage).to_owned()).collect(),
                    private_key: Some(CertificatePrivateKey {
                        algorithm: Some(PrivateKeyAlgorithm::Ecdsa),
                        ..CertificatePrivateKey::default()
                    }),
                    ..CertificateSpec::default()
                };
                Made::Certificate(
                    graph.add::<Certificate>(certificate(harbor, harbor.child(name), spec), issuer),
                )
            })
        }
    };
    Some((server, signer))
}

/// An issuer that signs itself, the authority it signs, and the issuer that signs with that authority.
fn issuer_of<'g>(
    harbor: &Inputs<'_>,
    graph: &mut Builder<'g>,
    authority: &str,
    name: &str,
    spec: CertificateSpec,
) -> Node<'g, Issuer> {
    let secret = spec.secret_name.clone();
    let itself = graph.add::<Issuer>(issuer(harbor, authority, IssuerSpec::self_signed()), ());
    let spec = CertificateSpec { issuer_ref: issued_by(harbor.child(authority)), ..spec };
    let authority = graph.add::<Certificate>(certificate(harbor, harbor.child(authority), spec), itself);
    graph.add::<Issuer>(issuer(harbor, name, IssuerSpec::ca(secret)), authority)
}

fn issuer(harbor: &Inputs<'_>, name: &str, spec: IssuerSpec) -> Issuer {
    Issuer { metadata: harbor.metadata(harbor.child(name)), spec, status: None }
}

fn certificate(harbor: &Inputs<'_>, name: String, spec: CertificateSpec) -> Certificate {
    Certificate { metadata: harbor.metadata(name), spec, status: None }
}

fn issued_by(name: String) -> IssuerRef {
    IssuerRef { name, kind: Some("Issuer".into()), group: None }
}

/// The key of an authority stays when its certificate is renewed, so that what trusts the one trusts the other.
fn authority_certificate() -> CertificateSpec {
    CertificateSpec {
        is_ca: Some(true),
        duration: Some(days(YEAR)),
        private_key: Some(CertificatePrivateKey {
            rotation_policy: Some(RotationPolicy::Never),
            ..CertificatePrivateKey::default()
        }),
        ..CertificateSpec::default()
    }
}

/// As X.509 has it.
const LONGEST_COMMON_NAME: usize = 64;

fn common_name(harbor: &Inputs<'_>, name: &str) -> String {
    if name.len() <= LONGEST_COMMON_NAME { name.to_owned() } else { harbor.name.to_string() }
}

/// As cert-manager writes durations.
fn days(days: u32) -> String {
    format!("{}h0m0s", days * 24)
}

/// Limits an authority to the Services of these parts, whether or not the Harbor has them today: their names never
/// change, so neither does the authority. Why that of users has no such limit: see
/// `docs/adr/0013-authorities-are-limited-to-services.md`.
fn for_services(harbor: &Inputs<'_>, parts: &[Part]) -> Role {
    Role::Authority { only_for: Some(parts.iter().map(|part| harbor.child(part.name())).collect()) }
}

fn authority<'g>(
    harbor: &Inputs<'_>,
    graph: &mut Builder<'g>,
    secret: &str,
    subject: &str,
    role: Role,
) -> Node<'g, Secret> {
    let issuance = Issuance {
        subject: subject.into(),
        dns_names: Vec::new(),
        ip_addresses: Vec::new(),
        role,
        days: 10 * YEAR,
    };
    graph.add::<Secret>(issued(harbor, secret, issuance), ())
}

fn leaf(host: &str, authority: Option<&String>) -> Issuance {
    Issuance {
        subject: host.into(),
        dns_names: vec![host.into()],
        ip_addresses: Vec::new(),
        role: Role::Leaf { authority: authority.cloned() },
        days: QUARTER,
    }
}

fn issued(harbor: &Inputs<'_>, name: &str, issuance: Issuance) -> Desired {
    Desired::issued(Secret { metadata: harbor.metadata(name), ..Secret::default() }, issuance)
}

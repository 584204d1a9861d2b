//! Certificates between components, for tokens, for Notary, and for users if they name none.
//!
//! cert-manager issues them if it is installed; otherwise the operator issues and renews them. The operator
//! keeps renewing a certificate that it has issued: if both wrote the same Secret, its content would flap.
//!
//! Components wait until their certificates are issued. If a renewal fails later, they get all their changes.

mod internal;
mod public;

pub(super) use self::{
    internal::{internal, internal_authority, issues_internal, of_part},
    public::{public, public_secret},
};

use super::{
    part::Part,
    rotation::{Names, Rotated, Rotation, names_of_token, names_that_take_turns},
    validated::Validated,
};
use api::{
    names::CONTROLLER_LABEL,
    thirdparty::cert_manager::{
        Certificate, CertificatePrivateKey, CertificateSecretTemplate, CertificateSpec, Issuer, IssuerRef,
        IssuerSpec, PrivateKeyAlgorithm, PrivateKeyEncoding, RotationPolicy,
    },
    v1beta1::{Core, ObjectName, installation::components::IssuerReference},
};
use k8s_openapi::api::core::v1::Secret;
use kube::core::ObjectMeta;
use plan::{All, Builder, Deps, Desired, Issuance, Node, PlanError, Role, World, starts_after};
use std::collections::BTreeMap;

const YEAR: u32 = 365;
const QUARTER: u32 = 90;

/// A certificate that is being issued.
#[derive(Clone, Copy)]
pub(super) enum Issued<'g> {
    /// By cert-manager.
    Certificate(Node<'g, Certificate>),
    /// By the operator.
    Secret(Node<'g, Secret>),
}

impl<'g> Deps<'g> for Issued<'g> {
    fn collect(&self, into: &mut plan::Blockers<'g>) {
        match self {
            Self::Certificate(node) => node.collect(into),
            Self::Secret(node) => node.collect(into),
        }
    }
}

/// The issuer of the certificates for one purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum IssuedBy {
    CertManager,
    Operator,
}

/// The issuers for all purposes, chosen before anything is added.
pub(super) struct Issuers {
    internal: IssuedBy,
    token: IssuedBy,
    tokens: Names,
    notary: IssuedBy,
}

impl Issuers {
    /// Chooses by what the API server serves, and by the Secrets that exist.
    pub fn of(harbor: &Validated<'_>, world: &World<'_>) -> Result<Self, PlanError> {
        let issued_by = |wanted: Wanted, secret: &str| match wanted {
            Wanted::No => Ok(IssuedBy::Operator),
            Wanted::Yes => {
                // A rotation gives it another name.
                let names = names_that_take_turns(&harbor.child(secret));
                let secrets = names.map(|name| world.read::<Secret>(&name)).into_iter().collect::<Vec<_>>();
                let (served, secrets) = (world.serves::<Certificate>(), secrets.all()).all()?;
                let ours = secrets.iter().flatten().any(is_issued_by_us);
                Ok(if served && !ours { IssuedBy::CertManager } else { IssuedBy::Operator })
            }
        };
        let issuer = harbor.installation.core.as_ref().and_then(|core| core.token_issuer.as_ref());
        let issues_token = Wanted::when(token_given(harbor).is_none() && issuer.is_some());
        let (internal, token, notary) = (
            issued_by(Wanted::when(issues_internal(harbor)), INTERNAL_AUTHORITY_SECRET),
            issued_by(issues_token, TOKEN),
            issued_by(Wanted::when(harbor.installation.notary.is_some()), NOTARY_AUTHORITY),
        )
            .all()?;
        let used = match issues_token {
            Wanted::Yes => token_used(harbor, world)?,
            Wanted::No => None,
        };
        let used = used.as_deref().unwrap_or_default();
        let tokens = names_of_token(&harbor.child(TOKEN), used, token == IssuedBy::CertManager);
        Ok(Self { internal, token, tokens, notary })
    }

    /// How the Secrets are named whose keys sign tokens.
    pub fn names_of_token(&self) -> Names {
        self.tokens
    }

    /// Whether the operator issues the certificates of TLS between components, unless the user names them.
    pub fn operator_issues_internal(&self) -> bool {
        self.internal == IssuedBy::Operator
    }

    /// Whether the operator issues the key that signs tokens, unless the user names one.
    pub fn operator_issues_token(&self) -> bool {
        self.token == IssuedBy::Operator
    }
}

/// The Secret whose key Core signs tokens with now.
fn token_used(harbor: &Validated<'_>, world: &World<'_>) -> Result<Option<String>, PlanError> {
    let core = world.read::<Core>(&harbor.name)?;
    Ok(core.map(|core| core.spec.components.token_service.certificate_ref.to_string()))
}

/// Whether cert-manager may issue the certificates.
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

fn is_issued_by_us(secret: &Secret) -> bool {
    secret.metadata.labels.as_ref().is_some_and(|labels| labels.contains_key(CONTROLLER_LABEL))
}

const INTERNAL_AUTHORITY: &str = "internal-authority";
const INTERNAL_AUTHORITY_SECRET: &str = "internal-tls-authority";
const INTERNAL: &str = "internal";
/// The end of the name of the Secret whose key signs tokens.
pub(super) const TOKEN: &str = "core-tokencert";
const NOTARY_AUTHORITY: &str = "notarysigner-authority";
const NOTARY_SIGNER: &str = "notarysigner-authentication";
const NOTARY_SERVER: &str = "notaryserver-authentication";

/// The Secret of the user whose key signs tokens.
pub(super) fn token_given<'a>(harbor: &Validated<'a>) -> Option<&'a ObjectName> {
    harbor.installation.core.as_ref()?.token_certificate_ref.as_ref()
}

/// The Secret with the client certificate of the Notary server for the signer.
pub(super) fn notary_server_secret(harbor: &Validated<'_>) -> ObjectName {
    harbor.child(NOTARY_SERVER).into()
}

/// The Secret with the certificate of the Notary signer.
pub(super) fn notary_signer_secret(harbor: &Validated<'_>) -> ObjectName {
    harbor.child(NOTARY_SIGNER).into()
}

/// Adds the key that signs tokens, unless the user names one. RSA in PKCS#1: with anything else every login
/// fails while Core looks healthy. The key stays when the certificate is renewed: tokens signed before would be
/// refused.
pub(super) fn token<'g>(
    harbor: &Validated<'_>,
    issuers: &Issuers,
    rotation: &Rotation,
    graph: &mut Builder<'g>,
) -> Option<Issued<'g>> {
    if token_given(harbor).is_some() {
        return None;
    }
    let name = rotation.newest().token.name().to_string();
    let issuer = harbor.installation.core.as_ref().and_then(|core| core.token_issuer.as_ref());
    let by_cert_manager = issuer.filter(|_| issuers.token == IssuedBy::CertManager);
    if let Some(issuer) = by_cert_manager {
        return tokens_of_cert_manager(harbor, issuer, rotation, graph).map(Issued::Certificate);
    }
    let annotations = rotation.annotations(Rotated::Token);
    let metadata = ObjectMeta { annotations, ..harbor.metadata(name.as_str()) };
    let secret = Secret { metadata, ..Secret::default() };
    let desired = Desired::issued(secret, leaf(&common_name(harbor, &name), None));
    Some(Issued::Secret(graph.add::<Secret>(desired, ())))
}

/// Adds the Certificates of the keys that sign tokens: the newest, the next if it is due, and the one before while pods use it.
/// Returns the newest.
fn tokens_of_cert_manager<'g>(
    harbor: &Validated<'_>,
    issuer: &IssuerReference,
    rotation: &Rotation,
    graph: &mut Builder<'g>,
) -> Option<Node<'g, Certificate>> {
    if let Some(before) = rotation.token_before() {
        let before = certificate(harbor, before.to_owned(), CertificateSpec::default());
        // cert-manager may delete its Secret with it.
        graph.add::<Certificate>(Desired::awaited(before, "components used it until a moment ago"), ());
    }
    let mut newest = None;
    for (name, annotations) in rotation.issued_tokens() {
        let spec = token_certificate(harbor, issuer, name, annotations);
        let node = graph.add::<Certificate>(certificate(harbor, name.to_owned(), spec), ());
        newest = newest.or(Some(node));
    }
    newest
}

/// The certificate whose key signs tokens, with annotations for its Secret.
fn token_certificate(
    harbor: &Validated<'_>,
    issuer: &IssuerReference,
    name: &str,
    annotations: BTreeMap<String, String>,
) -> CertificateSpec {
    CertificateSpec {
        secret_name: name.to_owned(),
        secret_template: (!annotations.is_empty()).then_some(CertificateSecretTemplate { annotations }),
        common_name: Some(common_name(harbor, name)),
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
    }
}

/// Adds the certificates with which Notary's server and signer authenticate to each other, in this order.
pub(super) fn notary<'g>(
    harbor: &Validated<'_>,
    issuers: &Issuers,
    graph: &mut Builder<'g>,
) -> Option<(Issued<'g>, Issued<'g>)> {
    harbor.installation.notary.as_ref()?;
    let secret = harbor.child(NOTARY_AUTHORITY);
    let subject = common_name(harbor, &harbor.child("notarysigner-CA"));
    let sides = [(NOTARY_SERVER, Part::NotaryServer), (NOTARY_SIGNER, Part::NotarySigner)];
    let [server, signer] = match issuers.notary {
        IssuedBy::Operator => {
            let services = for_services(harbor, &sides.map(|(_, part)| part));
            let made = graph.add::<Secret>(issued(harbor, &secret, authority(&subject, services)), ());
            sides.map(|(name, part)| {
                let issuance = leaf(&harbor.child(part.name()), Some(&secret));
                Issued::Secret(graph.add::<Secret>(issued(harbor, &harbor.child(name), issuance), made))
            })
        }
        IssuedBy::CertManager => {
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
                let certificate = certificate(harbor, harbor.child(name), spec);
                Issued::Certificate(graph.add::<Certificate>(certificate, starts_after(issuer)))
            })
        }
    };
    Some((server, signer))
}

/// An issuer that signs itself, the authority it signs, and the issuer that signs with that authority.
fn issuer_of<'g>(
    harbor: &Validated<'_>,
    graph: &mut Builder<'g>,
    authority: &str,
    name: &str,
    spec: CertificateSpec,
) -> Node<'g, Issuer> {
    let secret = spec.secret_name.clone();
    let itself = graph.add::<Issuer>(issuer(harbor, authority, IssuerSpec::self_signed()), ());
    let spec = CertificateSpec { issuer_ref: issued_by(harbor.child(authority)), ..spec };
    let certificate = certificate(harbor, harbor.child(authority), spec);
    let authority = graph.add::<Certificate>(certificate, starts_after(itself));
    graph.add::<Issuer>(issuer(harbor, name, IssuerSpec::ca(secret)), authority)
}

fn issuer(harbor: &Validated<'_>, name: &str, spec: IssuerSpec) -> Issuer {
    Issuer { metadata: harbor.metadata(harbor.child(name)), spec, status: None }
}

fn certificate(harbor: &Validated<'_>, name: String, spec: CertificateSpec) -> Certificate {
    Certificate { metadata: harbor.metadata(name), spec, status: None }
}

fn issued_by(name: String) -> IssuerRef {
    IssuerRef { name, kind: Some("Issuer".into()), group: None }
}

/// The key of an authority stays when its certificate is renewed, so that clients that trust one certificate
/// trust the next.
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

/// The limit of X.509.
const LONGEST_COMMON_NAME: usize = 64;

fn common_name(harbor: &Validated<'_>, name: &str) -> String {
    if name.len() <= LONGEST_COMMON_NAME { name.to_owned() } else { harbor.name.to_string() }
}

/// A duration in cert-manager's syntax.
fn days(days: u32) -> String {
    format!("{}h0m0s", days * 24)
}

/// Limits an authority to the Services of these parts, whether or not the Harbor has them today: their names
/// never change, so neither does the authority. `docs/adr/0013-authorities-are-limited-to-services.md` says why
/// the authority for users has no such limit.
fn for_services(harbor: &Validated<'_>, parts: &[Part]) -> Role {
    Role::Authority { only_for: Some(parts.iter().map(|part| harbor.child(part.name())).collect()) }
}

fn authority(subject: &str, role: Role) -> Issuance {
    Issuance {
        subject: subject.into(),
        dns_names: Vec::new(),
        ip_addresses: Vec::new(),
        role,
        days: 10 * YEAR,
    }
}

fn leaf(host: &str, authority: Option<&String>) -> Issuance {
    Issuance {
        subject: host.into(),
        dns_names: vec![host.into()],
        ip_addresses: Vec::new(),
        role: Role::Leaf { authority: authority.cloned(), also_trusted: None },
        days: QUARTER,
    }
}

fn issued(harbor: &Validated<'_>, name: &str, issuance: Issuance) -> Desired {
    Desired::issued(Secret { metadata: harbor.metadata(name), ..Secret::default() }, issuance)
}

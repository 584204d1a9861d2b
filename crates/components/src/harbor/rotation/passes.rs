//! Which credentials are rotated together, and in which steps.
//!
//! Harbor's programs read most credentials once, at their start, and know one value of each. The steps follow from who checks
//! whom: see `docs/rotation.md`.

use super::super::part::Part;

/// Credentials that are rotated together: one pass replaces the pods for all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Pass {
    /// The key for uploads.
    RegistryHttp,
    /// The user at the registry.
    RegistryCredentials,
    /// What Core and JobService authenticate to each other with.
    JobSecrets,
    /// The keys that all pods of Core must share.
    CoreKeys,
    /// The authority of TLS between components. See [`super::internal_tls`].
    InternalTlsAuthority,
    /// The certificates of TLS between components.
    InternalTls,
}

/// The parts that have a certificate of TLS between components, or trust one.
pub(super) const SERVED_OVER_TLS: &[(Part, Look)] = &[
    (Part::Core, Look::New),
    (Part::JobService, Look::New),
    (Part::Registry, Look::New),
    (Part::RegistryController, Look::New),
    (Part::Portal, Look::New),
    (Part::ChartMuseum, Look::New),
    (Part::Exporter, Look::New),
    (Part::NotaryServer, Look::New),
    (Part::Trivy, Look::New),
    (Part::Nginx, Look::New),
];

/// One step of a pass.
#[derive(Debug)]
pub(super) struct Step {
    /// What it does, for users.
    pub does: &'static str,
    /// The parts that it changes.
    pub parts: &'static [(Part, Look)],
}

/// What a step leaves the pods of a part as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// They have the new credential.
    New,
    /// They accept the new credential and the one before.
    Both,
    /// There are none.
    Stopped,
}

impl Pass {
    /// In the order in which they are done.
    pub const ALL: [Self; 6] = [
        Self::RegistryHttp,
        Self::RegistryCredentials,
        Self::JobSecrets,
        Self::CoreKeys,
        Self::InternalTlsAuthority,
        Self::InternalTls,
    ];

    /// Whether it is about TLS between components.
    pub(super) const fn is_of_tls(self) -> bool {
        matches!(self, Self::InternalTlsAuthority | Self::InternalTls)
    }

    /// Its steps, in order. Each begins when the one before has ended.
    pub(super) const fn steps(self) -> &'static [Step] {
        match self {
            Self::RegistryHttp => {
                &[Step { does: "replaces the pods of the registry", parts: &[(Part::Registry, Look::New)] }]
            }
            Self::RegistryCredentials => &[
                Step {
                    does: "has the registry accept the new user beside the one before",
                    parts: &[(Part::Registry, Look::Both)],
                },
                Step {
                    does: "replaces the pods of Core and JobService, which log in as the new user",
                    parts: &[(Part::Core, Look::New), (Part::JobService, Look::New)],
                },
                Step {
                    does: "has the registry accept the new user only",
                    parts: &[(Part::Registry, Look::New)],
                },
            ],
            // Neither accepts two values, and JobService exits if Core has the other one when it starts.
            Self::JobSecrets => &[
                Step { does: "drains JobService and stops it", parts: &[(Part::JobService, Look::Stopped)] },
                Step {
                    does: "replaces the pods of Core and the registry",
                    parts: &[
                        (Part::Core, Look::New),
                        (Part::RegistryController, Look::New),
                        (Part::ChartMuseum, Look::New),
                    ],
                },
                Step { does: "starts JobService", parts: &[(Part::JobService, Look::New)] },
            ],
            Self::CoreKeys => &[Step {
                does: "replaces all pods of Core at the same time",
                parts: &[(Part::Core, Look::New), (Part::NotaryServer, Look::New)],
            }],
            Self::InternalTlsAuthority => &[
                Step {
                    does: "has all components trust the new authority beside the one before",
                    parts: SERVED_OVER_TLS,
                },
                Step {
                    does: "gives all components certificates of the new authority",
                    parts: SERVED_OVER_TLS,
                },
                Step { does: "has all components trust the new authority only", parts: SERVED_OVER_TLS },
            ],
            Self::InternalTls => {
                &[Step { does: "gives all components certificates with new keys", parts: SERVED_OVER_TLS }]
            }
        }
    }

    /// What users notice of it.
    pub(super) const fn gap(self) -> &'static str {
        match self {
            Self::RegistryHttp => {
                "an upload that goes on in another pod of the registry starts its layer again"
            }
            Self::RegistryCredentials | Self::InternalTlsAuthority | Self::InternalTls => "no request fails",
            Self::JobSecrets => "no job runs meanwhile; pushes and pulls go on",
            Self::CoreKeys => "clients get new tokens, and a page that is open is refused once",
        }
    }

    /// What a step leaves a part as, if this or an earlier step changes it.
    pub(super) fn look(self, step: usize, part: Part) -> Option<Look> {
        let mut done = self.steps().iter().take(step.saturating_add(1)).rev();
        done.find_map(|step| step.parts.iter().find(|(changed, _)| *changed == part).map(|(_, look)| *look))
    }
}

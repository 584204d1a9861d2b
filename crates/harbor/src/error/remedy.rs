//! A sentence per failure mode that tells a user what to do.

use super::{Dependency, Failure, Unreachable};

impl Failure {
    /// What a user can do about it.
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::Unreachable(problem) => problem.remedy(),
            Self::DatabaseDown => {
                "start the database of Harbor; the credentials are not judged until it answers"
            }
            Self::CredentialsRejected { .. } => {
                "correct the user name and the password, or renew the robot account if it has expired"
            }
            Self::Forbidden(_) => "use an account with the permission, or change the mode that forbids it",
            Self::ReadOnly => "end the read-only mode of Harbor; writes wait until then",
            Self::NotFound(_) => "create what the request refers to, or correct its name",
            Self::Conflict(_) => "adopt the object that exists, or choose another name",
            Self::InUse(_) => "remove or stop what the message names, then try again",
            Self::Invalid(_) => "correct the value that the message names",
            Self::Dependency { on, .. } => on.remedy(),
            Self::ServerFailure { .. } => "read the log of Core, which has the reason",
            Self::Unsupported(_) => "upgrade Harbor, or leave out what this version does not have",
            Self::Unexpected(_) => "check that the address is that of Harbor itself, not of another server",
        }
    }
}

impl Unreachable {
    fn remedy(&self) -> &'static str {
        match self {
            Self::Connection(_) => "check that Core runs and that its address and port are right",
            Self::Certificate(_) => {
                "give the certificate of the authority that signed the server's certificate, and use a name that it has"
            }
            Self::Timeout(_) => "check the load of Core and of its database",
            Self::Broken(_) => "check whether Core or a proxy before it restarts",
        }
    }
}

impl Dependency {
    fn remedy(self) -> &'static str {
        match self {
            Self::Registry => "check the address, the certificate and the credentials of the remote registry",
            Self::AuditEndpoint => "start the syslog server, or correct audit_log_forward_endpoint",
            Self::LdapGroup => "correct the distinguished name of the group, or create it in LDAP",
            Self::OidcProvider => "check the address and the certificate of the OIDC provider",
            Self::JobService => "give Core and JobService the same CORE_SECRET",
            Self::LiveCheck => {
                "check the type, the address and the credentials of the other system, then the log of Core"
            }
            Self::Scanner => "register a scanner, and make it the default",
        }
    }
}

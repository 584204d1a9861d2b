//! Why a call failed: one variant per failure mode, each with a class, Harbor's own message and a remedy.
//!
//! Uses: nothing of this crate.

pub(crate) mod classify;
pub(crate) mod message;
mod remedy;

pub(crate) use message::Masks;
pub use message::Message;

use http::{Method, StatusCode};
use std::{fmt, time::Duration};

/// Why a call failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {}", .0.call, .0.failure)]
pub struct Error(Box<Parts>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Parts {
    call: CallName,
    failure: Failure,
}

impl Error {
    pub(crate) fn new(call: CallName, failure: Failure) -> Self {
        Self(Box::new(Parts { call, failure }))
    }

    /// The call that failed.
    pub fn call(&self) -> &CallName {
        &self.0.call
    }

    /// How it failed.
    pub fn failure(&self) -> &Failure {
        &self.0.failure
    }

    /// The class of the failure.
    pub fn class(&self) -> Class {
        self.0.failure.class()
    }

    /// What a user can do about it.
    pub fn remedy(&self) -> &'static str {
        self.0.failure.remedy()
    }
}

/// The method and the path of a call, without its query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallName {
    /// The method.
    pub method: Method,
    /// The path below `/api/v2.0`.
    pub path: String,
}

impl CallName {
    pub(crate) fn get(path: &str) -> Self {
        Self { method: Method::GET, path: path.to_owned() }
    }
}

impl fmt::Display for CallName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.path)
    }
}

/// A failure mode.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// No answer, or none that HTTP allows.
    #[error("Harbor cannot be reached: {0}")]
    Unreachable(Unreachable),
    /// Core answers, but its database is down. Core then answers 401 to valid credentials.
    #[error("Harbor's database is down")]
    DatabaseDown,
    /// 401: Harbor does not accept the credentials. No request is sent with them for a while.
    #[error("Harbor rejects the credentials of {user}")]
    CredentialsRejected {
        /// The user name.
        user: String,
    },
    /// 403: the account has no permission, or the operation is not allowed in this mode.
    #[error("Harbor refuses it: {0}")]
    Forbidden(Message),
    /// 403 while Harbor is in read-only mode.
    #[error("Harbor is in read-only mode")]
    ReadOnly,
    /// 404: the object, or an object that the request names, does not exist.
    #[error("not found: {0}")]
    NotFound(Message),
    /// 409: an object with this identity exists.
    #[error("it exists already: {0}")]
    Conflict(Message),
    /// 412: something else must be done first, such as deleting the objects that use this one.
    #[error("a precondition does not hold: {0}")]
    InUse(Message),
    /// 400, 413 or 422: Harbor does not accept the request.
    #[error("Harbor does not accept the request: {0}")]
    Invalid(Message),
    /// A system that Harbor needs for this request does not do its part.
    #[error("{on}: {message}")]
    Dependency {
        /// That system.
        on: Dependency,
        /// What Harbor says about it.
        message: Message,
    },
    /// 5xx, or 429, which Harbor only passes on from another registry.
    #[error("Harbor failed with status {}: {message}", .status.as_u16())]
    ServerFailure {
        /// The status.
        status: StatusCode,
        /// What Harbor says; the reason is only in Core's log.
        message: Message,
    },
    /// 404 or 405 for the operation itself: this version of Harbor does not have it.
    #[error("this Harbor has no such operation: {0}")]
    Unsupported(Message),
    /// An answer that Harbor does not give: a redirect, HTML, too much, or the wrong shape.
    #[error("unexpected answer: {0}")]
    Unexpected(Message),
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreachable {
    /// No connection.
    #[error("no connection: {0}")]
    Connection(Message),
    /// The certificate of the server is not trusted.
    #[error("its certificate is not trusted: {0}")]
    Certificate(Message),
    /// The answer did not arrive in time. Harbor may have done what it was asked for.
    #[error("no answer within {} s", .0.as_secs())]
    Timeout(Duration),
    /// The connection broke. Harbor may have done what it was asked for.
    #[error("the connection broke: {0}")]
    Broken(Message),
}

/// A system that Harbor depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Dependency {
    /// A remote registry is down or rejects its credentials.
    #[error("the remote registry does not answer Harbor")]
    Registry,
    /// The endpoint that audit logs are forwarded to.
    #[error("the audit log endpoint does not answer Harbor")]
    AuditEndpoint,
    /// The LDAP server does not know a group.
    #[error("the LDAP server does not have the group")]
    LdapGroup,
    /// The OIDC provider.
    #[error("the OIDC provider does not answer Harbor")]
    OidcProvider,
    /// JobService rejects Core.
    #[error("JobService rejects the requests of Core")]
    JobService,
    /// Harbor failed while it contacted another system; it does not say whether that one is the reason.
    #[error("Harbor failed to check the other system")]
    LiveCheck,
    /// There is no scanner.
    #[error("Harbor has no scanner")]
    Scanner,
}

/// What a failure means for a controller: the words that the operator's own errors have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// It passes by itself.
    Transient,
    /// Another object has the same identity.
    Conflict,
    /// Another object or system must change first.
    Dependency,
    /// The request must change.
    Invalid,
    /// The credentials or their permissions must change.
    Forbidden,
    /// A defect of this client or of Harbor.
    Internal,
}

impl Class {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Transient => "transient",
            Self::Conflict => "conflict",
            Self::Dependency => "dependency",
            Self::Invalid => "invalid",
            Self::Forbidden => "forbidden",
            Self::Internal => "internal",
        }
    }
}

impl Failure {
    /// The class of the failure.
    pub fn class(&self) -> Class {
        match self {
            Self::Unreachable(_) | Self::DatabaseDown | Self::ReadOnly | Self::ServerFailure { .. } => {
                Class::Transient
            }
            Self::CredentialsRejected { .. } | Self::Forbidden(_) => Class::Forbidden,
            Self::NotFound(_) | Self::InUse(_) | Self::Dependency { .. } => Class::Dependency,
            Self::Conflict(_) => Class::Conflict,
            Self::Invalid(_) => Class::Invalid,
            Self::Unsupported(_) | Self::Unexpected(_) => Class::Internal,
        }
    }

    /// Whether the same request may succeed a moment later, so that a read is worth another attempt.
    pub(crate) fn is_passing(&self) -> bool {
        match self {
            Self::ServerFailure { .. } => true,
            Self::Unreachable(problem) => {
                matches!(problem, Unreachable::Connection(_) | Unreachable::Broken(_))
            }
            Self::DatabaseDown
            | Self::CredentialsRejected { .. }
            | Self::Forbidden(_)
            | Self::ReadOnly
            | Self::NotFound(_)
            | Self::Conflict(_)
            | Self::InUse(_)
            | Self::Invalid(_)
            | Self::Dependency { .. }
            | Self::Unsupported(_)
            | Self::Unexpected(_) => false,
        }
    }
}

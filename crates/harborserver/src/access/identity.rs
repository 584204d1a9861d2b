//! Identities of callers.

use crate::{
    robots::Robot,
    state::{Data, Id},
    users::User,
};

/// The caller of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Identity {
    Anonymous,
    User {
        id: Id<User>,
        name: String,
        administrator: bool,
    },
    Robot {
        id: Id<Robot>,
        name: String,
    },
    /// Another component of the same Harbor.
    Component,
}

impl Identity {
    /// The name that refusals and logs show.
    pub fn name(&self) -> &str {
        match self {
            Self::Anonymous => "",
            Self::User { name, .. } | Self::Robot { name, .. } => name,
            Self::Component => "harbor-jobservice",
        }
    }

    pub fn is_anonymous(&self) -> bool {
        *self == Self::Anonymous
    }

    pub fn is_administrator(&self) -> bool {
        matches!(self, Self::User { administrator: true, .. })
    }

    /// Who owns what this identity creates: the administrator, for robots are no users.
    pub fn owner(&self, data: &Data) -> Id<User> {
        match self {
            Self::User { id, .. } => *id,
            Self::Anonymous | Self::Robot { .. } | Self::Component => {
                data.users.find(|user| user.sysadmin).map_or(Id::new(1), |(id, _)| id)
            }
        }
    }
}

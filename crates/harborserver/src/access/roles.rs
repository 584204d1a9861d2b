//! Roles of members, and what they may do in their project.

/// What a member may do in a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Role {
    ProjectAdmin,
    Maintainer,
    Developer,
    Guest,
    LimitedGuest,
}

impl Role {
    /// The number of the role that creators of projects get.
    pub const PROJECT_ADMIN: i64 = 1;

    /// The role of a number, if there is one.
    pub const fn numbered(number: i64) -> Option<Self> {
        match number {
            1 => Some(Self::ProjectAdmin),
            2 => Some(Self::Developer),
            3 => Some(Self::Guest),
            4 => Some(Self::Maintainer),
            5 => Some(Self::LimitedGuest),
            _ => None,
        }
    }

    pub const fn name(self) -> &'static str {
        match self {
            Self::ProjectAdmin => "projectAdmin",
            Self::Maintainer => "maintainer",
            Self::Developer => "developer",
            Self::Guest => "guest",
            Self::LimitedGuest => "limitedGuest",
        }
    }

    /// Whether the role allows an action on a resource of the project.
    pub fn allows(self, resource: &str, action: &str) -> bool {
        match self {
            Self::ProjectAdmin => true,
            Self::Maintainer => maintainer(resource, action),
            Self::Developer => developer(resource, action),
            Self::Guest => guest(resource, action),
            Self::LimitedGuest => limited_guest(resource, action),
        }
    }
}

fn limited_guest(resource: &str, action: &str) -> bool {
    match resource {
        "project" | "quota" | "scan" | "sbom" | "scanner" | "artifact-addition" => action == "read",
        "repository" => ["list", "pull", "read"].contains(&action),
        "artifact" => ["list", "read"].contains(&action),
        "tag" | "accessory" => action == "list",
        _ => false,
    }
}

fn guest(resource: &str, action: &str) -> bool {
    let reads = ["read", "list"].contains(&action);
    limited_guest(resource, action)
        || match resource {
            "member" | "label" | "robot" => reads,
            "log" => action == "list",
            _ => false,
        }
}

fn developer(resource: &str, action: &str) -> bool {
    guest(resource, action)
        || match resource {
            "repository" => ["push", "update", "create"].contains(&action),
            "artifact" | "tag" => action == "create",
            "artifact-label" => ["create", "delete"].contains(&action),
            "export-cve" => ["create", "read"].contains(&action),
            _ => false,
        }
}

fn maintainer(resource: &str, action: &str) -> bool {
    developer(resource, action)
        || match resource {
            "metadata" | "label" | "tag-retention" | "immutable-tag" => true,
            "repository" | "artifact" | "tag" => action == "delete",
            "scan" | "sbom" => ["create", "stop"].contains(&action),
            "notification-policy" => ["read", "list"].contains(&action),
            _ => false,
        }
}

/// Whether public projects grant a permission to every caller.
pub(super) fn public(resource: &str, action: &str) -> bool {
    match resource {
        "project" | "scan" | "sbom" | "scanner" | "artifact-addition" => action == "read",
        "repository" => ["list", "pull", "read"].contains(&action),
        "artifact" | "label" => ["list", "read"].contains(&action),
        "tag" | "accessory" => action == "list",
        _ => false,
    }
}

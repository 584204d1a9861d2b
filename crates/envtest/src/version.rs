//! The version of the API server.

use k8s_openapi::apimachinery::pkg::version::Info;

/// The Kubernetes version of the API server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ServerVersion {
    /// The major version, which is 1.
    pub major: u32,
    /// The minor version.
    pub minor: u32,
}

impl ServerVersion {
    /// Whether the server has this version or a newer one.
    pub fn at_least(self, major: u32, minor: u32) -> bool {
        self >= Self { major, minor }
    }

    /// Whether the server enforces validation rules of a CRD, including those with `optionalOldSelf`. Rules without
    /// it came with 1.25. The operator's rules have it, so that an object that was stored before a rule existed can
    /// still be changed.
    pub fn serves_cel(self) -> bool {
        self.at_least(1, 30)
    }
}

impl From<&Info> for ServerVersion {
    fn from(info: &Info) -> Self {
        Self { major: leading_number(&info.major), minor: leading_number(&info.minor) }
    }
}

/// The number at the start of a text, because vendors append to it: `29+`.
fn leading_number(text: &str) -> u32 {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text[..end].parse().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{Info, ServerVersion};

    #[test]
    fn a_vendor_suffix_does_not_hide_the_version() {
        let info = Info { major: "1".into(), minor: "29+".into(), ..Info::default() };
        let version = ServerVersion::from(&info);
        assert_eq!(version, ServerVersion { major: 1, minor: 29 });
        assert!(version.at_least(1, 29) && !version.serves_cel());
    }
}

//! Names of children, validated once.

use crate::PlanError;
use std::{fmt, ops::Deref};

/// A name that is valid for a Service, as a label value and as a DNS label.
///
/// Without this check, the API server would refuse the children one by one, with messages that do not name the cause.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChildName(String);

impl ChildName {
    /// Longest DNS label, Service name and label value.
    const LONGEST: usize = 63;

    /// `<owner>-<suffix>`; refused if the owner's name is too long or cannot begin the name of a Service.
    pub fn of(owner: &str, suffix: &str) -> Result<Self, PlanError> {
        let name = format!("{owner}-{suffix}");
        if name.len() > Self::LONGEST {
            let room = Self::LONGEST.saturating_sub(suffix.len() + 1);
            return Err(PlanError::invalid(
                "metadata.name",
                format!("children are called {name:?}, which is longer than {} characters", Self::LONGEST),
                format!("use a name of at most {room} characters"),
            ));
        }
        if !is_dns_label(&name) {
            return Err(PlanError::invalid(
                "metadata.name",
                format!("children are called {name:?}, which cannot be the name of a Service"),
                "use lower-case letters, digits and dashes, and begin with a letter",
            ));
        }
        Ok(Self(name))
    }

    /// A name that the user set in `field`.
    pub fn exactly(name: &str, field: impl fmt::Display) -> Result<Self, PlanError> {
        if name.len() > Self::LONGEST || !is_dns_label(name) {
            return Err(PlanError::invalid(
                field,
                format!("{name:?} cannot be the name of a Service"),
                "use at most 63 lower-case letters, digits and dashes, and begin with a letter",
            ));
        }
        Ok(Self(name.to_owned()))
    }
}

fn is_dns_label(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.ends_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}

impl Deref for ChildName {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ChildName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<ChildName> for String {
    fn from(name: ChildName) -> Self {
        name.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b33_a_name_that_is_too_long_is_refused_with_the_length_that_fits() {
        assert!(ChildName::of(&"x".repeat(58), "core").is_ok());
        let error = ChildName::of(&"x".repeat(59), "core").unwrap_err().to_string();
        assert!(error.ends_with("use a name of at most 58 characters"), "{error}");
    }

    #[test]
    fn a_name_that_the_user_set_follows_the_same_rules() {
        assert_eq!(&*ChildName::exactly("harbor", "spec.name").unwrap(), "harbor");
        for name in ["", "Harbor", "har.bor", "1harbor", &"x".repeat(64)] {
            let error = ChildName::exactly(name, "spec.name").unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("spec.name: {name:?} cannot be the name of a Service;")),
                "{error}"
            );
        }
    }

    #[test]
    fn a_name_with_a_dot_is_refused_since_no_service_can_have_it() {
        assert!(ChildName::of("harbor.example", "core").is_err());
        assert!(ChildName::of("1harbor", "core").is_err());
    }
}

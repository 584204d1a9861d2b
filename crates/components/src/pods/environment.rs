//! The environment of a container.

use crate::secrets::SecretKey;
use k8s_openapi::api::core::v1::EnvVar;

/// Environment variables in the order they were added.
///
/// The order is part of the pod template: if it changed between two reconciles, pods would restart for no
/// reason.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Environment(Vec<EnvVar>);

impl Environment {
    /// Adds a variable. Kubernetes expands `$(NAME)` and reads `$$` as `$`, so `$` is escaped.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl ToString) -> Self {
        let value = value.to_string().replace('$', "$$");
        self.0.push(EnvVar { name: name.into(), value: Some(value), value_from: None });
        self
    }

    /// Adds a variable if it has a value: for an option that is not set, Harbor's default applies.
    #[must_use]
    pub fn with_some(self, name: &str, value: Option<impl ToString>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// Adds a variable that refers to a key of a Secret.
    #[must_use]
    pub fn with_secret(mut self, name: &str, key: &SecretKey<'_>) -> Self {
        self.0.push(key.variable(name));
        self
    }

    /// Adds the variables of another environment.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }
}

impl From<Environment> for Vec<EnvVar> {
    fn from(environment: Environment) -> Self {
        environment.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_never_stands_for_another_variable() {
        let variables: Vec<EnvVar> = Environment::default().with("A", "$(CORE_SECRET) $$").into();
        assert_eq!(variables[0].value.as_deref(), Some("$$(CORE_SECRET) $$$$"));
    }
}

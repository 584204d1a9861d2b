//! The environment of a container.

use crate::secrets::SecretKey;
use k8s_openapi::api::core::v1::EnvVar;

/// Environment variables in the order they were added, which is the order they are shown in.
///
/// The order is part of the pod template: were it to change from one run to the next, pods would restart for nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Environment(Vec<EnvVar>);

impl Environment {
    /// With a variable of this value. Kubernetes would take `$(NAME)` for another variable and `$$` for `$`.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl ToString) -> Self {
        let value = value.to_string().replace('$', "$$");
        self.0.push(EnvVar { name: name.into(), value: Some(value), value_from: None });
        self
    }

    /// With a variable of this value, if there is one: an option that is not set is left to Harbor's default.
    #[must_use]
    pub fn with_some(self, name: &str, value: Option<impl ToString>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// With a variable whose value stays in its Secret.
    #[must_use]
    pub fn with_secret(mut self, name: &str, key: &SecretKey<'_>) -> Self {
        self.0.push(key.variable(name));
        self
    }

    /// With these too.
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

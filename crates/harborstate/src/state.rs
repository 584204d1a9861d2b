//! What all collections have in common.

use plan::{Comparable, External, System};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// The state of an object inside a Harbor.
pub trait State: Serialize + DeserializeOwned {
    /// What actual state has besides the state.
    type Facts: Serialize + DeserializeOwned;

    /// The name of the collection.
    const COLLECTION: &'static str;

    /// The names of the fields that Harbor does not return, see [`External::write_only`].
    const WRITE_ONLY: &'static [&'static str] = &[];

    /// How actual state is compared with desired state.
    const COMPARABLE: Comparable = plan::comparable;

    /// The object of this name, with this state as desired state and without write-only fields.
    fn external(&self, system: &System, name: &str) -> serde_json::Result<External> {
        let value = serde_json::to_value(self)?;
        Ok(External { comparable: Self::COMPARABLE, ..External::new(system, Self::COLLECTION, name, value) })
    }
}

/// Actual state: the state of an object, and what Harbor adds to it. Nothing of the facts is ever compared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found<S, F> {
    /// The state, with all fields.
    #[serde(flatten)]
    pub state: S,
    /// The facts.
    #[serde(flatten)]
    pub facts: F,
}

/// Harbor adds nothing to an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoFacts {}

#[cfg(test)]
mod tests {
    use super::{Found, NoFacts, State as _};
    use crate::label::Label;
    use serde_json::json;

    #[test]
    fn only_what_is_set_is_desired() {
        let label = Label { color: Some("#FF0000".into()), ..Label::default() };
        let external = label.external(&crate::system("registry", "acme"), "alpha/hot").unwrap();
        assert_eq!(external.key().to_string(), "label acme/alpha/hot");
        assert_eq!(external.value, json!({"color": "#FF0000"}));
        assert_eq!(external.differences(&json!({"color": "#FF0000", "description": "x"})), [""; 0]);
    }

    #[test]
    fn state_and_facts_are_one_object() {
        let state = Label { description: Some(String::new()), color: Some(String::new()) };
        let found = Found { state, facts: NoFacts {} };
        let value = serde_json::to_value(&found).unwrap();
        assert_eq!(value, json!({"description": "", "color": ""}));
        assert_eq!(serde_json::from_value::<Found<Label, NoFacts>>(value).unwrap(), found);
    }
}

//! The filter of a list or of a tree, as the address of a page has it.

use plan::ObjectKey;
use progress::Phase;

/// Longest text that objects are searched for.
const LONGEST: usize = 100;

/// Which objects a page shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Objects in this phase only.
    pub phase: Option<Phase>,
    /// Objects with each word of this in their namespace, kind or name.
    pub text: String,
}

impl Filter {
    /// The filter in a query string. Ignores invalid values.
    pub(crate) fn of(query: &str) -> Self {
        let mut filter = Self::default();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            match &*name {
                "state" => filter.phase = Phase::of(&value),
                "q" => filter.text = value.trim().chars().take(LONGEST).collect(),
                _ => {}
            }
        }
        filter
    }

    /// Whether every object passes.
    pub(crate) fn is_open(&self) -> bool {
        self.phase.is_none() && self.text.is_empty()
    }

    /// A test of objects.
    pub(crate) fn test(&self) -> impl Fn(&ObjectKey, Phase) -> bool {
        let text = self.text.to_lowercase();
        let wanted = self.phase;
        move |key, phase| {
            let has = |word| {
                [&key.namespace, &key.kind, &key.name].iter().any(|it| it.to_lowercase().contains(word))
            };
            wanted.is_none_or(|wanted| wanted == phase) && text.split_whitespace().all(has)
        }
    }

    /// The same filter with another phase.
    pub(crate) fn in_phase(&self, phase: Option<Phase>) -> Self {
        Self { phase, ..self.clone() }
    }

    /// A path with this filter, and with the number of a page of a list unless it is the first.
    pub(crate) fn at(&self, path: &str, number: usize) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        if let Some(phase) = self.phase {
            query.append_pair("state", phase.word());
        }
        if !self.text.is_empty() {
            query.append_pair("q", &self.text);
        }
        if number > 1 {
            query.append_pair("page", &number.to_string());
        }
        let query = query.finish();
        if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") }
    }
}

#[cfg(test)]
mod tests {
    use super::Filter;
    use plan::ObjectKey;
    use progress::Phase;

    #[test]
    fn an_address_says_only_what_matters_and_is_read_again() {
        assert_eq!(Filter::default().at("/", 1), "/");
        let filter = Filter { phase: Some(Phase::Failed), text: "a b&c".into() };
        assert_eq!(filter.at("/", 2), "/?state=failed&q=a+b%26c&page=2");
        assert_eq!(Filter::of("state=failed&q=a+b%26c&page=2"), filter);
        assert_eq!(Filter::of("state=odd&q=+&other=1"), Filter::default());
    }

    #[test]
    fn each_word_is_searched_for_in_namespace_kind_and_name_whatever_the_case() {
        let key = ObjectKey::new("", "Secret", "registry", "acme-core");
        let passes =
            |text: &str| Filter { phase: Some(Phase::Ready), text: text.into() }.test()(&key, Phase::Ready);
        assert_eq!(["", "secret CORE", "REGISTRY", "secret portal"].map(passes), [true, true, true, false]);
        let failed = Filter { phase: Some(Phase::Failed), text: String::new() };
        assert!(!failed.test()(&key, Phase::Ready));
    }
}

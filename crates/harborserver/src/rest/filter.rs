//! The grammar of `q=`: `k=v`, `k=~v`, `k=[min~max]`, `k={a b}`, `k=(a b)`, joined by commas.

use super::column::{Row, plain};
use crate::failure::Failure;
use std::cmp::Ordering;

/// What a list is reduced to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Filter {
    terms: Vec<(String, Term)>,
}

/// One condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Term {
    Exact(String),
    /// Part of the value, in any case.
    Fuzzy(String),
    Range(String, String),
    AnyOf(Vec<String>),
    AllOf(Vec<String>),
}

impl Filter {
    /// The conditions of a query, which is escaped once more.
    pub fn parse(query: &str) -> Result<Self, Failure> {
        let query = super::unescaped(&query.replace('+', " "));
        let mut terms = Vec::new();
        for term in split(&query) {
            let pair = term.split_once('=').filter(|(key, value)| !key.is_empty() && !value.is_empty());
            let (key, value) = pair.ok_or_else(|| {
                Failure::bad_request("the query string must contain \"=\" and the key/value cannot be empty")
            })?;
            terms.push((key.trim().to_owned(), Term::parse(value)?));
        }
        Ok(Self { terms })
    }

    /// The same with one more condition.
    pub fn and(mut self, key: &str, term: Term) -> Self {
        self.terms.push((key.to_owned(), term));
        self
    }

    /// The same, with the legacy parameter `name`, which finds parts of names.
    pub fn and_part_of_name(self, name: Option<&str>) -> Self {
        match name.filter(|name| !name.is_empty()) {
            Some(name) => self.and("name", Term::Fuzzy(name.to_owned())),
            None => self,
        }
    }

    /// The condition on this very key.
    pub fn get(&self, key: &str) -> Option<&Term> {
        self.terms.iter().find_map(|(named, term)| (named == key).then_some(term))
    }

    /// Whether a row meets every condition. Conditions on columns that do not exist are ignored.
    pub fn keeps(&self, row: &impl Row) -> bool {
        self.terms.iter().all(|(key, term)| {
            let Some(column) = row.column(&plain(key)) else { return true };
            let text = column.text();
            match term {
                Term::Exact(value) => text == *value,
                Term::Fuzzy(value) => text.to_lowercase().contains(&value.to_lowercase()),
                Term::Range(low, high) => {
                    (low.is_empty() || column.compared(low) != Some(Ordering::Less))
                        && (high.is_empty() || column.compared(high) != Some(Ordering::Greater))
                }
                Term::AnyOf(values) => values.contains(&text),
                Term::AllOf(values) => values.iter().all(|value| *value == text),
            }
        })
    }
}

impl Term {
    fn parse(value: &str) -> Result<Self, Failure> {
        let inside = |open: char, close: char| value.strip_prefix(open)?.strip_suffix(close);
        let list = |values: &str| values.split(' ').filter(|item| !item.is_empty()).map(bare).collect();
        if let Some(part) = value.strip_prefix('~') {
            return Ok(Self::Fuzzy(part.to_owned()));
        }
        if let Some(range) = inside('[', ']') {
            let limits = range.split_once('~').filter(|limits| *limits != ("", ""));
            let (low, high) =
                limits.ok_or_else(|| Failure::bad_request(format!("invalid range: {value}")))?;
            return Ok(Self::Range(bare(low), bare(high)));
        }
        if let Some(values) = inside('{', '}') {
            return Ok(Self::AnyOf(list(values)));
        }
        if let Some(values) = inside('(', ')') {
            return Ok(Self::AllOf(list(values)));
        }
        Ok(Self::Exact(bare(value)))
    }

    /// The value of an exact condition.
    pub fn exact(&self) -> Option<&str> {
        match self {
            Self::Exact(value) => Some(value),
            Self::Fuzzy(_) | Self::Range(..) | Self::AnyOf(_) | Self::AllOf(_) => None,
        }
    }
}

/// A value without the quotes around it.
fn bare(value: &str) -> String {
    value.strip_prefix('"').and_then(|value| value.strip_suffix('"')).unwrap_or(value).to_owned()
}

fn split(query: &str) -> impl Iterator<Item = &str> {
    query.split(',').filter(|term| !term.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::{Filter, Term};
    use crate::rest::{Column, Row};

    struct Named(&'static str, i64);

    impl Row for Named {
        fn column(&self, name: &str) -> Option<Column> {
            match name {
                "name" => Some(Column::Text(self.0.to_owned())),
                "projectid" => Some(Column::Number(self.1)),
                _ => None,
            }
        }
    }

    fn kept(query: &str) -> Vec<&'static str> {
        let filter = Filter::parse(query).unwrap();
        let rows = [Named("alpha", 1), Named("beta", 2), Named("alpha+ci", 3)];
        rows.iter().filter(|row| filter.keeps(row)).map(|row| row.0).collect()
    }

    #[test]
    fn every_form_of_the_grammar_selects_rows() {
        assert_eq!(kept("name=alpha"), ["alpha"]);
        assert_eq!(kept("name=~AL"), ["alpha", "alpha+ci"]);
        assert_eq!(kept("project_id=[2~]"), ["beta", "alpha+ci"]);
        assert_eq!(kept("ProjectID=[1~2]"), ["alpha", "beta"]);
        assert_eq!(kept("name={alpha beta}"), ["alpha", "beta"]);
        assert_eq!(kept("name=(alpha)"), ["alpha"]);
        assert_eq!(kept("name=~al,project_id=3"), ["alpha+ci"]);
    }

    #[test]
    fn a_misspelt_key_filters_nothing() {
        assert_eq!(kept("nmae=alpha").len(), 3);
    }

    #[test]
    fn a_plus_has_to_be_escaped_in_the_query_too() {
        assert!(kept("name=alpha+ci").is_empty());
        assert_eq!(kept("name=alpha%2Bci"), ["alpha+ci"]);
    }

    #[test]
    fn a_term_without_key_or_value_is_refused() {
        for query in ["name", "=x", "name=", "a=b,c", "name=[~]"] {
            assert!(Filter::parse(query).is_err(), "{query}");
        }
        assert_eq!(Filter::parse("a=b").unwrap().get("a").and_then(Term::exact), Some("b"));
    }
}

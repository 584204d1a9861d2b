//! Rules: which images are pulled through which project of a Harbor.
//!
//! A rule is written `<registry>=><project>`, for example `docker.io=>proxy`. Rules are compiled once, when their object
//! is read, and with limits, because every user of a namespace can write them.

use super::reference::{Path, Registry};
use api::v1beta1::harborserverconfiguration::{LONGEST_RULE, MOST_RULES};
use regex::bytes::{Regex, RegexBuilder};

/// How large a compiled expression may be, in bytes.
const COMPILED: usize = 32 * 1024;
/// How much memory a search may use to be fast, in bytes.
const SEARCH: usize = 32 * 1024;

/// The rules of one object, in order.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    rules: Vec<Rule>,
    /// Of the first rule `*`.
    others: Option<Path>,
}

#[derive(Clone, Debug)]
struct Rule {
    registry: Pattern,
    project: Path,
}

/// The registries that a rule matches.
#[derive(Clone, Debug)]
enum Pattern {
    /// Exactly this one.
    Host(Registry),
    /// All that the expression finds a match in.
    Expression(Regex),
}

/// What is wrong with a rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("rule {}: {problem}; {remedy}", .index + 1)]
pub struct RuleError {
    /// The place of the line or the item, counted from zero.
    pub index: usize,
    /// What is wrong with it.
    pub problem: String,
    /// What the user can do about it.
    pub remedy: &'static str,
}

impl Rules {
    /// The rules in these lines. Empty lines are skipped.
    ///
    /// # Errors
    /// With the first rule that is wrong.
    pub fn parse<'a>(lines: impl IntoIterator<Item = &'a str>) -> Result<Self, RuleError> {
        let mut rules = Self::default();
        let lines = lines.into_iter().map(str::trim).enumerate().filter(|(_, text)| !text.is_empty());
        for (number, (index, text)) in lines.enumerate() {
            let error = |problem: String, remedy| RuleError { index, problem, remedy };
            if number == MOST_RULES {
                let problem = format!("there are more than {MOST_RULES} rules");
                return Err(error(problem, "write one expression for several registries"));
            }
            if text.chars().count() > LONGEST_RULE {
                let problem = format!("it is longer than {LONGEST_RULE} characters");
                return Err(error(problem, "split it into several rules"));
            }
            rules.add(text).map_err(|(problem, remedy)| error(problem.to_owned(), remedy))?;
        }
        Ok(rules)
    }

    /// Whether there is no rule.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty() && self.others.is_none()
    }

    /// The project of the first rule that matches this registry by its name, which `*` does not.
    pub fn matching(&self, registry: &Registry) -> Option<&Path> {
        self.rules.iter().find(|rule| rule.registry.matches(registry)).map(|rule| &rule.project)
    }

    /// The project of the rule `*`, which is for registries that no rule of any object matches by their names.
    pub fn others(&self) -> Option<&Path> {
        self.others.as_ref()
    }

    fn add(&mut self, text: &str) -> Result<(), (&'static str, &'static str)> {
        // Old ConfigMaps hold a YAML list as text.
        let text = text.strip_prefix("- ").unwrap_or(text).trim();
        let split = text.rsplit_once("=>").or_else(|| text.rsplit_once('='));
        let Some((registry, project)) = split else {
            return Err(("it has no `=>`", "write it as `docker.io=>project`"));
        };
        let (registry, project) = (registry.trim(), project.trim());
        let project = project.parse::<Path>().map_err(|_| {
            (
                "the text after `=>` is not the name of a project",
                "use lower-case letters, digits, `.`, `_` and `-`",
            )
        })?;
        if registry == "*" {
            self.others.get_or_insert(project);
            return Ok(());
        }
        self.rules.push(Rule { registry: Pattern::parse(registry)?, project });
        Ok(())
    }
}

impl Pattern {
    fn parse(text: &str) -> Result<Self, (&'static str, &'static str)> {
        if text.is_empty() {
            return Err(("it names no registry", "write `*` before `=>` for all registries"));
        }
        if let Some(host) = plain_host(text) {
            return Ok(Self::Host(host));
        }
        // Registries are ASCII, so that `\w` means the same as for the old operator, and tables stay small.
        let compiled = RegexBuilder::new(text)
            .unicode(false)
            .size_limit(COMPILED)
            .dfa_size_limit(SEARCH)
            .build()
            .map_err(|error| match error {
                regex::Error::CompiledTooBig(_) => {
                    ("the regular expression is too large", "use fewer or smaller repetitions")
                }
                _ => ("the text before `=>` is not a regular expression", "correct it, or write a host name"),
            })?;
        Ok(Self::Expression(compiled))
    }

    fn matches(&self, registry: &Registry) -> bool {
        match self {
            Self::Host(host) => host.is(registry),
            Self::Expression(expression) => expression.is_match(registry.as_str().as_bytes()),
        }
    }
}

/// The host that a text names, if it is a host name and not an expression. No registry is a word without a dot or a port,
/// except for one, so other words are parts of names.
fn plain_host(text: &str) -> Option<Registry> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b':');
    if !text.contains(['.', ':']) && text != "localhost" {
        return None;
    }
    if text.bytes().all(is_plain) { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::{RuleError, Rules};
    use proptest::prelude::*;

    fn project(rules: &[&str], registry: &str) -> Option<String> {
        let rules = Rules::parse(rules.iter().copied()).unwrap();
        let project = rules.matching(&registry.parse().unwrap());
        project.map(ToString::to_string)
    }

    fn error(rules: &[&str]) -> String {
        Rules::parse(rules.iter().copied()).unwrap_err().to_string()
    }

    #[test]
    fn the_first_rule_that_matches_wins_and_a_star_matches_no_name() {
        let rules = ["*=>rest", "docker.io=>hub", "^docker=>never", "quay=>quay", "*=>never"];
        assert_eq!(project(&rules, "docker.io").as_deref(), Some("hub"));
        assert_eq!(project(&rules, "quay.io").as_deref(), Some("quay"));
        assert_eq!(project(&rules, "ghcr.io"), None);
        let others =
            |rules: &[&str]| Rules::parse(rules.iter().copied()).unwrap().others().map(ToString::to_string);
        assert_eq!(others(&rules).as_deref(), Some("rest"));
        assert_eq!(others(&rules[1..4]), None);
    }

    #[test]
    fn a_host_name_matches_only_that_host() {
        for registry in ["mydocker.io.example", "dockerxio", "docker.io.example", "docker.io:5000"] {
            assert_eq!(project(&["docker.io=>hub"], registry), None, "{registry}");
        }
        assert_eq!(project(&["Docker.io=>hub"], "docker.io").as_deref(), Some("hub"));
        assert_eq!(project(&["localhost:5000=>hub"], "localhost:5000").as_deref(), Some("hub"));
    }

    #[test]
    fn an_expression_is_not_anchored() {
        assert_eq!(project(&["docker\\.io=>hub"], "mydocker.io.example").as_deref(), Some("hub"));
        assert_eq!(project(&["^docker\\.io$=>hub"], "mydocker.io.example"), None);
        assert_eq!(project(&["(quay|ghcr)\\.io=>a"], "ghcr.io").as_deref(), Some("a"));
    }

    #[test]
    fn a_rule_may_be_an_item_of_a_list_and_is_split_at_its_last_arrow() {
        assert_eq!(project(&["  - docker.io => hub  "], "docker.io").as_deref(), Some("hub"));
        assert_eq!(project(&["docker.io=hub"], "docker.io").as_deref(), Some("hub"));
        assert_eq!(project(&["x=>|docker\\.io=>hub"], "docker.io").as_deref(), Some("hub"));
    }

    #[test]
    fn a_wrong_rule_is_named_by_its_line_with_a_remedy() {
        assert_eq!(
            error(&["", "docker.io=>hub", "quay.io"]),
            "rule 3: it has no `=>`; write it as `docker.io=>project`"
        );
        assert_eq!(
            error(&["docker.io=>Hub"]),
            "rule 1: the text after `=>` is not the name of a project; use lower-case letters, digits, `.`, `_` and `-`"
        );
        assert_eq!(
            error(&["(docker=>hub"]),
            "rule 1: the text before `=>` is not a regular expression; correct it, or write a host name"
        );
        assert_eq!(
            error(&["=>hub"]),
            "rule 1: it names no registry; write `*` before `=>` for all registries"
        );
    }

    #[test]
    fn rules_have_limits() {
        assert_eq!(
            error(&["(a{100}){100}=>hub"]),
            "rule 1: the regular expression is too large; use fewer or smaller repetitions"
        );
        let long = format!("{}=>hub", "a".repeat(600));
        assert_eq!(error(&[&long]), "rule 1: it is longer than 512 characters; split it into several rules");
        for many in ["a.b=>c", "*=>c"] {
            assert_eq!(
                error(&[many; 101]),
                "rule 101: there are more than 100 rules; write one expression for several registries"
            );
        }
    }

    proptest! {
        #[test]
        fn no_text_causes_a_panic(text in ".{0,200}", registry in "[a-z.]{1,20}") {
            let parsed: Result<Rules, RuleError> = Rules::parse(text.lines());
            if let (Ok(rules), Ok(registry)) = (parsed, registry.parse()) {
                let _ = (rules.matching(&registry), rules.others());
            }
        }
    }
}

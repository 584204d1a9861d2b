//! The names that projects may have for objects of a namespace.

use api::{names::PROJECT_ANNOTATION, v1beta1::HarborServerConfiguration};
use plan::{PlanError, System, World};
use std::fmt;

/// What separates the words of a project's name.
const SEPARATORS: [char; 3] = ['.', '_', '-'];

/// The end of the name of a namespace's own project, where the template asks for one.
const OWN: &str = "default";

/// The names that a HarborServerConfiguration allows projects of a namespace to have.
pub(crate) struct ProjectNames<'a> {
    configuration: &'a str,
    namespace: &'a str,
    /// Without a template, all names are allowed.
    template: Option<String>,
}

impl<'a> ProjectNames<'a> {
    /// The names in a Harbor. For one that this operator runs, all names are allowed: objects are in the namespace of the
    /// Harbor then.
    pub fn read(system: &'a System, namespace: &'a str, world: &World<'_>) -> Result<Self, PlanError> {
        let configuration = match system.namespace.as_str() {
            "" => world.read_cluster_wide::<HarborServerConfiguration>(&system.name)?,
            _ => None,
        };
        let template = configuration.and_then(|found| found.spec.project_name_template);
        Ok(Self { configuration: &system.name, namespace, template })
    }

    /// The names in the Harbor of a HarborServerConfiguration.
    pub fn of(configuration: &'a HarborServerConfiguration, namespace: &'a str) -> Self {
        let template = configuration.spec.project_name_template.clone();
        let name = configuration.metadata.name.as_deref().unwrap_or_default();
        Self { configuration: name, namespace, template }
    }

    /// The name of the namespace's own project: the first that the template allows, or the name of the namespace.
    pub fn own(&self) -> Result<String, PlanError> {
        let name = match self.pattern() {
            None => self.namespace.to_owned(),
            Some(pattern) => pattern.first(),
        };
        if is_project_name(&name) {
            return Ok(name);
        }
        Err(PlanError::invalid(
            format_args!("Namespace {}", self.namespace),
            format!("its project would be called {name:?}, which Harbor does not accept"),
            format!("name a project that exists in the annotation {PROJECT_ANNOTATION}"),
        ))
    }

    /// Refuses a project of another name.
    pub fn check(&self, name: &str, field: &str) -> Result<(), PlanError> {
        match self.pattern() {
            Some(pattern) if !pattern.fits(name) => {
                Err(self.refused(field, &format!("not {name}"), &pattern))
            }
            _ => Ok(()),
        }
    }

    /// Refuses what is about all projects, or about the whole Harbor, unless all names are allowed.
    pub fn check_unlimited(&self, field: &str) -> Result<(), PlanError> {
        match self.pattern() {
            Some(pattern) => Err(self.refused(field, "and nothing beyond them", &pattern)),
            None => Ok(()),
        }
    }

    fn pattern(&self) -> Option<Pattern> {
        self.template.as_ref().map(|template| Pattern(template.replace("{namespace}", self.namespace)))
    }

    fn refused(&self, field: &str, but: &str, pattern: &Pattern) -> PlanError {
        let Self { configuration, namespace, .. } = self;
        PlanError::invalid(
            field,
            format!(
                "HarborServerConfiguration {configuration} allows namespace {namespace} projects called {pattern} only, \
                 {but}: see its projectNameTemplate"
            ),
            format!("name a project that is called {pattern}, or ask the administrator"),
        )
    }
}

/// A name, or the beginning of a name and `*`.
struct Pattern(String);

impl Pattern {
    /// The shortest name that fits and does not end with a separator, which Harbor does not accept.
    fn first(&self) -> String {
        let beginning = self.0.strip_suffix('*').unwrap_or(&self.0);
        if beginning.len() < self.0.len() && beginning.ends_with(SEPARATORS) {
            format!("{beginning}{OWN}")
        } else {
            beginning.to_owned()
        }
    }

    fn fits(&self, name: &str) -> bool {
        self.0.strip_suffix('*').map_or(self.0 == name, |beginning| name.starts_with(beginning))
    }
}

/// Whether Harbor accepts a name for a project.
pub(crate) fn is_project_name(name: &str) -> bool {
    let is_word = |word: &str| {
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    name.len() <= 255 && name.split(SEPARATORS).all(is_word)
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(template: &str, name: &str) -> bool {
        let names = ProjectNames { configuration: "main", namespace: "pay", template: Some(template.into()) };
        names.check(name, "spec.projectName").is_ok()
    }

    #[test]
    fn a_template_is_a_name_or_the_beginning_of_one() {
        for (template, name) in [
            ("{namespace}", "pay"),
            ("{namespace}.*", "pay.api"),
            ("{namespace}*", "pay"),
            ("x-{namespace}-*", "x-pay-1"),
        ] {
            assert!(allowed(template, name), "{template} {name}");
        }
        for (template, name) in [
            ("{namespace}", "pay.api"),
            ("{namespace}.*", "pay"),
            ("{namespace}.*", "pay-api.x"),
            ("{namespace}.*", "library"),
            ("x-{namespace}-*", "pay-1"),
        ] {
            assert!(!allowed(template, name), "{template} {name}");
        }
    }

    #[test]
    fn the_own_project_of_a_namespace_fits_the_template() {
        let own = |template: Option<&str>, namespace| {
            let template = template.map(str::to_owned);
            let names = ProjectNames { configuration: "main", namespace, template };
            let own = names.own().map_err(|error| error.to_string())?;
            names.check(&own, "field").map(|()| own).map_err(|error| error.to_string())
        };
        for (template, expected) in [
            (None, "pay"),
            (Some("{namespace}"), "pay"),
            (Some("x-{namespace}*"), "x-pay"),
            (Some("{namespace}.*"), "pay.default"),
        ] {
            assert_eq!(own(template, "pay"), Ok(expected.to_owned()));
        }
        assert_eq!(
            own(None, "pay--roll").unwrap_err(),
            "Namespace pay--roll: its project would be called \"pay--roll\", which Harbor does not accept; name a project that \
             exists in the annotation goharbor.io/project"
        );
    }

    #[test]
    fn without_a_template_everything_is_allowed() {
        let names = ProjectNames { configuration: "main", namespace: "pay", template: None };
        assert_eq!(names.check("library", "spec.projectName"), Ok(()));
        assert_eq!(names.check_unlimited("spec.permissions[0].namespace"), Ok(()));
    }

    #[test]
    fn a_refusal_names_the_field_and_what_is_allowed() {
        let template = Some("{namespace}.*".into());
        let names = ProjectNames { configuration: "main", namespace: "pay", template };
        assert_eq!(
            names.check("library", "spec.projectName").unwrap_err().to_string(),
            "spec.projectName: HarborServerConfiguration main allows namespace pay projects called pay.* only, not \
             library: see its projectNameTemplate; name a project that is called pay.*, or ask the administrator"
        );
    }
}

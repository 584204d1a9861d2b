//! Immutable tags: tags that can be neither moved nor removed.

use crate::{
    call::Call,
    failure::Failure,
    glob,
    projects::Project,
    repositories::{Repository, Tag},
    rest::{Column, Reply, Route, Row, Shown},
    retention::request::{RuleRequest, SelectorRequest},
    state::{Data, Id},
};
use serde_json::Value;

/// The endpoints of immutable tags.
pub(crate) const ROUTES: &[Route] = &[
    Route::get("/projects/{project_name_or_id}/immutabletagrules", list),
    Route::post("/projects/{project_name_or_id}/immutabletagrules", create),
    Route::put("/projects/{project_name_or_id}/immutabletagrules/{immutable_rule_id}", update),
    Route::delete("/projects/{project_name_or_id}/immutabletagrules/{immutable_rule_id}", delete),
];

/// Which tags are immutable.
#[derive(Clone)]
pub(crate) struct ImmutableRule {
    pub project: Id<Project>,
    /// As it was sent, `disabled` included: it makes the rule another one, but is not what counts.
    content: RuleRequest,
    disabled: bool,
}

impl ImmutableRule {
    fn show(&self, id: Id<Self>) -> Value {
        let content = RuleRequest { id: 0, disabled: false, ..self.content.clone() };
        let Value::Object(members) = content.show() else { return Value::Null };
        let mut shown = Shown::new();
        for (name, value) in members {
            shown = shown.with(&name, value);
        }
        shown.with("id", id.number()).nonzero("disabled", self.disabled).into()
    }

    /// Whether a tag of a repository, which comes without its project, is immutable.
    fn holds(&self, repository: &str, tag: &str) -> bool {
        let fits = |selectors: &[SelectorRequest], text: &str| {
            selectors.iter().all(|selector| {
                let excludes = selector.decoration.ends_with("xcludes");
                selector.kind == "doublestar" && glob::matches(&selector.pattern, text) != excludes
            })
        };
        let repositories =
            self.content.scope_selectors.get("repository").map(Vec::as_slice).unwrap_or_default();
        !self.disabled && fits(repositories, repository) && fits(&self.content.tag_selectors, tag)
    }
}

impl Data {
    /// Whether a rule of its project holds a tag.
    pub fn is_immutable(&self, repository: &Repository, tag: &Tag) -> bool {
        let name = repository.name.split_once('/').map_or(repository.name.as_str(), |(_, name)| name);
        let mut rules = self.immutable_rules.iter().filter(|(_, rule)| rule.project == repository.project);
        rules.any(|(_, rule)| rule.holds(name, &tag.name))
    }
}

struct Listed<'a>(Id<ImmutableRule>, &'a ImmutableRule);

impl Row for Listed<'_> {
    fn column(&self, name: &str) -> Option<Column> {
        match name {
            "id" => Some(Column::Number(self.0.number())),
            "disabled" => Some(Column::Flag(self.1.disabled)),
            _ => None,
        }
    }
}

fn list(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let filter = call.filter()?;
    let project = call.project("project_name_or_id", "immutable-tag", "list")?;
    let rules = call.data.immutable_rules.iter().filter(|(_, rule)| rule.project == project);
    call.listed(&filter, "id", rules.map(|(id, rule)| Listed(id, rule)), |Listed(id, rule)| rule.show(id))
}

/// A rule that is sent as disabled is enabled, yet another one than the same rule enabled.
fn create(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let content: RuleRequest = call.body("ImmutableRule")?;
    let project = call.project("project_name_or_id", "immutable-tag", "create")?;
    if call.data.immutable_rules.find(|rule| rule.project == project && rule.content == content).is_some() {
        call.data.immutable_rules.burn();
        return Err(Failure::conflict("immutable rule already exists"));
    }
    let id = call.data.immutable_rules.insert(ImmutableRule { project, content, disabled: false });
    Ok(Reply::created(call.location(&id.to_string())))
}

fn missing(id: Id<ImmutableRule>) -> Failure {
    Failure::not_found(format!("immutable rule {id} not found"))
}

/// Either flips `disabled` or replaces the rest, never both.
fn update(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let id: Id<ImmutableRule> = call.id("immutable_rule_id")?;
    let wanted: RuleRequest = call.body("ImmutableRule")?;
    let project = call.project("project_name_or_id", "immutable-tag", "update")?;
    if wanted.id != id.number() {
        return Err(Failure::bad_request(
            "bad request: the immutable_rule_id doesn't match the id in the payload body of ImmutableRule",
        ));
    }
    let rule = call.data.immutable_rules.get_mut(id).filter(|rule| rule.project == project);
    let rule = rule.ok_or_else(|| missing(id))?;
    if wanted.disabled == rule.disabled {
        rule.content = RuleRequest { id: 0, ..wanted };
    } else {
        rule.disabled = wanted.disabled;
    }
    Ok(Reply::done())
}

fn delete(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let id: Id<ImmutableRule> = call.id("immutable_rule_id")?;
    let project = call.project("project_name_or_id", "immutable-tag", "delete")?;
    if call.data.immutable_rules.get(id).is_none_or(|rule| rule.project != project) {
        return Err(missing(id));
    }
    call.data.immutable_rules.remove(id);
    Ok(Reply::done())
}

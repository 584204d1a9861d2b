//! A set of paths into an object, in the format of `managedFields`.

use super::element::{Element, Unreadable};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A set of paths. It may contain a path without what is above or below it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FieldSet {
    /// No node is empty: each is a member or has children.
    nodes: BTreeMap<Element, Node>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Node {
    member: bool,
    below: FieldSet,
}

impl FieldSet {
    /// The set of these paths of plain fields.
    pub fn of_fields(paths: &[&[&str]]) -> Self {
        let mut set = Self::default();
        for path in paths {
            let path: Vec<Element> = path.iter().map(|name| Element::Field((*name).to_owned())).collect();
            set.insert(&path);
        }
        set
    }

    /// Adds a path. The empty path is ignored, because the whole object has no owner.
    pub fn insert(&mut self, path: &[Element]) {
        let Some((first, rest)) = path.split_first() else { return };
        let node = self.nodes.entry(first.clone()).or_default();
        if rest.is_empty() {
            node.member = true;
        } else {
            node.below.insert(rest);
        }
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Whether the path of this one element is in the set.
    pub fn has(&self, element: &Element) -> bool {
        self.nodes.get(element).is_some_and(|node| node.member)
    }

    /// Whether this path is in the set.
    pub fn contains(&self, path: &[Element]) -> bool {
        match path {
            [] => false,
            [last] => self.has(last),
            [first, rest @ ..] => self.below(first).is_some_and(|set| set.contains(rest)),
        }
    }

    /// What the set contains below an element, if anything.
    pub fn below(&self, element: &Element) -> Option<&Self> {
        self.nodes.get(element).map(|node| &node.below).filter(|set| !set.is_empty())
    }

    pub fn union(mut self, other: &Self) -> Self {
        self.add(other);
        self
    }

    fn add(&mut self, other: &Self) {
        for (element, node) in &other.nodes {
            let mine = self.nodes.entry(element.clone()).or_default();
            mine.member |= node.member;
            mine.below.add(&node.below);
        }
    }

    pub fn intersection(&self, other: &Self) -> Self {
        self.retaining(other, |mine, theirs| Node {
            member: mine.member && theirs.member,
            below: mine.below.intersection(&theirs.below),
        })
    }

    /// What is in this set and not in the other.
    pub fn difference(&self, other: &Self) -> Self {
        self.except(other, |mine, theirs| Node {
            member: mine.member && !theirs.member,
            below: mine.below.difference(&theirs.below),
        })
    }

    /// What is in this set and neither in the other nor below anything in the other.
    pub fn outside(&self, other: &Self) -> Self {
        self.except(other, |mine, theirs| {
            if theirs.member {
                Node::default()
            } else {
                Node { member: mine.member, below: mine.below.outside(&theirs.below) }
            }
        })
    }

    fn retaining(&self, other: &Self, meet: impl Fn(&Node, &Node) -> Node) -> Self {
        let nodes = self
            .nodes
            .iter()
            .filter_map(|(element, mine)| Some((element.clone(), meet(mine, other.nodes.get(element)?))))
            .filter(|(_, node)| !node.is_empty())
            .collect();
        Self { nodes }
    }

    fn except(&self, other: &Self, meet: impl Fn(&Node, &Node) -> Node) -> Self {
        let nodes = self
            .nodes
            .iter()
            .map(|(element, mine)| {
                let left = other.nodes.get(element).map_or_else(|| mine.clone(), |theirs| meet(mine, theirs));
                (element.clone(), left)
            })
            .filter(|(_, node)| !node.is_empty())
            .collect();
        Self { nodes }
    }

    /// The set with every element added that `named` says is a member whenever something below it is, given
    /// the context that `descend` returns on the way down.
    pub fn with_members<C: Copy>(
        &self,
        context: C,
        named: &impl Fn(C, &Element) -> bool,
        descend: &impl Fn(C, &Element) -> C,
    ) -> Self {
        let nodes = self
            .nodes
            .iter()
            .map(|(element, node)| {
                let member = node.member || named(context, element);
                let below = node.below.with_members(descend(context, element), named, descend);
                (element.clone(), Node { member, below })
            })
            .collect();
        Self { nodes }
    }

    /// Every path, those of one element first on each level.
    pub fn paths(&self) -> Vec<Vec<Element>> {
        let mut paths = Vec::new();
        self.collect(&mut Vec::new(), &mut paths);
        paths
    }

    fn collect(&self, prefix: &mut Vec<Element>, paths: &mut Vec<Vec<Element>>) {
        for (element, _) in self.nodes.iter().filter(|(_, node)| node.member) {
            let mut path = prefix.clone();
            path.push(element.clone());
            paths.push(path);
        }
        for (element, node) in &self.nodes {
            prefix.push(element.clone());
            node.below.collect(prefix, paths);
            prefix.pop();
        }
    }

    /// The set as `fieldsV1`.
    pub fn to_json(&self) -> Value {
        let fields = self.nodes.iter().map(|(element, node)| {
            let mut below = node.below.to_json();
            if let (true, false, Value::Object(fields)) = (node.member, node.below.is_empty(), &mut below) {
                fields.insert(".".to_owned(), Value::Object(Map::new()));
            }
            (element.text(), below)
        });
        Value::Object(fields.collect())
    }

    /// Parses `fieldsV1`. Unknown types of elements are left out.
    pub fn from_json(json: &Value) -> Result<Self, String> {
        Ok(Node::from_json(json)?.below)
    }
}

impl Node {
    fn is_empty(&self) -> bool {
        !self.member && self.below.is_empty()
    }

    fn from_json(json: &Value) -> Result<Self, String> {
        let mut node = Self::default();
        match json {
            Value::Null => {}
            Value::Object(fields) => {
                for (text, json) in fields {
                    if text == "." {
                        node.member = true;
                        continue;
                    }
                    match Element::parse(text) {
                        Ok(element) => {
                            node.below.nodes.insert(element, Self::from_json(json)?);
                        }
                        Err(Unreadable::Unknown) => {}
                        Err(Unreadable::Malformed(why)) => return Err(why),
                    }
                }
            }
            _ => return Err("fieldsV1 must be an object".to_owned()),
        }
        node.member |= node.below.is_empty();
        Ok(node)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn set(json: &Value) -> FieldSet {
        FieldSet::from_json(json).unwrap()
    }

    #[test]
    fn fields_v1_reads_back_as_it_is_written() {
        let json = json!({"f:spec": {
            "f:replicas": {},
            "f:labels": {".": {}, "f:a": {}},
            "f:ports": {"k:{\"port\":80}": {".": {}, "f:port": {}}},
            "f:finalizers": {"v:\"x\"": {}},
        }});
        assert_eq!(set(&json).to_json(), json);
        assert_eq!(set(&json!({})), FieldSet::default());
        assert!(FieldSet::from_json(&json!({"x": {}})).is_err());
        assert!(FieldSet::from_json(&json!({"f:x": 1})).is_err());
        assert_eq!(set(&json!({"f:x": {"z:new": {}}})).to_json(), json!({"f:x": {}}));
    }

    #[test]
    fn sets_combine_path_by_path() {
        let left = set(&json!({"f:a": {".": {}, "f:b": {}}, "f:c": {}}));
        let right = set(&json!({"f:a": {"f:b": {}, "f:d": {}}}));
        assert_eq!(
            left.clone().union(&right).to_json(),
            json!({"f:a": {".": {}, "f:b": {}, "f:d": {}}, "f:c": {}})
        );
        assert_eq!(left.intersection(&right).to_json(), json!({"f:a": {"f:b": {}}}));
        assert_eq!(left.difference(&right).to_json(), json!({"f:a": {}, "f:c": {}}));
        assert_eq!(right.difference(&left).to_json(), json!({"f:a": {"f:d": {}}}));
        assert_eq!(right.outside(&left).to_json(), json!({}));
    }

    #[test]
    fn paths_come_shallow_first() {
        let paths = set(&json!({"f:a": {"f:b": {}}, "f:c": {}})).paths();
        let text: Vec<String> = paths.iter().map(|path| super::super::element::path_text(path)).collect();
        assert_eq!(text, [".c", ".a.b"]);
    }
}

//! A scene for programs.

use super::{
    Child, Condition, Root, Scene,
    frame::{word, words},
};
use plan::ObjectKey;
use runtime::Tally;
use serde::Serialize;

/// An object, where it is, and what it wants to exist.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Tree {
    /// Its kind.
    pub kind: String,
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Where it is, in one word.
    pub state: &'static str,
    /// What else there is to say of that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// What it waits for, of those beside it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<String>,
    /// What it wants to exist.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<Tree>,
}

impl Tree {
    /// Whether the object is as it should be.
    pub fn is_ready(&self) -> bool {
        self.state == word(&Condition::Ready)
    }

    /// How many of its children are ready.
    pub fn tally(&self) -> Tally {
        Tally::of(self.children.iter().map(Self::is_ready))
    }
}

impl Scene {
    /// Everything that is nobody's child, with all that is.
    pub fn trees(&self) -> Vec<Tree> {
        self.tops().map(|root| self.tree(root, &root.at.condition, Vec::new(), 0)).collect()
    }

    fn tree(&self, root: &Root, condition: &Condition, after: Vec<String>, depth: usize) -> Tree {
        let names = |child: &Child| {
            let named = |&position: &usize| root.children.get(position);
            let before = child.after.iter().filter_map(named);
            before.map(|before| format!("{}/{}", before.key.kind, before.key.name)).collect()
        };
        let child = |child: &Child| {
            // Deeper than that nothing is: an object that wants itself would have no end.
            let condition = &self.mark(child).condition;
            match self.as_root(child).filter(|_| depth < 8) {
                Some(inner) => self.tree(inner, condition, names(child), depth + 1),
                None => leaf(&child.key, condition, names(child)),
            }
        };
        Tree { children: root.children.iter().map(child).collect(), ..leaf(&root.key, condition, after) }
    }
}

fn leaf(key: &ObjectKey, condition: &Condition, after: Vec<String>) -> Tree {
    Tree {
        kind: key.kind.clone(),
        namespace: key.namespace.clone(),
        name: key.name.clone(),
        state: word(condition),
        message: words(condition),
        after,
        children: Vec::new(),
    }
}

//! What the sandbox and `status` show: objects, the children they want to exist, and where each of them is.
//!
//! Pure: whoever tells it something says when that was. Two sources are folded. The operator tells of the objects it
//! reconciles and of their children; whoever waits judges the objects that were applied by their own status.

#[cfg(feature = "sandbox")]
mod applied;
mod frame;
mod lines;
mod outline;
#[cfg(all(test, feature = "sandbox"))]
mod tests;
mod text;
mod tree;

#[cfg(feature = "sandbox")]
pub use applied::Straggler;
pub use frame::{Size, frame, still};
pub use lines::line;
#[cfg(feature = "sandbox")]
pub use text::duration;
pub use text::{Line, plain, shortened, width};
pub use tree::Tree;

use plan::{ObjectKey, Verdict};
use runtime::{Planned, Progress, Stage, State, Tally};
use std::{mem, time::Duration};

/// Where an object is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Nothing has been done yet; if something is in its way, what that is.
    Pending(Option<ObjectKey>),
    /// It is being written.
    Applying,
    /// It is not ready yet; the words say what is still to come.
    Waiting(String),
    /// It is as it should be.
    Ready,
    /// It will not get there by waiting.
    Failed(String),
    /// The user asked to leave it alone.
    Paused,
    /// It is gone.
    Deleted,
}

/// An object that wants others to exist, or that was applied.
#[derive(Clone, Debug)]
pub struct Root {
    /// Which object.
    pub key: ObjectKey,
    /// Whether a user applied it and so waits for it.
    applied: bool,
    /// What the operator says of it.
    told: Option<Condition>,
    /// What its own status says.
    judged: Option<Condition>,
    /// When it was first heard of.
    since: Duration,
    at: Mark,
    children: Vec<Child>,
}

/// An object that another one wants to exist.
#[derive(Clone, Debug)]
struct Child {
    key: ObjectKey,
    /// Positions of those it waits for.
    after: Vec<usize>,
    at: Mark,
}

/// A condition, and since when.
#[derive(Clone, Debug)]
struct Mark {
    condition: Condition,
    since: Duration,
}

/// A change worth a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct News {
    /// When.
    pub at: Duration,
    /// Of which object.
    pub root: ObjectKey,
    /// Of which of its children; none for the object itself.
    pub child: Option<ObjectKey>,
    /// Where it is now.
    pub condition: Condition,
}

/// Everything there is to show, in the order in which it was heard of.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    roots: Vec<Root>,
    news: Vec<News>,
}

impl Scene {
    /// Takes in what the operator tells.
    pub fn observe(&mut self, progress: Progress, at: Duration) {
        let Progress { owner, stage } = progress;
        match stage {
            Stage::Planned(children) => self.plan(&owner, children, at),
            Stage::Child { object, state } => self.advance(&owner, &object, state, at),
            Stage::Concluded(verdict) => {
                let condition = match verdict {
                    Verdict::Ready => Condition::Ready,
                    Verdict::Interrupted => return,
                    Verdict::Progressing { message, .. } => Condition::Waiting(message),
                    Verdict::Stalled { reason, message } => Condition::Failed(format!("{reason}: {message}")),
                };
                self.tell(&owner, condition, at);
            }
            Stage::Paused => self.tell(&owner, Condition::Paused, at),
            Stage::Deleted => {
                if self.roots.iter().any(|root| root.key == owner) {
                    self.tell(&owner, Condition::Deleted, at);
                    self.root(&owner, at).children.clear();
                    self.roots.retain(|root| root.key != owner || root.applied);
                }
            }
        }
    }

    /// Whether nothing more is going to happen by itself.
    pub fn is_settled(&self) -> bool {
        let settled = |mark: &Mark| matches!(mark.condition, Condition::Ready | Condition::Paused);
        self.roots
            .iter()
            .all(|root| settled(&root.at) && root.children.iter().all(|child| settled(&child.at)))
    }

    /// What stands at the left edge: every object that has no owner.
    fn tops(&self) -> impl Iterator<Item = &Root> {
        let is_child = |key: &ObjectKey| {
            let others = self.roots.iter().filter(|root| root.key != *key);
            others.flat_map(|root| &root.children).any(|child| child.key == *key)
        };
        self.roots.iter().filter(move |root| !is_child(&root.key))
    }

    /// A child that wants objects to exist itself.
    fn as_root(&self, child: &Child) -> Option<&Root> {
        self.roots.iter().find(|root| root.key == child.key)
    }

    /// Where a child is: it is ready where it says so itself and its owner has nothing left to do for it.
    fn mark<'a>(&'a self, child: &'a Child) -> &'a Mark {
        let own = self.as_root(child).map(|root| &root.at);
        own.filter(|at| at.condition != Condition::Ready).unwrap_or(&child.at)
    }

    /// How many of its children are ready.
    fn tally(&self, root: &Root) -> Tally {
        Tally::of(root.children.iter().map(|child| self.mark(child).condition == Condition::Ready))
    }

    /// The changes since the last call.
    pub fn take_news(&mut self) -> Vec<News> {
        mem::take(&mut self.news)
    }

    fn root(&mut self, key: &ObjectKey, at: Duration) -> &mut Root {
        let position = self.roots.iter().position(|root| root.key == *key).unwrap_or_else(|| {
            self.roots.push(Root {
                key: key.clone(),
                applied: false,
                told: None,
                judged: None,
                since: at,
                at: Mark { condition: Condition::Pending(None), since: at },
                children: Vec::new(),
            });
            self.roots.len() - 1
        });
        &mut self.roots[position]
    }

    /// Children that were planned before stay where they are.
    fn plan(&mut self, owner: &ObjectKey, planned: Vec<Planned>, at: Duration) {
        let root = self.root(owner, at);
        let before = mem::take(&mut root.children);
        let child = |(position, Planned { object, mut after }): (usize, Planned)| {
            let known = before.iter().find(|child| child.key == object).map(|child| child.at.clone());
            after.retain(|&after| after < position);
            let at = known.unwrap_or(Mark { condition: Condition::Pending(None), since: at });
            Child { key: object, after, at }
        };
        root.children = planned.into_iter().enumerate().map(child).collect();
    }

    fn advance(&mut self, owner: &ObjectKey, object: &ObjectKey, state: State, at: Duration) {
        if state == State::Applying {
            self.tell(owner, Condition::Applying, at);
        }
        let condition = match state {
            State::Applying => Condition::Applying,
            State::Waiting(why) => Condition::Waiting(why),
            State::Ready => Condition::Ready,
            State::Failed(failure) => Condition::Failed(format!("{}: {}", failure.reason, failure.message)),
            State::Blocked { by } => Condition::Pending(Some(by)),
        };
        let root = self.root(owner, at);
        let Some(child) = root.children.iter_mut().find(|child| child.key == *object) else { return };
        if child.at.change(&condition, at) {
            self.news.push(News { at, root: owner.clone(), child: Some(object.clone()), condition });
        }
    }

    fn tell(&mut self, owner: &ObjectKey, condition: Condition, at: Duration) {
        self.root(owner, at).told = Some(condition);
        self.note_root(owner, at);
    }

    fn note_root(&mut self, key: &ObjectKey, at: Duration) {
        let root = self.root(key, at);
        let condition = root.condition();
        if root.at.change(&condition, at) {
            self.news.push(News { at, root: key.clone(), child: None, condition });
        }
    }
}

impl Root {
    /// Its own status has the last word on being ready; on everything else the operator knows more.
    fn condition(&self) -> Condition {
        match (&self.told, &self.judged) {
            (Some(told @ (Condition::Paused | Condition::Deleted)), _) => told.clone(),
            (_, Some(Condition::Ready)) => Condition::Ready,
            // Of what the operator calls ready the status says so in a moment.
            (Some(Condition::Ready) | None, Some(judged)) => judged.clone(),
            (Some(told), _) => told.clone(),
            (None, None) => Condition::Pending(None),
        }
    }
}

impl Mark {
    /// Whether that is a change. Other words for the same are one, and still no reason to count anew.
    fn change(&mut self, condition: &Condition, at: Duration) -> bool {
        if self.condition == *condition {
            return false;
        }
        let same = mem::discriminant(&self.condition) == mem::discriminant(condition);
        *self = Self { condition: condition.clone(), since: if same { self.since } else { at } };
        true
    }
}

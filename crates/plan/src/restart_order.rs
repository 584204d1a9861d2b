//! The order in which the pods of several workloads restart for a change of a value that all of them use.
//!
//! Without an order, all of them restart at once. With one, a workload restarts for the new value when those before it have, so
//! that a value that does not work stops at the first of them, and clients of the others notice nothing. Each Deployment says
//! in a label which values its pods have restarted for: so an operator that is killed goes on where it was, and pods do
//! not restart for the label.

use crate::{Digest, DigestKey, Health, ObjectKey, Reached, Readiness};
use api::names::RESTARTED_LABEL;
use serde_json::Value;
use std::collections::BTreeMap;

/// A value for whose changes a workload restarts when others have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RestartOrder {
    /// The Secret with the value.
    pub secret: ObjectKey,
    /// Its key.
    pub key: String,
    /// The workloads that restart before, in order. Those that do not exist, or do not use the value, are not waited for.
    pub after: Vec<ObjectKey>,
    /// What pods get that start now.
    pub supply: Supply,
}

/// Which value pods get that start now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Supply {
    /// The one in the Secret.
    Present,
    /// They get the value from a workload before them, not all of whose pods have the one in the Secret yet.
    Earlier,
}

impl RestartOrder {
    /// What identifies the value in the label, which may have 63 characters: room for three values.
    fn name(&self) -> String {
        let name = format!("{}/{}", self.secret.name, self.key);
        Digest::of_bytes(name.as_bytes()).to_string().chars().take(6).collect()
    }
}

/// The values that the pods of a workload have restarted for, each with a keyed digest: every user who may read Deployments
/// sees the label, see [`DigestKey`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Restarted(BTreeMap<String, String>);

impl Restarted {
    /// What the label of a workload says.
    pub fn of(labels: Option<&BTreeMap<String, String>>) -> Self {
        let text = labels.and_then(|all| all.get(RESTARTED_LABEL)).map_or("", String::as_str);
        let entries = text.split('_').filter_map(|entry| entry.split_once('.'));
        Self(entries.map(|(name, digest)| (name.to_owned(), digest.to_owned())).collect())
    }

    /// The values as they are now. `digest` is the one of a value in memory, if the value exists.
    pub fn now(
        orders: &[RestartOrder],
        key: &DigestKey,
        digest: impl Fn(&RestartOrder) -> Option<Digest>,
    ) -> serde_json::Result<Self> {
        let entry = |order: &RestartOrder| {
            let value = digest(order)?;
            let identity = ("restarted", &order.secret.namespace, &order.secret.name, &order.key, value);
            let digest = key.digest(&identity).map(|digest| digest.to_string().chars().take(12).collect());
            Some(digest.map(|digest| (order.name(), digest)))
        };
        orders.iter().filter_map(entry).collect::<serde_json::Result<_>>().map(Self)
    }

    /// The same, but of values that do not reach the pods of a workload yet, what it has restarted for `before`.
    #[must_use]
    pub fn supplied(mut self, before: &Self, orders: &[RestartOrder]) -> Self {
        for order in orders.iter().filter(|order| order.supply == Supply::Earlier) {
            let name = order.name();
            match before.0.get(&name) {
                Some(digest) => self.0.insert(name, digest.clone()),
                None => self.0.remove(&name),
            };
        }
        self
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Writes them into the label of a workload.
    pub fn write(&self, workload: &mut Value) {
        let entries: Vec<_> = self.0.iter().map(|(name, digest)| format!("{name}.{digest}")).collect();
        workload["metadata"]["labels"][RESTARTED_LABEL] = entries.join("_").into();
    }

    /// Whether no workload has restarted for another value than the others.
    pub fn agree<'a>(all: impl IntoIterator<Item = &'a Self>) -> bool {
        let mut known = BTreeMap::new();
        let mut entries = all.into_iter().flat_map(|restarted| &restarted.0);
        entries.all(|(name, digest)| *known.entry(name).or_insert(digest) == digest)
    }

    /// The first value that has changed since the pods of a workload last restarted for it.
    pub fn first_change<'o>(&self, now: &Self, orders: &'o [RestartOrder]) -> Option<&'o RestartOrder> {
        orders.iter().find(|order| {
            let name = order.name();
            self.0.get(&name).is_some_and(|before| now.0.get(&name) != Some(before))
        })
    }

    /// Whether the restart of a workload with this health and these values is over, for those that come after it. One that
    /// does not get all of its pods in time, although some have the new value, is not waited for any longer.
    pub fn has_restarted(&self, health: &Health, now: &Self, order: &RestartOrder) -> bool {
        let name = order.name();
        let Some(theirs) = self.0.get(&name) else { return true };
        let is_over = match health.readiness {
            Readiness::Ready => true,
            Readiness::Failed(_) => health.reached >= Reached::Current,
            Readiness::Progressing(_) => false,
        };
        now.0.get(&name) == Some(theirs) && is_over
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use k8s_openapi::api::{apps::v1::Deployment, core::v1::Secret};

    const KEY: DigestKey = DigestKey::new([7; 32]);

    fn order(name: &str, after: &[&str]) -> RestartOrder {
        let after = after.iter().map(|name| ObjectKey::of::<Deployment>("registry", name)).collect();
        let secret = ObjectKey::of::<Secret>("registry", name);
        RestartOrder { secret, key: "password".into(), after, supply: Supply::Present }
    }

    fn with(value: &str) -> Restarted {
        let digest = Digest::of_bytes(value.as_bytes());
        Restarted::now(&[order("redis", &[])], &KEY, |_| Some(digest)).unwrap()
    }

    fn health(readiness: Readiness, reached: Reached) -> Health {
        Health { readiness, reached, stopped: None }
    }

    #[test]
    fn what_is_written_is_read_again_and_does_not_contain_the_value_or_its_plain_digest() {
        let mut workload = serde_json::json!({});
        with("hunter2").write(&mut workload);
        let labels: BTreeMap<String, String> =
            serde_json::from_value(workload["metadata"]["labels"].clone()).unwrap();
        assert_eq!(Restarted::of(Some(&labels)), with("hunter2"));
        let text = &labels[RESTARTED_LABEL];
        let plain = Digest::of_bytes(b"hunter2").to_string();
        assert!(!text.contains("hunter2") && !text.contains(&plain[..12]));
        assert!(3 * text.len() + 2 <= 63, "a label has room for three: {text}");
        let other = Restarted::now(&[order("redis", &[])], &DigestKey::new([8; 32]), |_| {
            Some(Digest::of_bytes(b"hunter2"))
        });
        assert_ne!(other.unwrap(), with("hunter2"), "the digest has a key");
    }

    #[test]
    fn the_first_value_that_has_changed_counts_and_one_without_a_record_has_not() {
        let orders = [order("database", &[]), order("redis", &[])];
        let now = |database: &str, redis: &str| {
            let digest = |order: &RestartOrder| {
                let value = if order.secret.name == "redis" { redis } else { database };
                Some(Digest::of_bytes(value.as_bytes()))
            };
            Restarted::now(&orders, &KEY, digest).unwrap()
        };
        let changed = |before: &Restarted, now: &Restarted| {
            before.first_change(now, &orders).map(|order| order.secret.name.clone())
        };
        assert_eq!(changed(&now("a", "b"), &now("a", "b")), None);
        assert_eq!(changed(&now("a", "b"), &now("a", "c")), Some("redis".into()));
        assert_eq!(changed(&now("a", "b"), &now("x", "y")), Some("database".into()));
        assert_eq!(changed(&Restarted::default(), &now("a", "b")), None, "an operator before this one");
    }

    #[test]
    fn a_value_that_pods_get_from_another_workload_counts_when_that_has_it() {
        let now = |value: &str, supply| {
            let orders = [RestartOrder { supply, ..order("redis", &[]) }];
            with(value).supplied(&with("before"), &orders)
        };
        assert_eq!(now("after", Supply::Earlier), with("before"));
        assert_eq!(now("after", Supply::Present), with("after"));
        let unknown = with("after").supplied(
            &Restarted::default(),
            &[RestartOrder { supply: Supply::Earlier, ..order("redis", &[]) }],
        );
        assert!(unknown.is_empty(), "nothing is known of its pods");
    }

    #[test]
    fn workloads_agree_when_all_of_them_have_restarted_for_the_same_values() {
        let (new, old, none) = (with("new"), with("old"), Restarted::default());
        assert!(Restarted::agree([&new, &none, &new]));
        assert!(!Restarted::agree([&new, &none, &old]));
    }

    #[test]
    fn a_workload_has_restarted_when_it_has_the_value_and_its_pods_are_ready() {
        let (new, old) = (with("new"), with("old"));
        let redis = order("redis", &[]);
        let ready = health(Readiness::Ready, Reached::Ready);
        let rolling = health(Readiness::Progressing("1 of 2".into()), Reached::Current);
        let stuck = health(Readiness::Failed("too late".into()), Reached::Current);
        let broken = health(Readiness::Failed("too late".into()), Reached::Available);
        let has = |theirs: &Restarted, health: &Health| theirs.has_restarted(health, &new, &redis);
        assert!(!has(&old, &ready), "it has the value before");
        assert!(has(&new, &ready));
        assert!(!has(&new, &rolling));
        assert!(has(&new, &stuck), "some pods have the value, and the others are late for another reason");
        assert!(!has(&new, &broken), "no pod starts with the value");
        assert!(has(&Restarted::default(), &rolling), "it does not use the value");
    }
}

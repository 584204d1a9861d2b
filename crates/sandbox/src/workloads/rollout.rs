//! The number of pods of each template during the rollout of a Deployment; pure arithmetic.

use serde_json::Value;

/// The strategy of a rollout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strategy {
    /// All old pods end before a new one starts.
    Recreate,
    /// At any time, at most `surge` pods above and `unavailable` pods below the wanted number.
    Rolling { surge: i64, unavailable: i64 },
}

/// How many pods of a template are wanted, exist, and are available.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Count {
    pub wanted: i64,
    pub present: i64,
    pub available: i64,
}

impl Strategy {
    pub fn of(spec: &Value, replicas: i64) -> Self {
        if spec["strategy"]["type"] == "Recreate" {
            return Self::Recreate;
        }
        let rolling = &spec["strategy"]["rollingUpdate"];
        let surge = share(&rolling["maxSurge"], replicas, true);
        let unavailable = share(&rolling["maxUnavailable"], replicas, false);
        // If both are zero, the rollout could never start.
        Self::Rolling { surge, unavailable: if surge == 0 { unavailable.max(1) } else { unavailable } }
    }

    /// The next number of pods of the new template, and of each old one, oldest first.
    pub fn next(self, replicas: i64, new: Count, old: &[Count]) -> (i64, Vec<i64>) {
        match self {
            Self::Recreate => {
                let ended = old.iter().all(|count| count.wanted == 0 && count.present == 0);
                (if ended { replicas } else { new.wanted.min(replicas) }, vec![0; old.len()])
            }
            Self::Rolling { surge, unavailable } => {
                let others: i64 = old.iter().map(|count| count.wanted).sum();
                let room = (replicas + surge - others).max(0);
                let next_new =
                    if new.wanted > replicas { replicas } else { replicas.min(room.max(new.wanted)) };
                (next_new, shrunk(old, replicas - unavailable, new))
            }
        }
    }
}

/// The next number of pods of the old templates, so that `least` pods stay available. Removes unavailable pods first.
fn shrunk(old: &[Count], least: i64, new: Count) -> Vec<i64> {
    let mut next: Vec<i64> = old.iter().map(|count| count.wanted.min(count.available)).collect();
    let serving: i64 = next.iter().sum::<i64>() + new.available.min(new.wanted);
    let mut spare = (serving - least).max(0);
    for wanted in &mut next {
        let taken = spare.min(*wanted);
        *wanted -= taken;
        spare -= taken;
    }
    next
}

/// A number, or a percentage of the replicas.
fn share(value: &Value, of: i64, round_up: bool) -> i64 {
    if let Some(number) = value.as_i64() {
        return number.max(0);
    }
    let percent = value.as_str().and_then(|text| text.strip_suffix('%')).and_then(|text| text.parse().ok());
    let hundredths = of.saturating_mul(percent.unwrap_or(25));
    if round_up { hundredths.saturating_add(99) / 100 } else { hundredths / 100 }
}

#[cfg(test)]
mod tests {
    use super::{Count, Strategy};
    use serde_json::json;

    fn all(count: i64) -> Count {
        Count { wanted: count, present: count, available: count }
    }

    #[test]
    fn percentages_round_so_that_something_can_change() {
        let of = |spec| Strategy::of(&spec, 3);
        assert_eq!(of(json!({})), Strategy::Rolling { surge: 1, unavailable: 0 });
        let none = json!({"strategy": {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": "10%"}}});
        assert_eq!(of(none), Strategy::Rolling { surge: 0, unavailable: 1 });
        assert_eq!(of(json!({"strategy": {"type": "Recreate"}})), Strategy::Recreate);
    }

    #[test]
    fn rolling_goes_up_before_it_goes_down_and_ends_at_what_is_wanted() {
        let strategy = Strategy::Rolling { surge: 1, unavailable: 0 };
        let (mut new, mut old) = (Count::default(), all(3));
        let mut steps = Vec::new();
        while (new.wanted, old.wanted) != (3, 0) {
            let (up, down) = strategy.next(3, new, &[old]);
            steps.push((up, down[0]));
            assert!(up + down[0] <= 4, "{steps:?}");
            (new, old) = (all(up), all(down[0]));
            assert!(new.available + old.available >= 3, "{steps:?}");
        }
        assert_eq!(steps.len(), 6, "{steps:?}");
    }

    #[test]
    fn old_pods_that_never_served_go_first() {
        let broken = Count { wanted: 2, present: 2, available: 0 };
        let strategy = Strategy::Rolling { surge: 1, unavailable: 0 };
        assert_eq!(strategy.next(2, Count::default(), &[broken, all(2)]), (0, vec![0, 2]));
    }

    #[test]
    fn recreate_waits_for_the_last_old_pod() {
        let ending = Count { wanted: 0, present: 1, available: 0 };
        assert_eq!(Strategy::Recreate.next(2, Count::default(), &[all(2)]), (0, vec![0]));
        assert_eq!(Strategy::Recreate.next(2, Count::default(), &[ending]), (0, vec![0]));
        assert_eq!(Strategy::Recreate.next(2, Count::default(), &[Count::default()]), (2, vec![0]));
    }

    #[test]
    fn scaling_down_takes_from_the_only_template() {
        let strategy = Strategy::Rolling { surge: 1, unavailable: 0 };
        assert_eq!(strategy.next(0, all(3), &[]), (0, vec![]));
    }
}

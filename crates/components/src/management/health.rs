//! What Harbor finds when it asks other systems whether they answer.

use plan::KindCondition;

/// The condition that tells whether Harbor reaches a remote system. The object is configured as asked either way.
const REMOTE_HEALTHY: &str = "RemoteHealthy";

/// Whether Harbor reaches a remote system, such as `the registry`; `None` while Harbor shows nothing.
pub(crate) fn remote_health(shown: Option<&str>, remote: &str) -> KindCondition {
    match shown.map(str::to_ascii_lowercase).as_deref() {
        Some("healthy") => KindCondition::is_true(REMOTE_HEALTHY, "Healthy"),
        Some("unhealthy") => KindCondition::is_false(REMOTE_HEALTHY, "Unhealthy").as_warning().with_message(
            format!("Harbor does not reach {remote}, or not with its credentials; check its address, credentials and network"),
        ),
        // Harbor has not asked it yet.
        _ => KindCondition::as_before(REMOTE_HEALTHY),
    }
}

#[cfg(test)]
mod tests {
    use super::remote_health;
    use plan::KindCondition;

    #[test]
    fn harbor_has_three_words_for_health_in_upper_and_lower_case() {
        let health = |word| remote_health(word, "the registry");
        let healthy = KindCondition::is_true("RemoteHealthy", "Healthy");
        assert_eq!([health(Some("healthy")), health(Some("Healthy"))], [healthy.clone(), healthy]);
        assert_eq!(health(Some("unhealthy")), health(Some("Unhealthy")));
        let before = KindCondition::as_before("RemoteHealthy");
        assert_eq!([health(Some("Unknown")), health(None)], [before.clone(), before]);
    }
}

//! Calls webhooks: mutating ones one after the other, validating ones at the same time.

use super::Webhooks;
use super::attributes::{Attributes, Equivalent};
use super::hook::{FailurePolicy, Hook, ReinvocationPolicy, SideEffects, hooks};
use super::review::{Answer, Phase, Verdict, answer, named, request};
use crate::failure::Failure;
use crate::uid;
use futures::future::join_all;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;
use tokio::time::timeout;

/// The object after the webhooks of these MutatingWebhookConfigurations, and their warnings. A deletion has
/// no object.
pub(crate) async fn mutate(
    webhooks: &dyn Webhooks,
    configurations: &[Arc<Value>],
    write: &Attributes<'_>,
    mut object: Option<Value>,
) -> Result<(Option<Value>, Vec<String>), Failure> {
    let mut warnings = Vec::new();
    if is_exempt(write) {
        return Ok((object, warnings));
    }
    let hooks = hooks(configurations)?;
    let mut reinvocation = Reinvocation::default();
    let mut changed_once = false;
    for round in [Round::First, Round::Second] {
        if round == Round::Second && !changed_once {
            break;
        }
        for hook in &hooks {
            let Some(name) = hook.invocation(write, object.as_ref())? else { continue };
            if round == Round::Second && !reinvocation.again.contains(&hook.id) {
                continue;
            }
            let seen = object.as_ref();
            let call = Call { webhooks, hook, write, name: &name, object: seen, phase: Phase::Mutating };
            let Some(answer) = call.answer().await? else {
                reinvocation.invoked(hook);
                continue;
            };
            warnings.extend(answer.warnings);
            let patch = match answer.verdict {
                Verdict::Denied(failure) => return Err(failure),
                Verdict::Allowed { patch } => patch,
            };
            if let Some(patch) = patch {
                let patched = patched(hook, write, &name, object.as_ref(), &patch)?;
                if object.as_ref() != Some(&patched) {
                    changed_once = true;
                    reinvocation.changed();
                }
                object = Some(patched);
            }
            reinvocation.invoked(hook);
        }
    }
    Ok((object, warnings))
}

/// The warnings of the webhooks of these ValidatingWebhookConfigurations, or the first refusal.
pub(crate) async fn validate(
    webhooks: &dyn Webhooks,
    configurations: &[Arc<Value>],
    write: &Attributes<'_>,
    object: Option<&Value>,
) -> Result<Vec<String>, Failure> {
    if is_exempt(write) {
        return Ok(Vec::new());
    }
    let hooks = hooks(configurations)?;
    let mut invocations = Vec::new();
    for hook in &hooks {
        if let Some(name) = hook.invocation(write, object)? {
            invocations.push((hook, name));
        }
    }
    let calls: Vec<Call<'_>> = invocations
        .iter()
        .map(|(hook, name)| Call { webhooks, hook, write, name, object, phase: Phase::Validating })
        .collect();
    let mut warnings = Vec::new();
    for answer in join_all(calls.iter().map(Call::answer)).await {
        let Some(answer) = answer? else { continue };
        warnings.extend(answer.warnings);
        if let Verdict::Denied(failure) = answer.verdict {
            return Err(failure);
        }
    }
    Ok(warnings)
}

/// Whether webhooks do not review the write. Otherwise a wrong configuration could not be corrected.
fn is_exempt(write: &Attributes<'_>) -> bool {
    const KINDS: [&str; 6] = [
        "ValidatingWebhookConfiguration",
        "MutatingWebhookConfiguration",
        "ValidatingAdmissionPolicy",
        "ValidatingAdmissionPolicyBinding",
        "MutatingAdmissionPolicy",
        "MutatingAdmissionPolicyBinding",
    ];
    write.group == "admissionregistration.k8s.io" && KINDS.contains(&write.kind)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Round {
    First,
    Second,
}

/// Which webhooks must review an object again, because others changed it after them.
#[derive(Default)]
struct Reinvocation {
    since_change: Vec<(String, usize)>,
    again: BTreeSet<(String, usize)>,
}

impl Reinvocation {
    fn changed(&mut self) {
        self.again.extend(self.since_change.drain(..));
    }

    fn invoked(&mut self, hook: &Hook) {
        if hook.reinvocation_policy == ReinvocationPolicy::IfNeeded {
            self.since_change.push(hook.id.clone());
        }
    }
}

/// A call of one webhook.
struct Call<'a> {
    webhooks: &'a dyn Webhooks,
    hook: &'a Hook,
    write: &'a Attributes<'a>,
    name: &'a Equivalent,
    object: Option<&'a Value>,
    phase: Phase,
}

impl Call<'_> {
    /// The answer of the webhook; None if the call fails and the webhook's policy is to ignore that.
    async fn answer(&self) -> Result<Option<Answer>, Failure> {
        let Self { hook, write, .. } = self;
        let harmless = matches!(hook.side_effects, Some(SideEffects::None | SideEffects::NoneOnDryRun));
        if write.dry_run && !harmless && hook.side_effects.is_some() {
            let why = format!("admission webhook {:?} does not support dry run", hook.name);
            return Err(Failure::bad_request(why));
        }
        match self.send().await {
            Ok(answer) => Ok(Some(answer)),
            Err(why) => {
                let why = format!("failed calling webhook {:?}: {why}", hook.name);
                match hook.failure_policy {
                    FailurePolicy::Ignore => {
                        tracing::debug!(why, "ignored a webhook that failed");
                        Ok(None)
                    }
                    FailurePolicy::Fail => Err(Failure::internal(why)),
                }
            }
        }
    }

    async fn send(&self) -> Result<Answer, String> {
        let Self { hook, write, .. } = self;
        if write.dry_run && hook.side_effects.is_none() {
            return Err("Webhook SideEffects is nil".into());
        }
        if !hook.admission_review_versions.iter().any(|version| version == "v1") {
            return Err(
                "could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)"
                    .into(),
            );
        }
        let target = hook.target().map_err(|why| format!("could not get REST client: {why}"))?;
        let uid = uid::random();
        let asked =
            self.webhooks.call(&target, hook.ca_bundle(), request(&uid, write, self.name, self.object));
        let failed = |why: &str| {
            format!("failed to call webhook: Post \"{target}?timeout={}s\": {why}", hook.timeout().as_secs())
        };
        let review = timeout(hook.timeout(), asked)
            .await
            .map_err(|_| failed("context deadline exceeded"))?
            .map_err(|error| failed(&error.to_string()))?;
        answer(&review, &uid, &hook.name, self.phase)
    }
}

/// The object after a webhook's patch, in its own version.
fn patched(
    hook: &Hook,
    write: &Attributes<'_>,
    name: &Equivalent,
    object: Option<&Value>,
    patch: &[u8],
) -> Result<Value, Failure> {
    let Some(object) = object else {
        return Err(Failure::internal(format!(
            "admission webhook {:?} attempted to modify the object, which is not supported for this operation",
            hook.name
        )));
    };
    let seen = crate::patch::json(&named(Some(object), name), patch)
        .map_err(|error| Failure::internal(Failure::from(error).message))?;
    if !seen.is_object() {
        return Err(Failure::internal(format!("admission webhook {:?} left no object", hook.name)));
    }
    Ok(named(Some(&seen), &write.own()))
}

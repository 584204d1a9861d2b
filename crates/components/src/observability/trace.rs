//! Distributed tracing.

use crate::{
    pods::Environment,
    secrets::{SecretKey, Secrets},
    values::whole_seconds,
};
use api::v1beta1::trace::{
    JaegerAgentSpec, JaegerCollectorSpec, JaegerMode, JaegerSpec, OtelSpec, TraceProvider, TraceSpec,
};
use plan::PlanError;
use serde_json::{Number, Value};
use std::collections::BTreeMap;

/// Keys of a Secret that may hold a collector's password. The operator's predecessor read the second, so
/// Secrets created for it have only that one.
const PASSWORDS: [&str; 2] = ["jaeger-password", "postgres-password"];

/// The settings for traces of `component`.
pub(crate) fn trace_environment(
    spec: Option<&TraceSpec>,
    component: &str,
    secrets: &Secrets<'_>,
) -> Result<Environment, PlanError> {
    let environment = Environment::default();
    let Some(spec) = spec.filter(|spec| spec.enabled) else {
        return Ok(environment.with("TRACE_ENABLED", false));
    };
    let TraceSpec { enabled, namespace, sample_rate, attributes, provider, jaeger, otel } = spec;
    check_sample_rate(sample_rate)?;
    let environment = environment
        .with("TRACE_ENABLED", enabled)
        .with("TRACE_SERVICE_NAME", format_args!("harbor-{component}"))
        .with_some("TRACE_NAMESPACE", namespace.as_ref())
        .with("TRACE_SAMPLE_RATE", sample_rate)
        .with_some("TRACE_ATTRIBUTES", json(attributes));
    let backend = match provider {
        TraceProvider::Jaeger => self::jaeger(set(jaeger.as_ref(), "spec.trace.jaeger")?, secrets),
        TraceProvider::Otel => self::otel(set(otel.as_ref(), "spec.trace.otel")?),
    };
    Ok(environment.and(backend?))
}

/// Refuses a percentage: Harbor treats every rate above 1 as 1.
fn check_sample_rate(rate: &Number) -> Result<(), PlanError> {
    match rate.as_f64() {
        Some(rate) if (0.0..=1.0).contains(&rate) => Ok(()),
        _ => Err(PlanError::invalid(
            "spec.trace.sampleRate",
            format!("{rate} is not a share of all requests"),
            "use a number from 0 to 1, such as 0.1 for every tenth request",
        )),
    }
}

/// The attributes as a JSON object, which Harbor parses.
fn json(attributes: &BTreeMap<String, String>) -> Option<Value> {
    (!attributes.is_empty()).then(|| attributes.clone().into_iter().collect())
}

fn jaeger(spec: &JaegerSpec, secrets: &Secrets<'_>) -> Result<Environment, PlanError> {
    let JaegerSpec { mode, collector, agent } = spec;
    match mode {
        JaegerMode::Collector => {
            self::collector(set(collector.as_ref(), "spec.trace.jaeger.collector")?, secrets)
        }
        JaegerMode::Agent => self::agent(set(agent.as_ref(), "spec.trace.jaeger.agent")?),
    }
}

fn collector(spec: &JaegerCollectorSpec, secrets: &Secrets<'_>) -> Result<Environment, PlanError> {
    let JaegerCollectorSpec { endpoint, username, password_ref } = spec;
    let environment = Environment::default()
        .with("TRACE_JAEGER_ENDPOINT", endpoint)
        .with_some("TRACE_JAEGER_USERNAME", username.as_ref());
    let Some(secret) = password_ref else { return Ok(environment) };
    let [key, former] = PASSWORDS.map(|key| SecretKey::new(secret, key));
    let key = if !secrets.has(&key)? && secrets.has(&former)? { former } else { key };
    secrets.value(&key)?;
    Ok(environment.with_secret("TRACE_JAEGER_PASSWORD", &key))
}

fn agent(spec: &JaegerAgentSpec) -> Result<Environment, PlanError> {
    let JaegerAgentSpec { host, port } = spec;
    let host = set(host.as_ref(), "spec.trace.jaeger.agent.host")?;
    Ok(Environment::default()
        .with("TRACE_JAEGER_AGENT_HOSTNAME", host)
        .with_some("TRACE_JAEGER_AGENT_PORT", port.as_ref()))
}

fn otel(spec: &OtelSpec) -> Result<Environment, PlanError> {
    let OtelSpec { endpoint, url_path, compression, insecure, timeout } = spec;
    let timeout = whole_seconds(timeout, "spec.trace.otel.timeout")?;
    Ok(Environment::default()
        .with("TRACE_OTEL_ENDPOINT", endpoint)
        .with("TRACE_OTEL_URL_PATH", url_path)
        .with("TRACE_OTEL_COMPRESSION", compression.unwrap_or(false))
        .with("TRACE_OTEL_INSECURE", insecure.unwrap_or(false))
        .with("TRACE_OTEL_TIMEOUT", timeout))
}

fn set<'a, T>(value: Option<&'a T>, field: &str) -> Result<&'a T, PlanError> {
    value.ok_or_else(|| {
        PlanError::invalid(
            field,
            "is not set although traces are to be sent there",
            "set it, or turn tracing off",
        )
    })
}

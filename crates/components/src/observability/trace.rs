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
    sample_rate(spec)?;
    let environment = environment
        .with("TRACE_ENABLED", true)
        .with("TRACE_SERVICE_NAME", format_args!("harbor-{component}"))
        .with_some("TRACE_NAMESPACE", spec.namespace.as_ref())
        .with("TRACE_SAMPLE_RATE", &spec.sample_rate)
        .with_some("TRACE_ATTRIBUTES", attributes(spec));
    let backend = match spec.provider {
        TraceProvider::Jaeger => jaeger(set(spec.jaeger.as_ref(), "spec.trace.jaeger")?, secrets),
        TraceProvider::Otel => otel(set(spec.otel.as_ref(), "spec.trace.otel")?),
    };
    Ok(environment.and(backend?))
}

/// Refuses a percentage: Harbor treats every rate above 1 as 1.
fn sample_rate(spec: &TraceSpec) -> Result<(), PlanError> {
    match spec.sample_rate.as_f64() {
        Some(rate) if (0.0..=1.0).contains(&rate) => Ok(()),
        _ => Err(PlanError::invalid(
            "spec.trace.sampleRate",
            format!("{} is no share of all requests", spec.sample_rate),
            "use a number from 0 to 1, such as 0.1 for every tenth request",
        )),
    }
}

/// The attributes as a JSON object, which Harbor parses.
fn attributes(spec: &TraceSpec) -> Option<serde_json::Value> {
    (!spec.attributes.is_empty()).then(|| spec.attributes.clone().into_iter().collect())
}

fn jaeger(spec: &JaegerSpec, secrets: &Secrets<'_>) -> Result<Environment, PlanError> {
    match spec.mode {
        JaegerMode::Collector => {
            collector(set(spec.collector.as_ref(), "spec.trace.jaeger.collector")?, secrets)
        }
        JaegerMode::Agent => agent(set(spec.agent.as_ref(), "spec.trace.jaeger.agent")?),
    }
}

fn collector(spec: &JaegerCollectorSpec, secrets: &Secrets<'_>) -> Result<Environment, PlanError> {
    let environment = Environment::default()
        .with("TRACE_JAEGER_ENDPOINT", &spec.endpoint)
        .with_some("TRACE_JAEGER_USERNAME", spec.username.as_ref());
    let Some(secret) = &spec.password_ref else { return Ok(environment) };
    let [key, former] = PASSWORDS.map(|key| SecretKey::new(secret, key));
    let key = if !secrets.has(&key)? && secrets.has(&former)? { former } else { key };
    secrets.value(&key)?;
    Ok(environment.with_secret("TRACE_JAEGER_PASSWORD", &key))
}

fn agent(spec: &JaegerAgentSpec) -> Result<Environment, PlanError> {
    let host = set(spec.host.as_ref(), "spec.trace.jaeger.agent.host")?;
    Ok(Environment::default()
        .with("TRACE_JAEGER_AGENT_HOSTNAME", host)
        .with_some("TRACE_JAEGER_AGENT_PORT", spec.port))
}

fn otel(spec: &OtelSpec) -> Result<Environment, PlanError> {
    let timeout = whole_seconds(&spec.timeout, "spec.trace.otel.timeout")?;
    Ok(Environment::default()
        .with("TRACE_OTEL_ENDPOINT", &spec.endpoint)
        .with("TRACE_OTEL_URL_PATH", &spec.url_path)
        .with("TRACE_OTEL_COMPRESSION", spec.compression.unwrap_or(false))
        .with("TRACE_OTEL_INSECURE", spec.insecure.unwrap_or(false))
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

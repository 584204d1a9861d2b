//! The log of a container.

use super::{answer::Call, reply};
use crate::{LOG_ANNOTATIONS, body::Body, failure::Failure, state::State};
use http::{Response, StatusCode};
use serde_json::Value;

/// Answers with the log of a container, if it has run, as a kubelet does.
pub(super) fn answer(call: &Call, name: &str) -> Result<Response<Body>, Failure> {
    let key = State::key(&call.resource, call.namespace.as_deref(), name);
    let pod = call.server.state().get(&call.resource, &key)?.clone();
    let container = container(&pod, name, call.query.get("container"))?;
    let previous = call.query.flag("previous").unwrap_or(false);
    has_run(&pod, name, &container, previous)?;
    let log = pod["metadata"]["annotations"][format!("{LOG_ANNOTATIONS}{container}")].as_str();
    let log = end(log.unwrap_or_default(), call.query.number("tailLines")?);
    let bytes = call.query.number("limitBytes")?.map_or(log.len(), |limit: usize| limit.min(log.len()));
    Ok(reply::bytes(StatusCode::OK, "text/plain", log.as_bytes()[..bytes].to_vec().into()))
}

/// The name of the container that is meant.
fn container(pod: &Value, name: &str, requested: Option<&str>) -> Result<String, Failure> {
    let named = |field: &str| {
        pod["spec"][field].as_array().into_iter().flatten().filter_map(|it| it["name"].as_str())
    };
    match requested {
        None => match named("containers").collect::<Vec<_>>()[..] {
            [only] if named("initContainers").next().is_none() => Ok(only.to_owned()),
            ref all => Err(Failure::bad_request(format!(
                "a container name must be specified for pod {name}, choose one of: [{}]",
                all.join(" ")
            ))),
        },
        Some(container) => {
            let mut all = ["initContainers", "containers", "ephemeralContainers"].into_iter().flat_map(named);
            let is_known = all.any(|it| it == container);
            let unknown =
                || Failure::bad_request(format!("container {container} is not valid for pod {name}"));
            is_known.then(|| container.to_owned()).ok_or_else(unknown)
        }
    }
}

/// Fails if a container has no such run.
fn has_run(pod: &Value, name: &str, container: &str, previous: bool) -> Result<(), Failure> {
    let statuses = ["initContainerStatuses", "containerStatuses"];
    let mut statuses =
        statuses.into_iter().flat_map(|field| pod["status"][field].as_array().into_iter().flatten());
    let status = statuses.find(|status| status["name"] == container).unwrap_or(&Value::Null);
    let ended = status["lastState"]["terminated"].is_object();
    if previous && !ended {
        let problem = format!("previous terminated container {container:?} in pod {name:?} not found");
        return Err(Failure::bad_request(problem));
    }
    let state = &status["state"];
    if ended || state["running"].is_object() || state["terminated"].is_object() {
        return Ok(());
    }
    let reason = state["waiting"]["reason"].as_str().unwrap_or("ContainerCreating");
    Err(Failure::bad_request(format!(
        "container {container:?} in pod {name:?} is waiting to start: {reason}"
    )))
}

/// The last lines of a text.
fn end(text: &str, lines: Option<usize>) -> &str {
    let Some(lines) = lines else { return text };
    let within = text.strip_suffix('\n').unwrap_or(text);
    match within.rmatch_indices('\n').map(|(at, _)| at + 1).nth(lines.wrapping_sub(1)) {
        _ if lines == 0 => "",
        Some(start) => &text[start..],
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::end;

    #[test]
    fn the_tail_of_a_log_is_whole_lines() {
        let tail = |lines| end("a\nb\nc\n", lines);
        assert_eq!(
            [None, Some(0), Some(1), Some(2), Some(9)].map(tail),
            ["a\nb\nc\n", "", "c\n", "b\nc\n", "a\nb\nc\n"]
        );
        assert_eq!(end("a\nb", Some(1)), "b");
    }
}

//! Jobs and CronJobs.

use super::{
    immutable::unchanged,
    number::{non_negative, one_of},
    pod, selector,
};
use crate::{
    failure::Cause,
    kinds::value::{has, text},
};
use serde_json::{Value, json};

pub(super) fn job(object: &Value, causes: &mut Vec<Cause>) {
    let spec = &object["spec"];
    job_spec(spec, "spec", causes);
    if !has(spec, "selector") {
        causes.push(Cause::required("spec.selector", ""));
        return;
    }
    selector::selector(&spec["selector"], "spec.selector", causes);
    let labels = &spec["template"]["metadata"]["labels"];
    if !selector::matches(&spec["selector"], labels) {
        let message = "`selector` does not match template `labels`";
        causes.push(Cause::invalid("spec.template.metadata.labels", labels, message));
    }
}

pub(super) fn job_update(old: &Value, new: &Value, causes: &mut Vec<Cause>) {
    let (before, after) = (&old["spec"], &new["spec"]);
    if text(after, "completionMode") != "Indexed" {
        unchanged(before, after, "completions", "spec.", causes);
    } else if before["completions"] != after["completions"] && after["completions"] != after["parallelism"] {
        let message = "can only be modified in tandem with spec.parallelism";
        causes.push(Cause::invalid("spec.completions", &after["completions"], message));
    }
    unchanged(before, after, "selector", "spec.", causes);
    let startable = before["suspend"] == json!(true) && old["status"].get("startTime").is_none();
    if !startable {
        unchanged(before, after, "template", "spec.", causes);
    }
    for field in ["completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy"]
    {
        unchanged(before, after, field, "spec.", causes);
    }
}

fn job_spec(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    let numbers = [
        "parallelism",
        "completions",
        "activeDeadlineSeconds",
        "backoffLimit",
        "ttlSecondsAfterFinished",
        "backoffLimitPerIndex",
        "maxFailedIndexes",
    ];
    for field in numbers {
        non_negative(spec, field, path, causes);
    }
    match text(spec, "completionMode") {
        "Indexed" if !has(spec, "completions") => {
            causes.push(Cause::required(format!("{path}.completions"), "when completion mode is Indexed"));
        }
        "" | "NonIndexed" | "Indexed" => {}
        _ => {
            let words = ["NonIndexed", "Indexed"];
            causes.push(Cause::not_supported(
                format!("{path}.completionMode"),
                &spec["completionMode"],
                &words,
            ));
        }
    }
    pod::template(&spec["template"], &format!("{path}.template"), causes);
    let field = format!("{path}.template.spec.restartPolicy");
    match text(&spec["template"]["spec"], "restartPolicy") {
        "" | "Always" => causes.push(Cause::required(field, "valid values: \"OnFailure\", \"Never\"")),
        "OnFailure" | "Never" => {}
        other => causes.push(Cause::not_supported(field, &json!(other), &["OnFailure", "Never"])),
    }
}

pub(super) fn cron_job(object: &Value, causes: &mut Vec<Cause>) {
    let spec = &object["spec"];
    let schedule = text(spec, "schedule");
    if schedule.is_empty() {
        causes.push(Cause::required("spec.schedule", ""));
    } else {
        if let Some(message) = schedule_fault(schedule) {
            causes.push(Cause::invalid("spec.schedule", &json!(schedule), message));
        }
        if schedule.contains("TZ") {
            let message = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead";
            causes.push(Cause::invalid("spec.schedule", &json!(schedule), message));
        }
    }
    non_negative(spec, "startingDeadlineSeconds", "spec", causes);
    if has(spec, "timeZone") && text(spec, "timeZone").is_empty() {
        let message = "timeZone must be nil or non-empty string";
        causes.push(Cause::invalid("spec.timeZone", &spec["timeZone"], message));
    }
    one_of(spec, "concurrencyPolicy", "spec", &["Allow", "Forbid", "Replace"], causes);
    job_spec(&spec["jobTemplate"]["spec"], "spec.jobTemplate.spec", causes);
    non_negative(spec, "successfulJobsHistoryLimit", "spec", causes);
    non_negative(spec, "failedJobsHistoryLimit", "spec", causes);
}

/// The name of a job is that of its CronJob with eleven more characters.
pub(super) fn cron_job_name(object: &Value, causes: &mut Vec<Cause>) {
    let name = text(&object["metadata"], "name");
    if name.len() > 52 {
        causes.push(Cause::invalid("metadata.name", &json!(name), "must be no more than 52 characters"));
    }
}

/// The problem of a schedule in the five fields of cron.
fn schedule_fault(schedule: &str) -> Option<String> {
    const RANGES: [(u32, u32); 5] = [(0, 59), (0, 23), (1, 31), (1, 12), (0, 6)];
    if let Some(word) = schedule.strip_prefix('@') {
        let known = ["yearly", "annually", "monthly", "weekly", "daily", "midnight", "hourly"];
        let known = known.contains(&word) || word.starts_with("every ");
        return (!known).then(|| format!("unrecognized descriptor: {schedule}"));
    }
    let schedule =
        schedule.split_once(' ').filter(|(zone, _)| zone.contains("TZ=")).map_or(schedule, |(_, rest)| rest);
    let fields: Vec<&str> = schedule.split_whitespace().collect();
    if fields.len() != 5 {
        return Some(
            format!("expected exactly 5 fields, found {}: {fields:?}", fields.len()).replace("\", \"", " "),
        )
        .map(|message| message.replace("[\"", "[").replace("\"]", "]"));
    }
    fields
        .iter()
        .zip(RANGES)
        .find_map(|(field, range)| field.split(',').find_map(|part| part_fault(part, range)))
}

fn part_fault(part: &str, (least, most): (u32, u32)) -> Option<String> {
    let (range, step) = part.split_once('/').map_or((part, None), |(range, step)| (range, Some(step)));
    let number = |word: &str| match word.parse::<u32>() {
        Ok(number) => Ok(number),
        Err(_) if names_a_day_or_month(word, most) => Ok(least.max(1)),
        Err(_) => {
            Err(format!("failed to parse int from {word}: strconv.Atoi: parsing {word:?}: invalid syntax"))
        }
    };
    if let Some(step) = step
        && let Err(message) = number(step)
    {
        return Some(message);
    }
    if range == "*" || range == "?" {
        return None;
    }
    let (from, to) = range.split_once('-').unwrap_or((range, range));
    match (number(from), number(to)) {
        (Err(message), _) | (_, Err(message)) => Some(message),
        (Ok(from), _) if from < least => {
            Some(format!("beginning of range ({from}) below minimum ({least}): {part}"))
        }
        (_, Ok(to)) if to > most => Some(format!("end of range ({to}) above maximum ({most}): {part}")),
        (Ok(from), Ok(to)) if from > to => {
            Some(format!("beginning of range ({from}) beyond end of range ({to}): {part}"))
        }
        _ => None,
    }
}

fn names_a_day_or_month(word: &str, most: u32) -> bool {
    let word = word.to_ascii_lowercase();
    match most {
        12 => "jan feb mar apr may jun jul aug sep oct nov dec".split(' ').any(|month| month == word),
        6 => "sun mon tue wed thu fri sat".split(' ').any(|day| day == word),
        _ => false,
    }
}

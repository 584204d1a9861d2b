//! Evaluates a path on a value.

use super::{End, JsonPath, Operand, Operator, PathError, Slice, Step};
use serde_json::Value;
use std::cmp::Ordering;

pub(super) fn walk<'v>(steps: &[Step], start: Vec<&'v Value>) -> Result<Vec<&'v Value>, PathError> {
    steps.iter().try_fold(start, |values, step| follow(step, &values))
}

fn mismatch(message: impl Into<String>) -> PathError {
    PathError::Mismatch(message.into())
}

fn follow<'v>(step: &Step, values: &[&'v Value]) -> Result<Vec<&'v Value>, PathError> {
    let mut found = Vec::new();
    match step {
        Step::Field(name) => found.extend(values.iter().filter_map(|value| value.get(name))),
        Step::Wildcard => values.iter().for_each(|value| found.extend(children(value))),
        Step::Descend => values.iter().for_each(|value| descend(value, &mut found)),
        Step::Union(paths) => {
            for path in paths {
                found.extend(walk(&path.steps, values.to_vec())?);
            }
        }
        Step::Slice(slice) => {
            for value in values.iter().filter(|value| !value.is_null()) {
                let items = value.as_array().ok_or_else(|| mismatch("not an array or slice"))?;
                found.extend(slice.of(items)?);
            }
        }
        Step::Exists(path) => {
            for item in items(values)? {
                if path.find(item).is_ok_and(|found| !found.is_empty()) {
                    found.push(item);
                }
            }
        }
        Step::Compare(path, operator, operand) => {
            for item in items(values)? {
                let Some(left) = single(path, item)? else { continue };
                let right = match operand {
                    Operand::Literal(literal) => literal,
                    Operand::Path(path) => match single(path, item)? {
                        Some(right) => right,
                        None => continue,
                    },
                };
                if operator.holds(left, right)? {
                    found.push(item);
                }
            }
        }
    }
    Ok(found)
}

fn children(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(items) => items.iter().collect(),
        Value::Object(fields) => fields.values().collect(),
        _ => Vec::new(),
    }
}

/// A value and everything below it that has children, the value first.
fn descend<'v>(value: &'v Value, found: &mut Vec<&'v Value>) {
    let mut waiting = vec![value];
    while let Some(value) = waiting.pop() {
        let children = children(value);
        if !children.is_empty() {
            found.push(value);
            waiting.extend(children.into_iter().rev());
        }
    }
}

fn items<'v>(values: &[&'v Value]) -> Result<Vec<&'v Value>, PathError> {
    let mut items = Vec::new();
    for value in values {
        let array =
            value.as_array().ok_or_else(|| mismatch("not an array or slice and cannot be filtered"))?;
        items.extend(array);
    }
    Ok(items)
}

fn single<'v>(path: &JsonPath, item: &'v Value) -> Result<Option<&'v Value>, PathError> {
    match path.find(item)?.as_slice() {
        [] => Ok(None),
        [one] => Ok(Some(one)),
        _ => Err(mismatch("can only compare one element at a time")),
    }
}

impl Slice {
    fn of(self, items: &[Value]) -> Result<Vec<&Value>, PathError> {
        let length = i64::try_from(items.len()).unwrap_or(i64::MAX);
        let from_end = |index: i64| if index < 0 { index.saturating_add(length) } else { index };
        let start = from_end(self.start.unwrap_or(0));
        let end = match self.end {
            End::Open => length,
            End::AfterStart => start.saturating_add(1),
            End::At(end) => from_end(end),
        };
        if start == end {
            return Ok(Vec::new());
        }
        if !(0..length).contains(&start) {
            return Err(mismatch(format!("array index out of bounds: index {start}, length {length}")));
        }
        if !(0..=length).contains(&end) {
            return Err(mismatch(format!(
                "array index out of bounds: index {}, length {length}",
                end.saturating_sub(1)
            )));
        }
        let step = usize::try_from(self.step.unwrap_or(1)).unwrap_or(0);
        if step == 0 {
            return Err(mismatch("step must be > 0"));
        }
        match (usize::try_from(start), usize::try_from(end)) {
            (Ok(start), Ok(end)) if start < end => Ok(items[start..end].iter().step_by(step).collect()),
            _ => Err(mismatch(format!("starting index {start} is greater than ending index {end}"))),
        }
    }
}

impl Operator {
    fn holds(self, left: &Value, right: &Value) -> Result<bool, PathError> {
        let order = match (left, right) {
            (Value::String(left), Value::String(right)) => left.cmp(right),
            (Value::Bool(left), Value::Bool(right)) => left.cmp(right),
            (Value::Number(left), Value::Number(right)) => {
                left.as_f64().partial_cmp(&right.as_f64()).unwrap_or(Ordering::Equal)
            }
            _ => return Err(mismatch("incompatible types for comparison")),
        };
        Ok(match self {
            Self::Equal => order == Ordering::Equal,
            Self::NotEqual => order != Ordering::Equal,
            Self::Less => order == Ordering::Less,
            Self::LessOrEqual => order != Ordering::Greater,
            Self::Greater => order == Ordering::Greater,
            Self::GreaterOrEqual => order != Ordering::Less,
        })
    }
}

//! Combines independent results and reports all of their errors together.

use crate::PlanError;

/// Results that do not depend on each other: all of the values, or all of the errors.
///
/// `?` on one result after another shows a user one missing Secret at a time; `(a, b, c).all()?` shows the three.
pub trait All {
    /// The values of all results.
    type Output;

    /// All values, or the errors of all that failed.
    fn all(self) -> Result<Self::Output, PlanError>;
}

macro_rules! tuples {
    ($(($($name:ident)+))+) => { $(
        impl<$($name),+> All for ($(Result<$name, PlanError>,)+) {
            type Output = ($($name,)+);

            #[allow(non_snake_case, reason = "a type parameter and its value share a name")]
            fn all(self) -> Result<Self::Output, PlanError> {
                let ($($name,)+) = self;
                let mut failed: Option<PlanError> = None;
                $(
                    let $name = $name.map_err(|error| failed = Some(match failed.take() {
                        Some(earlier) => earlier.and(error),
                        None => error,
                    }));
                )+
                match (failed, $($name),+) {
                    (None, $(Ok($name)),+) => Ok(($($name,)+)),
                    (Some(error), ..) => Err(error),
                    // A result is `Err` only after `failed` was set.
                    (None, ..) => Err(PlanError::Invalid(Vec::new())),
                }
            }
        }
    )+ };
}

tuples! {
    (A B)
    (A B C)
    (A B C D)
    (A B C D E)
    (A B C D E F)
    (A B C D E F G)
    (A B C D E F G H)
    (A B C D E F G H I)
    (A B C D E F G H I J)
}

impl<T> All for Vec<Result<T, PlanError>> {
    type Output = Vec<T>;

    fn all(self) -> Result<Vec<T>, PlanError> {
        let mut values = Vec::with_capacity(self.len());
        let mut failed: Option<PlanError> = None;
        for result in self {
            match (result, failed.take()) {
                (Ok(value), earlier) => {
                    values.push(value);
                    failed = earlier;
                }
                (Err(error), None) => failed = Some(error),
                (Err(error), Some(earlier)) => failed = Some(earlier.and(error)),
            }
        }
        failed.map_or(Ok(values), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ObjectKey;
    use k8s_openapi::api::core::v1::Secret;

    fn missing(name: &str) -> PlanError {
        PlanError::Missing([ObjectKey::of::<Secret>("ns", name)].into())
    }

    #[test]
    fn all_missing_objects_are_named_at_once() {
        let result = (Ok(1), Err::<i32, _>(missing("a")), Err::<i32, _>(missing("b"))).all();
        assert_eq!(result.unwrap_err().to_string(), "Secret ns/a, Secret ns/b do not exist; create them");
    }

    #[test]
    fn an_unread_object_hides_other_errors_until_it_is_read() {
        let unread = PlanError::Unread([ObjectKey::of::<Secret>("ns", "c")].into());
        assert_eq!(vec![Err::<(), _>(missing("a")), Err(unread.clone())].all(), Err(unread));
    }
}

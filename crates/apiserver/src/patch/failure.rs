//! Why a patch was not applied.

use crate::failure::Failure;
use http::StatusCode;

/// Why a patch was not applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PatchError {
    /// It is not a patch.
    Malformed(String),
    /// It does not apply to the object. The API server does not report why.
    Rejected,
    /// It has too many operations.
    TooLarge(String),
    /// It breaks a rule for which the API server reports an internal error.
    Unexpected(String),
}

impl From<PatchError> for Failure {
    fn from(error: PatchError) -> Self {
        match error {
            PatchError::Malformed(why) => Self::bad_request(why),
            PatchError::Rejected => Self::generic(
                StatusCode::UNPROCESSABLE_ENTITY,
                "Invalid",
                "the server rejected our request due to an error in our request",
            ),
            PatchError::TooLarge(why) => Self::new(
                StatusCode::PAYLOAD_TOO_LARGE,
                "RequestEntityTooLarge",
                format!("Request entity is too large: {why}"),
            ),
            PatchError::Unexpected(why) => Self::new(StatusCode::INTERNAL_SERVER_ERROR, "", why),
        }
    }
}

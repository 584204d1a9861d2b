//! Why a patch was not applied.

use crate::failure::Failure;
use http::StatusCode;

/// Why a patch was not applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PatchError {
    /// It is no patch.
    Malformed(String),
    /// It does not fit the object. The server does not tell why.
    Rejected,
    /// It has more operations than a patch may have.
    TooLarge(String),
    /// It breaks a rule for which the server has no word but its own failure.
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

//! Admission webhooks, called in process.

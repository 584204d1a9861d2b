//! The sandbox on a real API server.

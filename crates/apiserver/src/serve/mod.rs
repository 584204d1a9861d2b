//! Serving over TLS, and the kubeconfig for it.

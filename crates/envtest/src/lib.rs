//! Runs a real etcd and kube-apiserver on loopback, for tests.

//! Kubeconfigs, as `--kubeconfig` and the sandbox read them: refused or read. What they name is not opened here.

#![no_main]

use kube::config::Kubeconfig;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(kubeconfig) = Kubeconfig::from_yaml(text) {
        let again = kubeconfig.clone().merge(Kubeconfig::default());
        drop(again);
    }
});

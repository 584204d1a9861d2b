//! When the first certificate expires.

use jiff::Timestamp;
use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, EncodeLabelSet, EncodeLabelValue, EncodeMetric as _},
    metrics::{MetricType, gauge::ConstGauge},
    registry::Unit,
};
use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

/// Who issues a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, EncodeLabelValue)]
pub(crate) enum Issuer {
    /// The operator.
    Operator,
    /// cert-manager, because the operator asked for it.
    CertManager,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct By {
    issuer: Issuer,
}

/// How many certificates expire when.
#[derive(Debug, Default)]
pub(super) struct Certificates(Mutex<BTreeMap<(Issuer, Timestamp), usize>>);

impl Certificates {
    pub(super) fn track(this: &Arc<Self>, issuer: Issuer, expires: Timestamp) -> Tracked {
        let what = (issuer, expires);
        *this.0.lock().unwrap_or_else(PoisonError::into_inner).entry(what).or_default() += 1;
        Tracked { all: Arc::clone(this), what }
    }
}

/// A certificate that is known to exist.
#[derive(Debug)]
pub(crate) struct Tracked {
    all: Arc<Certificates>,
    what: (Issuer, Timestamp),
}

impl Tracked {
    /// When it expires.
    pub(crate) fn expires(&self) -> Timestamp {
        self.what.1
    }
}

impl Drop for Tracked {
    fn drop(&mut self) {
        let mut all = self.all.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = all.get_mut(&self.what) {
            *count -= 1;
            if *count == 0 {
                all.remove(&self.what);
            }
        }
    }
}

impl Collector for Certificates {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let help = "When the first of all certificates expires, in seconds since 1970, by who issues it";
        let mut earliest = encoder.encode_descriptor(
            "certificate_expiry_timestamp",
            help,
            Some(&Unit::Seconds),
            MetricType::Gauge,
        )?;
        for issuer in [Issuer::Operator, Issuer::CertManager] {
            // Without a certificate there is no time: zero would be a certificate that expired in 1970.
            if let Some((_, expires)) = all.keys().find(|(by, _)| *by == issuer) {
                ConstGauge::new(expires.as_second()).encode(earliest.encode_family(&By { issuer })?)?;
            }
        }
        Ok(())
    }
}

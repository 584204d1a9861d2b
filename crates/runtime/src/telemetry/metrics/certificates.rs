//! The metric of when the first certificate expires.

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

/// The issuer of a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, EncodeLabelValue)]
pub(crate) enum Issuer {
    /// The operator.
    Operator,
    /// cert-manager, for a Certificate of the operator.
    CertManager,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct By {
    issuer: Issuer,
}

/// The number of certificates by issuer and time of expiry.
#[derive(Debug, Default)]
pub(super) struct Certificates(Mutex<BTreeMap<(Issuer, Timestamp), usize>>);

impl Certificates {
    pub(super) fn track(this: &Arc<Self>, issuer: Issuer, expires: Timestamp) -> Tracked {
        let entry = (issuer, expires);
        *this.0.lock().unwrap_or_else(PoisonError::into_inner).entry(entry).or_default() += 1;
        Tracked { all: Arc::clone(this), entry }
    }
}

/// A certificate that the metric counts until this is dropped.
#[derive(Debug)]
pub(crate) struct Tracked {
    all: Arc<Certificates>,
    entry: (Issuer, Timestamp),
}

impl Tracked {
    /// When it expires.
    pub(crate) fn expires(&self) -> Timestamp {
        self.entry.1
    }
}

impl Drop for Tracked {
    fn drop(&mut self) {
        let mut all = self.all.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = all.get_mut(&self.entry) {
            *count -= 1;
            if *count == 0 {
                all.remove(&self.entry);
            }
        }
    }
}

impl Collector for Certificates {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let help = "When the first of all certificates expires, in seconds since 1970, by issuer";
        let mut earliest = encoder.encode_descriptor(
            "certificate_expiry_timestamp",
            help,
            Some(&Unit::Seconds),
            MetricType::Gauge,
        )?;
        for issuer in [Issuer::Operator, Issuer::CertManager] {
            // No sample without a certificate: zero would mean a certificate that expired in 1970.
            if let Some((_, expires)) = all.keys().find(|(by, _)| *by == issuer) {
                ConstGauge::new(expires.as_second()).encode(earliest.encode_family(&By { issuer })?)?;
            }
        }
        Ok(())
    }
}

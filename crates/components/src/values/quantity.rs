//! Sizes of volumes, as Kubernetes writes them.

/// A size in bytes, for comparison. `f64` is exact for far larger sizes than volumes have.
pub(crate) fn quantity_bytes(size: &str) -> Option<f64> {
    const UNITS: [(&str, f64); 14] = [
        ("Ki", 1024.0),
        ("Mi", 1_048_576.0),
        ("Gi", 1_073_741_824.0),
        ("Ti", 1_099_511_627_776.0),
        ("Pi", 1_125_899_906_842_624.0),
        ("Ei", 1_152_921_504_606_846_976.0),
        ("m", 1e-3),
        ("k", 1e3),
        ("K", 1e3),
        ("M", 1e6),
        ("G", 1e9),
        ("T", 1e12),
        ("P", 1e15),
        ("E", 1e18),
    ];
    let unit = UNITS.iter().find_map(|(unit, factor)| Some((size.strip_suffix(unit)?, *factor)));
    let (number, factor) = unit.unwrap_or((size, 1.0));
    if !number.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let bytes = number.parse::<f64>().ok()? * factor;
    (bytes >= 1.0 && bytes.is_finite()).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_compared_by_what_they_mean() {
        assert_eq!(quantity_bytes("1Gi"), quantity_bytes("1024Mi"));
        assert!(quantity_bytes("1G") < quantity_bytes("1Gi"));
        for nonsense in ["", "Gi", "-1Gi", "0", "a"] {
            assert_eq!(quantity_bytes(nonsense), None, "{nonsense}");
        }
    }
}

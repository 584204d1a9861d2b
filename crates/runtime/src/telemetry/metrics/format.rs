//! The two text formats that Prometheus understands, and the choice between them.

use std::fmt::Write as _;

/// A text format for metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// The text format of Prometheus, version 0.0.4, which every scraper reads.
    Prometheus,
    /// The text format of OpenMetrics, version 1.0.0.
    OpenMetrics,
}

impl Format {
    /// The format for a request with this `Accept` header: OpenMetrics only if the header names it, with at least the
    /// quality of plain text.
    pub fn accepted(accept: &str) -> Self {
        let quality = |media_type: &str| {
            let ranges = accept.split(',').filter_map(|range| {
                let mut parts = range.split(';').map(str::trim);
                let named = parts.next()?.eq_ignore_ascii_case(media_type);
                let quality = parts.find_map(|part| part.strip_prefix("q="));
                named.then(|| quality.map_or(Some(1.0), |quality| quality.parse::<f32>().ok())).flatten()
            });
            ranges.fold(0.0, f32::max)
        };
        let open_metrics = quality("application/openmetrics-text");
        if open_metrics > 0.0 && open_metrics >= quality("text/plain") {
            Self::OpenMetrics
        } else {
            Self::Prometheus
        }
    }

    /// The `Content-Type` of a text in this format.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Prometheus => "text/plain; version=0.0.4; charset=utf-8",
            Self::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
        }
    }
}

/// Converts OpenMetrics to the format of Prometheus. Samples are the same in both. In the format of Prometheus a
/// family has the name of its samples, an info is a gauge, and there is neither a unit nor an end marker.
pub(super) fn prometheus(open_metrics: &str) -> String {
    let mut text = String::with_capacity(open_metrics.len());
    let mut help = "";
    for line in open_metrics.lines() {
        let words: Vec<_> = line.splitn(4, ' ').collect();
        // Writing to a string does not fail.
        let _written = match words.as_slice() {
            ["#", "HELP", _, words] => {
                help = words;
                Ok(())
            }
            ["#", "TYPE", name, kind] => {
                let (suffix, kind) = match *kind {
                    "counter" => ("_total", "counter"),
                    "info" => ("_info", "gauge"),
                    kind => ("", kind),
                };
                writeln!(text, "# HELP {name}{suffix} {help}\n# TYPE {name}{suffix} {kind}")
            }
            ["#", ..] => Ok(()),
            _ => writeln!(text, "{line}"),
        };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_format_is_plain_text_unless_openmetrics_is_requested() {
        let old = "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,\
                   text/plain;version=0.0.4;q=0.5,*/*;q=0.1";
        let new = "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,\
                   application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.2";
        for (accept, format) in [
            ("", Format::Prometheus),
            ("*/*", Format::Prometheus),
            ("text/plain", Format::Prometheus),
            ("text/html, application/xhtml+xml, */*;q=0.8", Format::Prometheus),
            ("text/plain;version=0.0.4;q=0.9, application/openmetrics-text;q=0.1", Format::Prometheus),
            ("application/openmetrics-text;q=0", Format::Prometheus),
            ("application/openmetrics-text; version=1.0.0", Format::OpenMetrics),
            (old, Format::OpenMetrics),
            (new, Format::OpenMetrics),
        ] {
            assert_eq!(Format::accepted(accept), format, "{accept}");
        }
    }

    #[test]
    fn families_have_the_names_of_their_samples() {
        let open_metrics = "\
# HELP build What runs.
# TYPE build info
build_info{version=\"1\"} 1
# HELP cpu_seconds Time used.
# TYPE cpu_seconds counter
# UNIT cpu_seconds seconds
cpu_seconds_total 0.5
# HELP lag How late.
# TYPE lag histogram
lag_sum 1.0
lag_count 1
lag_bucket{le=\"+Inf\"} 1
# EOF
";
        let expected = "\
# HELP build_info What runs.
# TYPE build_info gauge
build_info{version=\"1\"} 1
# HELP cpu_seconds_total Time used.
# TYPE cpu_seconds_total counter
cpu_seconds_total 0.5
# HELP lag How late.
# TYPE lag histogram
lag_sum 1.0
lag_count 1
lag_bucket{le=\"+Inf\"} 1
";
        assert_eq!(prometheus(open_metrics), expected);
    }
}

"""Lints and renders a chart with the real Helm: helm.py CHART RELEASE NAMESPACE, values in JSON on standard input."""

import json
import sys

import helm_python

chart, release, namespace = sys.argv[1:]
values = json.load(sys.stdin)
try:
    report = helm_python.lint(chart, values, namespace=namespace)
    with helm_python.Chart.load(chart) as loaded:
        loaded.validate_schema(values)
        rendered = loaded.render(values, name=release, namespace=namespace)
    json.dump({"messages": report["messages"], "rendered": rendered}, sys.stdout)
except helm_python.HelmError as error:
    json.dump({"error": str(error)}, sys.stdout)

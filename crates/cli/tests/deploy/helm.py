"""Lints and renders a chart with the real Helm: helm.py CHART RELEASE NAMESPACE [KUBERNETES], values in JSON on standard
input. Without a cluster, Helm renders for the newest Kubernetes that it knows; for another version, a copy of the chart has
that version in place of the question for it."""

import json
import pathlib
import shutil
import sys
import tempfile

import helm_python

chart, release, namespace, *version = sys.argv[1:]
values = json.load(sys.stdin)
with tempfile.TemporaryDirectory() as folder:
    if version:
        copy = pathlib.Path(folder) / "harbor-operator"
        shutil.copytree(chart, copy)
        for template in copy.glob("templates/*"):
            text = template.read_text().replace(".Capabilities.KubeVersion.Version", json.dumps("v" + version[0]))
            template.write_text(text)
        chart = str(copy)
    try:
        report = helm_python.lint(chart, values, namespace=namespace)
        with helm_python.Chart.load(chart) as loaded:
            loaded.validate_schema(values)
            rendered = loaded.render(values, name=release, namespace=namespace)
        json.dump({"messages": report["messages"], "rendered": rendered}, sys.stdout)
    except helm_python.HelmError as error:
        json.dump({"error": str(error)}, sys.stdout)

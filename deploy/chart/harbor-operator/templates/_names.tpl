{{- define "harbor-operator.name" -}}
{{- .Values.nameOverride | default .Chart.Name | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- /* Room is left for the longest suffix, -leader-election. */ -}}
{{- define "harbor-operator.fullname" -}}
{{- $name := include "harbor-operator.name" . }}
{{- $release := contains $name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name $name) }}
{{- .Values.fullnameOverride | default $release | trunc 47 | trimSuffix "-" }}
{{- end }}

{{- /* As the operator forms it from --lease-name and --class. */ -}}
{{- define "harbor-operator.lease" -}}
{{- include "harbor-operator.fullname" . }}{{ with .Values.harborClass }}-{{ . }}{{ end }}
{{- end }}

{{- define "harbor-operator.serviceAccountName" -}}
{{- .Values.serviceAccount.name | default (.Values.serviceAccount.create | ternary (include "harbor-operator.fullname" .) "default") }}
{{- end }}

{{- /* Selectors cannot change, so they have these labels and no others. */ -}}
{{- define "harbor-operator.selectorLabels" -}}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/name: {{ include "harbor-operator.name" . }}
{{- end }}

{{- /* The labels of every object; those of selectors win over commonLabels. */ -}}
{{- define "harbor-operator.labels" -}}
{{- toYaml (merge (fromYaml (include "harbor-operator.selectorLabels" .)) .Values.commonLabels) }}
{{- end }}

{{- /* The annotations of an object, for a dict of the root and of its own ones, which win; nothing if there are none. */ -}}
{{- define "harbor-operator.annotations" -}}
{{- with merge (deepCopy (.own | default dict)) .root.Values.commonAnnotations -}}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "harbor-operator.image" -}}
{{- with .Values.image.registry }}{{ . }}/{{ end }}{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ with .Values.image.digest }}@{{ . }}{{ end }}
{{- end }}

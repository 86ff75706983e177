{{- define "flagwatch.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "flagwatch.fullname" -}}
{{- $name := include "flagwatch.name" . -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 57 | trimSuffix "-" -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 57 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 57 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Labels that select pods; called with a dict of root and component. */}}
{{- define "flagwatch.selector" -}}
app.kubernetes.io/name: {{ include "flagwatch.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "flagwatch.labels" -}}
{{ include "flagwatch.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/part-of: flagwatch
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "flagwatch.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ default .Chart.AppVersion .Values.image.tag }}
{{- end -}}
{{- end -}}

{{- define "flagwatch.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "flagwatch.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "flagwatch.priorityClass" -}}
{{- if .Values.priorityClassName -}}
{{- .Values.priorityClassName -}}
{{- else if .Values.priorityClass.create -}}
{{- include "flagwatch.fullname" . -}}
{{- end -}}
{{- end -}}

{{/* The agent's configuration: what the chart knows, and .Values.config. */}}
{{- define "flagwatch.config" -}}
{{- $own := dict "roots" .Values.logDirs "stateDir" "/var/lib/flagwatch/state" "listen" (printf ":%v" .Values.port) -}}
{{- if .Values.rules -}}
{{- $_ := set $own "rules" "/etc/flagwatch/rules.yaml" -}}
{{- end -}}
{{- toYaml (mergeOverwrite (deepCopy .Values.config) $own) -}}
{{- end -}}

{{/* What the probes ask. */}}
{{- define "flagwatch.probes" -}}
livenessProbe:
  httpGet:
    path: /livez
    port: metrics
  initialDelaySeconds: 5
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet:
    path: /readyz
    port: metrics
  periodSeconds: 10
  timeoutSeconds: 5
{{- end -}}

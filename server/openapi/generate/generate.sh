#!/bin/sh
# Makes the published schemas anew: first the definitions as Go (left out of the repository), then the documents.
set -e
cd "$(dirname "$0")"
api=k8s.io/api
machinery=k8s.io/apimachinery/pkg
empty=$(mktemp)
report=$(mktemp)
trap 'rm -f "$empty" "$report"' EXIT
mkdir -p definitions
go tool openapi-gen --output-dir definitions --output-pkg kubarium/server/openapi/generate/definitions \
	--output-file definitions.go --go-header-file "$empty" --report-filename "$report" \
	$machinery/apis/meta/v1 $machinery/runtime $machinery/version $machinery/util/intstr $machinery/api/resource \
	$api/core/v1 $api/apps/v1 $api/autoscaling/v1 $api/autoscaling/v2 $api/batch/v1 $api/networking/v1 $api/policy/v1 \
	$api/rbac/v1 $api/storage/v1 $api/coordination/v1 $api/discovery/v1 $api/events/v1 $api/admissionregistration/v1 \
	$api/certificates/v1 $api/scheduling/v1 $api/scheduling/v1alpha3 $api/node/v1 $api/flowcontrol/v1 $api/resource/v1 \
	$api/authentication/v1 $api/authorization/v1 $api/storagemigration/v1 \
	k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1 k8s.io/kube-aggregator/pkg/apis/apiregistration/v1
go run . ../published

#!/usr/bin/env bash
# Looks for published bugs of RabbitMQ's cluster operator with "kubarium explore". docs/published-bugs.md says what was found.
#
#   rabbitmq.sh CHECKOUT WORKLOAD [flags of explore]     WORKLOAD is resize, again or scale
#
# CHECKOUT is a clone of github.com/rabbitmq/cluster-operator at 4f13b9a942. KUBARIUM is the program (default: kubarium).
# Besides, the script needs Go and kubectl.
set -euo pipefail

name=hello
cluster() { # cluster REPLICAS STORAGE
	kubectl apply -f - <<YAML
apiVersion: rabbitmq.com/v1beta1
kind: RabbitmqCluster
metadata: {name: $name}
spec: {replicas: $1, persistence: {storage: $2, storageClassName: growing}}
YAML
}

# until_is VALUE KIND/NAME FIELD waits until a field has a value.
until_is() {
	for _ in $(seq 400); do
		[ "$(kubectl get "$2" --ignore-not-found -o "jsonpath={$3}")" = "$1" ] && return
		sleep 0.1
	done
	echo "$3 of $2 is not $1" >&2
	exit 1
}

# claim makes the claim that the StatefulSet's controller would make, and binds it.
claim() {
	kubectl apply -f - <<YAML
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: persistence-$name-server-0, labels: {app.kubernetes.io/name: $name}}
spec: {accessModes: [ReadWriteOnce], storageClassName: growing, volumeName: simulated, resources: {requests: {storage: $1}}}
YAML
	kubectl patch pvc persistence-$name-server-0 --subresource=status --type=merge -p '{"status":{"phase":"Bound","capacity":{"storage":"'"$1"'"}}}'
}

case ${1:-} in
setup) # what the operator needs before it starts
	kubectl apply --server-side -f "$CHECKOUT/config/crd/bases"
	kubectl create namespace rabbitmq-system
	kubectl apply -f - <<YAML
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: growing}
provisioner: example.com/none
allowVolumeExpansion: true
YAML
	kubectl wait --for=condition=Established crd --all
	exit ;;
operator) # it looks for its kubeconfig in two places; with a short lease one that starts again leads soon
	exec env KUBE_CONFIG="$KUBECONFIG" LEASE_DURATION=3 RENEW_DEADLINE=2 RETRY_PERIOD=1 OPERATOR_NAMESPACE=rabbitmq-system "$OPERATOR" --metrics-addr 0 ;;
resize) # the storage grows from 10Gi to 15Gi
	cluster 1 10Gi
	until_is 1 statefulset/$name-server .spec.replicas
	claim 10Gi
	cluster 1 15Gi
	until_is 15Gi pvc/persistence-$name-server-0 .spec.resources.requests.storage
	until_is 15Gi statefulset/$name-server '.spec.volumeClaimTemplates[0].spec.resources.requests.storage'
	exit ;;
again) # a cluster is deleted, and another one of its name made
	cluster 1 10Gi
	until_is 1 statefulset/$name-server .spec.replicas
	kubectl delete rabbitmqcluster $name --timeout=40s
	kubectl delete all,cm,secret,sa,role,rolebinding -l app.kubernetes.io/name=$name # what the garbage collector would
	cluster 1 10Gi
	until_is 1 statefulset/$name-server .spec.replicas
	exit ;;
scale) # from 1 to 3, and then to 2, which the operator does not allow
	cluster 1 10Gi
	until_is 1 statefulset/$name-server .spec.replicas
	cluster 3 10Gi
	sleep 3 # by then the StatefulSet has 3
	cluster 2 10Gi
	exit ;;
esac

export CHECKOUT=$1 OPERATOR
workload=$2
shift 2
OPERATOR=$(mktemp -d)/operator
trap 'rm -r "$(dirname "$OPERATOR")"' EXIT
(cd "$CHECKOUT" && go build -o "$OPERATOR" .)
"${KUBARIUM:-kubarium}" explore --setup "$0 setup" --controller "$0 operator" "$@" -- "$0" "$workload"

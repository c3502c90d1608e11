#!/bin/bash
# real.sh DIR: a real control plane with empty data: etcd, kube-apiserver, kube-controller-manager, kube-scheduler and
# KWOK with two nodes. DIR has these five programs and KWOK's stage-fast.yaml. Data, logs and the kubeconfig are in
# DIR/run. The script ends when one of the programs ends, or with Ctrl-C, and stops the others.
set -euo pipefail
bin=$(cd "$1" && pwd) run=$(cd "$1" && pwd)/run; port=${PORT:-6443}; etcd=$((port + 1))
rm -rf "$run"; mkdir -p "$run"; cd "$run"; trap 'kill -9 $(jobs -p) 2>/dev/null || true' EXIT

openssl genrsa -out sa.key 2048 2>/dev/null
openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.crt -subj /CN=ca -days 30 2>/dev/null
token=$(openssl rand -hex 16); echo "$token,admin,admin,system:masters" >tokens
openssl req -newkey rsa:2048 -nodes -keyout api.key -out api.csr -subj /CN=kube-apiserver 2>/dev/null
openssl x509 -req -in api.csr -CA ca.crt -CAkey ca.key -out api.crt -days 30 2>/dev/null \
  -extfile <(echo 'subjectAltName=IP:127.0.0.1,IP:10.96.0.1,DNS:kubernetes.default.svc')
cat >kubeconfig <<K
apiVersion: v1
kind: Config
clusters: [{name: real, cluster: {server: "https://127.0.0.1:$port", certificate-authority-data: $(base64 -w0 ca.crt)}}]
users: [{name: admin, user: {token: $token}}]
contexts: [{name: real, context: {cluster: real, user: admin}}]
current-context: real
K
export KUBECONFIG=$run/kubeconfig

"$bin/etcd" --data-dir etcd --log-level error --listen-peer-urls "http://127.0.0.1:$((etcd + 1))" \
  --listen-client-urls "http://127.0.0.1:$etcd" --advertise-client-urls "http://127.0.0.1:$etcd" >etcd.log 2>&1 &
"$bin/kube-apiserver" --etcd-servers "http://127.0.0.1:$etcd" --bind-address 127.0.0.1 --secure-port "$port" \
  --tls-cert-file api.crt --tls-private-key-file api.key --client-ca-file ca.crt --token-auth-file tokens \
  --authorization-mode Node,RBAC --service-cluster-ip-range 10.96.0.0/16 --allow-privileged \
  --service-account-issuer https://kubernetes.default.svc --service-account-key-file sa.key \
  --service-account-signing-key-file sa.key >kube-apiserver.log 2>&1 &
until kubectl get --raw /readyz >/dev/null 2>&1; do kill -0 %1; kill -0 %2; sleep 0.2; done
"$bin/kube-controller-manager" --kubeconfig kubeconfig --leader-elect=false --secure-port 0 --root-ca-file ca.crt \
  --service-account-private-key-file sa.key --cluster-signing-cert-file ca.crt --cluster-signing-key-file ca.key \
  --node-monitor-grace-period 10h >kube-controller-manager.log 2>&1 &
"$bin/kube-scheduler" --kubeconfig kubeconfig --leader-elect=false --secure-port 0 >kube-scheduler.log 2>&1 &
"$bin/kwok" --kubeconfig kubeconfig --manage-all-nodes=true --node-lease-duration-seconds=40 \
  --config "$bin/stage-fast.yaml" >kwok.log 2>&1 &
for n in 1 2; do
  kubectl apply -f - <<N
apiVersion: v1
kind: Node
metadata: {name: node-$n, labels: {kubernetes.io/hostname: node-$n, kubernetes.io/os: linux, kubernetes.io/arch: amd64}}
status:
  addresses: [{type: InternalIP, address: 198.51.100.$n}, {type: Hostname, address: node-$n}]
  capacity: {cpu: "32", memory: 256Gi, pods: "110", ephemeral-storage: 100Gi}
  allocatable: {cpu: "32", memory: 256Gi, pods: "110", ephemeral-storage: 100Gi}
N
done
kubectl wait --for=condition=Ready node --all --timeout=60s >/dev/null
echo "ready: $KUBECONFIG"
wait -n

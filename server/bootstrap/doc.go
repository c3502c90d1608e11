// Package bootstrap makes the objects that kube-apiserver makes at its start and keeps while it runs: roles and
// bindings, priority classes, flow control, APIServices, the range and the addresses of Services, the Service
// "kubernetes" with its endpoints, namespaces, a ConfigMap and a Lease. Their contents are official data, and they are
// reconciled by the official rules, whether or not controllers run. It is an HTTP client of the server and knows
// neither registry nor store.
//
// A task is a subject, one file each. Tasks run in turn after the server is ready, are tried again with backoff, and
// from then on run when an object of their subject changes. A task writes nothing where nothing differs. A subject
// whose kinds are not served is left out. Roles, where RBAC decides, and the four namespaces are made before the port
// answers; that is not done here.
package bootstrap

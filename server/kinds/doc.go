// Package kinds holds the rows of the catalogue: what the API needs to know of each kind that it serves. The rows of
// built-in kinds are made of Kubernetes' own strategies, defaults, conversions, printers and selectable fields; what
// kube-apiserver's storage does in addition to its strategy (cluster IPs and node ports, binding, eviction, scale) has
// a file of the kind's own. Package registry does the verbs with what the rows say, and asks no row which kind it is. A
// kind is added by adding a row.
//
// A Kind is the one contract for built-in kinds and custom resources: names, Forms, a Strategy, the strategies of the
// subresources that show the whole object, a scale, columns. A Strategy is the official interface of
// k8s.io/apiserver/pkg/registry/rest: how an object is prepared, checked and deleted, and which warnings it gets. Forms
// are the ways between the served and the stored form, both versioned, and the internal form that strategies, printers
// and scales take. Most kinds are served as they are stored, and then bytes are spliced; versions of one kind, and two
// groups that show the same objects, are made of one stored form.
//
// This is the room in which internal types of k8s.io/kubernetes are used; they leave it as runtime.Object. Official
// code looks into the context for the request, the user and a place for warnings: Context alone puts them there. No
// storage package of Kubernetes is used. Checks that compare the items of a list with each other get lists that were
// bounded before (bounds.go).
package kinds

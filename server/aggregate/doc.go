// Package aggregate is the aggregation layer: an APIService may say that another server answers for a group version
// (Kubernetes documentation, "Kubernetes API Aggregation Layer"). An Aggregator follows the APIServices and knows which
// of them lead elsewhere; a Service is one of these, made again at each change of its object. Connections belong to
// client-go's cache of transports and outlive it. What leads elsewhere is not looked up in the catalogue.
//
// Addresses of Services, connections, the user's headers and the answers are handled by the parts of
// k8s.io/kube-aggregator, k8s.io/apiserver and k8s.io/apimachinery that kube-apiserver uses. Availability runs the
// official controllers: that of local APIServices always, that of Services once something leads elsewhere; an annotated
// URL is asked in the same way. They write over HTTP, as clients do.
//
// The package does not know who may ask what: the line has authenticated and authorized a request before it comes here.
package aggregate

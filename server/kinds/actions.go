package kinds

import (
	"net/url"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// podActions are the subresources that act on a pod, or lead to its containers.
func podActions() []Action {
	both := []string{"create", "get"}
	return []Action{
		{"attach", gvk("", "v1", "PodAttachOptions"), both},
		{"binding", gvk("", "v1", "Binding"), []string{"create"}},
		{"eviction", gvk("policy", "v1", "Eviction"), []string{"create"}},
		{"exec", gvk("", "v1", "PodExecOptions"), both},
		{"log", gvk("", "v1", "Pod"), []string{"get"}},
		{"portforward", gvk("", "v1", "PodPortForwardOptions"), both},
		proxy("PodProxyOptions"),
	}
}

// tokenAction creates tokens of a ServiceAccount.
func tokenAction() Action {
	return Action{"token", gvk("authentication.k8s.io", "v1", "TokenRequest"), []string{"create"}}
}

// proxy hands any method on to the server behind an object.
func proxy(options string) Action {
	return Action{"proxy", gvk("", "v1", options), []string{"create", "delete", "get", "patch", "update"}}
}

var parameters = runtime.NewParameterCodec(Scheme)

// ConnectOptions are the options of a connection as an object of their kind in its internal form.
func ConnectOptions(kind schema.GroupVersionKind, query url.Values) (runtime.Object, error) {
	options, err := Internal(kind)
	if err != nil {
		return nil, err
	}
	return options, parameters.DecodeParameters(query, kind.GroupVersion(), options)
}

package kinds

import "k8s.io/apimachinery/pkg/runtime/schema"

// Unstored is the row of a kind whose objects are nowhere: a review, which is a question, or a scale, which is a view. It
// has names and forms alone.
func Unstored(of schema.GroupVersionKind, resource, singular string, namespaced bool) *Kind {
	k := &Kind{GroupVersionKind: of, Resource: resource, Singular: singular, Namespaced: namespaced}
	k.Forms = &typedForms{kind: k}
	return k
}

package registry

import (
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/rest"

	"kubarium/server/kinds"
	"kubarium/server/storage"
)

// A Target is the resource or object that a request is about.
type Target struct {
	Kind        *kinds.Kind
	Subresource string // "", "status", "scale", "finalize"
	Namespace   string // "" for all namespaces, or for what lives in none
	Name        string // "" for a collection
	// Since, if not 0, was the newest revision when what the request is judged by began to be read. Where the store
	// has been restored after it, nothing is written, and the error is storage.ErrRestored.
	Since storage.Revision
}

// ErrNoName refuses a path that needs a name and has none.
var ErrNoName = apierrors.NewBadRequest("name must be provided")

// Check refuses a path that no object can have: one that names an empty namespace, or a name that means something else.
func (t Target) Check() error {
	if t.Kind.Namespaced && t.Namespace == "" {
		return apierrors.NewBadRequest("Namespace parameter required.")
	}
	if t.Name == "" {
		return nil
	}
	return CheckName(t.Name)
}

// key is the object's key in the store.
func (t Target) key() storage.Key {
	return storage.NewKey(t.Kind.StorageResource(), t.Namespace, t.Name)
}

// resource is the group and plural as error messages name them.
func (t Target) resource() schema.GroupResource { return t.Kind.GroupResource() }

// CheckName refuses a name that no object can have: an empty one, or one that means something else in a path.
func CheckName(name string) error {
	if name == "" {
		return apierrors.NewBadRequest("Name parameter required.")
	}
	if faults := content.IsPathSegmentName(name); len(faults) > 0 {
		return apierrors.NewBadRequest(fmt.Sprintf("Name parameter invalid: %q: %s", name, strings.Join(faults, ";")))
	}
	return nil
}

// strategy says how an update through the target is made.
func (t Target) strategy() rest.RESTUpdateStrategy {
	if s := t.Kind.UpdateStrategy(t.Subresource); s != nil {
		return s
	}
	return t.Kind.Strategy // of a subresource that only shows the object, or a part of it
}

// namespaces is the storage resource of Namespace.
const namespaces = "namespaces"

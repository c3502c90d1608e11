package registry

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"kubarium/codecs"
)

// The most entries that lists in the metadata of a request may have. Of managedFields each is read into a set of its
// own, and kube-apiserver itself keeps ten of those that updates made; the others become sets of fields, which are
// kept in order by insertion.
const (
	maxManagers   = 1000
	maxOwners     = 10_000
	maxFinalizers = 10_000
)

// maxName is the most bytes of a name, a label's or another that is checked by a pattern. kube-apiserver refuses
// shorter ones too, but reads all of them to say why.
const maxName = 16 << 10

// boundMetadata refuses an object with more.
func boundMetadata(t Target, m metav1.Object) error {
	path := field.NewPath("metadata")
	var errs field.ErrorList
	for _, list := range []struct {
		name    string
		n, most int
	}{
		{"ownerReferences", len(m.GetOwnerReferences()), maxOwners},
		{"finalizers", len(m.GetFinalizers()), maxFinalizers},
		{"managedFields", len(m.GetManagedFields()), maxManagers},
	} {
		if list.n > list.most {
			errs = append(errs, field.TooMany(path.Child(list.name), list.n, list.most))
		}
	}
	for _, name := range []string{m.GetName(), m.GetGenerateName(), m.GetNamespace()} {
		if len(name) > maxName {
			errs = append(errs, field.TooLong(path.Child("name"), "", maxName))
		}
	}
	for name, value := range m.GetLabels() {
		if len(name)+len(value) > maxName {
			errs = append(errs, field.TooLong(path.Child("labels"), "", maxName))
		}
	}
	for name := range m.GetAnnotations() {
		if len(name) > maxName {
			errs = append(errs, field.TooLong(path.Child("annotations"), "", maxName))
		}
	}
	if len(errs) > 0 {
		return apierrors.NewInvalid(t.Kind.GroupVersionKind.GroupKind(), shortName(m.GetName()), errs)
	}
	return nil
}

// shortName is the beginning of a name, as long as one may be.
func shortName(name string) string { return name[:min(len(name), maxName)] }

// maxObject is the most bytes of a stored object: what etcd takes in one request by default.
const maxObject = 1536 << 10

// checkSize refuses a value that the next request could not work on: many patches together make what none may bring.
func checkSize(value []byte) error {
	if len(value) > maxObject {
		return tooLargeToStore()
	}
	return codecs.JSON.Bound(value, nil)
}

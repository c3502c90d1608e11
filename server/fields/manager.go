package fields

import (
	"strings"
	"unicode"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// A Manager keeps the field owners of one kind that is written through the main resource or through one subresource.
//
//   - Update(live, obj, manager) records in obj's managedFields that manager wrote what differs from live; at a create,
//     live is an empty object. It returns obj.
//   - UpdateNoErrors is the same, but keeps live's owners where Update would fail: a write must not fail for them.
//   - Apply(live, patch, manager, force) merges the unstructured patch into live. A field that another manager owns
//     is an apierrors Conflict with a cause for each, unless force takes it over.
//
// Objects handed in belong to the Manager for the call: it may set their kind and clear managedFields.
// It is safe for concurrent use.
type Manager = managedfields.FieldManager

// Options say which kind a Manager serves, and through which subresource.
type Options struct {
	Kind schema.GroupVersionKind
	// Subresource is "" for the main resource.
	Subresource string
	// Types gives objects the types that their schema says.
	Types managedfields.TypeConverter
	// Convertor, Defaulter and Creater are the ways between the versions of the kind.
	Convertor runtime.ObjectConvertor
	Defaulter runtime.ObjectDefaulter
	Creater   runtime.ObjectCreater
	// Hub is the version through which the others are converted, in which objects are handed in and out.
	Hub schema.GroupVersion
	// Reset keeps of each version's fields those that a write through here can change; nil leaves all.
	Reset map[fieldpath.APIVersion]fieldpath.Filter
	// Unstructured says that the objects have no Go type, so that versions may go.
	Unstructured bool
}

// reset is the filter of the kind's own version; nil leaves all.
func (o Options) reset() fieldpath.Filter {
	return o.Reset[fieldpath.APIVersion(o.Kind.GroupVersion().String())]
}

// Leaves reports whether a write leaves a member of the object alone.
func (o Options) Leaves(member string) bool {
	f := o.reset()
	return f != nil && f.Filter(fieldpath.NewSet(fieldpath.MakePathOrDie(member))).Empty()
}

// NewManager returns the Manager of a resource. It is cheap: schemas are read on the first write.
func NewManager(o Options) (*Manager, error) {
	create := managedfields.NewDefaultFieldManager
	if o.Unstructured {
		create = managedfields.NewDefaultCRDFieldManager
	}
	return create(o.Types, o.Convertor, o.Defaulter, o.Creater, o.Kind, o.Hub, o.Subresource, o.Reset)
}

// maxManagerBytes is the longest manager that a fieldManager parameter may name; a User-Agent is cut to it.
const maxManagerBytes = 128

// ManagerName returns who a write belongs to: the parameter fieldManager where the request has one, or else what its
// User-Agent says before the first "/", as far as that is printable.
func ManagerName(fieldManager, userAgent string) string {
	if fieldManager != "" {
		return fieldManager
	}
	name, _, _ := strings.Cut(userAgent, "/")
	var b strings.Builder
	for _, r := range name {
		if !unicode.IsPrint(r) {
			continue
		}
		if b.Len()+len(string(r)) > maxManagerBytes {
			break
		}
		b.WriteRune(r)
	}
	return b.String()
}

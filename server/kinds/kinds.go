package kinds

import (
	"context"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"

	autoscalingv1 "k8s.io/api/autoscaling/v1"

	managed "kubarium/server/fields"
	"kubarium/server/table"

	"kubarium/server/storage"
)

// A Kind is a row of the catalogue: one kind in one version. Function fields may be nil where a kind does not need
// them.
type Kind struct {
	schema.GroupVersionKind
	Resource   string // plural, as in paths: "deployments"
	Singular   string
	ShortNames []string
	Categories []string
	Namespaced bool
	ListKind   string // of a list of its objects; "" means the kind followed by "List"

	// StoredAs is the row in whose place and form the objects are kept; nil means its own. Several versions of one kind,
	// or two groups that show the same objects, name the same row.
	StoredAs *Kind
	// Key is where kube-apiserver keeps the objects in etcd, below /registry, as its messages show: "minions",
	// "apps/crontabs".
	Key string

	Forms
	// Strategy says how objects are prepared, checked and written through the main resource.
	Strategy Strategy
	// Bound refuses an object, in its internal form, that would take the strategy too long to check, since a check
	// cannot be interrupted.
	Bound func(obj runtime.Object) field.ErrorList
	// Subresources are the strategies of those subresources that show the whole object, by name: status, approval, resize.
	Subresources map[string]rest.RESTUpdateStrategy
	Scale        *Scale
	// Actions are the subresources that act on an object, or lead to its containers or servers.
	Actions []Action
	// Tableless are those of Subresources that have no columns, and are refused as a Table.
	Tableless []string
	// OneByOne says that the objects are not deleted as a collection.
	OneByOne bool
	// Index is the selectable field by which kube-apiserver's cache finds objects directly; "" means none.
	Index string

	// Dynamic says that one handler serves whatever kinds CustomResourceDefinitions make, and no routes are installed for
	// them: that shows in how malformed requests are refused and in the order of members. Package registry does not ask.
	Dynamic bool
	// Remote says that another server converts the objects, so that reading one may fail for a while and then succeed.
	Remote bool
	// Uncached says that kube-apiserver has no cache of the objects: its store words some refusals.
	Uncached bool
	// For returns the Forms for one request, whose flow notes their calls to other servers. nil means that they make
	// none. Kind.During calls it.
	For func(ctx context.Context) Forms
	row *Kind // the row that this copy for one request is made from; nil for the row itself
	// Unreadable reports whether an object was found that is stored in a form which its definition no longer has; nil
	// means that there are none.
	Unreadable func() bool
	// Closed is why no object can be created any more; "" if they can.
	Closed string
	// StatusCreates says that an apply to the status creates an object that is not there.
	StatusCreates bool

	// ReturnDeletedObject says that the answer to a deletion is the deleted object, not a Status.
	ReturnDeletedObject bool
	// Kept says why the object with a name cannot be deleted, except with its collection, "" if it can; nil means that all
	// objects can.
	Kept func(name string) string
	// OrphansWarning is the warning to a client whose deletion leaves dependents alone because it states no propagation
	// policy.
	OrphansWarning string
	// BeginDelete changes obj, in its internal form, as a request to delete it does, where a kind does more than
	// others; true means that the changed obj is stored for now, false that it is deleted like any other.
	BeginDelete func(obj runtime.Object, o metav1.DeleteOptions, now time.Time) (held bool)
	// Precondition begins the refusal of a deletion whose precondition does not hold; "" means the words of most kinds.
	Precondition string
	// Holds reports whether an object that is being deleted is held by more than its metadata.finalizers.
	Holds func(obj runtime.Object) bool

	// Hidden is an annotation that the internal form has as a field: an object shows it, and its metadata alone does not.
	// "" means none.
	Hidden string
	// Warnings come with every answer of the kind's handlers, as for a deprecated version.
	Warnings []string
	Printer  table.Printer // of objects in their internal form
}

// During is the kind for one request.
func (k *Kind) During(ctx context.Context) *Kind {
	if k.For == nil {
		return k
	}
	during := *k
	during.Forms, during.row = k.For(ctx), k.Row()
	return &during
}

// Row is the row itself, the same one for all requests.
func (k *Kind) Row() *Kind {
	if k.row != nil {
		return k.row
	}
	return k
}

// An Action is a subresource that does not show the object: a token, an eviction, a log, a proxy.
type Action struct {
	Name  string
	Kind  schema.GroupVersionKind // of what is sent
	Verbs []string                // as discovery lists them
}

// A Strategy has a kind's own rules, as in kube-apiserver (k8s.io/apiserver/pkg/registry/rest). Some also fulfil
// rest.RESTGracefulDeleteStrategy, rest.GarbageCollectionDeleteStrategy and rest.ResetFieldsStrategy.
type Strategy interface {
	rest.RESTCreateStrategy
	rest.RESTUpdateStrategy
	rest.RESTDeleteStrategy
}

// Forms convert between the forms of a row's objects. On the wire an object is in the version of its row: the
// served form. In the registry it is in its internal form, which strategies, printers and scales take. The store has
// JSON in the version of the row that it is kept as. The result of a conversion may share memory with its argument.
type Forms interface {
	New() runtime.Object         // an empty served object
	NewList() runtime.Object     // an empty served list
	NewInternal() runtime.Object // an empty internal object

	// Coerce drops unknown fields from a decoded body, where decoding has not. It lists them in the words of a refusal,
	// if the caller wants to know; an error means malformed metadata.
	Coerce(served runtime.Object, listUnknown bool) (unknown []error, err error)
	// Default fills what the API documents as defaults. It runs on every object that enters, and is idempotent.
	Default(served runtime.Object)
	Internal(served runtime.Object) (runtime.Object, error)
	Served(internal runtime.Object) (runtime.Object, error)

	// Decode makes an object from its stored form, DecodeServed makes its served form.
	Decode(stored []byte) (internal runtime.Object, err error)
	DecodeServed(stored []byte) (runtime.Object, error)
	// Encode makes the stored form of an object, and does not change it.
	Encode(internal runtime.Object) ([]byte, error)
	// AsStored means that the served JSON is the stored JSON.
	AsStored() bool
	// FormName names the served form among those of a stored object. It changes when the form does.
	FormName() string

	// Look returns the served form of a stored object and the fields that selectors may name besides metadata.name and
	// metadata.namespace. It does not block. A nil object means that there are no such fields.
	Look(stored []byte) (runtime.Object, fields.Set, error)
	// ConvertFieldLabel gives the name and value by which Look knows a field of a selector, or says that there is no such
	// field, as a 400.
	ConvertFieldLabel(label, value string) (string, string, error)

	// Scheme makes, names, defaults and converts objects of the row, and of the other kinds that it knows, for
	// admission plugins.
	Scheme() ObjectScheme

	// Managed are the field managers' ways into objects, with what subresource leaves alone.
	Managed(subresource string) (managed.Options, error)
}

// An ObjectScheme is what apimachinery's runtime.Scheme can do, also for objects that have no Go type.
type ObjectScheme interface {
	runtime.ObjectCreater
	runtime.ObjectTyper
	runtime.ObjectDefaulter
	runtime.ObjectConvertor
}

// A Scale gives the subresource scale of a kind: a view of its replicas, and the way to set them. Objects are internal.
type Scale struct {
	Get func(obj runtime.Object) (*autoscalingv1.Scale, error)
	// Old is Get for an object that is about to be scaled, where that may show more than Get; nil means Get.
	Old func(obj runtime.Object) (*autoscalingv1.Scale, error)
	Set func(obj runtime.Object, replicas int32) error
	Row *Kind // of the Scales themselves: their forms and columns
	// SpecPath and StatusPath are the JSON paths of the replicas, for the documentation and the field manager.
	SpecPath, StatusPath, SelectorPath string
	// ByObject says that what a Scale asks for is checked as the object that it makes, and that kube-apiserver has no way
	// from an applied Scale back to the object, so that it refuses every apply that changes the replicas.
	ByObject bool
}

// An Allocator gives out values that are unique in the cluster, such as cluster IPs.
type Allocator interface {
	// Allocate fills the fields of obj, in its internal form, that a create or update must receive, before the strategy
	// sees it. old is nil at a create.
	Allocate(ctx context.Context, obj, old runtime.Object) (Allocation, error)
	// Deleted reports that the change of that revision deleted obj, and that its values are free.
	Deleted(obj runtime.Object, at storage.Revision)
	// Elsewhere reports a change by another process; before is the object as it was stored, nil if it is new. It does
	// not block.
	Elsewhere(before []byte)
}

// An Allocation is what one write was given.
type Allocation struct {
	// Release gives the values back if the write did not happen; for a dry run it is always called. It is nil where there is nothing to give
	// back.
	Release func()
	// Pool and PoolAt are those of the storage.Write; "" and 0 where nothing was taken.
	Pool   string
	PoolAt storage.Revision
}

// GiveBack calls Release, if there is one.
func (a Allocation) GiveBack() {
	if a.Release != nil {
		a.Release()
	}
}

// Stored returns the row in whose form the kind's objects are kept, which may be k itself.
func (k *Kind) Stored() *Kind {
	if k.StoredAs != nil {
		return k.StoredAs
	}
	return k
}

// ListGroupVersionKind returns what a list of the kind's objects calls itself.
func (k *Kind) ListGroupVersionKind() schema.GroupVersionKind {
	if k.ListKind != "" {
		return k.GroupVersion().WithKind(k.ListKind)
	}
	return k.GroupVersion().WithKind(k.Kind + "List")
}

// StorageResource returns the name under which the kind's objects are stored: "configmaps", "deployments.apps".
func (k *Kind) StorageResource() string {
	if k.StoredAs != nil {
		return k.StoredAs.StorageResource()
	}
	if k.Group == "" {
		return k.Resource
	}
	return k.Resource + "." + k.Group
}

// GroupResource returns the kind's group and plural.
func (k *Kind) GroupResource() schema.GroupResource {
	return schema.GroupResource{Group: k.Group, Resource: k.Resource}
}

// UpdateStrategy is the strategy of an update through the main resource, "", or through a subresource that shows the whole
// object; nil where there is none.
func (k *Kind) UpdateStrategy(subresource string) rest.RESTUpdateStrategy {
	if subresource == "" {
		return k.Strategy
	}
	return k.Subresources[subresource]
}

// Shows reports whether the kind has a subresource.
func (k *Kind) Shows(subresource string) bool {
	return k.Subresources[subresource] != nil || subresource == "scale" && k.Scale != nil || k.Action(subresource) != nil
}

// HasTable reports whether a subresource, or the main resource, "", can be shown as a Table.
func (k *Kind) HasTable(subresource string) bool {
	return k.Printer.Row != nil && k.Action(subresource) == nil && !slices.Contains(k.Tableless, subresource)
}

// Shown is the kind of what a subresource shows or takes; of the main resource, "", it is the kind itself.
func (k *Kind) Shown(subresource string) schema.GroupVersionKind {
	if subresource == "scale" && k.Scale != nil {
		return autoscalingv1.SchemeGroupVersion.WithKind("Scale")
	}
	if a := k.Action(subresource); a != nil {
		return a.Kind
	}
	return k.GroupVersionKind
}

// Action returns the action of that name, or nil.
func (k *Kind) Action(name string) *Action {
	for i := range k.Actions {
		if k.Actions[i].Name == name {
			return &k.Actions[i]
		}
	}
	return nil
}

// HasStatus reports whether the kind has the subresource status: spec and status are each written through their own
// way.
func (k *Kind) HasStatus() bool { return k.Subresources["status"] != nil }

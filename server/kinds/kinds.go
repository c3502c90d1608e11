// Package kinds holds what is particular to each built-in kind: its names, its defaults, its checks, its columns and
// how it treats its own fields on a write. One file a kind; nothing generic lives here. Package registry does the verbs
// with what these rows say.
package kinds

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/validation/field"

	authenticationv1 "k8s.io/api/authentication/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"

	"kubarium/server/table"
)

// A Kind is a row of the catalogue: all that the API needs to know of one kind. Function fields may be nil where a
// kind has nothing to say.
type Kind struct {
	schema.GroupVersionKind
	Resource   string // plural, as in paths: "deployments"
	Singular   string
	ShortNames []string
	Categories []string
	Namespaced bool

	ListKind string // of a list of its objects; "" means the kind with "List" behind

	New     func() runtime.Object // an empty object: typed by k8s.io/api, or unstructured for a Custom row
	NewList func() runtime.Object

	// Custom says that a CustomResourceDefinition made the row. Its objects are unstructured, their members told in the
	// order of their names; they have no Protobuf form and no strategic merge. CustomRow holds what only they need.
	Custom *CustomRow

	// StoredAs is the row in whose place and form the objects are kept; nil means its own. Several versions of one kind,
	// or two groups that show the same objects, name the same row.
	StoredAs *Kind
	// FromStored makes an object of this row of one as it is kept, and ToStored the one to keep; either may change what it
	// is given. Both are nil where objects are served as they are kept.
	FromStored func(stored runtime.Object) (runtime.Object, error)
	ToStored   func(obj runtime.Object) (runtime.Object, error)

	CreateOnUpdate      bool // a PUT to a name that is not there creates it
	UnconditionalUpdate bool // a PUT without resourceVersion replaces whatever is there
	Status              bool // has the subresource status: spec and status each through its own door only
	StatusAlone         bool // the subresource status leaves even the metadata alone, and nobody owns it through there
	StatusAtCreate      bool // a create keeps the status that it brings, although Status is set
	Generation          bool // metadata.generation is 1 at the create and grows by one when the spec changes
	Scale               *Scale
	Doors               map[string]*Door // further subresources that show the whole object, by name
	Reset               [][]string       // fields beside the status that nobody comes to own through the main door
	// Orphans says that a deletion which states no propagation policy leaves the dependents alone, as it was in the first
	// versions of the API. OrphansWarning, if any, is then told to the client.
	Orphans        bool
	OrphansWarning string
	ReturnDeleted  bool // the answer to a deletion is the deleted object, not a Status

	// Default fills what the API documents as defaults; it runs on every object that enters, before any check, and must
	// be idempotent.
	Default func(obj runtime.Object)
	// PrepareForCreate sets what the server decides at a create; status was already emptied where Status is set without
	// StatusAtCreate. A name made from a generateName is there already.
	PrepareForCreate func(obj runtime.Object)
	// PrepareForUpdate does the same for an update through the kind's main door; the old status was already kept and the
	// generation follows already where Status and Generation are set.
	PrepareForUpdate func(obj, old runtime.Object)
	// PrepareForStatusUpdate does the same for the subresource status; the old spec was already kept.
	PrepareForStatusUpdate func(obj, old runtime.Object)

	// StampUser notes who creates obj, where a kind keeps that. It runs after PrepareForCreate.
	StampUser func(obj runtime.Object, user authenticationv1.UserInfo)

	// ValidateName gives the reasons why a name is not allowed; nil means a DNS subdomain. prefix says that the name is
	// a generateName.
	ValidateName func(name string, prefix bool) []string
	// Validate checks everything but the metadata, with kube-apiserver's messages, after the defaults.
	Validate func(obj runtime.Object) field.ErrorList
	// ValidateCreate checks what is asked of new objects alone; Validate ran already.
	ValidateCreate func(obj runtime.Object) field.ErrorList
	// ValidateUpdate checks what may not change between old and obj; Validate ran already.
	ValidateUpdate func(obj, old runtime.Object) field.ErrorList
	// ChangesFirst says that what ValidateUpdate finds is told before what Validate does.
	ChangesFirst bool
	// ValidateStatusUpdate is its counterpart for the subresource status; Validate did not run.
	ValidateStatusUpdate func(obj, old runtime.Object) field.ErrorList

	Deprecation string // told with every answer about the kind; "" for a kind that is not deprecated

	// Warn gives the warnings for a client that has written obj through the main door; old is nil at a create.
	Warn func(obj, old runtime.Object) []string
	// BeginDelete changes obj as the first request to delete it does, where a kind has an own way; true says that obj is to
	// be kept so for now, false that it is deleted as any other.
	BeginDelete func(obj runtime.Object, now time.Time) (held bool)

	// Fields gives what field selectors may ask for beside metadata.name and metadata.namespace. The keys must be the
	// same for every object.
	Fields func(obj runtime.Object) fields.Set
	// FieldNames lists the keys of Fields, and others that may be asked for: aliases, and those that are empty in all objects.
	FieldNames []string
	// FieldRefusal words the refusal of a field that is not among FieldNames, with the place of its name. Empty means the
	// words of most kinds.
	FieldRefusal string
	// FieldAliases gives those of FieldNames that the row in whose form the objects are kept calls otherwise: by the own
	// name the stored one.
	FieldAliases map[string]string
	// GracePeriod returns the seconds of grace that a deletion with the given wish (nil: none stated) leaves obj; nil
	// means that the kind has no graceful deletion. Only Pods have.
	GracePeriod func(obj runtime.Object, wish *int64) *int64

	Printer table.Printer
}

// A CustomRow is what a row has beside the rest when a CustomResourceDefinition made it.
type CustomRow struct {
	// Form names the schema by which objects are read, another for each change of it.
	Form string
	// Coerce drops from a decoded body what the schema does not know, as decoding into a Go type would. Unknown fields are
	// listed as they are refused, if the caller wants to know; an error is malformed metadata.
	Coerce func(obj runtime.Object, listUnknown bool) (unknown []error, err error)
	// Converter gives objects the types that the schema says, for their field managers.
	Converter func() (managedfields.TypeConverter, error)
	// InVersion is an object, which it may change, in another version of the kind, as its field managers see it.
	InVersion func(obj runtime.Object, to schema.GroupVersion) (runtime.Object, error)
	// Restore reads an object as it was stored, in the version in which it was, by the schema of that version; it asks no
	// webhook and is quick.
	Restore func(stored runtime.Object) error
	// Defines returns an error if the objects that are stored in a version cannot be read, because the definition has it no
	// more; Outdated tells whether it ever has.
	Defines  func(apiVersion string) error
	Outdated func() bool
	// Afford returns an error where checking an object would be too much work, as a Status 422, or ctx has ended.
	Afford func(ctx context.Context, obj runtime.Object) error
	// Check takes the place of the row's ValidateCreate, if old is nil, of its ValidateUpdate, or with status of its
	// ValidateStatusUpdate. Validation rules end with ctx: then what they say means nothing.
	Check func(ctx context.Context, obj, old runtime.Object, status bool) field.ErrorList
	// Webhook says that a webhook converts the objects, so that reading one may fail for a while and then succeed.
	Webhook bool
	// Warnings are told with every answer, as for a deprecated version.
	Warnings []string
	// Terminating says that the definition is being deleted: nothing is created any more.
	Terminating bool
}

// A Scale gives the subresource scale of a kind: a view of its replicas, and the way to set them.
type Scale struct {
	Get func(obj runtime.Object) (*autoscalingv1.Scale, error)
	// Old is Get for an object that is about to be scaled, where that may show what Get does not; nil means Get.
	Old func(obj runtime.Object) (*autoscalingv1.Scale, error)
	Set func(obj runtime.Object, replicas int32) error
	// SpecPath and StatusPath are the JSON paths of the replicas, for the documentation and the field manager.
	SpecPath, StatusPath, SelectorPath string
}

// A Door is a subresource through which a part of an object is changed, such as the approval of a request.
type Door struct {
	// Prepare gives obj all of old but that part.
	Prepare func(obj, old runtime.Object)
	// Validate checks everything but the metadata.
	Validate func(obj, old runtime.Object) field.ErrorList
	// Reset lists the paths that the door leaves alone: {"status", "certificate"}.
	Reset [][]string
}

// An Allocator gives out values that are unique in the cluster, such as cluster IPs.
type Allocator interface {
	// Allocate fills the fields of obj that a create or update must receive. It is called after the defaults and
	// PrepareForCreate or PrepareForUpdate, and before Validate. release gives the values back if the write did not
	// happen; for a dry run it is always called. It is never nil, also with an error. old is nil at a create.
	Allocate(ctx context.Context, obj, old runtime.Object) (release func(), err *field.Error)
	// Deleted tells that obj is gone and its values are free.
	Deleted(obj runtime.Object)
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

// BuiltIn lists the built-in kinds in the order in which discovery names them.
func BuiltIn() []*Kind {
	autoscaler, coreEvent := horizontalPodAutoscaler(), event()
	return []*Kind{
		configMap(),
		endpoints(),
		coreEvent,
		limitRange(),
		namespace(),
		node(),
		persistentVolumeClaim(),
		persistentVolume(),
		pod(),
		podTemplate(),
		replicationController(),
		resourceQuota(),
		secret(),
		serviceAccount(),
		service(),
		controllerRevision(),
		daemonSet(),
		deployment(),
		replicaSet(),
		statefulSet(),
		eventV1(coreEvent),
		priorityClass(),
		autoscaler,
		horizontalPodAutoscalerV1(autoscaler),
		podDisruptionBudget(),
		job(),
		cronJob(),
		certificateSigningRequest(),
		clusterTrustBundle(),
		podCertificateRequest(),
		lease(),
		role(),
		roleBinding(),
		clusterRole(),
		clusterRoleBinding(),
		csiNode(),
		volumeAttachment(),
		flowSchema(),
		priorityLevel(),
		endpointSlice(),
		runtimeClass(),
		storageClass(),
		volumeAttributesClass(),
		csiDriver(),
		csiStorageCapacity(),
		ingress(),
		ingressClass(),
		networkPolicy(),
		ipAddress(),
		serviceCIDR(),
		deviceClass(),
		deviceTaintRule(),
		resourceClaim(),
		resourceClaimTemplate(),
		resourceSlice(),
		storageVersionMigration(),
		apiService(),
		customResourceDefinition(),
		mutatingPolicy(),
		mutatingPolicyBinding(),
		mutatingWebhooks(),
		validatingPolicy(),
		validatingPolicyBinding(),
		validatingWebhooks(),
	}
}

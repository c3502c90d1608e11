package server

import (
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metainternal "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metainternalvalidation "k8s.io/apimachinery/pkg/apis/meta/internalversion/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"kubarium/codecs"
	"kubarium/server/features"
	owners "kubarium/server/fields"
	"kubarium/server/patch"
	"kubarium/server/registry"
	"kubarium/server/route"
)

// readTimeout reads how long a request that is not long-running may take: the parameter timeout, but at most most.
func (q *Request) readTimeout(most time.Duration) (time.Duration, error) {
	text := q.Query.Get("timeout")
	if text == "" || q.Route.LongRunning() {
		return most, nil
	}
	asked, err := time.ParseDuration(text)
	switch {
	case err != nil:
		return 0, apierrors.NewBadRequest("invalid timeout specified in the request URL - " + err.Error())
	case asked <= 0:
		return most, nil
	}
	return min(asked, most), nil
}

// getOptions reads the options of a get. The parameter export, which some clients still send, is refused.
func (q *Request) getOptions() (metav1.GetOptions, error) {
	if len(q.Query) == 0 {
		return metav1.GetOptions{}, nil
	}
	var o metav1.GetOptions
	if route.IsTrue(q.Query["export"]) {
		return o, apierrors.NewBadRequest("the export parameter, deprecated since v1.14, is no longer supported")
	}
	return o, q.Parameters(&o)
}

// invalidOptions is the 422 of options that contradict themselves; nil for no errors.
func invalidOptions(kind string, errs field.ErrorList) error {
	if len(errs) == 0 {
		return nil
	}
	return apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: kind}, "", errs)
}

// listOptions reads the options of list, watch and deletecollection. A path with a name, which only the deprecated
// watch has here, selects that name.
func (q *Request) listOptions() (metainternal.ListOptions, error) {
	var o metainternal.ListOptions
	if err := q.Parameters(&o); err != nil {
		return o, err
	}
	o.Watch = o.Watch || q.isWatch() && q.Query.Get("watch") != ""
	watchList := q.Features.Enabled(features.WatchList)
	metainternal.SetListOptionsDefaults(&o, watchList)
	if err := invalidOptions("ListOptions", metainternalvalidation.ValidateListOptions(&o, watchList)); err != nil {
		return o, err
	}
	if err := registry.CheckFieldSelector(q.Target.Kind, o.FieldSelector); err != nil {
		return o, err
	}
	var err error
	if o.FieldSelector, err = registry.StoredSelector(q.Target.Kind, o.FieldSelector); err != nil {
		return o, err
	}
	return o, selectName(&o, q.Target.Name)
}

// selectName narrows the field selector to one name.
func selectName(o *metainternal.ListOptions, name string) error {
	if name == "" {
		return nil
	}
	if o.FieldSelector == nil || o.FieldSelector.Empty() {
		o.FieldSelector = fields.OneTermEqualSelector("metadata.name", name)
		return nil
	}
	if selected, ok := o.FieldSelector.RequiresExactMatch("metadata.name"); !ok || selected != name {
		return apierrors.NewBadRequest("fieldSelector metadata.name doesn't match requested name")
	}
	return nil
}

// writing is what a create, update or patch asks for apart from its object.
type writing struct {
	registry.WriteOptions
	validation codecs.Validation
	force      bool
}

// createOptions, updateOptions and patchOptions read what their verb takes.
func (q *Request) createOptions() (writing, error) {
	var o metav1.CreateOptions
	if err := q.Parameters(&o); err != nil {
		return writing{}, err
	}
	return q.writing(&o, o.DryRun, o.FieldManager, o.FieldValidation, "CreateOptions", validation.ValidateCreateOptions(&o))
}

func (q *Request) updateOptions() (writing, error) {
	var o metav1.UpdateOptions
	if err := q.Parameters(&o); err != nil {
		return writing{}, err
	}
	return q.writing(&o, o.DryRun, o.FieldManager, o.FieldValidation, "UpdateOptions", validation.ValidateUpdateOptions(&o))
}

func (q *Request) patchOptions(t types.PatchType) (writing, error) {
	var o metav1.PatchOptions
	if err := q.Parameters(&o); err != nil {
		return writing{}, err
	}
	w, err := q.writing(&o, o.DryRun, o.FieldManager, o.FieldValidation, "PatchOptions", validation.ValidatePatchOptions(&o, t))
	w.force = o.Force != nil && *o.Force
	w.ForceCreate = patch.IsApply(t)
	return w, err
}

func (q *Request) writing(options runtime.Object, dryRun []string, manager, directive, kind string, errs field.ErrorList) (writing, error) {
	w := writing{validation: codecs.ValidationOf(directive)}
	w.DryRun = len(dryRun) > 0
	w.Manager = owners.ManagerName(manager, q.UserAgent())
	w.Asker = q.asker()
	options.GetObjectKind().SetGroupVersionKind(metav1.SchemeGroupVersion.WithKind(kind))
	w.Options = options
	return w, invalidOptions(kind, errs)
}

// asker is who makes the request.
func (q *Request) asker() registry.Asker {
	return registry.Asker{User: q.who.User, Warn: q.Warn}
}

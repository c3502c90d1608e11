package server

import (
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metainternal "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metainternalscheme "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme"
	metainternalvalidation "k8s.io/apimachinery/pkg/apis/meta/internalversion/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
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
)

// parameters reads the query into an options object of meta/v1.
func (q *Request) parameters(into runtime.Object) error {
	if err := metainternalscheme.ParameterCodec.DecodeParameters(q.Query, metav1.SchemeGroupVersion, into); err != nil {
		return apierrors.NewBadRequest(err.Error())
	}
	return nil
}

// timeout is how long a request that is no watch may take: as the parameter timeout says, and never longer than most.
func (q *Request) timeout(most time.Duration) (time.Duration, error) {
	text := q.Query.Get("timeout")
	if text == "" {
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

// getOptions reads the options of a get. The parameter export is refused for as long as there are clients that send it.
func (q *Request) getOptions() (metav1.GetOptions, error) {
	var o metav1.GetOptions
	if isTrue(q.Query["export"]) {
		return o, apierrors.NewBadRequest("the export parameter, deprecated since v1.14, is no longer supported")
	}
	return o, q.parameters(&o)
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
	if err := q.parameters(&o); err != nil {
		return o, err
	}
	o.Watch = o.Watch || q.isWatch() && q.Query.Get("watch") != ""
	watchList := q.features.Enabled(features.WatchList)
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
	return o, selectName(&o, q.Name)
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

// writing is what a create, update or patch asks for beside its object.
type writing struct {
	registry.WriteOptions
	validation codecs.Validation
	force      bool
}

// createOptions, updateOptions and patchOptions read what their verb takes.
func (q *Request) createOptions() (writing, error) {
	var o metav1.CreateOptions
	if err := q.parameters(&o); err != nil {
		return writing{}, err
	}
	return q.writing(o.DryRun, o.FieldManager, o.FieldValidation, "CreateOptions", validation.ValidateCreateOptions(&o))
}

func (q *Request) updateOptions() (writing, error) {
	var o metav1.UpdateOptions
	if err := q.parameters(&o); err != nil {
		return writing{}, err
	}
	return q.writing(o.DryRun, o.FieldManager, o.FieldValidation, "UpdateOptions", validation.ValidateUpdateOptions(&o))
}

func (q *Request) patchOptions(t types.PatchType) (writing, error) {
	var o metav1.PatchOptions
	if err := q.parameters(&o); err != nil {
		return writing{}, err
	}
	w, err := q.writing(o.DryRun, o.FieldManager, o.FieldValidation, "PatchOptions", validation.ValidatePatchOptions(&o, t))
	w.force = o.Force != nil && *o.Force
	w.ForceCreate = patch.IsApply(t)
	return w, err
}

func (q *Request) writing(dryRun []string, manager, directive, kind string, errs field.ErrorList) (writing, error) {
	w := writing{validation: codecs.ValidationOf(directive)}
	w.DryRun = len(dryRun) > 0
	w.Manager = owners.ManagerName(manager, q.UserAgent())
	w.Warn = q.warn
	w.User = q.who.Info()
	return w, invalidOptions(kind, errs)
}

// deleteOptions reads the options of a deletion, from the body if there is one, else from the query.
func (s *Server) deleteOptions(q *Request) (metav1.DeleteOptions, error) {
	var o metav1.DeleteOptions
	body, err := q.readBody()
	if err != nil {
		return o, err
	}
	if len(body) == 0 {
		err = q.parameters(&o)
	} else {
		err = decodeDeleteOptions(q, body, &o)
	}
	if err != nil {
		return o, err
	}
	if !q.features.Enabled(features.AllowUnsafeMalformedObjectDeletion) {
		o.IgnoreStoreReadErrorWithClusterBreakingPotential = nil
	}
	return o, invalidOptions("DeleteOptions", validation.ValidateDeleteOptions(&o))
}

func decodeDeleteOptions(q *Request, body []byte, o *metav1.DeleteOptions) error {
	c, err := codecs.ContentType(q.Header.Get("Content-Type"), q.offer(codecs.Offer{}))
	if err != nil {
		return err
	}
	want := schema.GroupVersion{Version: "v1"}.WithKind("DeleteOptions")
	_, gvk, _, err := c.Decode(body, want, o, codecs.Ignore)
	if err != nil && q.Target.Kind.Dynamic && gvk == q.Target.Kind.GroupVersion().WithKind(want.Kind) {
		err = decodeCustomDeleteOptions(c, body, o)
	}
	if err != nil && gvk.Kind != "" && gvk.Kind != want.Kind {
		err = runtime.NewNotRegisteredErrForKind("kubarium/codecs", gvk)
	}
	if err != nil {
		return apierrors.NewBadRequest(err.Error())
	}
	return nil
}

// decodeCustomDeleteOptions reads options that come in the group version of a custom resource, as they may in that of a
// built-in kind.
func decodeCustomDeleteOptions(c *codecs.Codec, body []byte, o *metav1.DeleteOptions) error {
	u := &unstructured.Unstructured{}
	if _, _, _, err := c.Decode(body, schema.GroupVersionKind{}, u, codecs.Ignore); err != nil {
		return err
	}
	return runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, o)
}

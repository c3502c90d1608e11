package registry

import (
	"cmp"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metainternal "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	kjson "sigs.k8s.io/json"

	"kubarium/codecs"
	"kubarium/server/cache"
	"kubarium/server/kinds"
	"kubarium/server/storage"
)

// A matcher is the label and field selector of a list or watch.
type matcher struct {
	labels labels.Selector
	fields fields.Selector
}

func newMatcher(o metainternal.ListOptions) matcher {
	m := matcher{labels: o.LabelSelector, fields: o.FieldSelector}
	if m.labels == nil {
		m.labels = labels.Everything()
	}
	if m.fields == nil {
		m.fields = fields.Everything()
	}
	return m
}

// all tells whether the matcher lets everything through.
func (m matcher) all() bool { return m.labels.Empty() && m.fields.Empty() }

// matches tells whether an object is selected; nil never is. A damaged one always is, unless it has another name: nobody
// knows its labels and fields, so what would look at it fails.
func (m matcher) matches(o *cache.Object) bool {
	if o == nil {
		return false
	}
	if o.Err != nil {
		want, ok := m.fields.RequiresExactMatch("metadata.name")
		_, name := o.Key.Split()
		return !ok || want == name
	}
	return (m.labels.Empty() || m.labels.Matches(o.Labels)) && (m.fields.Empty() || m.fields.Matches(o.Selectable()))
}

// CheckFieldSelector refuses a selector for a field that the kind does not offer (API Concepts, "Field selectors").
func CheckFieldSelector(k *kinds.Kind, s fields.Selector) error {
	if s == nil {
		return nil
	}
	for _, q := range s.Requirements() {
		if q.Field == "metadata.name" || q.Field == "metadata.namespace" && k.Namespaced || slices.Contains(k.FieldNames, q.Field) {
			continue
		}
		if len(k.FieldNames) == 0 {
			return apierrors.NewBadRequest(fmt.Sprintf("%q is not a known field selector: only \"metadata.name\", \"metadata.namespace\"", q.Field))
		}
		return apierrors.NewBadRequest(fmt.Sprintf(cmp.Or(k.FieldRefusal, "field label not supported: %s"), q.Field))
	}
	return nil
}

// StoredSelector returns a field selector in the names that the fields have in the form in which the kind's objects are
// kept.
func StoredSelector(k *kinds.Kind, s fields.Selector) (fields.Selector, error) {
	if s == nil || len(k.FieldAliases) == 0 {
		return s, nil
	}
	return s.Transform(func(field, value string) (string, string, error) {
		return cmp.Or(k.FieldAliases[field], field), value, nil
	})
}

// Index looks into a stored value for what the cache keeps beside it: labels, and the fields that selectors may ask for.
func (r *Registry) Index(resource string, rec storage.Record) cache.Indexed {
	x := r.look(resource, rec)
	if p := codecs.FindPlace(rec.Value); x.Err == nil {
		x.Marks = [2]int32{p.Metadata, p.Version}
	}
	return x
}

// look finds what selectors may ask for.
func (r *Registry) look(resource string, rec storage.Record) cache.Indexed {
	k := r.Catalogue.Stored(resource)
	if k == nil || k.Fields == nil {
		var head struct {
			APIVersion string `json:"apiVersion"`
			Metadata   struct {
				Labels labels.Set `json:"labels"`
			} `json:"metadata"`
		}
		err := legible(rec.Value)
		if err == nil {
			err = kjson.UnmarshalCaseSensitivePreserveInts(rec.Value, &head)
		}
		if err == nil && k != nil && k.Custom != nil {
			err = k.Custom.Defines(head.APIVersion)
		}
		return cache.Indexed{Labels: head.Metadata.Labels, Err: damaged(rec, err)}
	}
	obj, err := decodeStored(k, rec.Value)
	if err != nil {
		return cache.Indexed{Err: damaged(rec, err)}
	}
	return cache.Indexed{Labels: access(obj).GetLabels(), Fields: k.Fields(obj), Sizes: sizes(obj, rec.Revision)}
}

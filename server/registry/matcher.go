package registry

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metainternal "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"

	"kubarium/server/cache"
	"kubarium/server/kinds"
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

// all reports whether the matcher lets everything through.
func (m matcher) all() bool { return m.labels.Empty() && m.fields.Empty() }

// matches reports whether an object is selected; nil never is. A damaged one always is, unless it has another name:
// its labels and fields are unknown, so the read that meets it fails.
func (m matcher) matches(o *cache.Object) bool {
	if o == nil {
		return false
	}
	if o.Err != nil {
		want, ok := m.fields.RequiresExactMatch("metadata.name")
		_, name := o.Key.Split()
		return !ok || want == name
	}
	return (m.labels.Empty() || m.labels.Matches(o.Labels())) && (m.fields.Empty() || m.fields.Matches(o.Selectable()))
}

// scope narrows a prefix of key names by selectors for a namespace and a name, as kube-apiserver does. one reports that
// it is the key of one object, after which no page follows.
func (m matcher) scope(t Target, all string) (prefix string, one bool) {
	if t.Kind.Namespaced && t.Namespace == "" {
		namespace, ok := m.fields.RequiresExactMatch("metadata.namespace")
		if !ok || namespace == "" {
			return all, false
		}
		all = namespace + "/"
	}
	name, one := m.fields.RequiresExactMatch("metadata.name")
	return all + name, one
}

// indexed reports whether kube-apiserver's cache finds an object by the index of its kind, where the selector uses it.
func (m matcher) indexed(k *kinds.Kind, o *cache.Object) bool {
	want, ok := m.fields.RequiresExactMatch(k.Index)
	return !ok || o.Selectable().Get(k.Index) == want
}

// CheckFieldSelector refuses a selector for a field that the kind does not offer (API Concepts, "Field selectors").
func CheckFieldSelector(k *kinds.Kind, s fields.Selector) error {
	if s == nil {
		return nil
	}
	for _, q := range s.Requirements() {
		if _, _, err := k.ConvertFieldLabel(q.Field, q.Value); err != nil {
			return apierrors.NewBadRequest(err.Error())
		}
	}
	return nil
}

// StoredSelector returns a field selector in the names that the fields have in the form in which the kind's objects are
// kept.
func StoredSelector(k *kinds.Kind, s fields.Selector) (fields.Selector, error) {
	if s == nil {
		return nil, nil
	}
	return s.Transform(k.ConvertFieldLabel)
}

package customresource

import (
	"bytes"
	"strconv"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/managedfields"

	"kubarium/codecs"
	"kubarium/server/calls"
	"kubarium/server/kinds"
)

// A Definition is a CustomResourceDefinition with the rows that it makes. It is immutable and safe for concurrent use.
type Definition struct {
	// CRD is the definition without the schemas of its versions, which are read when they are needed; it must not be
	// changed.
	CRD *apiextensionsv1.CustomResourceDefinition
	// Established says that discovery lists the kind.
	Established bool
	// Rows are the versions that are served, in the definition's order; none before the names are accepted.
	Rows []*kinds.Kind
	// Stored is the row of the storage version, whether it is served or not; nil before the names are accepted.
	Stored *kinds.Kind
	// Since is the revision since which schema and names are the same; it identifies what is made of them.
	Since int64

	text text
}

// Read makes the rows of a definition as it is stored at a revision, in JSON. before is the definition until now,
// nil if it is new: while neither its spec nor its accepted names change, the compiled schemas are taken over. way
// leads to the conversion webhook of a definition that has one.
func Read(value []byte, revision int64, before *Definition, way calls.Way) (*Definition, error) {
	crd, err := text(value).outline()
	if err != nil {
		return nil, err
	}
	d := &Definition{CRD: crd, Established: isTrue(crd, apiextensionsv1.Established), Since: revision, text: value}
	if !d.Established && !isTrue(crd, apiextensionsv1.NamesAccepted) || crd.Status.AcceptedNames.Plural == "" {
		return d, nil
	}
	if before != nil && before.Stored != nil && before.sameKind(d) {
		d.Since = before.Since
		d.take(before)
		return d, nil
	}
	d.build(way)
	return d, nil
}

func isTrue(crd *apiextensionsv1.CustomResourceDefinition, t apiextensionsv1.CustomResourceDefinitionConditionType) bool {
	return apihelpers.IsCRDConditionTrue(crd, t)
}

// sameKind reports whether next describes the same kind in the same way.
func (d *Definition) sameKind(next *Definition) bool {
	return d.CRD.UID == next.CRD.UID &&
		apiequality.Semantic.DeepEqual(d.CRD.Status.AcceptedNames, next.CRD.Status.AcceptedNames) &&
		bytes.Equal(codecs.Member(d.text, "spec"), codecs.Member(next.text, "spec"))
}

// take copies the rows of the definition as it was, which differ at most in being terminating.
func (d *Definition) take(before *Definition) {
	if d.terminating() == before.terminating() {
		d.Rows, d.Stored = before.Rows, before.Stored
		return
	}
	d.Stored = d.ended(before.Stored)
	for _, row := range before.Rows {
		if row == before.Stored {
			d.Rows = append(d.Rows, d.Stored)
			continue
		}
		row = d.ended(row)
		row.StoredAs = d.Stored
		d.Rows = append(d.Rows, row)
	}
}

// ended is a copy of a row that says whether the definition is being deleted.
func (d *Definition) ended(row *kinds.Kind) *kinds.Kind {
	next := *row
	next.Closed = d.closed()
	return &next
}

// closed is why no object can be created any more; "" while they can.
func (d *Definition) closed() string {
	if d.terminating() {
		return "create not allowed while custom resource definition is terminating"
	}
	return ""
}

func (d *Definition) terminating() bool {
	return !d.CRD.DeletionTimestamp.IsZero() || isTrue(d.CRD, apiextensionsv1.Terminating)
}

// build makes the rows of all versions that are served or stored.
func (d *Definition) build(way calls.Way) {
	k := &kind{crd: d.CRD, text: d.text, form: strconv.FormatInt(d.Since, 36), versions: map[string]*version{}}
	k.converter = sync.OnceValues(func() (managedfields.TypeConverter, error) { return typeConverter(d.text) })
	k.webhooks = &webhooks{crd: d.CRD, way: way}
	for i := range d.CRD.Spec.Versions {
		v := &d.CRD.Spec.Versions[i]
		k.versions[v.Name] = newVersion(k, v)
	}
	for _, v := range d.CRD.Spec.Versions {
		if v.Storage {
			d.Stored = k.row(k.versions[v.Name])
			k.storage = d.Stored
		}
	}
	for _, v := range d.CRD.Spec.Versions {
		switch {
		case !v.Served || d.Stored == nil:
		case v.Storage:
			d.Rows = append(d.Rows, d.Stored)
		default:
			row := k.row(k.versions[v.Name])
			row.StoredAs = d.Stored
			d.Rows = append(d.Rows, row)
		}
	}
	for _, row := range append([]*kinds.Kind{d.Stored}, d.Rows...) {
		if row != nil {
			row.Closed = d.closed()
		}
	}
}

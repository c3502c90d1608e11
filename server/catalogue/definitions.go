package catalogue

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/codecs"
	"kubarium/server/calls"
	"kubarium/server/customresource"
	"kubarium/server/kinds"
	"kubarium/server/storage"
)

// Definitions is the storage resource of CustomResourceDefinition.
const Definitions = "customresourcedefinitions.apiextensions.k8s.io"

// definitions are the CustomResourceDefinitions that there are, by the change log. To follow it costs next to
// nothing: a definition is read when its kind is first asked for.
type definitions struct {
	mu     sync.RWMutex // guards byName; nothing is read under it
	byName map[string]*definition
}

// A definition is one that is read when it is needed.
type definition struct {
	name     string // "crontabs.stable.example.com", which is also the storage resource of its objects
	revision storage.Revision
	read     func() *customresource.Definition
	done     atomic.Pointer[customresource.Definition] // what read has returned; nil before
	before   *customresource.Definition                // the latest that was read when this one came
}

// define enters a definition as it is stored, unless a newer one is known. way leads to its webhook.
func (ds *definitions) define(r storage.Record, way calls.Way) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	old := ds.byName[r.Key.Name]
	if old != nil && old.revision >= r.Revision {
		return
	}
	d := &definition{name: r.Key.Name, revision: r.Revision, before: old.latest()}
	d.read = sync.OnceValue(func() *customresource.Definition {
		read := readDefinition(r, d.before, way)
		d.done.Store(read)
		return read
	})
	ds.byName[d.name] = d
}

// latest is the newest state of a definition that was read; nil if none was.
func (d *definition) latest() *customresource.Definition {
	if d == nil {
		return nil
	}
	if read := d.done.Load(); read != nil {
		return read
	}
	return d.before
}

func (ds *definitions) forget(name string) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	delete(ds.byName, name)
}

// readDefinition makes rows of a stored definition; nil while its names are not accepted, and if it does not decode,
// which only an outside writer can bring about.
func readDefinition(r storage.Record, before *customresource.Definition, way calls.Way) *customresource.Definition {
	if !accepted(r.Value) {
		return nil
	}
	d, err := customresource.Read(r.Value, int64(r.Revision), before, way)
	if err != nil {
		return nil
	}
	return d
}

// accepted looks whether the names of a stored definition were accepted, without reading its schemas.
func accepted(value []byte) bool {
	var status apiextensionsv1.CustomResourceDefinitionStatus
	if json.Unmarshal(codecs.Member(value, "status"), &status) != nil {
		return false
	}
	crd := &apiextensionsv1.CustomResourceDefinition{Status: status}
	return apihelpers.IsCRDConditionTrue(crd, apiextensionsv1.NamesAccepted) || apihelpers.IsCRDConditionTrue(crd, apiextensionsv1.Established)
}

// named returns the definition of that name, or nil.
func (ds *definitions) named(name string) *customresource.Definition {
	ds.mu.RLock()
	d := ds.byName[name]
	ds.mu.RUnlock()
	if d == nil {
		return nil
	}
	return d.read()
}

// all returns the definitions in the order of their names.
func (ds *definitions) all() []*customresource.Definition {
	ds.mu.RLock()
	entries := make([]*definition, 0, len(ds.byName))
	for _, d := range ds.byName {
		entries = append(entries, d)
	}
	ds.mu.RUnlock()
	slices.SortFunc(entries, func(a, b *definition) int { return strings.Compare(a.name, b.name) })
	all := make([]*customresource.Definition, 0, len(entries))
	for _, d := range entries {
		if read := d.read(); read != nil {
			all = append(all, read)
		}
	}
	return all
}

// inGroup returns the definitions of a group.
func (ds *definitions) inGroup(group string) []*customresource.Definition {
	return slices.DeleteFunc(ds.all(), func(d *customresource.Definition) bool { return d.CRD.Spec.Group != group })
}

// kind returns the row of a path, or nil.
func (ds *definitions) kind(gvr schema.GroupVersionResource) *kinds.Kind {
	d := ds.named(gvr.Resource + "." + gvr.Group)
	if d == nil {
		return nil
	}
	i := slices.IndexFunc(d.Rows, func(k *kinds.Kind) bool { return k.Version == gvr.Version })
	switch {
	case i >= 0:
		return d.Rows[i]
	case len(d.Rows) == 0 && d.Stored != nil && d.Stored.Closed != "" && d.Stored.Version == gvr.Version:
		return d.Stored // no version is served, and yet what is stored must go
	}
	return nil
}

// Define enters a definition as it is stored, unless a newer one is known. way leads to its webhook.
func (c *Catalogue) Define(r storage.Record, way calls.Way) { c.defined.define(r, way) }

// Take takes over a change of a definition. It reports whether the objects of the definition are read in another way
// from then on. After a restore the generation may be that of another definition, which had the name in between.
func (c *Catalogue) Take(ch storage.Change, restored bool, way calls.Way) (reformed bool) {
	if ch.Type == storage.Deleted {
		c.defined.forget(ch.Key.Name)
		return true
	}
	c.Define(storage.Record{Key: ch.Key, Revision: ch.Revision, Value: ch.Value}, way)
	return restored || ch.Before != nil && generation(ch.Before) != generation(ch.Value)
}

// Formed returns the revision from which on the objects of a resource are read as they are now; 0 for built-in kinds.
func (c *Catalogue) Formed(resource string) storage.Revision {
	if d := c.defined.named(resource); d != nil {
		return storage.Revision(d.Since)
	}
	return 0
}

// generation is the metadata.generation of a stored object, read without what follows the metadata; 0 for none.
func generation(value []byte) int64 {
	d := json.NewDecoder(bytes.NewReader(value))
	if _, err := d.Token(); err != nil {
		return 0
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return 0
		}
		if name == "metadata" {
			var m struct {
				Generation int64 `json:"generation"`
			}
			if d.Decode(&m) != nil {
				return 0
			}
			return m.Generation
		}
		var skipped json.RawMessage
		if d.Decode(&skipped) != nil {
			return 0
		}
	}
	return 0
}

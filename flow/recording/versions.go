package recording

import (
	"bytes"

	"kubarium/flow"
	"kubarium/flow/redact"
)

// manyVersions is the number of changes after which a writer forgets older ones: a flow comes soon after its changes.
const manyVersions = 1 << 14

// versions are the versions of objects that the segment contains, so that flows can refer to them.
type versions struct {
	base         int64             // writing: the revision of the state; 0 if there is none
	fresh, older map[int64]*Change // writing: recent changes, by revision
	unwritten    map[int64]bool    // writing: revisions of versions that exceed a limit
	values       map[int64][]byte  // reading: by revision
	replaced     []int64           // reading: the revisions that the last changes replaced, oldest first
}

// add keeps a change that is written.
func (v *versions) add(c *Change) {
	if len(v.fresh) >= manyVersions {
		v.older, v.fresh = v.fresh, nil
	}
	if v.fresh == nil {
		v.fresh = map[int64]*Change{}
	}
	v.fresh[c.Revision] = c
}

// known returns the revisions that stand for an effect's objects, 0 for an object that must be written. Objects with
// secrets are always written, since flows mask them differently.
func (v *versions) known(e *flow.Effect) (before, after int64) {
	c := v.fresh[e.Commit.Revision]
	if c == nil {
		c = v.older[e.Commit.Revision]
	}
	if c == nil || redact.Holds(c.Resource) {
		return 0, 0
	}
	if len(e.After) > 0 && bytes.Equal(e.After, c.Value) {
		after = c.Revision
	}
	if len(e.Before) > 0 && c.Before > 0 && v.base > 0 && !v.unwritten[c.Before] {
		before = c.Before // the segment has every version since its state, so also this one
	}
	return before, after
}

// miss notes a version that is not written.
func (v *versions) miss(revision int64) {
	if v.unwritten == nil {
		v.unwritten = map[int64]bool{}
	}
	v.unwritten[revision] = true
}

// read keeps a change that was read. It drops the version that an older change replaced once no writer refers to it.
func (v *versions) read(c *Change) {
	if len(c.Value) > 0 {
		c.Value = bytes.Clone(c.Value) // the record shares memory with flows, which are dropped earlier
		v.values[c.Revision] = c.Value
	}
	v.replaced = append(v.replaced, c.Before)
	if len(v.replaced) > 2*manyVersions {
		delete(v.values, v.replaced[0])
		v.replaced = v.replaced[1:]
	}
}

// version returns the version that a flow refers to.
func (c *coder) version(revision int64) []byte {
	value, ok := c.versions.values[revision]
	if !ok {
		c.fail()
	}
	return value
}

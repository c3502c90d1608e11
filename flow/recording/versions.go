package recording

import (
	"bytes"

	"kubarium/flow"
	"kubarium/flow/redact"
)

// manyVersions is after how many changes a writer forgets the older ones: a flow comes soon after its changes.
const manyVersions = 1 << 14

// versions are the versions of objects that the segment has. A flow need not have them again.
type versions struct {
	base         int64             // of a writer: the revision of the state; 0 where there is none
	fresh, older map[int64]*Change // of a writer: what was told lately, by revision
	unwritten    map[int64]bool    // of a writer: revisions of versions that exceed a limit
	values       map[int64][]byte  // of a reader
	replaced     []int64           // of a reader: for each of the last changes the revision that it replaced, oldest first
}

// add remembers a change that is written.
func (v *versions) add(c *Change) {
	if len(v.fresh) >= manyVersions {
		v.older, v.fresh = v.fresh, nil
	}
	if v.fresh == nil {
		v.fresh = map[int64]*Change{}
	}
	v.fresh[c.Revision] = c
}

// told returns the revisions of the versions that stand for an effect's objects, 0 for one that has to be written. What holds secrets is
// masked in another way in flows, so it is always written.
func (v *versions) told(e *flow.Effect) (before, after int64) {
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
		before = c.Before // every version from the state on is told, and this is the one that the change met
	}
	return before, after
}

// miss remembers a version that is not written.
func (v *versions) miss(revision int64) {
	if v.unwritten == nil {
		v.unwritten = map[int64]bool{}
	}
	v.unwritten[revision] = true
}

// read remembers a change that was read. It forgets what an older change replaced as soon as no writer refers to that any more.
func (v *versions) read(c *Change) {
	if len(c.Value) > 0 {
		c.Value = bytes.Clone(c.Value) // the record shares memory with flows, which are forgotten earlier
		v.values[c.Revision] = c.Value
	}
	v.replaced = append(v.replaced, c.Before)
	if len(v.replaced) > 2*manyVersions {
		delete(v.values, v.replaced[0])
		v.replaced = v.replaced[1:]
	}
}

// version is what a flow refers to.
func (c *coder) version(revision int64) []byte {
	value, ok := c.versions.values[revision]
	if !ok {
		c.fail()
	}
	return value
}

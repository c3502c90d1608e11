package recording

import (
	"bytes"

	"kubarium/server/flow"
	"kubarium/server/flow/redact"
)

// manyVersions is after how many changes a writer forgets the older ones: a flow comes soon after its changes.
const manyVersions = 1 << 14

// versions are the versions of objects that the segment has. A flow need not have them again.
type versions struct {
	base         int64             // of a writer: the revision of the state; 0 where there is none
	fresh, older map[int64]*Change // of a writer: what was told lately, by revision
	values       map[int64][]byte  // of a reader
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
	if len(e.Before) > 0 && c.Before > 0 && v.base > 0 {
		before = c.Before // every version from the state on is told, and this is the one that the change met
	}
	return before, after
}

// version is what a flow refers to.
func (c *coder) version(revision int64) []byte {
	value, ok := c.versions.values[revision]
	if !ok {
		c.fail()
	}
	return value
}

package doctor

import "time"

// A rule finds one thing. It keeps what it needs of the flows, since it sees each only once.
type rule interface {
	add(r *request)
	// report returns the findings as of now. It may be called again and again.
	report(of *run) []Finding
	// forget is called where flows are missing: what was going on is not known any more. Findings stay.
	forget()
}

// A run is what all rules may ask of the run as a whole.
type run struct {
	now       time.Time // the end of the latest request
	last      uint64    // the newest flow's number
	first     uint64    // that of the oldest flow
	revisions revisions
	rhythms   rhythms
	missed    uint64
}

func (u *run) note(r *request) {
	if r.end.After(u.now) {
		u.now = r.end
	}
	if u.first == 0 {
		u.first = r.Seq
	}
	u.last = r.Seq
	r.rhythm = u.rhythms.note(r)
	for i := range r.Effects {
		u.revisions.note(r.Effects[i].Commit.Revision)
	}
}

// revisions say whether all writes are known: each commit has the next revision, so one that no flow had is a write
// that was not seen, such as one by another process, or of a flow that a filter left out. Flows come in the order in
// which they ended, so a gap may close.
type revisions struct {
	newest  int64
	unseen  map[int64]bool
	unknown int64 // up to here nothing is known
}

// maxUnseen is how many gaps are followed; before more of them nothing is known.
const maxUnseen = 4096

func (v *revisions) note(revision int64) {
	switch {
	case revision <= 0:
	case v.newest == 0:
		v.newest, v.unknown = revision, revision-1
	case revision <= v.newest:
		delete(v.unseen, revision)
	case revision-v.newest > maxUnseen || len(v.unseen) > maxUnseen:
		clear(v.unseen)
		v.newest, v.unknown = revision, revision-1
	default:
		if v.unseen == nil {
			v.unseen = map[int64]bool{}
		}
		for gap := v.newest + 1; gap < revision; gap++ {
			v.unseen[gap] = true
		}
		v.newest = revision
	}
}

// complete reports whether every write after a revision is known.
func (v *revisions) complete(since int64) bool {
	if since < v.unknown {
		return false
	}
	for gap := range v.unseen {
		if gap > since {
			return false
		}
	}
	return true
}

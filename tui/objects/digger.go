package objects

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"time"

	"kubarium/analysis/lineage"
	"kubarium/flow"
	"kubarium/tui/body"
	"kubarium/tui/client"
)

// A version is one version of an object.
type version struct {
	revision int64
	letter   string    // C U A S T D or X, as on the page Versions; "?" if it is not known how it was made
	at       time.Time // zero if the UI did not see the commit
	who      string    // the client's tag, "" if its request is not held
	seq      uint64    // of that request, 0 if it is not held
	body     []byte    // secrets masked; nil for a deletion
	whole    []byte    // with its secrets, never shown
	more     int       // lines that the version before does not have
	less     int       // lines of the version before that it does not have
}

// A past is the known versions of an object, newest first.
type past struct {
	versions []version
	// end says why there are no older ones: the object was created there, or they are compacted.
	end string
}

// mostReads is how many versions are read one by one to find an object's history.
const mostReads = 60

// A digger finds the versions of an object: in the timeline of commits and in the requests that are still held, and
// other versions by listing only the object at exact revisions.
type digger struct {
	a       *client.Client
	log     *flow.Log
	of      client.Resource
	key     client.Key
	commits []flow.Commit // of this object, oldest first
	head    int64
	mask    func([]byte) []byte
}

// dig does I/O and is called off the loop.
func (d *digger) dig() past {
	found := map[int64]*version{}
	for _, c := range d.commits {
		v := &version{revision: c.Revision, letter: string(c.Type), at: c.At}
		if c.Outside {
			v.letter = "X"
		}
		found[c.Revision] = v
	}
	d.fromFlows(found)
	p := past{end: d.walk(found)}
	for _, v := range found {
		p.versions = append(p.versions, *v)
	}
	slices.SortFunc(p.versions, func(a, b version) int { return cmp.Compare(b.revision, a.revision) })
	tellApart(p.versions)
	for i := range p.versions {
		p.versions[i].whole = p.versions[i].body
		p.versions[i].body = d.mask(p.versions[i].body)
	}
	for i := range p.versions[:max(0, len(p.versions)-1)] {
		v := &p.versions[i]
		v.more, v.less = body.Changed(p.versions[i+1].body, v.body, body.VersionText)
	}
	return p
}

// fromFlows takes author and contents of versions from the requests that are held.
func (d *digger) fromFlows(found map[int64]*version) {
	flows, _ := d.log.Since(0, 0)
	for _, f := range flows {
		for _, e := range f.Effects {
			v := found[e.Commit.Revision]
			if v == nil || e.Commit.Resource != d.of.ID() || e.Commit.Name != d.key.Name ||
				e.Commit.Namespace != d.key.Namespace {
				continue
			}
			v.who, v.seq, v.body = f.Client.Tag, f.Seq, e.After
			if f.Target.Verb == "apply" && v.letter == "U" {
				v.letter = "A"
			}
		}
	}
}

// walk goes back in time from the newest revision, version by version, and says why it ended.
func (d *digger) walk(found map[int64]*version) string {
	at := d.head
	for range mostReads {
		v := d.inForce(found, at)
		switch {
		case v != nil && (v.body != nil || v.letter == "D"):
			at = v.revision - 1
			if v.letter == "C" && d.inForce(found, at) == nil {
				return "created at rv " + strconv.FormatInt(v.revision, 10)
			}
		default:
			rv, body, err := d.read(at)
			switch {
			case err != nil:
				return endOf(err, at)
			case body == nil:
				return d.notThere(found, at)
			}
			if found[rv] == nil {
				found[rv] = &version{revision: rv, letter: "?"}
			}
			found[rv].body = body
			at = rv - 1
		}
		if at <= 0 {
			return ""
		}
	}
	return "older versions were not searched"
}

// inForce returns the newest version up to a revision, if the timeline has one.
func (d *digger) inForce(found map[int64]*version, at int64) *version {
	for i := len(d.commits) - 1; i >= 0; i-- {
		if rv := d.commits[i].Revision; rv <= at {
			return found[rv]
		}
	}
	return nil
}

// notThere ends the walk at a revision at which the object did not exist: the version after it created it.
func (d *digger) notThere(found map[int64]*version, at int64) string {
	first := int64(0)
	for rv := range found {
		if rv > at && (first == 0 || rv < first) {
			first = rv
		}
	}
	if first == 0 {
		return "it does not exist"
	}
	if found[first].letter == "?" {
		found[first].letter = "C"
	}
	return "created at rv " + strconv.FormatInt(first, 10)
}

func endOf(err error, at int64) string {
	var no *client.Refusal
	if errors.As(err, &no) && no.Code == 410 {
		return "older versions are compacted: rv " + strconv.FormatInt(at, 10) + " can no longer be read"
	}
	return "older versions could not be read: " + err.Error()
}

// read returns the object at exactly this revision, and the revision of that version; nil if there was none.
func (d *digger) read(at int64) (rv int64, body []byte, err error) {
	var list struct{ Items []json.RawMessage }
	query := client.AtRevision(at)
	query.Set("fieldSelector", "metadata.name="+d.key.Name)
	if err := d.a.Read(d.of.Path(d.key.Namespace, ""), query, client.JSON, &list); err != nil || len(list.Items) == 0 {
		return 0, nil, err
	}
	var o struct {
		Metadata struct{ ResourceVersion string }
	}
	if err := json.Unmarshal(list.Items[0], &o); err != nil {
		return 0, nil, err
	}
	rv, err = strconv.ParseInt(o.Metadata.ResourceVersion, 10, 64)
	return rv, list.Items[0], err
}

// tellApart completes the letters of versions, newest first, by comparing them: whether one only changed the status, or
// began a deletion.
func tellApart(vs []version) {
	for i := range vs {
		v := &vs[i]
		if i+1 == len(vs) || v.letter != "U" && v.letter != "A" && v.letter != "?" {
			continue
		}
		if v.letter == "?" {
			v.letter = "U"
		}
		v.letter = lineage.Compared(v.letter, vs[i+1].body, v.body)
	}
}

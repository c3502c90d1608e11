package compare

import (
	"cmp"
	"encoding/json"
	"hash/maphash"
	"net/url"
	"strconv"
	"strings"

	"kubarium/flow"
	"kubarium/flow/bodies"
)

func (r *run) read(rd reader) {
	for _, it := range r.items {
		rd.read(it)
	}
}

func (rd reader) read(it *item) {
	f := it.flow
	it.key = rd.key(f)
	it.outcome = hash(strconv.Itoa(f.Status), f.Reason)
	it.user = hash(rd.each(f.Client.User, ":")) // a ServiceAccount's has a namespace in it
	if isRead(f) {
		it.token = mix(it.key, it.outcome)
		return
	}
	rd.readBody(it)
	it.token = mix(it.key, it.body)
	if forTheTimeBeing(f.Status) {
		it.token = mix(it.token, it.outcome)
	}
}

// key is what is asked, without the body.
func (rd reader) key(f *flow.Flow) uint64 {
	t := &f.Target
	if t.Resource == "" {
		return hash(f.Method, rd.each(f.Path, "/"))
	}
	labels, fields, dryRun := rd.selectors(f.Query)
	return hash(t.Verb, rd.to.of(t.Group), t.Version, t.Resource, t.Subresource,
		rd.to.of(t.Namespace), rd.to.of(t.Name), labels, fields, dryRun)
}

// each is a text whose parts are written as the left run has them.
func (rd reader) each(text, separator string) string {
	parts := strings.Split(text, separator)
	for i, p := range parts {
		parts[i] = rd.to.of(p)
	}
	return strings.Join(parts, separator)
}

// selectors are the parameters that make another request of one. All others say how to answer it, or since when.
func (rd reader) selectors(query string) (labels, fields, dryRun string) {
	if !strings.Contains(query, "elector=") && !strings.Contains(query, "dryRun=") {
		return "", "", ""
	}
	q, _ := url.ParseQuery(query)
	return rd.text(q.Get("labelSelector")), rd.text(q.Get("fieldSelector")), q.Get("dryRun")
}

// readBody reads the body of a write. One that was not kept as a whole cannot be compared. The path of a create does
// not say what is made, so its body does.
func (rd reader) readBody(it *item) {
	b := it.flow.RequestBody
	if it.cut = b.Cut; b.Cut || len(b.Kept) == 0 {
		return
	}
	text := asJSON(b)
	if text == nil {
		it.body = maphash.Bytes(seed, b.Kept)
		return
	}
	it.body = rd.sum(text)
	if it.flow.Target.Verb == "create" && it.flow.Target.Name == "" {
		it.key = mix(it.key, hash(rd.to.of(nameIn(text))))
	}
}

// nameIn is the name that an object has, or is to be generated from.
func nameIn(text []byte) string {
	var o struct {
		Metadata struct{ Name, GenerateName string }
	}
	_ = json.Unmarshal(text, &o)
	return cmp.Or(o.Metadata.Name, o.Metadata.GenerateName)
}

// asJSON is a body as JSON; nil if it does not read.
func asJSON(b flow.Body) []byte {
	plain, packed := bodies.Unpacked(b.Kept)
	if packed && len(plain) >= bodies.MostUnpacked {
		return nil
	}
	return bodies.JSON(flow.Body{Kept: plain})
}

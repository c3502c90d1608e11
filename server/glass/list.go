package glass

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"kubarium/flow"
	"kubarium/flow/object"
	"kubarium/server/glass/seen"
)

// readList reads a list while it passes. It keeps the items if the request is kept, which is decided when the answer
// begins.
func (p *passing) readList(answer io.Reader) {
	f, q, items := &p.rec.Flow, p.query(), 0
	f.ResponseHeader = p.out.Header()
	keep := p.g.keeps(f)
	resource, now := p.key().Resource, time.Now()
	head, ok := object.ReadList(answer, func(head *object.ListHead, raw []byte) {
		items++
		if keep {
			p.noteItem(head, raw, resource, now)
		}
	})
	if !ok {
		return
	}
	p.g.heard(head.Version)
	f.Revision = head.Version
	f.Page = &flow.Page{Snapshot: head.Version, Items: items, Limit: object.Number(q.Get("limit")), Token: q.Get("continue"), Next: head.Continue}
	switch {
	case head.Continue == "":
	case head.Remaining < 0:
		f.Page.Remaining = -1
	default:
		f.Page.Remaining = head.Remaining
	}
	if !head.Whole {
		f.Notes = append(f.Notes, fmt.Sprintf("the list was not read to its end: its first %d items are counted", items))
	}
}

// metadataAlone is the kind of objects of which only the metadata is answered; Tables have such objects in their rows.
const metadataAlone = "PartialObjectMetadata"

// noteItem keeps an item of a list, whose kind its list names.
func (p *passing) noteItem(head *object.ListHead, raw []byte, resource string, now time.Time) {
	kind := strings.TrimSuffix(head.Kind, "List")
	row := kind == "Table"
	partial := row || kind == metadataAlone
	if row {
		raw = object.RowObject(raw)
	}
	id := object.IdentifyItem(raw)
	key := seen.Key{Resource: resource, Namespace: id.Namespace, Name: id.Name}
	if p.g.Seen.Has(key, id.Version, partial) {
		return
	}
	switch {
	case row:
	case len(raw) > 0 && raw[0] == '{':
		kind = cmp.Or(kind, id.Kind) // that of a list of custom resources comes after its items
		raw = whole(raw, head.APIVersion, kind, id)
	default:
		raw = seen.Enveloped(head.APIVersion, kind, raw)
	}
	if partial {
		kind = ""
	}
	p.g.Seen.Note(p.kind(kind, id.Namespace), key, seen.Version{Revision: id.Version, At: now, Deleting: id.Deleting, Partial: partial, Body: raw})
}

// whole is an object of a list with its apiVersion and kind, which items may lack.
func whole(raw []byte, apiVersion, kind string, id object.Identity) []byte {
	if id.Kind != "" || len(raw) < 3 {
		return raw
	}
	head := `{"kind":` + strconv.Quote(kind) + `,"apiVersion":` + strconv.Quote(apiVersion) + `,`
	return append([]byte(head), raw[1:]...)
}

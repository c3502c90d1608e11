// Package har writes flows as an HTTP Archive (HAR 1.2), which the developer tools of browsers, Charles, Insomnia and
// others open.
//
//	err := har.Write(file, flows, har.Options{Version: "v1.2.3", URL: "http://127.0.0.1:8080"})
//
// An entry is a finished request, or a watch that is still open, or a call that the server made for a request, such as
// to a webhook. A client is a page, so that tools that group by pages show each client separately. The member _kubarium
// of an entry holds what HAR has no member for; a comment says where the entry differs from the bytes on the wire.
//
// The package masks nothing: pass flows that package redact has masked.
package har

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"iter"
	"net/netip"
	"net/url"
	"strings"

	"kubarium/flow"
)

// Options describe what flows do not contain.
type Options struct {
	Version string // of Kubarium
	// URL is the address of the server, "http://127.0.0.1:8080", with which the addresses of all entries begin; ""
	// means http://localhost.
	URL string
	// Comment is called at the end and returns more comments on the archive, such as what is missing; nil means none.
	Comment func() string
}

// aboutTimes is in the comment of each archive.
const aboutTimes = "Times are the server's: an entry begins when the headers of its request have been read; wait " +
	"lasts until the answer begins, receive until its last byte has been written. How long the request was being " +
	"sent is not known, and counts as 0."

// Write writes flows as one archive, an entry at a time, so it keeps only clients and open watches in memory. Flows may
// come in any order: HAR lets readers sort entries. It returns the first error of w.
func Write(w io.Writer, flows iter.Seq[*flow.Flow], o Options) error {
	a := newArchive(w, o)
	a.begin()
	open := map[uint64]*flow.Flow{} // watches by their IDs
	var order []uint64
	for f := range flows {
		if f.Phase == flow.WatchOpened && f.Watch != nil {
			open[f.Watch.ID] = f
			order = append(order, f.Watch.ID)
			continue
		}
		if f.Phase == flow.WatchClosed && f.Watch != nil {
			delete(open, f.Watch.ID)
		}
		if a.entry(f); a.err != nil {
			return a.err
		}
		if len(order) > 2*len(open)+64 {
			order = stillOpen(order, open)
		}
	}
	for _, id := range stillOpen(order, open) {
		a.entry(open[id])
	}
	return a.end()
}

// stillOpen returns the watches that have not ended, each once.
func stillOpen(order []uint64, open map[uint64]*flow.Flow) []uint64 {
	var out []uint64
	seen := map[uint64]bool{}
	for _, id := range order {
		if open[id] != nil && !seen[id] {
			seen[id] = true
			out = append(out, id)
		}
	}
	return out
}

// An archive is the state of a Write.
type archive struct {
	to      *bufio.Writer
	err     error // the first
	options Options
	base    *url.URL
	address string // of the server; "" unless its URL has one
	entries int
	pages   pages
}

func newArchive(w io.Writer, o Options) *archive {
	a := &archive{to: bufio.NewWriterSize(w, 1<<16), options: o}
	if u, err := url.Parse(strings.TrimSuffix(o.URL, "/")); err == nil && u.Host != "" {
		a.base = u
	} else {
		a.base = &url.URL{Scheme: "http", Host: "localhost"}
	}
	if ip, err := netip.ParseAddr(a.base.Hostname()); err == nil {
		a.address = ip.String()
	}
	return a
}

func (a *archive) begin() {
	a.text(`{"log":{"version":"1.2","creator":`)
	a.value(creator{"Kubarium", a.options.Version})
	a.text(`,"entries":[`)
}

// entry writes a request, followed by the calls that the server made for it.
func (a *archive) entry(f *flow.Flow) {
	a.write(a.entryOf(f))
	for i := range f.Calls {
		if c := &f.Calls[i]; c.Flow != nil {
			a.write(a.callOf(f, c))
		}
	}
}

func (a *archive) write(e entry) {
	if a.entries++; a.entries > 1 {
		a.text(",")
	}
	a.text("\n")
	a.value(e)
}

// end writes the members that are known only at the end. The order of members in JSON does not matter.
func (a *archive) end() error {
	comment := aboutTimes
	if a.options.Comment != nil {
		comment = strings.TrimSpace(comment + " " + a.options.Comment())
	}
	a.text("\n],\"pages\":")
	a.value(a.pages.all())
	a.text(`,"comment":`)
	a.value(comment)
	a.text("}}\n")
	if err := a.to.Flush(); a.err == nil {
		a.err = err
	}
	return a.err
}

func (a *archive) text(s string) {
	if _, err := a.to.WriteString(s); a.err == nil {
		a.err = err
	}
}

func (a *archive) value(v any) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil && a.err == nil {
		a.err = err
	}
	a.text(strings.TrimSuffix(b.String(), "\n"))
}

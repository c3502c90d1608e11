package inspect

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"kubarium/cells"
	"kubarium/flow"
	"kubarium/flow/bodies"
	"kubarium/tui/body"
	"kubarium/tui/label"
	"kubarium/tui/story"
	"kubarium/tui/term"
)

// request shows the request as it came in.
func (in *Inspector) request(p *term.Column, f *flow.Flow) {
	for i, part := range term.Wrap(f.Method+" "+f.Path, p.W) {
		rest, first := strings.CutPrefix(part, f.Method+" ")
		if first = first && i == 0; first {
			p.Add(term.Bold.Of(f.Method+" "), term.Plain.Of(rest))
		} else {
			p.Add(term.Plain.Of(part))
		}
	}
	if call, _ := in.env.Call(); in.made.whole || call != nil {
		p.Add(term.Dim.Of(f.Proto + " " + in.peer(f)))
	}
	in.foldedLine(p, f.RequestHeader, f.RequestBody)
	in.queryLines(p, f.Query)
	in.headers(p, f.RequestHeader)
	in.body(p, f.RequestBody, f.RequestHeader.Get("Content-Type"), "No body was sent.")
}

func (in *Inspector) queryLines(p *term.Column, query string) {
	if query == "" {
		return
	}
	p.Title("Query")
	for _, part := range strings.Split(query, "&") {
		k, v, _ := strings.Cut(part, "=")
		if s, err := url.QueryUnescape(v); err == nil {
			v = s
		}
		p.More(term.FitLine(term.Line{term.Name.Of("  " + k), term.Plain.Of(" = "), term.Str.Of(v)}, p.W))
		if means := story.Parameter(k); means != "" && in.made.whole {
			p.Field("", 5, term.Dim, means)
		}
	}
	p.Blank()
}

// foldedLine says what is folded, in one line: the headers and the size of the body.
func (in *Inspector) foldedLine(p *term.Column, h http.Header, b flow.Body) {
	if in.made.whole {
		p.Blank()
		return
	}
	l := term.Line{term.Dim.Of(term.Plural(len(h), "header"))}
	if b.Total > 0 {
		plain, _ := bodies.Unpacked(b.Kept)
		l = append(l, term.Dim.Of(fmt.Sprintf(", %s %s", bodies.Encoding(h.Get("Content-Type"), plain), term.BytesText(b.Total))))
	}
	p.More(term.FitLine(append(l, term.Dim.Of("  "), term.Key.Of("o"), term.Dim.Of(" opens")), p.W))
}

// headers lists a header sorted by name; folded, only the one that a lesson points at, or that it is missing.
func (in *Inspector) headers(p *term.Column, h http.Header) {
	if to := in.env.Point; to != nil && to.Header != "" && len(h.Values(to.Header)) == 0 {
		in.placeHeader(len(p.Lines), to.Header, "no "+to.Header)
		p.Add(term.Warn.Of("no " + to.Header))
	}
	names := slices.Sorted(maps.Keys(h))
	if !in.made.whole {
		names = slices.DeleteFunc(names, func(name string) bool { return !in.pointsAt(name) })
	}
	if len(names) == 0 {
		return
	}
	p.Title("Headers")
	width := 0
	for _, name := range names {
		width = max(width, cells.Width(name)+2)
	}
	width = min(width, max(10, p.W*2/5))
	for _, name := range names {
		for _, v := range h[name] {
			in.placeHeader(len(p.Lines), name, v)
			p.Field(term.Fit("  "+name, width), width, term.Plain, v)
		}
	}
	p.Blank()
}

// response shows the answer; for a watch its frames.
func (in *Inspector) response(p *term.Column, f *flow.Flow) {
	st, code := label.Code(f)
	p.Add(st.Of(code), term.Bold.Of(" "+http.StatusText(f.Status)),
		term.Dim.Of("  after "+term.Millis(f.Duration)+" ms"))
	if f.Reason != "" {
		p.Field("reason", 8, term.Plain, f.Reason)
	}
	if f.Message != "" {
		p.Field("message", 8, term.Plain, f.Message)
	}
	for _, n := range f.Notes {
		p.Field("note", 8, term.Plain, n)
	}
	in.foldedLine(p, f.ResponseHeader, f.ResponseBody)
	in.headers(p, f.ResponseHeader)
	if f.Watch != nil {
		watchFrames(p, f.Watch)
		return
	}
	in.body(p, f.ResponseBody, f.ResponseHeader.Get("Content-Type"), "The answer has no body.")
	if f.Panic != "" {
		p.Blank()
		p.Add(term.Err.Of("✗ the handler panicked"))
		for _, l := range strings.Split(f.Panic, "\n") {
			p.Add(term.Plain.Of(term.Fit(l, p.W)))
		}
	}
}

// watchFrames lists the last frames of a watch, newest first.
func watchFrames(p *term.Column, w *flow.Watch) {
	s := w.State()
	p.Add(term.Bold.Of("Frames"), term.Plain.Of(fmt.Sprintf("  %s events, %s bookmarks, %s", term.Count(s.Sent),
		term.Count(s.Bookmarks), term.BytesText(int64(s.Bytes)))))
	fs := w.Frames()
	slices.Reverse(fs)
	for _, fr := range fs {
		p.More(term.FitLine(label.Frame(fr), p.W))
	}
}

// raw shows the bytes on the wire.
func (in *Inspector) raw(p *term.Column, f *flow.Flow) {
	target := f.Path
	if f.Query != "" {
		target += "?" + f.Query
	}
	p.Title("Request")
	rawHead(p, f.Method+" "+target+" "+f.Proto, f.RequestHeader)
	rawBody(p, f.RequestBody)
	p.Blank()
	p.Title("Response")
	rawHead(p, fmt.Sprintf("%s %d %s", f.Proto, f.Status, http.StatusText(f.Status)), f.ResponseHeader)
	rawBody(p, f.ResponseBody)
}

func rawHead(p *term.Column, first string, h http.Header) {
	p.Say(term.Plain, first)
	for _, n := range slices.Sorted(maps.Keys(h)) {
		for _, v := range h[n] {
			p.Say(term.Dim, n+": "+v)
		}
	}
	p.Blank()
}

func rawBody(p *term.Column, b flow.Body) {
	if len(b.Kept) == 0 {
		p.Add(term.Dim.Of("(no body kept)"))
		return
	}
	if !bodies.LooksText(b.Kept) {
		p.More(body.HexLines(b.Kept, p.W)...)
		return
	}
	for _, l := range strings.Split(string(body.Clip(b.Kept)), "\n") {
		p.Say(term.Plain, l)
	}
	cutNote(p, b)
}

// cutNote says how much of a body is shown.
func cutNote(p *term.Column, b flow.Body) {
	if shown := int64(min(len(b.Kept), body.MostShown)); shown < b.Total {
		p.Add(term.Warn.Of(fmt.Sprintf("… %s of %s shown", term.BytesText(shown), term.BytesText(b.Total))))
	}
}

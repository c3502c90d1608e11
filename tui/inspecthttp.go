package tui

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"kubarium/server/flow"
	"kubarium/server/flow/object"
	"kubarium/tui/story"
)

// request shows what came in.
func (in *inspector) request(p *inspectorPage, f *flow.Flow) {
	p.add(span{sBold, f.Method + " "}, span{sPlain, fit(f.Path, p.w-len(f.Method)-1)})
	p.add(span{sDim, fmt.Sprintf("%s from %s (%s)", f.Proto, f.Client.Remote, orNone(f.Client.Tag))})
	p.blank()
	in.queryLines(p, f.Query)
	headers(p, f.RequestHeader)
	in.body(p, f.RequestBody, f.RequestHeader.Get("Content-Type"), "No body was sent.")
}

func (in *inspector) queryLines(p *inspectorPage, query string) {
	if query == "" {
		return
	}
	p.title("Query")
	for _, part := range strings.Split(query, "&") {
		k, v, _ := strings.Cut(part, "=")
		if s, err := url.QueryUnescape(v); err == nil {
			v = s
		}
		p.more(fitLine(line{{sName, "  " + k}, {sPlain, " = "}, {sStr, v}}, p.w))
		if means := story.Parameter(k); means != "" {
			p.add(span{sDim, fit("      "+means, p.w)})
		}
	}
	p.blank()
}

// headers lists a header in the order of its names.
func headers(p *inspectorPage, h http.Header) {
	if len(h) == 0 {
		return
	}
	p.title("Headers")
	names := make([]string, 0, len(h))
	width := 0
	for name := range h {
		names = append(names, name)
		width = max(width, len(name)+2)
	}
	slices.Sort(names)
	width = min(width, max(10, p.w*2/5))
	for _, name := range names {
		for _, v := range h[name] {
			p.field(fit("  "+name, width), width, sPlain, v)
		}
	}
	p.blank()
}

// response shows what went out; for a watch its frames.
func (in *inspector) response(p *inspectorPage, f *flow.Flow) {
	st, code := codeText(f)
	p.add(span{st, code}, span{sBold, " " + http.StatusText(f.Status)}, span{sDim, "  after " + millis(f.Duration) + " ms"})
	if f.Reason != "" {
		p.field("reason", 8, sPlain, f.Reason)
	}
	if f.Message != "" {
		p.field("message", 8, sPlain, f.Message)
	}
	for _, n := range f.Notes {
		p.field("note", 8, sPlain, n)
	}
	p.blank()
	headers(p, f.ResponseHeader)
	if f.Watch != nil {
		watchFrames(p, f.Watch)
		return
	}
	in.body(p, f.ResponseBody, f.ResponseHeader.Get("Content-Type"), "The answer has no body.")
	if f.Panic != "" {
		p.blank()
		p.add(span{sErr, "✗ the handler panicked"})
		for _, l := range strings.Split(f.Panic, "\n") {
			p.add(span{sPlain, fit(l, p.w)})
		}
	}
}

// watchFrames lists the last frames of a watch, newest first, so that the list grows where one looks.
func watchFrames(p *inspectorPage, w *flow.Watch) {
	s := w.State()
	p.add(span{sBold, "Frames"}, span{sPlain, fmt.Sprintf("  %s events, %s bookmarks, %s", count(s.Sent), count(s.Bookmarks), bytesText(int64(s.Bytes)))})
	fs := w.Frames()
	slices.Reverse(fs)
	for _, fr := range fs {
		p.more(fitLine(frameLine(fr), p.w))
	}
}

// raw shows the bytes as they were on the wire.
func (in *inspector) raw(p *inspectorPage, f *flow.Flow) {
	target := f.Path
	if f.Query != "" {
		target += "?" + f.Query
	}
	p.title("Request")
	rawHead(p, f.Method+" "+target+" "+f.Proto, f.RequestHeader)
	rawBody(p, f.RequestBody)
	p.blank()
	p.title("Response")
	rawHead(p, fmt.Sprintf("%s %d %s", f.Proto, f.Status, http.StatusText(f.Status)), f.ResponseHeader)
	rawBody(p, f.ResponseBody)
}

func rawHead(p *inspectorPage, first string, h http.Header) {
	p.say(sPlain, first)
	names := make([]string, 0, len(h))
	for n := range h {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		for _, v := range h[n] {
			p.say(sDim, n+": "+v)
		}
	}
	p.blank()
}

func rawBody(p *inspectorPage, b flow.Body) {
	if len(b.Kept) == 0 {
		p.add(span{sDim, "(no body kept)"})
		return
	}
	if !object.IsText(b.Kept) {
		p.more(hexLines(b.Kept, p.w)...)
		return
	}
	for _, l := range strings.Split(string(clip(b.Kept)), "\n") {
		p.say(sPlain, l)
	}
	cutNote(p, b)
}

// cutNote says what of a body is not shown.
func cutNote(p *inspectorPage, b flow.Body) {
	if shown := int64(min(len(b.Kept), mostShown)); shown < b.Total {
		p.add(span{sWarn, fmt.Sprintf("… %s of %s shown", bytesText(shown), bytesText(b.Total))})
	}
}

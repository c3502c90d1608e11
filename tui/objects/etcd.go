package objects

import (
	"fmt"

	"kubarium/tui/body"
	"kubarium/tui/client"
	"kubarium/tui/label"
	"kubarium/tui/story"
	"kubarium/tui/term"
)

// etcdLegend explains the tab with the object in etcd.
var etcdLegend = []string{
	"The object in etcd: its key, its value, and its versions that are not compacted.",
	"metadata.resourceVersion is not stored: it is the key's mod revision, set when the object is read. before is " +
		"the mod revision that a change replaced.",
	"Above the value is a line of Kubarium's own: the time, the run, the number of the write in it, and before. " +
		"Values that other programs put have no such line.",
	"y then s copies the etcdctl command that shows both. You may also put with etcdctl: the change reaches every " +
		"watcher of every server.",
}

// etcdLines show the object in etcd.
func (p *Object) etcdLines(w int) []term.Line {
	r, env := &p.rows, p.o.env
	if r.value == nil && len(r.changes) == 0 {
		return term.WrapLines(term.Plain, "etcd has no key of this name. Objects of this resource are not stored, or "+
			"in the form of another resource.", w)
	}
	is := term.Pick(r.value == nil, "no value: it is deleted", "the object as it is")
	if env.Moment != nil {
		is = env.Then() + " it had " + term.Pick(r.value == nil, "no value: it was deleted", "the value below")
	}
	key := label.EtcdKey(env.DB, p.Of.ID(), p.key.Namespace, p.key.Name)
	out := []term.Line{
		{term.Head.Of("key"), term.Dim.Of("  " + is)},
		term.FitLine(term.Line{term.Plain.Of("  " + key)}, w),
	}
	out = append(out, nil, term.Line{term.Head.Of("versions"),
		term.Dim.Of(fmt.Sprintf("  how it came to be, %s, newest first", term.Plural(len(r.changes), "revision")))},
		term.Text(term.Name, fmt.Sprintf("  %8s type %8s %-8s %7s", "mod", "before", "at", "bytes")))
	for _, c := range r.changes {
		l := term.Line{
			term.Num.Of(fmt.Sprintf("  %8d ", c.Revision)),
			label.CommitStyle(c.Commit).Of(fmt.Sprintf("%-4c", c.Type)),
			term.Dim.Of(fmt.Sprintf(" %8d %s %7d ", c.before, c.At.Format("15:04:05"), c.bytes)),
		}
		if c.Outside {
			l = append(l, term.Warn.Of(label.Etcd.X))
		}
		out = append(out, term.FitLine(l, w))
	}
	if r.value != nil {
		out = append(out, nil, term.Line{term.Head.Of("value"),
			term.Dim.Of("  as stored: the resourceVersion is set when it is read")})
		out = append(out, p.envelope(w)...)
		out = append(out, body.Lines(body.Clip(r.value), body.JSON, w)...)
	}
	out = append(out, nil)
	return append(out, term.WrapLines(term.Dim, "Each write is a transaction that compares the mod revision. etcd "+
		"numbers it, and a watch on all keys reports it to every server, from any writer: a request to this server, "+
		"another server, or etcdctl. Compaction removes old versions.", w)...)
}

// envelopeHeader is the header with the line above a value.
const envelopeHeader = "Kubarium-Envelope"

// envelope is the line above the value. In the past and in recordings only a part of it is known.
func (p *Object) envelope(w int) []term.Line {
	r := &p.rows
	switch {
	case r.line != "":
		return []term.Line{term.FitLine(term.Line{term.Str.Of(r.line)}, w)}
	case r.sealed:
		return term.WrapLines(term.Dim, "There is no line of Kubarium's own above it: another program has put it.", w)
	case len(r.changes) == 0:
		return nil
	case r.changes[0].Outside:
		return term.WrapLines(term.Dim, "Its writer may have put a line of Kubarium's own above it: etcdctl shows "+
			"that.", w)
	}
	c := r.changes[0]
	known := term.Str.Of(fmt.Sprintf("kubarium %d … … %d", c.At.UnixMilli(), c.before))
	return []term.Line{term.FitLine(term.Line{known, term.Dim.Of("  only etcd knows its run and number")}, w)}
}

// etcdGet returns a command that reads the object's key.
func (o *Page) etcdGet(r *client.Resource, k client.Key) string {
	if k.Name == "" {
		return ""
	}
	command := label.Etcdctl(o.env.DB) + " get " + story.Quote(label.EtcdKey(o.env.DB, r.ID(), k.Namespace, k.Name))
	if m := o.env.Moment; m != nil {
		command += fmt.Sprintf(" --rev=%d", m.Revision)
	}
	return command
}

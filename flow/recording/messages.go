package recording

import (
	"net/http"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"kubarium/flow"
)

// The messages of the format, one function each, with their fields in the order of their numbers. A number is never
// reused: a new field gets the next one, and readers that do not know it skip it.

func entry(c *coder, e *Entry) {
	optional(c, 1, "begin", &e.Begin, begin)
	message(c, 2, "word", &e.word, func(c *coder, w *Word) { text(c, 1, "text", &w.Text) })
	c.bool(3, "forget", &e.forget)
	optional(c, 4, "state", &e.State, change)
	optional(c, 5, "change", &e.Change, change)
	optional(c, 6, "flow", &e.Flow, oneFlow)
	optional(c, 7, "frames", &e.Frames, frames)
	optional(c, 8, "missed", &e.Missed, missed)
	optional(c, 9, "moment", &e.Moment, moment)
	optional(c, 10, "head", &e.Head, head)
	optional(c, 11, "end", &e.End, end)
}

func begin(c *coder, b *Begin) {
	text(c, 1, "magic", &b.magic)
	signed(c, 2, "format", &b.Format)
	text(c, 3, "made_by", &b.MadeBy)
	text(c, 4, "run", &b.Run)
	signed(c, 5, "segment", &b.Segment)
	c.time(6, "at", &b.At)
	text(c, 7, "url", &b.URL)
	text(c, 8, "db", &b.DB)
	signed(c, 9, "revision", &b.Revision)
	signed(c, 10, "compacted", &b.Compacted)
	c.bool(11, "with_objects", &b.Objects)
	c.bool(12, "with_secrets", &b.Secrets)
	text(c, 13, "selection", &b.Selection)
	c.uint(14, "published", &b.Published)
}

func change(c *coder, v *Change) {
	message(c, 1, "commit", &v.Commit, commit)
	signed(c, 2, "before", &v.Before)
	bytesOf(c, 3, "value", &v.Value)
}

func commit(c *coder, v *flow.Commit) {
	signed(c, 1, "revision", &v.Revision)
	letter(c, 2, "type", &v.Type)
	word(c, 3, "resource", &v.Resource)
	word(c, 4, "namespace", &v.Namespace)
	text(c, 5, "name", &v.Name)
	c.time(6, "at", &v.At)
	c.bool(7, "outside", &v.Outside)
}

func oneFlow(c *coder, f *flow.Flow) {
	c.uint(1, "seq", &f.Seq)
	signed(c, 2, "phase", &f.Phase)
	c.time(3, "start", &f.Start)
	signed(c, 4, "duration", &f.Duration)
	message(c, 5, "client", &f.Client, client)
	word(c, 6, "method", &f.Method)
	text(c, 7, "path", &f.Path)
	text(c, 8, "query", &f.Query)
	word(c, 9, "proto", &f.Proto)
	message(c, 10, "target", &f.Target, target)
	header(c, 11, "request_header", &f.RequestHeader)
	message(c, 12, "request_body", &f.RequestBody, body)
	signed(c, 13, "status", &f.Status)
	header(c, 14, "response_header", &f.ResponseHeader)
	message(c, 15, "response_body", &f.ResponseBody, body)
	word(c, 16, "reason", &f.Reason)
	text(c, 17, "message", &f.Message)
	list(c, 18, "stations", &f.Stations, station)
	list(c, 19, "plugins", &f.Plugins, plugin)
	annotations(c, 20, "annotations", &f.Annotations)
	list(c, 21, "statements", &f.Statements, statement)
	optional(c, 22, "batch", &f.Batch, batch)
	signed(c, 23, "sent_revision", &f.SentRevision)
	signed(c, 24, "revision", &f.Revision)
	list(c, 25, "effects", &f.Effects, effect)
	optional(c, 26, "conflict", &f.Conflict, conflict)
	optional(c, 27, "unavailable", &f.Unavailable, unavailable)
	optional(c, 28, "page", &f.Page, page)
	watchOf(c, 29, "watch", &f.Watch)
	text(c, 30, "panic", &f.Panic)
	repeated(c, 31, "notes", &f.Notes, text[string])
	list(c, 32, "faults", &f.Faults, fault)
	optional(c, 33, "identity", &f.Identity, identity)
	list(c, 34, "rights", &f.Rights, right)
	list(c, 35, "calls", &f.Calls, call)
	signed(c, 36, "more_calls", &f.MoreCalls)
	optional(c, 37, "chain", &f.Chain, chain)
}

func client(c *coder, v *flow.Client) {
	word(c, 1, "tag", &v.Tag)
	word(c, 2, "user_agent", &v.UserAgent)
	word(c, 3, "remote", &v.Remote)
	word(c, 4, "user", &v.User)
	word(c, 5, "impersonator", &v.Impersonator)
	word(c, 6, "session", &v.Session)
	word(c, 7, "command", &v.Command)
	word(c, 8, "via", &v.Via)
}

func target(c *coder, v *flow.Target) {
	word(c, 1, "verb", &v.Verb)
	word(c, 2, "group", &v.Group)
	word(c, 3, "version", &v.Version)
	word(c, 4, "resource", &v.Resource)
	word(c, 5, "subresource", &v.Subresource)
	word(c, 6, "namespace", &v.Namespace)
	text(c, 7, "name", &v.Name)
}

func body(c *coder, v *flow.Body) {
	bytesOf(c, 1, "kept", &v.Kept)
	signed(c, 2, "total", &v.Total)
	c.bool(3, "cut", &v.Cut)
}

func station(c *coder, v *flow.Station) {
	word(c, 1, "name", &v.Name)
	signed(c, 2, "start", &v.Start)
	signed(c, 3, "length", &v.Length)
	text(c, 4, "note", &v.Note)
	c.bool(5, "failed", &v.Failed)
	signed(c, 6, "depth", &v.Depth)
}

func plugin(c *coder, v *flow.PluginMark) {
	word(c, 1, "plugin", &v.Plugin)
	word(c, 2, "station", &v.Station)
	c.bool(3, "again", &v.Again)
	signed(c, 4, "length", &v.Length)
	text(c, 5, "refusal", &v.Refusal)
	repeated(c, 6, "changed", &v.Changed, text[string])
	list(c, 7, "changes", &v.Changes, fieldChange)
	repeated(c, 8, "warnings", &v.Warnings, text[string])
	annotations(c, 9, "annotations", &v.Annotations)
	list(c, 10, "opinions", &v.Opinions, opinion)
}

func fault(c *coder, v *flow.FaultMark) {
	text(c, 1, "rule", &v.Rule)
	text(c, 2, "name", &v.Name)
	word(c, 3, "action", &v.Action)
	word(c, 4, "station", &v.Station)
	signed(c, 5, "at", &v.At)
	signed(c, 6, "waited", &v.Waited)
	text(c, 7, "outcome", &v.Outcome)
	word(c, 8, "edited", &v.Edited)
	signed(c, 9, "seen", &v.Seen)
	text(c, 10, "object", &v.Object)
}

func statement(c *coder, v *flow.Statement) {
	word(c, 1, "sql", &v.SQL)
	repeated(c, 2, "args", &v.Args, text[string])
	word(c, 3, "kinds", &v.Kinds)
	signed(c, 4, "rows", &v.Rows)
	signed(c, 5, "start", &v.Start)
	signed(c, 6, "length", &v.Length)
	c.bool(7, "lost", &v.Lost)
}

func batch(c *coder, v *flow.Batch) {
	c.uint(1, "id", &v.ID)
	signed(c, 2, "writes", &v.Writes)
	signed(c, 3, "commit", &v.Commit)
	signed(c, 4, "waited", &v.Waited)
	word(c, 5, "outcome", &v.Outcome)
}

// effect has the objects themselves, or the revisions of changes or of the state that are in the segment already.
func effect(c *coder, v *flow.Effect) {
	message(c, 1, "commit", &v.Commit, commit)
	before, after := int64(0), int64(0)
	if c.mode == writing {
		before, after = c.versions.known(v)
	}
	b, a := v.Before, v.After
	if before != 0 {
		b = nil
	}
	if after != 0 {
		a = nil
	}
	bytesOf(c, 2, "before", &b)
	bytesOf(c, 3, "after", &a)
	signed(c, 4, "before_at", &before)
	signed(c, 5, "after_at", &after)
	if c.mode != reading {
		return
	}
	v.Before, v.After = b, a
	if before != 0 {
		v.Before = c.version(before)
	}
	if after != 0 {
		v.After = c.version(after)
	}
}

func conflict(c *coder, v *flow.Conflict) {
	word(c, 1, "kind", &v.Kind)
	signed(c, 2, "sent", &v.Sent)
	signed(c, 3, "stored", &v.Stored)
	bytesOf(c, 4, "base", &v.Base)
	bytesOf(c, 5, "object", &v.Object)
	text(c, 6, "sent_uid", &v.SentUID)
	text(c, 7, "stored_uid", &v.StoredUID)
	list(c, 8, "causes", &v.Causes, func(c *coder, v *flow.Cause) {
		text(c, 1, "field", &v.Field)
		text(c, 2, "message", &v.Message)
	})
}

func unavailable(c *coder, v *flow.Unavailable) {
	signed(c, 1, "asked", &v.Asked)
	signed(c, 2, "oldest", &v.Oldest)
	signed(c, 3, "newest", &v.Newest)
}

func page(c *coder, v *flow.Page) {
	word(c, 1, "source", &v.Source)
	signed(c, 2, "snapshot", &v.Snapshot)
	signed(c, 3, "items", &v.Items)
	signed(c, 4, "limit", &v.Limit)
	text(c, 5, "token", &v.Token)
	text(c, 6, "next", &v.Next)
	signed(c, 7, "remaining", &v.Remaining)
	c.bool(8, "expired", &v.Expired)
}

func watchInfo(c *coder, v *flow.WatchInfo) {
	c.uint(1, "id", &v.ID)
	message(c, 2, "client", &v.Client, client)
	message(c, 3, "target", &v.Target, target)
	text(c, 4, "query", &v.Query)
	word(c, 5, "media", &v.Media)
	c.time(6, "opened", &v.Opened)
	signed(c, 7, "start", &v.Start)
}

func watchState(c *coder, v *flow.WatchState) {
	c.uint(1, "sent", &v.Sent)
	c.uint(2, "bytes", &v.Bytes)
	c.uint(3, "bookmarks", &v.Bookmarks)
	signed(c, 4, "last", &v.Last)
	signed(c, 5, "last_event", &v.LastEvent)
	signed(c, 6, "position", &v.Position)
	signed(c, 7, "pending", &v.Pending)
	c.time(8, "ended", &v.Ended)
	word(c, 9, "cause", &v.Cause)
	c.uint(10, "touched", &v.Touched)
	list(c, 11, "faults", &v.Faults, fault)
}

func frame(c *coder, v *flow.Frame) {
	c.uint(1, "number", &v.Number)
	word(c, 2, "type", &v.Type)
	signed(c, 3, "revision", &v.Revision)
	word(c, 4, "namespace", &v.Namespace)
	text(c, 5, "name", &v.Name)
	signed(c, 6, "size", &v.Size)
	c.time(7, "committed", &v.Committed)
	c.time(8, "written", &v.Written)
}

func frames(c *coder, v *Frames) {
	message(c, 1, "watch", &v.Info, watchInfo)
	message(c, 2, "state", &v.State, watchState)
	list(c, 3, "frames", &v.Frames, frame)
}

func missed(c *coder, v *Missed) {
	c.uint(1, "others", &v.Others)
	c.uint(2, "own", &v.Own)
	c.uint(3, "upto", &v.Upto)
	signed(c, 4, "changes_from", &v.ChangesFrom)
	signed(c, 5, "changes_to", &v.ChangesTo)
}

func moment(c *coder, v *Moment) {
	text(c, 1, "name", &v.Name)
	c.uint(2, "before", &v.Before)
}

func head(c *coder, v *Head) {
	signed(c, 1, "newest", &v.Newest)
	signed(c, 2, "compacted", &v.Compacted)
	c.time(3, "at", &v.At)
}

func end(c *coder, v *End) { c.time(1, "at", &v.At) }

// A headerLine is one header. Its values are words, or texts if they rarely repeat.
type headerLine struct {
	key   string
	value []string
}

// unique are the headers whose values never repeat.
var unique = []string{"Audit-Id", "Traceparent", "Tracestate", "Authorization"}

func header(c *coder, n protowire.Number, name string, h *http.Header) {
	mapped(c, n, name, h, func(c *coder, l *headerLine) {
		word(c, 1, "name", &l.key)
		once := slices.Contains(unique, l.key)
		if c.mode != writing || !once {
			repeated(c, 2, "words", &l.value, word[string])
		}
		if c.mode != writing || once {
			repeated(c, 3, "texts", &l.value, text[string])
		}
	})
}

// An annotation is one entry of a map.
type annotation struct{ key, value string }

func annotations(c *coder, n protowire.Number, name string, all *map[string]string) {
	mapped(c, n, name, all, func(c *coder, a *annotation) {
		word(c, 1, "key", &a.key)
		text(c, 2, "value", &a.value)
	})
}

// watchOf is the ID of the flow's watch; the rest is in Frames.
func watchOf(c *coder, n protowire.Number, name string, w **flow.Watch) {
	var id uint64
	if c.mode == writing && *w != nil {
		id = (*w).ID
	}
	c.uint(n, name, &id)
	if c.mode == reading && id != 0 {
		*w = &flow.Watch{WatchInfo: flow.WatchInfo{ID: id}}
	}
}

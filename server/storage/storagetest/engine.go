package storagetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"kubarium/server/storage"
)

// enginePromises are the sentences of storage.Engine.
var enginePromises = []struct {
	name  string
	prove func(f *engine)
}{
	{"Healthy", healthy},
	{"ReadHistory", historyFromAnyRevision},
	{"ReadHistory/Compacted", historyAfterCompaction},
	{"ReadHistory/StateAlone", historyOfStateAlone},
	{"ReadHistory/ErrTooLarge", historyTooLarge},
	{"ReadHistory/ErrorEndsIt", historyEnded},
	{"RevisionAt", revisionAtTimes},
	{"Log", logNewestFirst},
	{"Log/OfOneObject", logOfOneObject},
	{"Log/Terminating", logTerminating},
	{"Log/OneChange", logOneChange},
	{"Log/Compacted", logAfterCompaction},
	{"Rewrite", rewriteFromOutside},
	{"Rewrite/SameValue", rewriteToSameValue},
	{"Rewrite/ErrNotFound", rewriteOfNothing},
}

// RunEngine proves what storage.Engine promises in addition to storage.Store, as Run does of that.
func RunEngine(t *testing.T, open func(t testing.TB) storage.Engine) {
	for _, p := range enginePromises {
		t.Run(p.name, func(t *testing.T) {
			e := open(t)
			p.prove(&engine{fixture{T: t, Store: e}, e})
		})
	}
}

// An engine is a fixture of a whole one.
type engine struct {
	fixture
	storage.Engine
}

func healthy(f *engine) {
	f.story()
	f.expect("health", f.Healthy(), nil)
}

// history writes down what ReadHistory returns, without what changes met.
func (f *engine) history(at storage.Revision) (span storage.Span, state, changes string) {
	f.Helper()
	var stood, came []storage.Change
	err := f.ReadHistory(context.Background(), at, func(s storage.Span) error { span = s; return nil },
		func(c storage.Change) error { stood = append(stood, c); return nil },
		func(c storage.Change) error { came = append(came, c); return nil })
	if err != nil {
		f.Fatalf("history from %d: %v", at, err)
	}
	return span, describeHistory(stood), describeHistory(came)
}

func describeHistory(changes []storage.Change) string {
	text := ""
	for _, c := range changes {
		text += fmt.Sprintf("%d %c %s %s (was %d)\n", c.Revision, c.Type, c.Key, c.Value, c.BeforeRevision)
	}
	return text
}

func historyFromAnyRevision(f *engine) {
	told := f.story()
	secret, second := told[1], f.create(key("b"), `1`)
	updated := f.update(storage.Record{Key: secret.Key, Revision: secret.Revision}, `2`)
	removed := f.remove(second)
	later := []storage.Change{
		{Revision: updated.Revision, Type: storage.Updated, Key: updated.Key, Value: updated.Value, BeforeRevision: secret.Revision},
		{Revision: removed.Revision, Type: storage.Deleted, Key: second.Key, BeforeRevision: second.Revision},
	}
	span, state, changes := f.history(second.Revision)
	f.expect("span", span, storage.Span{From: second.Revision, Newest: f.newest()})
	f.expect("state", state, describeHistory([]storage.Change{secret, told[4], {Revision: second.Revision, Type: storage.Created, Key: second.Key, Value: second.Value}}))
	f.expect("changes", changes, describeHistory(later))
	if span, _, changes := f.history(0); span.From != span.Newest || span.Newest != f.newest() || changes != "" {
		f.Errorf("from the newest: %+v, %s", span, changes)
	}
	_ = f.ReadHistory(context.Background(), second.Revision, func(storage.Span) error { return nil }, func(c storage.Change) error {
		if since := time.Since(c.At); since < 0 || since > time.Hour || c.Outside {
			f.Errorf("%s was made %v ago, outside=%t", c.Key, since, c.Outside)
		}
		return nil
	}, nil)
}

func historyAfterCompaction(f *engine) {
	told := f.story()
	at := told[3].Revision
	f.compact(at)
	_, lowest := f.Head()
	span, state, changes := f.history(-1)
	f.expect("span", span, storage.Span{From: lowest, Newest: f.newest()})
	f.expect("history", state+changes, describeHistory([]storage.Change{told[1], told[4]}))
	err := f.ReadHistory(context.Background(), at, func(storage.Span) error { return errors.New("it begins") }, nil, nil)
	f.refusedRevision("history", err, storage.ErrExpired, at, lowest)
}

func historyOfStateAlone(f *engine) {
	told := f.story()
	var stood []storage.Change
	err := f.ReadHistory(context.Background(), told[2].Revision, func(storage.Span) error { return nil }, func(c storage.Change) error {
		stood = append(stood, c)
		return nil
	}, nil)
	f.expect("state", fmt.Sprint(describeHistory(stood), err), fmt.Sprint(describeHistory(told[1:3]), nil))
}

func historyTooLarge(f *engine) {
	newest := f.create(key("a"), `1`).Revision
	err := f.ReadHistory(context.Background(), newest+1, func(storage.Span) error { return errors.New("it begins") }, nil, nil)
	f.refusedRevision("history", err, storage.ErrTooLarge, newest+1, newest)
}

func historyEnded(f *engine) {
	told := f.story()
	enough := errors.New("enough")
	none := func(storage.Change) error { return nil }
	ends := func(storage.Change) error { return enough }
	begin := func(storage.Span) error { return nil }
	for name, err := range map[string]error{
		"begin":  f.ReadHistory(context.Background(), 0, func(storage.Span) error { return enough }, none, none),
		"state":  f.ReadHistory(context.Background(), 0, begin, ends, none),
		"change": f.ReadHistory(context.Background(), told[0].Revision, begin, none, ends),
	} {
		if !errors.Is(err, enough) {
			f.Errorf("%s: %v", name, err)
		}
	}
}

func revisionAtTimes(f *engine) {
	f.story()
	var last storage.Revision
	for _, t := range []time.Duration{-time.Hour, -time.Millisecond, 0, time.Hour} {
		at, err := f.RevisionAt(context.Background(), time.Now().Add(t))
		if err != nil || at < last || at > f.newest() {
			f.Errorf("at %v: %d after %d, %v", t, at, last, err)
		}
		last = at
	}
	f.expect("in an hour", last, f.newest())
}

func (f *engine) log(o storage.LogOptions) string {
	f.Helper()
	log, err := f.Log(context.Background(), o)
	if err != nil {
		f.Fatalf("log %+v: %v", o, err)
	}
	return describeLog(log)
}

func describeLog(log []storage.Logged) string {
	text := ""
	for _, c := range log {
		text += fmt.Sprintf("%d %c %s %d bytes (was %d) terminating=%t [%s] [%s]\n", c.Revision, c.Type, c.Key, c.Bytes, c.BeforeRevision, c.Terminating, c.Before, c.Value)
	}
	return text
}

// logged is how changes are in the log: without what they made.
func logged(changes ...storage.Change) (log []storage.Logged) {
	for _, c := range changes {
		l := storage.Logged{Change: c, Bytes: int64(len(c.Value))}
		l.Before, l.Value = nil, nil
		log = append(log, l)
	}
	return log
}

func logNewestFirst(f *engine) {
	told := f.story()
	want := logged(told[4], told[3], told[2], told[1], told[0])
	f.expect("all", f.log(storage.LogOptions{}), describeLog(want))
	f.expect("a page", f.log(storage.LogOptions{Before: told[3].Revision, Limit: 2}), describeLog(want[1:3]))
	f.expect("the oldest", f.log(storage.LogOptions{Before: told[0].Revision}), describeLog(want[4:]))
	log, err := f.Log(context.Background(), storage.LogOptions{})
	if err != nil {
		f.Fatal(err)
	}
	for _, c := range log {
		if since := time.Since(c.At); since < 0 || since > time.Hour || c.Outside {
			f.Errorf("%s was changed %v ago, outside=%t", c.Key, since, c.Outside)
		}
	}
}

func logOfOneObject(f *engine) {
	told := f.story()
	f.expect("of one", f.log(storage.LogOptions{Key: told[1].Key}), describeLog(logged(told[1])))
	f.expect("the newest of one", f.log(storage.LogOptions{Key: told[0].Key, Limit: 2}), describeLog(logged(told[4], told[3])))
	f.expect("of none", f.log(storage.LogOptions{Key: key("a/none")}), "")
}

func logTerminating(f *engine) {
	const going, value = `"deletionTimestamp":"2020"`, `{"metadata":{%s}}`
	f.create(key("stays"), `{}`)
	for i, other := range []string{
		`{"data":{"deletionTimestamp":"x"}}`, `{"data":{"k":"\"deletionTimestamp\":\"x\""}}`, `{"metadata":{"annotations":{%s}}}`,
		`{"metadata":{"deletionTimestamp":null},"spec":{"template":{"metadata":{%s}}}}`, `{"metadata":"deletionTimestamp"}`,
	} {
		f.create(key(fmt.Sprint("other-", i)), strings.ReplaceAll(other, "%s", going))
	}
	first := f.create(key("goes"), fmt.Sprintf(value, going))
	second := f.update(first, fmt.Sprintf(value, going+`,"labels":{}`))
	want := logged(storage.Change{Revision: second.Revision, Type: storage.Updated, Key: second.Key, Value: second.Value, BeforeRevision: first.Revision})
	want[0].Terminating = true
	f.expect("terminating", f.log(storage.LogOptions{Terminating: true}), describeLog(want))
	f.expect("terminating, of one", f.log(storage.LogOptions{Terminating: true, Key: second.Key}), describeLog(want))
	f.expect("terminating, of another", f.log(storage.LogOptions{Terminating: true, Key: key("stays")}), "")
	want = append(want, logged(storage.Change{Revision: first.Revision, Type: storage.Created, Key: first.Key, Value: first.Value})...)
	f.expect("of one", f.log(storage.LogOptions{Key: second.Key}), describeLog(want))
	third := f.create(key("spaced"), `{"metadata": {"deletionTimestamp": "2020"}}`)
	f.expect("with spaces", f.log(storage.LogOptions{Terminating: true, Limit: 1, Key: third.Key}), f.log(storage.LogOptions{Key: third.Key}))
	f.expect("the newest", f.log(storage.LogOptions{Terminating: true, Limit: 1}), f.log(storage.LogOptions{Key: third.Key}))
	f.remove(third)
	f.remove(second)
	f.expect("gone", f.log(storage.LogOptions{Terminating: true}), "")
}

func logOneChange(f *engine) {
	told := f.story()
	for _, c := range told {
		want := describeLog([]storage.Logged{{Change: c, Bytes: int64(len(c.Value))}})
		f.expect("one", f.log(storage.LogOptions{Revision: c.Revision, Before: 1, Key: key("none")}), want)
	}
	f.expect("none", f.log(storage.LogOptions{Revision: f.newest() + 1}), "")
}

// logAfterCompaction: the changes that made the objects what they are stay.
func logAfterCompaction(f *engine) {
	told := f.story()
	f.compact(told[4].Revision)
	f.expect("of old", f.log(storage.LogOptions{Key: told[1].Key}), describeLog(logged(told[1])))
	f.expect("one of old", f.log(storage.LogOptions{Before: told[3].Revision}), describeLog(logged(told[1])))
	later := f.create(key("b"), `1`)
	f.expect("all", f.log(storage.LogOptions{}), describeLog(logged(storage.Change{
		Revision: later.Revision, Type: storage.Created, Key: later.Key, Value: later.Value}, told[4], told[1])))
}

// rewriteFromOutside: the change is one from outside, of any bytes.
func rewriteFromOutside(f *engine) {
	r := f.create(key("a"), `1`)
	told := make(chan storage.Change, 1)
	if _, err := f.Follow(func(b storage.Batch) {
		for _, c := range b.Changes {
			told <- c
		}
	}); err != nil {
		f.Fatal(err)
	}
	const broken = "{\"no\": JSON, \xc3\x28"
	at, err := f.Rewrite(context.Background(), r.Key, []byte(broken))
	if err != nil || at <= r.Revision {
		f.Fatalf("rewritten at %d, %v", at, err)
	}
	c := <-told
	f.expect("change", describeChanges([]storage.Change{c}), describeChanges([]storage.Change{{
		Revision: at, Type: storage.Updated, Key: r.Key, Value: []byte(broken), Before: r.Value, BeforeRevision: r.Revision}}))
	if !c.Outside || time.Since(c.At) > time.Hour {
		f.Errorf("outside=%t at %v", c.Outside, c.At)
	}
	got, err := f.Get(context.Background(), r.Key, 0)
	f.expect("object", fmt.Sprint(describeRecord(got), err), fmt.Sprint(describeRecord(storage.Record{Key: r.Key, Revision: at, Value: []byte(broken)}), nil))
}

func rewriteToSameValue(f *engine) {
	r := f.create(key("a"), `1`)
	newest := f.newest()
	at, err := f.Rewrite(context.Background(), r.Key, []byte(`1`))
	f.expect("same value", fmt.Sprint(at, err), fmt.Sprint(r.Revision, nil))
	f.expect("newest", f.newest(), newest)
}

func rewriteOfNothing(f *engine) {
	newest := f.newest()
	_, err := f.Rewrite(context.Background(), key("a"), []byte(`1`))
	var wrong *storage.KeyError
	if !errors.Is(err, storage.ErrNotFound) || !errors.As(err, &wrong) || wrong.Key != key("a") {
		f.Errorf("got %v", err)
	}
	f.expect("newest", f.newest(), newest)
}
